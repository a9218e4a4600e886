//! PAPI's C interface, and what counts the records of rewritten programs, as a library that `lab cc`
//! links into C, C++ and Rust programs.
//!
//! | step | file |
//! |---|---|
//! | rewritten code appends records to its thread's buffer | `buffer.rs`, `site.rs` |
//! | the thread's caches count them, for each source line and array | `thread.rs`, `work.rs` |
//! | arrays: blocks of `malloc` and `new`, globals | `blocks.rs`, `image.rs` |
//! | the library's own memory | `memory.rs` |
//! | the machine, and the program's addresses on it | `session.rs` |
//! | start, end and signal handlers of the program | `program.rs`, `signals.rs` |
//! | PAPI's functions, on these counts or on the crate `counters` | `code.rs`, `library.rs`, `sets.rs`, `interface.rs`, `high.rs`, `info.rs` |
//! | regions, and what is printed and saved | `regions.rs`, `high.rs`, `report.rs`, `table.rs` |
//!
//! A program that `lab cc --native` has linked has no model: PAPI's functions count with hardware
//! counters.
//!
//! Linux on x86-64 alone; elsewhere the crate is empty.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(non_snake_case, unreachable_pub, reason = "C programs call these functions by their names")]

use std::sync::{Mutex, MutexGuard, PoisonError};

/// In the place of the standard library's, which end the program if standard error is full.
macro_rules! eprintln {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}
macro_rules! eprint {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = write!(std::io::stderr(), $($text)*);
    }};
}

#[macro_use]
mod stub;

mod blocks;
mod buffer;
mod code;
mod high;
mod image;
mod info;
mod interface;
mod library;
mod memory;
mod program;
mod regions;
mod report;
mod session;
mod sets;
mod signals;
mod site;
mod table;
mod thread;
mod work;

/// The value of a mutex, also after a panic elsewhere.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Blocks all signals while `action` runs.
fn without_signals<T>(action: impl FnOnce() -> T) -> T {
    // SAFETY: the sets are this function's own.
    unsafe {
        let (mut all, mut before): (libc::sigset_t, libc::sigset_t) =
            (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        let result = action();
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        result
    }
}

#[global_allocator]
static OWN: memory::Own = memory::Own;

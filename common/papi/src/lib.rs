//! PAPI's C interface and the calls that compilers put before loads and stores, as a library that
//! `lab cc` links into C and C++ programs.
//!
//! | step | file |
//! |---|---|
//! | the compiler's call before an access, with its return address | `calls.rs`, `stub.rs` |
//! | the thread's caches count it, for its source line and its array | `thread.rs` |
//! | arrays: blocks of `malloc` and `new`, globals | `heap.rs`, `image.rs` |
//! | the machine; start and end of the program | `session.rs`, `program.rs` |
//! | PAPI's functions, on these counts or on the crate `counters` | `interface.rs`, `high.rs`, `info.rs`, `sets.rs` |
//! | regions, and what is printed and saved | `regions.rs`, `report.rs` |
//!
//! A program whose compiler was not told to put the calls has no model: then PAPI's functions count
//! with hardware counters.
//!
//! Linux on x86-64, arm64 and riscv64 alone; elsewhere the crate is empty.

#![cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
#![allow(non_snake_case, unreachable_pub, reason = "C programs call these functions by their names")]

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

mod calls;
mod code;
mod heap;
mod high;
mod image;
mod info;
mod interface;
mod program;
mod regions;
mod report;
mod session;
mod sets;
mod thread;

#[global_allocator]
static OWN: heap::Own = heap::Own;

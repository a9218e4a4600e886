//! What is asked of the operating system and of the processor at hand: clocks,
//! affinity, pages, files, and the facts of the machine.
//!
//! Each system answers in one file of `os`, by implementing one trait; nothing
//! else in the kit knows which system it runs on, except for the hardware
//! counters, which only Linux gives. A new system is a new file there.

pub mod clock;
pub mod core_clock;
pub mod cpu;
pub mod date;
pub mod facts;
pub mod files;
pub mod host;
pub mod machine;
mod os;
pub mod pages;
pub mod signals;
pub mod step;

/// Whether the program was started with its standard output closed (`>&-`): the
/// runtime then writes into nothing, and says it went well.
pub fn output_is_closed() -> bool {
    use os::{Here, Os};
    Here::output_is_closed()
}

/// A program whose reader is gone (`cm1 | head`) ends like any C program; Rust
/// would panic in `println!`. A file beyond the limit on file sizes is an error
/// that can be determined, like a full disk, and not the end. All threads take memory
/// from one heap: one of its own reserves 64 MiB for each, which `ulimit -v`
/// counts. To be called before any thread is started.
pub fn set_up() {
    use os::{Here, Os};
    Here::set_up();
}

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
pub mod ending;
pub mod facts;
pub mod files;
pub mod here;
pub mod machine;
mod os;
pub mod pages;
pub mod step;

/// A program whose reader is gone (`cm1 | head`) ends like any C program; Rust
/// would panic in `println!`. To be called before any thread is started.
pub fn end_quietly_on_a_closed_pipe() {
    use os::{Here, Os};
    Here::end_quietly_on_a_closed_pipe();
}

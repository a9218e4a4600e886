//! What is asked of the operating system: clocks, processors, pages, files, and
//! the facts of the machine at hand.

pub mod clock;
pub mod core_clock;
pub mod cpu;
pub mod files;
pub mod machine;
pub mod pages;
pub mod step;

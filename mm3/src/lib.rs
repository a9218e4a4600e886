#![doc = include_str!("../README.md")]

#[cfg(feature = "program")]
mod experiment;
mod kernel;
mod unblocked;

#[cfg(feature = "program")]
pub use experiment::{elements_per_line, measure};
pub use kernel::{CACHE_LINE_SIZE, N, multiply};
pub use unblocked::multiply_unblocked;

/// The name and the text of the kernel's file.
pub const KERNEL: (&str, &str) = ("mm3/src/kernel.rs", include_str!("kernel.rs"));

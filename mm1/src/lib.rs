#![doc = include_str!("../README.md")]

#[cfg(feature = "program")]
mod experiment;
mod in_register;
mod kernel;

#[cfg(feature = "program")]
pub use experiment::measure;
pub use in_register::multiply_in_register;
pub use kernel::{N, multiply};

/// The name and the text of the kernel's file.
pub const KERNEL: (&str, &str) = ("mm1/src/kernel.rs", include_str!("kernel.rs"));

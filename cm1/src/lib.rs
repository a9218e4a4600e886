#![doc = include_str!("../README.md")]

#[cfg(feature = "program")]
mod deciding;
#[cfg(feature = "program")]
mod experiment;
mod kernel;
#[cfg(feature = "program")]
mod timing;

#[cfg(feature = "program")]
pub use experiment::{Options, kit_row, measure};
pub use kernel::{CACHE_MAX, CACHE_MIN, EVENT, walk};

/// The name and the text of the kernel's file.
pub const KERNEL: (&str, &str) = ("cm1/src/kernel.rs", include_str!("kernel.rs"));

#![doc = include_str!("../README.md")]

#[cfg(feature = "program")]
mod experiment;
mod kernel;

#[cfg(feature = "program")]
pub use experiment::{Options, kit_header, kit_row, measure};
pub use kernel::{CACHE_MAX, CACHE_MIN, walk};

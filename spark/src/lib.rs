#![doc = include_str!("../README.md")]

#[cfg(feature = "program")]
mod experiment;
mod kernel;

#[cfg(feature = "program")]
pub use experiment::{KIT_HEADER, Options, kit_row, measure};
pub use kernel::{CACHE_MAX, CACHE_MIN, walk};

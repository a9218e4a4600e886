#![doc = include_str!("../README.md")]

#[cfg(feature = "program")]
mod experiment;
mod kernel;
#[cfg(feature = "program")]
mod timing;

#[cfg(feature = "program")]
pub use experiment::{Options, chart, kit_row, measure};
pub use kernel::walk;

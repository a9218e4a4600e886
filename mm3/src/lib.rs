#![doc = include_str!("../README.md")]

#[cfg(feature = "program")]
mod experiment;
mod kernel;
mod unblocked;

#[cfg(feature = "program")]
pub use experiment::{elements_per_line, measure};
pub use kernel::multiply;
pub use unblocked::multiply_unblocked;

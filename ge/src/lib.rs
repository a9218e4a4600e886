#![doc = include_str!("../README.md")]
//!
//! # The modules of this crate
//!
//! | module | what is in it |
//! |---|---|
//! | [`rungs`] | the rungs, a file each |
//! | [`VARIANTS`] | their table |
//! | [`problem`] | the matrices, the checks of the result |
//! | [`modelled`] | what the cache model counts |
//! | `measuring` | measuring and printing, with the feature `program` |
//!
//! Without the feature `program` the crate asks no operating system, and builds
//! for `wasm32-unknown-unknown`.

#[cfg(feature = "program")]
pub mod measuring;
pub mod modelled;
pub mod problem;
pub mod rungs;
mod variants;

pub use rungs::NotRun;
pub use variants::{Rounding, VARIANTS, Variant, find, inner_steps};

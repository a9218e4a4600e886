#![doc = include_str!("../README.md")]
//!
//! # The rooms of this crate
//!
//! | room | what is in it |
//! |---|---|
//! | [`variants`] | the rungs, a file each, and their table |
//! | [`problem`] | the matrices of one product, views of them, the check of the result |
//! | [`counting`] | misses by the lecture's closed forms and by the cache model |
//! | `experiment` | measuring and printing, with the feature `program` |
//!
//! Without the feature `program` the crate asks no operating system, and builds
//! for `wasm32-unknown-unknown`.

pub mod counting;
#[cfg(feature = "program")]
pub mod experiment;
pub mod problem;
pub mod variants;

pub use problem::view::View;
pub use problem::{Blocks, Problem};
pub use variants::{Kernel, VARIANTS, Variant};

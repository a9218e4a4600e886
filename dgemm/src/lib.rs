#![doc = include_str!("../README.md")]
//!
//! # The modules of this crate
//!
//! | module | what is in it |
//! |---|---|
//! | [`rungs`] | the rungs, a file each |
//! | [`view`] | views of parts of a matrix, which the rungs work on |
//! | [`problem`] | the matrices of one product, the check of the result |
//! | [`variants`] | the table of the rungs, the one on threads, and the library |
//! | [`counting`] | misses by the lecture's closed forms and by the cache model |
//! | `experiment` | measuring and printing, with the feature `program` |
//!
//! Without the feature `program` the crate asks no operating system, and builds
//! for `wasm32-unknown-unknown`.

pub mod counting;
#[cfg(feature = "program")]
pub mod experiment;
pub mod problem;
pub mod rungs;
pub mod variants;
pub mod view;

pub use problem::{Blocks, Problem};
pub use variants::{Kernel, VARIANTS, Variant};
pub use view::View;

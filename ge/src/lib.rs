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
//! | [`measuring`] | measuring and printing |

pub mod measuring;
pub mod modelled;
pub mod problem;
pub mod rungs;
mod variants;

pub use rungs::NotRun;
pub use variants::{Rounding, VARIANTS, Variant, inner_steps};

//! Checks kernels: a reference for the numbers, the cache model for accesses and misses.

pub mod block;
pub mod ge4_tail;
pub mod matrices;
mod model;
pub mod policy;
mod wrong;

pub(crate) use model::{cache_of, misses};
pub use wrong::{Checked, Wrong};

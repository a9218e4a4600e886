//! What holds a kernel against its task: a reference for its numbers, the cache
//! model for its accesses and misses.

pub mod block;
pub mod ge4_tail;
pub mod matrices;
mod model;
pub mod policy;
mod wrong;

pub(crate) use model::{cache_of, misses};
pub use wrong::{Checked, Wrong};

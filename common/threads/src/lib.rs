//! Threads for measured kernels: a [pool](at_once) that waits for work, so that a small
//! product does not pay for starting threads, and a [`Team`] whose members do the steps of
//! one computation together.
//!
//! Without the feature `pinned` the crate asks no operating system for processors, and
//! builds for `wasm32-unknown-unknown`.

mod pool;
mod team;

pub use pool::{NoThread, at_once};
pub use team::{Member, Team};

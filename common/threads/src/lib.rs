//! Threads for measured kernels: the same work [at once](at_once), and a [`Team`] whose members
//! do the steps of one computation together.
//!
//! Without the feature `pinned` the crate asks no operating system for processors, and
//! builds for `wasm32-unknown-unknown`.

mod at_once;
mod team;

pub use at_once::{NoThread, at_once};
pub use team::{Member, Team};

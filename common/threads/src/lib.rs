//! Threads for measured kernels: the same work [at once](at_once).
//!
//! Without the feature `pinned` the crate asks no operating system for processors, and
//! builds for `wasm32-unknown-unknown`.

mod at_once;

pub use at_once::{NoThread, at_once};

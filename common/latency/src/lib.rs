//! The `timing` source: caches made visible by the time of dependent accesses,
//! where no counter counts.
//!
//! Independent accesses overlap, and a modern core hides every L1 miss behind
//! the next; accesses in a regular order are prefetched. So in this crate each
//! address comes out of the access before, in an order no prefetcher follows.
//! From the times of the levels the misses per access of a cell follow.

mod batch;
pub mod beyond;
mod cells;
mod chain;
mod error;
mod probe;
mod tlb;

pub use batch::{Effort, Timed, reference_clock, time};
pub use cells::{CellTime, Cells};
pub use chain::{Chain, Chains, WORD};
pub use error::LatencyError;
pub use probe::OnTime;
pub use tlb::{Translation, translation};

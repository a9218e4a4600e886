//! The source `timing`: shows caches by the time of dependent accesses, on machines without
//! counters.
//!
//! Independent accesses overlap, and a modern core hides every L1 miss behind the next
//! access; accesses in a regular order are prefetched. So in this crate each address is the
//! result of the access before, in an order that no prefetcher follows. The misses per
//! access of a cell follow from the latencies of the levels.

mod batch;
mod cells;
mod chain;
mod probe;

pub use cells::{CellTime, Cells};
use probe::OnTime;

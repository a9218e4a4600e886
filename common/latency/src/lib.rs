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
mod probe;
mod tlb;

pub use batch::{Effort, Timed, reference_clock, time};
pub use cells::{CellTime, Cells};
pub use chain::{Chain, Chains, WORD};
pub use probe::OnTime;
pub use tlb::{Translation, translation};

use memory::OutOfMemory;
use thiserror::Error;

/// What cannot be timed.
#[derive(Debug, Error)]
pub enum LatencyError {
    /// There is no memory to walk.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// No level of cache is seen.
    #[error("the time of accesses shows no cache: {0}; use --counters model")]
    NoLevel(String),
    /// No chain of addresses has such steps.
    #[error(
        "a stride of {0} bytes cannot be timed: dependent accesses need strides of 1, 2, 4 or a multiple of {WORD} bytes; choose such --strides, or --counters model"
    )]
    Stride(usize),
    /// The array does not fit the memory, or the stride the array.
    #[error("an array of {size} bytes cannot be timed at stride {stride}")]
    Array {
        /// Bytes of the array.
        size: usize,
        /// Bytes from one access to the next.
        stride: usize,
    },
}

//! What cannot be timed.

use memory::OutOfMemory;
use thiserror::Error;

use crate::chain::WORD;

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

//! What cannot be timed.

use memory::OutOfMemory;
use thiserror::Error;

use crate::chain::WORD;

/// Why something cannot be timed.
#[derive(Debug, Error)]
pub enum LatencyError {
    /// There is not enough memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// The times show no cache level.
    #[error("the time of accesses shows no cache: {0}; use --counters model")]
    NoLevel(String),
    /// No chain of addresses can have such a stride.
    #[error(
        "a stride of {0} bytes cannot be timed: dependent accesses need strides of 1, 2, 4 or a multiple of {WORD} bytes; choose such --strides, or --counters model"
    )]
    Stride(usize),
    /// The array does not fit into the memory, or the stride into the array.
    #[error("an array of {size} bytes cannot be timed at stride {stride}")]
    Array {
        /// Bytes of the array.
        size: usize,
        /// Bytes from one access to the next.
        stride: usize,
    },
}

//! The loops that are measured.

use memory::{Array, Memory, steps};

/// The smallest array in bytes; `--min` does the same.
pub const CACHE_MIN: u64 = 8 * 1024;
/// The largest array in bytes, included; `--max` does the same.
pub const CACHE_MAX: u64 = 64 * 1024;
/// What is counted; `--event` does the same.
pub const EVENT: &str = "PAPI_L1_DCM";

/// `repeats` passes over `array`, touching every `stride`-th byte.
///
/// What share of the accesses misses: none, one per line, or all?
///
/// This loop runs if hardware or the model counts. With `--counters timing` it does not:
/// its accesses are independent, so a core hides their misses. `timing.rs` then accesses
/// the same elements in a chain of dependent accesses, and derives the misses from their
/// time.
pub fn walk<M: Memory>(mem: &mut M, array: Array<u8>, stride: usize, repeats: u64) {
    let accesses = array.len() / stride;
    mem.repeat(repeats, |mem| {
        steps!(mem; for i in 0..accesses {
            let element = mem.load(array.at(i * stride));
            mem.store(array.at(i * stride), element.wrapping_add(1));
        });
    });
}

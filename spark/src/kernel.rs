//! The loops that are measured.

use memory::{Array, Memory, steps};

/// The smallest array in bytes; `--min` does the same.
pub const CACHE_MIN: u64 = 4 * 1024;
/// The largest array in bytes, included; `--max` does the same.
pub const CACHE_MAX: u64 = 4 * 1024 * 1024;

/// `repeats` passes over `array`, touching every `stride`-th byte.
///
/// How long does one access take when the array fits a cache, and when not?
pub fn walk<M: Memory>(mem: &mut M, array: Array<u8>, stride: usize, repeats: u64) {
    let accesses = array.len() / stride;
    mem.repeat(repeats, |mem| {
        steps!(mem; for i in 0..accesses {
            let element = mem.load(array.at(i * stride));
            mem.store(array.at(i * stride), element.wrapping_add(1));
        });
    });
}

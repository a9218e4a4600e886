//! The loops that are measured.

use memory::{Array, Memory, steps};

/// `repeats` passes over `array`, touching every `stride`-th byte.
///
/// What share of the accesses misses: none, one per line, or all?
///
/// This loop runs where hardware or the model counts. Under `--counters timing`
/// it does not: its accesses wait for nothing, so a core hides what they miss.
/// `timing.rs` then walks the same elements by accesses that wait for each other,
/// and derives the misses from their time.
pub fn walk<M: Memory>(mem: &mut M, array: Array<u8>, stride: usize, repeats: u64) {
    let accesses = array.len() / stride;
    mem.repeat(repeats, |mem| {
        steps!(mem; for i in 0..accesses {
            let element = mem.load(array.at(i * stride));
            mem.store(array.at(i * stride), element.wrapping_add(1));
        });
    });
}

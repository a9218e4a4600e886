//! A model answer.

use crate::memory::{Array, Memory};

/// The ways of the machine's cache.
pub fn ways(mem: &mut Memory, x: Array) -> usize {
    for k in 1..=17 {
        let mut before = 0;
        for _ in 0..2 {
            before = mem.misses();
            for line in 0..k {
                mem.load(x.at(512 * line));
            }
        }
        if mem.misses() > before {
            return k - 1;
        }
    }
    17
}

//! A model answer.

use crate::memory::{Array, Memory};

/// Subtracts `multiplier` times `source` from `target`, in the columns from `first`
/// to the end of the row.
pub fn subtract(mem: &mut Memory, target: Array, source: Array, multiplier: f64, first: usize) {
    let n = target.len();
    let mut j = first;
    while j + 8 <= n {
        for column in j..j + 8 {
            step(mem, target, source, multiplier, column);
        }
        j += 8;
    }
    while j < n {
        step(mem, target, source, multiplier, j);
        j += 1;
    }
}

/// `target[j] -= source[j] * multiplier`
fn step(mem: &mut Memory, target: Array, source: Array, multiplier: f64, j: usize) {
    let change = mem.load(source.at(j)) * multiplier;
    let old = mem.load(target.at(j));
    mem.store(target.at(j), old - change);
}

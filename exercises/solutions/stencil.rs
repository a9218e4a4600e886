//! A model answer.

use crate::memory::{Matrix, Memory};

/// Writes the means of `from` into `to`; both have as many rows as columns.
pub fn smooth(mem: &mut Memory, from: Matrix, to: Matrix) {
    let n = from.rows();
    for i in 1..n - 1 {
        for j in 1..n - 1 {
            let sum = mem.load(from.at(i - 1, j))
                + mem.load(from.at(i + 1, j))
                + mem.load(from.at(i, j - 1))
                + mem.load(from.at(i, j + 1));
            mem.store(to.at(i, j), sum / 4.0);
        }
    }
}

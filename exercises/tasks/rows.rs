//! **A sum, row by row.** The function below returns the sum of all elements of a matrix.
//! It is right, but it walks down the columns: nearly every load misses.
//!
//! A cache fetches a line of 64 bytes, 8 doubles of a row. Change the order of the
//! accesses, so that each line is fetched once. Each element is loaded once.

use crate::memory::{Matrix, Memory};

/// The sum of all elements.
pub fn sum(mem: &mut Memory, x: Matrix) -> f64 {
    let mut sum = 0.0;
    for j in 0..x.cols() {
        for i in 0..x.rows() {
            sum += mem.load(x.at(i, j));
        }
    }
    sum
}

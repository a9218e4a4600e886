//! Matrix product, straightforward.

use common::memory::{Matrix, Memory, squares};

/// `res += mul1 * mul2`, the textbook's loop order.
///
/// The inner loop walks `mul1` along a row and `mul2` down a column.
pub fn multiply<M: Memory>(mem: &mut M, mul1: Matrix<i16>, mul2: Matrix<i16>, res: Matrix<i16>) {
    let (n, [mul1, mul2, res]) = squares([mul1, mul2, res]);
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                let product = mem.load(mul1.at(i, k)).wrapping_mul(mem.load(mul2.at(k, j)));
                let sum = mem.load(res.at(i, j)).wrapping_add(product);
                mem.store(res.at(i, j), sum);
            }
        }
    }
}

//! The order of mm3's inner loops without its blocks.

use memory::{Matrix, Memory, squares, steps};

/// The product in the order i, k, j: mm3 with one block as large as the matrix.
/// Three loads and one store in each step, as in mm1; but the next step adds to
/// the next element of `res`, so no step waits for the one before.
///
/// ```c
/// for (i = 0; i < N; ++i)
///     for (k = 0; k < N; ++k)
///         for (j = 0; j < N; ++j)
///             res[i][j] += mul1[i][k] * mul2[k][j];
/// ```
#[inline(always)]
pub fn multiply_unblocked<M: Memory>(mem: &mut M, mul1: Matrix<i16>, mul2: Matrix<i16>, res: Matrix<i16>) {
    let (n, [mul1, mul2, res]) = squares([mul1, mul2, res]);
    steps!(mem; for i in 0..n {
        steps!(mem; for k in 0..n {
            steps!(mem; for j in 0..n {
                let product = mem.load(mul1.at(i, k)).wrapping_mul(mem.load(mul2.at(k, j)));
                let sum = mem.load(res.at(i, j)).wrapping_add(product);
                mem.store(res.at(i, j), sum);
            });
        });
    });
}

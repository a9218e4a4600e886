//! The product of a transposed matrix with its sum in a register.

use memory::{Matrix, Memory, squares, steps};

/// mm2 with its sum in a register: two loads in each step and no store, the same
/// misses.
///
/// ```c
/// for (i = 0; i < N; ++i)
///     for (j = 0; j < N; ++j) {
///         int16_t sum = res[i][j];
///         for (k = 0; k < N; ++k)
///             sum += mul1[i][k] * tmp[j][k];
///         res[i][j] = sum;
///     }
/// ```
#[inline(always)]
pub fn multiply_in_register<M: Memory>(mem: &mut M, mul1: Matrix<i16>, tmp: Matrix<i16>, res: Matrix<i16>) {
    let (n, [mul1, tmp, res]) = squares([mul1, tmp, res]);
    steps!(mem; for i in 0..n {
        steps!(mem; for j in 0..n {
            let mut sum = mem.load(res.at(i, j));
            steps!(mem; for k in 0..n {
                let product = mem.load(mul1.at(i, k)).wrapping_mul(mem.load(tmp.at(j, k)));
                sum = sum.wrapping_add(product);
            });
            mem.store(res.at(i, j), sum);
        });
    });
}

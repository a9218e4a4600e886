//! The straightforward product with its sum in a register, as an optimising compiler makes
//! it.

use memory::{Matrix, Memory, squares, steps};

/// mm1 with its sum in a register: two loads in each step and no store, the same misses.
/// Each sum waits for the sum before it, and not for memory.
///
/// ```c
/// for (i = 0; i < N; ++i)
///     for (j = 0; j < N; ++j) {
///         int16_t sum = res[i][j];
///         for (k = 0; k < N; ++k)
///             sum += mul1[i][k] * mul2[k][j];
///         res[i][j] = sum;
///     }
/// ```
#[inline(always)]
pub fn multiply_in_register<M: Memory>(mem: &mut M, mul1: Matrix<i16>, mul2: Matrix<i16>, res: Matrix<i16>) {
    let (n, [mul1, mul2, res]) = squares([mul1, mul2, res]);
    steps!(mem; for i in 0..n {
        steps!(mem; for j in 0..n {
            let mut sum = mem.load(res.at(i, j));
            steps!(mem; for k in 0..n {
                let product = mem.load(mul1.at(i, k)).wrapping_mul(mem.load(mul2.at(k, j)));
                sum = sum.wrapping_add(product);
            });
            mem.store(res.at(i, j), sum);
        });
    });
}

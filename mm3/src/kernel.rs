//! The loops that are measured.

use memory::{Matrix, Memory, squares, steps};

/// Rows and columns of each matrix; `--size` does the same.
pub const N: u32 = 512;
/// Bytes of a cache line, and so of a block's row; `--line-size` does the same.
pub const CACHE_LINE_SIZE: u64 = 64;

/// `res += mul1 * mul2`, in squares of `block` by `block` elements.
///
/// The three outer loops choose the blocks, the three inner ones multiply them, in the
/// order i, k, j: a row of `block` elements is one cache line.
#[inline(always)]
pub fn multiply<M: Memory>(
    mem: &mut M,
    mul1: Matrix<i16>,
    mul2: Matrix<i16>,
    res: Matrix<i16>,
    block: usize,
) {
    let (n, [mul1, mul2, res]) = squares([mul1, mul2, res]);
    let blocks = n.div_ceil(block);
    steps!(mem; for row in 0..blocks {
        steps!(mem; for column in 0..blocks {
            steps!(mem; for depth in 0..blocks {
                let [i, j, k] = [row, column, depth].map(|at| at * block..n.min((at + 1) * block));
                steps!(mem; for i2 in i {
                    steps!(mem; for k2 in k.clone() {
                        steps!(mem; for j2 in j.clone() {
                            let product = mem.load(mul1.at(i2, k2)).wrapping_mul(mem.load(mul2.at(k2, j2)));
                            let sum = mem.load(res.at(i2, j2)).wrapping_add(product);
                            mem.store(res.at(i2, j2), sum);
                        });
                    });
                });
            });
        });
    });
}

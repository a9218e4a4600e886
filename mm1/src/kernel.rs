//! The loops that are measured.

use memory::{Matrix, Memory, squares, steps};

/// Rows and columns of each matrix; `--size` does the same.
pub const N: u32 = 512;

/// `res += mul1 * mul2`, in the textbook's order.
///
/// Inner loop: `mul1` advances by one element, `mul2` by a whole row, `res`
/// stays. Three loads and one store each time. Which of them miss? (`steps!` is
/// that plain loop; it shows the cache model that every step is like the last.)
#[inline(always)]
pub fn multiply<M: Memory>(mem: &mut M, mul1: Matrix<i16>, mul2: Matrix<i16>, res: Matrix<i16>) {
    let (n, [mul1, mul2, res]) = squares([mul1, mul2, res]);
    steps!(mem; for i in 0..n {
        steps!(mem; for j in 0..n {
            steps!(mem; for k in 0..n {
                let product = mem.load(mul1.at(i, k)).wrapping_mul(mem.load(mul2.at(k, j)));
                let sum = mem.load(res.at(i, j)).wrapping_add(product);
                mem.store(res.at(i, j), sum);
            });
        });
    });
}

//! The loops that are measured.

use memory::{Matrix, Memory, squares, steps};

/// Rows and columns of each matrix; `--size` does the same.
pub const N: u32 = 512;
/// Whether the transposition is in the measured region; `--time-transpose` does the same.
pub const TIME_TRANSPOSE: bool = false;

/// `tmp = mul2` with rows and columns exchanged.
#[inline(always)]
pub fn transpose<M: Memory>(mem: &mut M, mul2: Matrix<i16>, tmp: Matrix<i16>) {
    let (n, [mul2, tmp]) = squares([mul2, tmp]);
    steps!(mem; for i in 0..n {
        steps!(mem; for j in 0..n {
            let element = mem.load(mul2.at(j, i));
            mem.store(tmp.at(i, j), element);
        });
    });
}

/// `res += mul1 * mul2`, where `tmp` is `mul2` transposed.
///
/// Inner loop: `mul1` and `tmp` both advance by one element. Same loads, same
/// stores as mm1. What has become of the misses?
#[inline(always)]
pub fn multiply<M: Memory>(mem: &mut M, mul1: Matrix<i16>, tmp: Matrix<i16>, res: Matrix<i16>) {
    let (n, [mul1, tmp, res]) = squares([mul1, tmp, res]);
    steps!(mem; for i in 0..n {
        steps!(mem; for j in 0..n {
            steps!(mem; for k in 0..n {
                let product = mem.load(mul1.at(i, k)).wrapping_mul(mem.load(tmp.at(j, k)));
                let sum = mem.load(res.at(i, j)).wrapping_add(product);
                mem.store(res.at(i, j), sum);
            });
        });
    });
}

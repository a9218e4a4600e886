//! L1 blocks whose inner loop is unrolled by 8: one addition to the sum for
//! eight products, so that the chain of additions is eight times shorter.

use memory::Memory;

use crate::rungs::block_l1::each_block;
use crate::view::{View, conform};

/// `c += a * b` in blocks of side `block`.
#[inline(always)]
pub fn multiply<M: Memory>(mem: &mut M, a: View, b: View, c: View, block: usize) {
    each_block(a, b, c, block, |a, b, c| product(mem, a, b, c));
}

/// One block. The elements of k after the last whole eight follow one by one.
#[inline(always)]
pub fn product<M: Memory>(mem: &mut M, a: View, b: View, c: View) {
    let (m, n, l, a, b, c) = conform(a, b, c);
    for i in 0..m {
        for j in 0..n {
            let mut term = |k| mem.load(a.at(i, k)) * mem.load(b.at(k, j));
            let mut sum = 0.0;
            let mut k = 0;
            while l - k >= 8 {
                let (d0, d1, d2, d3) = (term(k), term(k + 1), term(k + 2), term(k + 3));
                let (d4, d5, d6, d7) = (term(k + 4), term(k + 5), term(k + 6), term(k + 7));
                sum += ((d0 + d1) + (d2 + d3)) + ((d4 + d5) + (d6 + d7));
                k += 8;
            }
            for k in k..l {
                sum += term(k);
            }
            let sum = mem.load(c.at(i, j)) + sum;
            mem.store(c.at(i, j), sum);
        }
    }
}

//! Blocks that fit the L1 cache: each element loaded serves a whole block.

use memory::Memory;

use crate::rungs::orders::ijk;
use crate::view::{View, conform};

/// `c += a * b` in blocks of side `block`, three of which must fit the cache: 3 * block^2
/// doubles. Blocks at the edge are smaller.
#[inline(always)]
pub fn multiply<M: Memory>(mem: &mut M, a: View, b: View, c: View, block: usize) {
    each_block(a, b, c, block, |a, b, c| ijk::multiply(mem, a, b, c));
}

/// Calls `product` for every triple of blocks of side `s`: the three outer
/// loops of all blocked kernels.
#[inline(always)]
pub fn each_block(a: View, b: View, c: View, s: usize, mut product: impl FnMut(View, View, View)) {
    let (m, n, l, a, b, c) = conform(a, b, c);
    for i in (0..m).step_by(s) {
        for j in (0..n).step_by(s) {
            for k in (0..l).step_by(s) {
                product(a.block(i, k, s, s), b.block(k, j, s, s), c.block(i, j, s, s));
            }
        }
    }
}

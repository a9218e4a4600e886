//! Blocks within blocks: the outer ones fit the L2 cache, the inner ones L1.

use memory::Memory;

use crate::rungs::block_l1::each_block;
use crate::rungs::unrolled;
use crate::view::View;

/// `c += a * b` in blocks of side `outer`, each in blocks of side `inner`. The
/// innermost product is the unrolled one, so that only the blocks differ.
#[inline(always)]
pub fn multiply<M: Memory>(mem: &mut M, a: View, b: View, c: View, outer: usize, inner: usize) {
    each_block(a, b, c, outer, |a, b, c| unrolled::multiply(mem, a, b, c, inner));
}

//! blocked: almost all the work becomes one product of blocks, in registers.
//!
//! **What changed.** Eight columns at a time are eliminated as before. Then the
//! last 8, 16, 32 … of them (as many as a binary counter of the blocks has
//! zeros at its end) change as many columns to their right in one go: first the
//! rows beside them, then, below, a *product of two blocks* is subtracted, where
//! an element that was fetched serves many multiplications ([`crate::update`]).
//!
//! **Predict.** pivots4 fetches a row once for 4 pivots. How often is an element
//! fetched if up to half the matrix is applied at once, and what is left to
//! wait for? How much of the peak is that?
//!
//! **Per inner step:** 2 flops; on AVX2 2/3 of a load per 4 columns.

use common::memory::Memory;

use crate::beside::beside;
use crate::narrow::{NARROW, narrow};
use crate::team::Member;
use crate::tile::Tile;
use crate::update::{Workspace, update};

/// Eliminates below the diagonal. The members of a team call this together,
/// each with its own workspace on the one matrix.
#[inline(always)]
pub fn eliminate<M: Memory, T: Tile>(mem: &mut M, w: Workspace, member: &Member) {
    for first in (0..w.n).step_by(NARROW) {
        let done = w.n.min(first + NARROW);
        narrow(mem, w, first..done, member);
        if done < w.n {
            let blocks = NARROW << (done / NARROW).trailing_zeros();
            let (pivots, columns) = (done - blocks..done, done..w.n.min(done + blocks));
            let mine = member.share(columns.clone(), NARROW);
            beside::<M, T>(mem, w, pivots.clone(), mine);
            member.wait();
            let mine = member.share(done..w.n, T::ROWS);
            update::<M, T>(mem, w, mine, columns, pivots);
            member.wait();
        }
    }
}

//! blocked: almost all the work becomes one product of blocks, in registers.
//!
//! **What changed.** Eight columns at a time are eliminated as before. Then some
//! of the last ones (8, 16, 24, 48, 96 … of them, [`next`] says how many) change
//! as many columns to their right in one go: first the rows beside them, then,
//! below, a *product of two blocks* is subtracted, where an element that was
//! fetched serves many multiplications ([`crate::update`]).
//!
//! **Predict.** pivots4 fetches a row once for 4 pivots. How often is an element
//! fetched if up to half the matrix is applied at once, and what is left to
//! wait for? How much of the peak is that?
//!
//! **Per inner step:** 2 flops; with AVX-512 1/24 load of 8 columns and 1/3 of one.

use common::memory::Memory;

use crate::beside::beside;
use crate::narrow::{NARROW, narrow};
use crate::simd::Simd;
use crate::team::Member;
use crate::update::{Workspace, update};

/// Eliminates below the diagonal. The members of a team call this together,
/// each with its own workspace on the one matrix.
#[inline(always)]
pub fn eliminate<M: Memory, V: Simd>(mem: &mut M, w: Workspace, member: &Member) {
    for first in (0..w.n).step_by(NARROW) {
        let done = w.n.min(first + NARROW);
        narrow(mem, w, first..done, member);
        if done < w.n {
            let (last, following) = next(done);
            let (pivots, columns) = (done - last..done, done..w.n.min(done + following));
            let mine = member.share(columns.clone(), NARROW);
            beside::<M, V>(mem, w, pivots.clone(), mine);
            member.wait();
            let mine = member.share(done..w.n, NARROW);
            update(mem, w, mine, columns, pivots);
            member.wait();
        }
    }
}

/// With `done` pivots done, how many of the last of them are applied to how many
/// of the columns (or rows) that follow.
///
/// Three times eight make the widest tile, 24; of those, as a binary counter of
/// them has zeros at its end: each column is changed by all pivots to its left
/// once, and most of it in large blocks.
pub fn next(done: usize) -> (usize, usize) {
    const WIDE: usize = 3 * NARROW;
    let wide = WIDE << (done / WIDE).trailing_zeros().min(usize::BITS / 2);
    if done.is_multiple_of(WIDE) { (wide, wide) } else { (done % WIDE, NARROW) }
}

#[cfg(test)]
mod tests {
    use super::{NARROW, next};

    #[test]
    fn every_column_is_changed_once_by_every_pivot_to_its_left() {
        let mut applied = vec![0; 1000];
        for done in (NARROW..1000).step_by(NARROW) {
            let (last, following) = next(done);
            for column in &mut applied[done..1000.min(done + following)] {
                assert_eq!(*column, done - last);
                *column = done;
            }
            assert_eq!(applied[done], done);
        }
    }
}

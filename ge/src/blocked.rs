//! blocked: almost all the work becomes one product of blocks, in registers.
//!
//! **What changed.** A panel of 24 columns is eliminated as before. Then the last
//! 24, 48, 96 … of them ([`next`] says how many) change as many columns to their
//! right in one go: first the rows beside them, then, below, a *product of two
//! blocks* is subtracted, where an element that was fetched serves many
//! multiplications ([`crate::update`]).
//!
//! **Predict.** pivots4 fetches a row once for 4 pivots. How often is an element
//! fetched if up to half the matrix is applied at once, and what is left to
//! wait for? How much of the peak is that?
//!
//! **Per inner step:** 2 flops; with AVX-512 1/24 load of 8 columns and 1/3 of one.

use common::memory::Memory;

use crate::beside::beside;
use crate::narrow::{NARROW, PANEL, narrow};
use crate::simd::Simd;
use crate::team::Member;
use crate::update::{Workspace, update};

/// Eliminates below the diagonal. The members of a team call this together,
/// each with its own workspace on the one matrix.
#[inline(always)]
pub fn eliminate<M: Memory, V: Simd>(mem: &mut M, w: Workspace, member: &Member) {
    for first in (0..w.n).step_by(PANEL) {
        let done = w.n.min(first + PANEL);
        narrow(mem, w, first..done, member);
        if done < w.n {
            let last = next(done);
            let (pivots, columns) = (done - last..done, done..w.n.min(done + last));
            let mine = member.share(columns.clone(), PANEL);
            beside::<M, V>(mem, w, pivots.clone(), mine);
            member.wait();
            let mine = member.share(done..w.n, NARROW);
            update(mem, w, mine, columns, pivots);
            member.wait();
        }
    }
}

/// With `done` pivots done, how many of the last of them are applied to as many
/// of the columns (or rows) that follow: as many panels as a binary counter of
/// them has zeros at its end, so that each column is changed once by every pivot
/// to its left, and most of it in large blocks.
pub fn next(done: usize) -> usize {
    PANEL << (done / PANEL).trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::{PANEL, next};

    #[test]
    fn every_column_is_changed_once_by_every_pivot_to_its_left() {
        let mut applied = vec![0; 1000];
        for done in (PANEL..1000).step_by(PANEL) {
            let last = next(done);
            for column in &mut applied[done..1000.min(done + last)] {
                assert_eq!(*column, done - last);
                *column = done;
            }
            assert_eq!(applied[done], done);
        }
    }
}

//! lu: blocked, with rows exchanged as in pivoting: what dgetrf does, in the library
//! LAPACK.
//!
//! **What changed.** Each panel of 24 columns is copied, column by column, to where
//! the search for the largest element goes along memory. While the panel is
//! eliminated, rows are exchanged in it alone; then the same exchanges are made to
//! the left and to the right of it.
//!
//! **Predict.** An exchange moves two rows, 2 n elements; all of them move 2 n^2. The
//! elimination makes 2 n^3 / 3 operations. What share of the time will the exchanges
//! be at N = 200, at N = 2000? Compare with blocked. And what becomes of the residual?
//!
//! **Per inner step:** 2 flops, as in blocked. As there, a row loses its multiples of
//! rows that were divided by their pivots: a pivot below 2^-1024, or an element more
//! than 2^1023 times its pivot, overflows, which pivoting does not.

use isa::FusedQuads;
use memory::Memory;

use crate::problem::system::System;
use crate::rungs::{Rung, blocked};
use threads::Team;

/// Eliminates below the diagonal; in step `k`, row `exchanges[k]` changed places
/// with row `k`.
#[derive(Debug)]
pub struct Lu;

impl Rung for Lu {
    type Isa = FusedQuads;

    #[inline(always)]
    fn eliminate<M: Memory>(mem: &mut M, system: System, quads: FusedQuads) {
        blocked::share::<M, true>(mem, system, quads, &Team::new(1).alone());
    }
}

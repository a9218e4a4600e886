//! lu: blocked, with rows exchanged as in pivoting: what LAPACK's dgetrf does.
//!
//! **What changed.** Each panel of 24 columns is copied, column by column, to where
//! the search for the largest element goes along memory. While the panel is
//! eliminated, rows are exchanged there alone; then the rest of them follows.
//!
//! **Predict.** Exchanges move n^2 elements twice, the elimination makes 2 n^3 / 3
//! operations. What share of the time are they at N = 200, at N = 2000? And what
//! becomes of the residual?
//!
//! **Per inner step:** 2 flops, as in blocked.

use isa::FusedQuads;
use memory::Memory;

use crate::problem::system::System;
use crate::rungs::team::Team;
use crate::rungs::{Rung, blocked};

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

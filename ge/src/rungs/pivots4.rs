//! pivots4: four pivots at once, so that a row is fetched once for all four.
//!
//! **What changed.** Every rung so far walks the whole matrix once per pivot.
//! In this rung four pivot rows are finished first; then each row below loses its
//! multiples of all four in a single pass.
//!
//! **Predict.** The matrix crosses the bus a quarter as often. For which N must
//! that show, and for which can it not?
//!
//! **Per inner step:** 2 flops, 5/16 load, 1/16 store (32 bytes each).

use isa::{Fused, FusedQuads, One, Scalar, Simd};
use memory::{Array, Memory, steps};

use crate::problem::system::System;
use crate::rungs::Rung;
use crate::rungs::steps::fused_step;

/// Eliminates below the diagonal of an `n` by `n` matrix stored row by row.
#[derive(Debug)]
pub struct Pivots4;

impl Rung for Pivots4 {
    type Isa = FusedQuads;

    #[inline(always)]
    fn eliminate<M: Memory>(mem: &mut M, system: System, quads: FusedQuads) {
        let (a, n) = system.flat();
        for first in (0..n).step_by(4) {
            let last = n.min(first + 4);
            for k in first..last {
                for i in k + 1..last {
                    subtract(mem, a.part(i * n, n), a.part(k * n, n), k, n);
                }
            }
            for i in last..n {
                let row = a.part(i * n, n);
                let pivots = [0, 1, 2, 3].map(|p| a.part((first + p) * n, n));
                let multipliers = [0, 1, 2, 3].map(|p| subtract(mem, row, pivots[p], first + p, last));
                let mut j = last;
                steps!(mem; while j + 4 <= n {
                    let by = multipliers.map(|multiplier| quads.splat(multiplier));
                    subtract_all(mem, quads, row, pivots, by, j);
                    j += 4;
                });
                steps!(mem; while j < n {
                    subtract_all(mem, Scalar, row, pivots, multipliers.map(One), j);
                    j += 1;
                });
            }
        }
    }
}

/// Columns `k + 1..end` of a row lose their multiple of pivot row `k`.
#[inline(always)]
fn subtract<M: Memory>(mem: &mut M, row: Array<f64>, pivot: Array<f64>, k: usize, end: usize) -> f64 {
    let multiplier = mem.load(row.at(k)) / mem.load(pivot.at(k));
    (k + 1..end).for_each(|j| fused_step(mem, Scalar, row, pivot, One(multiplier), j));
    multiplier
}

/// One register of a row loses its multiples of four pivot rows.
#[inline(always)]
fn subtract_all<M: Memory, S: Fused>(
    mem: &mut M,
    isa: S,
    row: Array<f64>,
    pivots: [Array<f64>; 4],
    by: [S::Register; 4],
    j: usize,
) {
    let mut left: S::Register = mem.load_vector(row.lanes(j));
    for (pivot, multiplier) in pivots.into_iter().zip(by) {
        let above = mem.load_vector(pivot.lanes(j));
        left = isa.sub_product(left, above, multiplier);
    }
    mem.store_vector(row.lanes(j), left);
}

//! fma: multiply and subtract in one instruction.
//!
//! **What changed.** `a[i][j] - a[k][j] * multiplier` is rounded once instead of
//! twice. The result differs from ge1's in the last digits, so it is checked by
//! its residual; which of the two is closer to the truth?
//!
//! **Predict.** A quarter of ge7's instructions is gone. Was it the one ge7 was
//! waiting for?
//!
//! **Per inner step:** 2 flops, 1/2 load, 1/4 store (32 bytes each).

use isa::{FusedQuads, Simd};
use memory::{Memory, steps};

use crate::problem::system::System;
use crate::rungs::Rung;
use crate::rungs::ge4::step;
use crate::rungs::steps::fused_step;

/// Eliminates below the diagonal of an `n` by `n` matrix stored row by row.
#[derive(Debug)]
pub struct Fma;

impl Rung for Fma {
    type Isa = FusedQuads;

    #[inline(always)]
    fn eliminate<M: Memory>(mem: &mut M, system: System, quads: FusedQuads) {
        let (a, n) = system.flat();
        for k in 0..n {
            let row_k = a.part(k * n, n);
            for i in k + 1..n {
                let row_i = a.part(i * n, n);
                let multiplier = mem.load(row_i.at(k)) / mem.load(row_k.at(k));
                let multipliers = quads.splat(multiplier);
                let mut j = k + 1;
                steps!(mem; while j + 16 <= n {
                    let (target, source) = (row_i.part(j, 16), row_k.part(j, 16));
                    fused_step(mem, quads, target, source, multipliers, 0);
                    fused_step(mem, quads, target, source, multipliers, 4);
                    fused_step(mem, quads, target, source, multipliers, 8);
                    fused_step(mem, quads, target, source, multipliers, 12);
                    j += 16;
                });
                steps!(mem; while j < n {
                    step(mem, row_i, row_k, multiplier, j);
                    j += 1;
                });
            }
        }
    }
}

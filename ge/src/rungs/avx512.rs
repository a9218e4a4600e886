//! avx512: eight doubles at a time, thirty-two columns a trip.
//!
//! **What changed.** Registers of 64 bytes: a whole cache line in one access.
//!
//! **Predict.** Row `k + 1` starts 8 bytes later than row `k` did. How many of
//! the accesses straddle two lines, and how many did in ge7?
//!
//! **Per inner step:** 2 flops, 1/4 load, 1/8 store (64 bytes each).

use isa::{Octets, Simd};
use memory::{Memory, steps};

use crate::problem::system::System;
use crate::rungs::Rung;
use crate::rungs::ge4::step;
use crate::rungs::steps::fused_step;

/// Eliminates below the diagonal of an `n` by `n` matrix stored row by row.
#[derive(Debug)]
pub struct Avx512;

impl Rung for Avx512 {
    type Isa = Octets;

    #[inline(always)]
    fn eliminate<M: Memory>(mem: &mut M, system: System, octets: Octets) {
        let (a, n) = system.flat();
        for k in 0..n {
            let row_k = a.part(k * n, n);
            for i in k + 1..n {
                let row_i = a.part(i * n, n);
                let multiplier = mem.load(row_i.at(k)) / mem.load(row_k.at(k));
                let multipliers = octets.splat(multiplier);
                let mut j = k + 1;
                steps!(mem; while j + 32 <= n {
                    let (target, source) = (row_i.part(j, 32), row_k.part(j, 32));
                    fused_step(mem, octets, target, source, multipliers, 0);
                    fused_step(mem, octets, target, source, multipliers, 8);
                    fused_step(mem, octets, target, source, multipliers, 16);
                    fused_step(mem, octets, target, source, multipliers, 24);
                    j += 32;
                });
                steps!(mem; while j < n {
                    step(mem, row_i, row_k, multiplier, j);
                    j += 1;
                });
            }
        }
    }
}

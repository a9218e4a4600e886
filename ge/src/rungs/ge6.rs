//! ge6: two doubles at a time, with SSE2 (on Arm: NEON).
//!
//! **What changed.** The block of eight columns is four 16-byte registers. The
//! multiplier is copied into both halves of a register once per row.
//!
//! **Predict.** Half the loads, half the stores, half the arithmetic: half the
//! time? Ask again for a matrix that does not fit into the cache.
//!
//! **Per inner step:** 2 flops, 1 load, 1/2 store (16 bytes each).

use isa::{Pairs, Simd};
use memory::{Memory, steps};

use crate::problem::system::System;
use crate::rungs::Rung;
use crate::rungs::ge4::step;
use crate::rungs::steps::block_step;

/// Eliminates below the diagonal of an `n` by `n` matrix stored row by row.
#[derive(Debug)]
pub struct Ge6;

impl Rung for Ge6 {
    type Isa = Pairs;

    #[inline(always)]
    fn eliminate<M: Memory>(mem: &mut M, system: System, pairs: Pairs) {
        let (a, n) = system.flat();
        for k in 0..n {
            let row_k = a.part(k * n, n);
            for i in k + 1..n {
                let row_i = a.part(i * n, n);
                let multiplier = mem.load(row_i.at(k)) / mem.load(row_k.at(k));
                let multipliers = pairs.splat(multiplier);
                let mut j = k + 1;
                steps!(mem; while j + 8 <= n {
                    let (target, source) = (row_i.part(j, 8), row_k.part(j, 8));
                    block_step(mem, pairs, target, source, multipliers, 0);
                    block_step(mem, pairs, target, source, multipliers, 2);
                    block_step(mem, pairs, target, source, multipliers, 4);
                    block_step(mem, pairs, target, source, multipliers, 6);
                    j += 8;
                });
                steps!(mem; while j < n {
                    step(mem, row_i, row_k, multiplier, j);
                    j += 1;
                });
            }
        }
    }
}

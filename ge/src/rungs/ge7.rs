//! ge7: four doubles at a time, with AVX, sixteen columns a trip (on Arm: two
//! NEON registers at a time).
//!
//! **What changed.** Registers of 32 bytes instead of 16, and again four of
//! them in a trip.
//!
//! **Predict.** Which of these still is in the way: the adder, the store
//! port, or the cache that holds the matrix? Compare N = 100 with N = 1500.
//!
//! **Per inner step:** 2 flops, 1/2 load, 1/4 store (32 bytes each).

use isa::{Quads, Simd};
use memory::{Memory, steps};

use crate::problem::system::System;
use crate::rungs::Rung;
use crate::rungs::ge4::step;
use crate::rungs::steps::block_step;

/// Eliminates below the diagonal of an `n` by `n` matrix stored row by row.
#[derive(Debug)]
pub struct Ge7;

impl Rung for Ge7 {
    type Isa = Quads;

    #[inline(always)]
    fn eliminate<M: Memory>(mem: &mut M, system: System, quads: Quads) {
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
                    block_step(mem, quads, target, source, multipliers, 0);
                    block_step(mem, quads, target, source, multipliers, 4);
                    block_step(mem, quads, target, source, multipliers, 8);
                    block_step(mem, quads, target, source, multipliers, 12);
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

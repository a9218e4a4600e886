//! ge6: two doubles at a time, with SSE2 (on Arm: NEON).
//!
//! **What changed.** The block of eight columns is four 16-byte registers. The
//! multiplier is copied into both halves of a register once per row.
//!
//! **Predict.** Half the loads, half the stores, half the arithmetic: half the
//! time? Ask again for a matrix that does not fit into the cache.
//!
//! **Per inner step:** 2 flops, 1 load, 1/2 store (16 bytes each).

use common::memory::{Array, Memory};

use crate::ge4::step;
use crate::simd::{Pair, Simd, block_step};

/// Eliminates below the diagonal of an `n` by `n` matrix stored row by row.
#[inline(always)]
pub fn eliminate<M: Memory>(mem: &mut M, a: Array<f64>, n: usize) {
    for k in 0..n {
        let row_k = a.part(k * n, n);
        for i in k + 1..n {
            let row_i = a.part(i * n, n);
            let multiplier = mem.load(row_i.at(k)) / mem.load(row_k.at(k));
            let multipliers = Pair::splat(multiplier);
            let mut j = k + 1;
            while j + 8 <= n {
                let (target, source) = (row_i.part(j, 8), row_k.part(j, 8));
                block_step(mem, target, source, multipliers, 0);
                block_step(mem, target, source, multipliers, 2);
                block_step(mem, target, source, multipliers, 4);
                block_step(mem, target, source, multipliers, 6);
                j += 8;
            }
            while j < n {
                step(mem, row_i, row_k, multiplier, j);
                j += 1;
            }
        }
    }
}

//! ge5: one flat array instead of row pointers.
//!
//! **What changed.** Row `i` starts at element `i * n`: where it starts is
//! computed, no longer loaded.
//!
//! **Predict.** ge2 already has the two row addresses in registers. How many
//! loads does this rung save per row, and how many per element?
//!
//! **Per inner step:** 2 flops, 2 loads, 1 store.

use isa::Scalar;
use memory::{Memory, steps};

use crate::problem::system::System;
use crate::rungs::Rung;
use crate::rungs::ge4::step;

/// Eliminates below the diagonal of an `n` by `n` matrix stored row by row.
#[derive(Debug)]
pub struct Ge5;

impl Rung for Ge5 {
    type Isa = Scalar;

    #[inline(always)]
    fn eliminate<M: Memory>(mem: &mut M, system: System, _: Scalar) {
        let (a, n) = system.flat();
        for k in 0..n {
            let row_k = a.part(k * n, n);
            for i in k + 1..n {
                let row_i = a.part(i * n, n);
                let multiplier = mem.load(row_i.at(k)) / mem.load(row_k.at(k));
                let mut j = k + 1;
                steps!(mem; while j + 8 <= n {
                    let (target, source) = (row_i.part(j, 8), row_k.part(j, 8));
                    step(mem, target, source, multiplier, 0);
                    step(mem, target, source, multiplier, 1);
                    step(mem, target, source, multiplier, 2);
                    step(mem, target, source, multiplier, 3);
                    step(mem, target, source, multiplier, 4);
                    step(mem, target, source, multiplier, 5);
                    step(mem, target, source, multiplier, 6);
                    step(mem, target, source, multiplier, 7);
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

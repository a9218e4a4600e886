//! ge2: loop variables and row addresses in registers.
//!
//! **What changed.** C's `register`, and what any compiler does by itself once
//! it optimises: `i`, `j`, `k` are no longer loaded, and a row's pointer is
//! loaded once for the row instead of once for the element.
//!
//! **Predict.** Four fifths of the loads are gone. Does four fifths of the time
//! go with them? Look for the operation that is still there.
//!
//! **Per inner step:** 3 flops, one of them a division; 4 loads, 1 store.

use isa::Scalar;
use memory::{Memory, steps};

use crate::problem::system::System;
use crate::rungs::Rung;

/// Eliminates below the diagonal, row by row, without exchanging rows.
#[derive(Debug)]
pub struct Ge2;

impl Rung for Ge2 {
    type Isa = Scalar;

    #[inline(always)]
    fn eliminate<M: Memory>(mem: &mut M, system: System, _: Scalar) {
        let a = system.rows;
        let n = a.size();
        for k in 0..n {
            let row_k = a.row(mem, k);
            for i in k + 1..n {
                let row_i = a.row(mem, i);
                steps!(mem; for j in k + 1..n {
                    let multiplier = mem.load(row_i.at(k)) / mem.load(row_k.at(k));
                    let change = mem.load(row_k.at(j)) * multiplier;
                    let old = mem.load(row_i.at(j));
                    mem.store(row_i.at(j), old - change);
                });
            }
        }
    }
}

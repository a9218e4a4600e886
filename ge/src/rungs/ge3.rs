//! ge3: the multiplier is computed once per row.
//!
//! **What changed.** `a[i][k] / a[k][k]` does not depend on `j`, so it moves
//! out of the inner loop. The compiler may not do this for you: for all it
//! knows, storing `a[i][j]` changes `a[i][k]`.
//!
//! **Predict.** A division takes a dozen cycles or more and a new one can start
//! only every four or five. What is the inner step waiting for now?
//!
//! **Per inner step:** 2 flops, 2 loads, 1 store.

use isa::Scalar;
use memory::{Memory, steps};

use crate::problem::system::System;
use crate::rungs::Rung;

/// Eliminates below the diagonal, row by row, without exchanging rows.
#[derive(Debug)]
pub struct Ge3;

impl Rung for Ge3 {
    type Isa = Scalar;

    #[inline(always)]
    fn eliminate<M: Memory>(mem: &mut M, system: System, _: Scalar) {
        let a = system.rows;
        let n = a.size();
        for k in 0..n {
            let row_k = a.row(mem, k);
            for i in k + 1..n {
                let row_i = a.row(mem, i);
                let multiplier = mem.load(row_i.at(k)) / mem.load(row_k.at(k));
                steps!(mem; for j in k + 1..n {
                    let change = mem.load(row_k.at(j)) * multiplier;
                    let old = mem.load(row_i.at(j));
                    mem.store(row_i.at(j), old - change);
                });
            }
        }
    }
}

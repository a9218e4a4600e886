//! ge4: the inner loop unrolled by 8.
//!
//! **What changed.** One iteration of the loop handles eight columns, so adding to
//! `j`, comparing it and jumping back are paid once for eight elements. The
//! remaining columns follow one at a time.
//!
//! **Predict.** ge3 needs 5 instructions per element and 3 per iteration of its
//! loop; the compiler has unrolled that loop by two already. By how much can the
//! instructions fall? And the time, if the core starts six instructions a cycle
//! and can store one element a cycle?
//!
//! **Per inner step:** 2 flops, 2 loads, 1 store.

use isa::Scalar;
use memory::{Array, Memory, steps};

use crate::problem::system::System;
use crate::rungs::Rung;

/// Eliminates below the diagonal, row by row, without exchanging rows.
#[derive(Debug)]
pub struct Ge4;

impl Rung for Ge4 {
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

/// `target[j] -= source[j] * multiplier`
#[inline(always)]
#[track_caller] // who steps through the rung sees which of the eight steps it is
pub fn step<M: Memory>(mem: &mut M, target: Array<f64>, source: Array<f64>, multiplier: f64, j: usize) {
    let change = mem.load(source.at(j)) * multiplier;
    let old = mem.load(target.at(j));
    mem.store(target.at(j), old - change);
}

//! pivoting: rows are exchanged, so that each pivot is the largest left.
//!
//! **What changed.** Before each step the column below the pivot is searched,
//! and the row with its largest element becomes the pivot row. No multiplier is
//! then larger than 1, and a small or zero pivot does no harm.
//!
//! **Predict.** The search walks *down* a column, one cache line per element:
//! n^2/2 of them against the n^3/3 steps of the elimination. Can it be seen in
//! the time? And what does Check become, and why?
//!
//! **Per inner step:** 2 flops; loads and stores as the compiler sees fit.

use isa::{One, Quads, Scalar, Simd};
use memory::{Array, Memory, steps};

use crate::problem::system::System;
use crate::rungs::Rung;
use crate::rungs::steps::block_step;

/// Eliminates below the diagonal; in step `k`, row `exchanges[k]` changed places
/// with row `k`.
#[derive(Debug)]
pub struct Pivoting;

impl Rung for Pivoting {
    type Isa = Quads;

    #[inline(always)]
    fn eliminate<M: Memory>(mem: &mut M, system: System, _: Quads) {
        let ((a, n), exchanges) = (system.flat(), system.exchanges);
        for k in 0..n {
            let mut largest = (k, mem.load(a.at(k * n + k)));
            for i in k + 1..n {
                let candidate = mem.load(a.at(i * n + k));
                if candidate.abs() > largest.1.abs() {
                    largest = (i, candidate);
                }
            }
            let (row, pivot) = largest;
            mem.store(exchanges.at(k), row);
            let row_k = a.part(k * n, n);
            exchange(mem, Scalar, row_k, a.part(row * n, n));
            // A column of zeros: nothing to eliminate, and no divisor.
            let below = if pivot == 0.0 { n } else { k + 1 };
            for i in below..n {
                let row_i = a.part(i * n, n);
                let multiplier = One(mem.load(row_i.at(k)) / pivot);
                steps!(mem; for j in k + 1..n {
                    block_step(mem, Scalar, row_i, row_k, multiplier, j);
                });
            }
        }
    }
}

/// Exchanges two rows.
#[inline(always)]
pub(crate) fn exchange<M: Memory, S: Simd>(mem: &mut M, isa: S, upper: Array<f64>, lower: Array<f64>) {
    let whole = upper.len() / S::LANES * S::LANES;
    (0..whole).step_by(S::LANES).for_each(|j| exchange_registers(mem, isa, upper, lower, j));
    (whole..upper.len()).for_each(|j| exchange_registers(mem, Scalar, upper, lower, j));
}

#[inline(always)]
fn exchange_registers<M: Memory, S: Simd>(mem: &mut M, _: S, upper: Array<f64>, lower: Array<f64>, j: usize) {
    let above: S::Register = mem.load_vector(upper.lanes(j));
    let below: S::Register = mem.load_vector(lower.lanes(j));
    mem.store_vector(upper.lanes(j), below);
    mem.store_vector(lower.lanes(j), above);
}

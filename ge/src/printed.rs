//! The loops of ge4, ge5 and ge6 as the homework prints them: wrong on purpose.
//!
//! `j` is moved on in the body *and* in the `for` header, so that every ninth
//! column is skipped behind a block, and every second one in the tail. It is
//! fast, it looks right, and only Check tells.

use common::memory::{Array, Memory};

use crate::ge4::step;
use crate::simd::{Pair, Simd, block_step};

/// ge4's and ge5's printed loop: eight columns, scalar.
#[inline(always)]
pub fn scalar<M: Memory>(mem: &mut M, a: Array<f64>, n: usize) {
    eliminate(mem, a, n, |mem, target, source, multiplier| {
        for column in 0..8 {
            step(mem, target, source, multiplier, column);
        }
    });
}

/// ge6's printed loop: eight columns in four registers.
#[inline(always)]
pub fn pairs<M: Memory>(mem: &mut M, a: Array<f64>, n: usize) {
    eliminate(mem, a, n, |mem, target, source, multiplier| {
        for column in [0, 2, 4, 6] {
            block_step(mem, target, source, Pair::splat(multiplier), column);
        }
    });
}

#[inline(always)]
fn eliminate<M: Memory>(
    mem: &mut M,
    a: Array<f64>,
    n: usize,
    block: impl Fn(&mut M, Array<f64>, Array<f64>, f64),
) {
    for k in 0..n {
        for i in k + 1..n {
            let multiplier = mem.load(a.at(i * n + k)) / mem.load(a.at(k * n + k));
            let mut j = k + 1;
            while j < n {
                if j < n.saturating_sub(8) {
                    block(mem, a.part(i * n + j, 8), a.part(k * n + j, 8), multiplier);
                    j += 8;
                } else {
                    step(mem, a.part(i * n + j, 1), a.part(k * n + j, 1), multiplier, 0);
                    j += 1;
                }
                j += 1;
            }
        }
    }
}

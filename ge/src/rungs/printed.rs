//! The loops of ge4, ge5 and ge6 as the homework prints them: wrong on purpose.
//!
//! `j` is increased in the body *and* in the `for` header, so every ninth column
//! is skipped after a block, and every second one in the tail. The loop is fast
//! and looks right; only Check shows that it is wrong.

use isa::{Pairs, Scalar, Simd};
use memory::{Array, Memory};

use crate::problem::system::System;
use crate::rungs::Rung;
use crate::rungs::ge4::step;
use crate::rungs::steps::block_step;

/// ge4's and ge5's printed loop: eight columns, scalar.
#[derive(Debug)]
pub struct ByOne;

impl Rung for ByOne {
    type Isa = Scalar;

    #[inline(always)]
    fn eliminate<M: Memory>(mem: &mut M, system: System, _: Scalar) {
        eliminate(mem, system, |mem, target, source, multiplier| {
            for column in 0..8 {
                step(mem, target, source, multiplier, column);
            }
        });
    }
}

/// ge6's printed loop: eight columns in four registers.
#[derive(Debug)]
pub struct ByTwo;

impl Rung for ByTwo {
    type Isa = Pairs;

    #[inline(always)]
    fn eliminate<M: Memory>(mem: &mut M, system: System, pairs: Pairs) {
        eliminate(mem, system, |mem, target, source, multiplier| {
            for column in [0, 2, 4, 6] {
                block_step(mem, pairs, target, source, pairs.splat(multiplier), column);
            }
        });
    }
}

#[inline(always)]
fn eliminate<M: Memory>(mem: &mut M, system: System, block: impl Fn(&mut M, Array<f64>, Array<f64>, f64)) {
    let (a, n) = system.flat();
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

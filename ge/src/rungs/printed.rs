//! The loop of ge4 as the homework prints it: wrong on purpose.
//!
//! `j` is increased in the body *and* in the `for` header, so every ninth column
//! is skipped after a block, and every second one in the tail. The loop is fast
//! and looks right; only Check shows that it is wrong.

use isa::Scalar;
use memory::Memory;

use crate::problem::system::System;
use crate::rungs::Rung;
use crate::rungs::ge4::step;

/// Leaves elements that should have been eliminated.
#[derive(Debug)]
pub struct Printed;

impl Rung for Printed {
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
                while j < n {
                    if j < n.saturating_sub(8) {
                        (j..j + 8).for_each(|j| step(mem, row_i, row_k, multiplier, j));
                        j += 8;
                    } else {
                        step(mem, row_i, row_k, multiplier, j);
                        j += 1;
                    }
                    j += 1;
                }
            }
        }
    }
}

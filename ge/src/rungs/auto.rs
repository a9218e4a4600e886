//! auto: ge3's loop, the compiler free to vectorise it.
//!
//! **What changed.** The scalar rungs insist on one load and one store per element. This
//! rung does not ([`One`] is an element that the compiler may merge with adjacent ones),
//! and the compiler may assume that the processor has AVX.
//!
//! **Predict.** Six lines against ge7's eleven. Who wins, the student or the
//! compiler?
//!
//! **Per inner step:** 2 flops; loads and stores as the compiler sees fit.

use isa::{One, Quads, Scalar};
use memory::{Memory, steps};

use crate::problem::system::System;
use crate::rungs::Rung;
use crate::rungs::steps::block_step;

/// Eliminates below the diagonal of an `n` by `n` matrix stored row by row.
#[derive(Debug)]
pub struct Auto;

impl Rung for Auto {
    type Isa = Quads;

    #[inline(always)]
    fn eliminate<M: Memory>(mem: &mut M, system: System, _: Quads) {
        let (a, n) = system.flat();
        for k in 0..n {
            let row_k = a.part(k * n, n);
            for i in k + 1..n {
                let row_i = a.part(i * n, n);
                let multiplier = One(mem.load(row_i.at(k)) / mem.load(row_k.at(k)));
                steps!(mem; for j in k + 1..n {
                    block_step(mem, Scalar, row_i, row_k, multiplier, j);
                });
            }
        }
    }
}

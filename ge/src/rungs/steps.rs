//! One step of the vector rungs: as many columns as a register holds.

use isa::Simd;
use memory::{Array, Memory};

/// `target[j..] -= source[j..] * multiplier` for as many columns as a register
/// holds: product and difference each rounded, as in the scalar rungs.
#[inline(always)]
pub fn block_step<M: Memory, S: Simd>(
    mem: &mut M,
    isa: S,
    target: Array<f64>,
    source: Array<f64>,
    multiplier: S::Register,
    j: usize,
) {
    let above: S::Register = mem.load_vector(source.lanes(j));
    let old: S::Register = mem.load_vector(target.lanes(j));
    mem.store_vector(target.lanes(j), isa.sub(old, isa.mul(above, multiplier)));
}

//! Panels: strips of a and b copied in the order in which a tile accesses them, padded with
//! zeros to whole tiles.

use std::array;
use std::cell::Cell;

use isa::Fused;
use memory::{Array, Memory, Vector};

use crate::view::View;

/// Strips of `R` rows of `from`; within a strip, column after column. All rows are read at
/// once: the core loads from many places as fast as from one.
#[inline(always)]
pub(crate) fn pack_rows<M: Memory, const R: usize>(mem: &mut M, from: View, to: Array<f64>) {
    let depth = from.cols();
    for top in (0..from.rows()).step_by(R) {
        let strip = from.block(top, 0, R, depth);
        let to = to.part(top * depth, R * depth);
        let rows: [&[Cell<f64>]; R] =
            array::from_fn(|r| if r < strip.rows() { strip.row(r).cells() } else { &[] });
        for (k, to) in to.pieces(R).enumerate() {
            for (row, to) in rows.iter().zip(to.cells()) {
                let value = row.get(k).map_or(0.0, |from| mem.load(from));
                mem.store(to, value);
            }
        }
    }
}

/// Strips of `registers` registers' width of `from`; within a strip, row after row, each
/// multiplied by its factor if there are any.
#[inline(always)]
pub(crate) fn pack_columns<S: Fused, M: Memory>(
    mem: &mut M,
    isa: S,
    from: View,
    factors: Option<Array<f64>>,
    to: Array<f64>,
    registers: usize,
) {
    let (depth, width) = (from.rows(), registers * S::LANES);
    for k in 0..depth {
        let row = from.row(k);
        let factor = factors.map(|factors| mem.load(factors.at(k)));
        for left in (0..row.len()).step_by(width) {
            let to = to.part(left * depth + k * width, width);
            let from = row.part(left, width.min(row.len() - left));
            if from.len() == width {
                for lane in (0..width).step_by(S::LANES) {
                    let value: S::Register = mem.load_vector(from.lanes(lane));
                    let value = factor.map_or(value, |factor| isa.mul(value, isa.splat(factor)));
                    mem.store_vector(to.lanes(lane), value);
                }
                continue;
            }
            for (to, from) in to.cells().iter().zip(from.cells()) {
                let value = mem.load(from);
                mem.store(to, factor.map_or(value, |factor| value * factor));
            }
            to.cells()[from.len()..].iter().for_each(|to| mem.store(to, 0.0));
        }
    }
}

/// `c += sums`, limited to the columns and rows of c.
#[inline(always)]
pub(crate) fn add_to<S: Fused, M: Memory, const R: usize, const N: usize>(
    mem: &mut M,
    isa: S,
    sums: &[[S::Register; N]; R],
    c: View,
) {
    if c.rows() == R && c.cols() == N * S::LANES {
        // A whole tile: with constant indices the sums stay in registers.
        for (i, sums) in sums.iter().enumerate() {
            for (j, &sum) in sums.iter().enumerate() {
                let lanes = c.row(i).lanes(j * S::LANES);
                let sum = isa.add(mem.load_vector(lanes), sum);
                mem.store_vector(lanes, sum);
            }
        }
        return;
    }
    let sums = *sums;
    for (i, sums) in sums.iter().enumerate().take(c.rows()) {
        for (j, cell) in c.row(i).cells().iter().enumerate() {
            let sum = mem.load(cell) + sums[j / S::LANES].lane(j % S::LANES);
            mem.store(cell, sum);
        }
    }
}

//! Panels: strips of a and b copied in the order in which a tile wants them,
//! padded with zeros to whole tiles.

use common::memory::{Array, Memory};

use crate::simd::Simd;
use crate::view::View;

/// Strips of `r` rows of `from`; in a strip, column after column.
#[inline(always)]
pub(crate) fn pack_rows<M: Memory>(mem: &mut M, from: View, to: Array<f64>, r: usize) {
    let depth = from.cols();
    for top in (0..from.rows()).step_by(r) {
        let to = to.part(top * depth, r * depth);
        for i in 0..r {
            let column = to.cells()[i.min(to.len())..].iter().step_by(r);
            if top + i < from.rows() {
                for (to, from) in column.zip(from.row(top + i).cells()) {
                    let value = mem.load(from);
                    mem.store(to, value);
                }
            } else {
                column.for_each(|to| mem.store(to, 0.0));
            }
        }
    }
}

/// Strips of `registers` registers' width of `from`; in a strip, row after row.
#[inline(always)]
pub(crate) fn pack_columns<V: Simd, M: Memory>(mem: &mut M, from: View, to: Array<f64>, registers: usize) {
    let (depth, width) = (from.rows(), registers * V::LANES);
    for k in 0..depth {
        let row = from.row(k);
        for left in (0..row.len()).step_by(width) {
            let to = to.part(left * depth + k * width, width);
            let from = row.part(left, width.min(row.len() - left));
            if from.len() == width {
                for lane in (0..width).step_by(V::LANES) {
                    let value: V = mem.load_vector(from.lanes(lane));
                    mem.store_vector(to.lanes(lane), value);
                }
                continue;
            }
            for (to, from) in to.cells().iter().zip(from.cells()) {
                let value = mem.load(from);
                mem.store(to, value);
            }
            to.cells()[from.len()..].iter().for_each(|to| mem.store(to, 0.0));
        }
    }
}

/// `c += sums`, of which the edge of c may cut off a part.
#[inline(always)]
pub(crate) fn add_to<V: Simd, M: Memory, const R: usize, const N: usize>(
    mem: &mut M,
    sums: [[V; N]; R],
    c: View,
) {
    for (i, sums) in sums.into_iter().enumerate().take(c.rows()) {
        let row = c.row(i);
        for (j, sum) in sums.into_iter().enumerate() {
            let left = j * V::LANES;
            if left + V::LANES <= row.len() {
                let sum = mem.load_vector::<V>(row.lanes(left)).add(sum);
                mem.store_vector(row.lanes(left), sum);
            } else {
                for (lane, cell) in row.cells().iter().skip(left).enumerate() {
                    let sum = mem.load(cell) + lane_of(sum, lane);
                    mem.store(cell, sum);
                }
            }
        }
    }
}

/// One lane of a register.
#[inline(always)]
fn lane_of<V: Simd>(register: V, lane: usize) -> f64 {
    assert!(lane < V::LANES, "a register has {} lanes", V::LANES);
    // SAFETY: a `Vector` is LANES doubles and nothing else, and lane is one of them.
    unsafe { (&raw const register).cast::<f64>().add(lane).read() }
}

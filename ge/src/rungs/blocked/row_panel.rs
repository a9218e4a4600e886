//! The pivot rows of [`crate::rungs::blocked`], to the right of the pivots.

use std::array;
use std::ops::Range;

use isa::{Fused, Scalar};
use memory::Memory;

use super::narrow::NARROW;
use super::next::next;
use super::update::update;
use crate::problem::workspace::{PANEL, Workspace};

/// Finishes the rows `pivots` in `columns`: like [`crate::rungs::blocked`] with columns, it
/// updates a panel of rows one by one, then the following rows by a product.
#[inline(always)]
pub(crate) fn row_panel<M: Memory, S: Fused>(
    mem: &mut M,
    isa: S,
    w: Workspace,
    pivots: Range<usize>,
    columns: Range<usize>,
) {
    for panel in pivots.clone().step_by(PANEL) {
        let done = pivots.end.min(panel + PANEL);
        for first in (panel..done).step_by(NARROW) {
            few(mem, isa, w, first, columns.clone());
            let rows = first + NARROW..done.min(first + 2 * NARROW);
            update(mem, w, rows.clone(), columns.clone(), panel..rows.start);
        }
        if done < pivots.end {
            let last = next(done - pivots.start);
            update(mem, w, done..pivots.end.min(done + last), columns.clone(), done - last..done);
        }
    }
}

/// [`NARROW`] rows, a register of columns at a time: subtracts from each row its multiples
/// of those above it.
#[inline(always)]
fn few<M: Memory, S: Fused>(mem: &mut M, isa: S, w: Workspace, first: usize, columns: Range<usize>) {
    let multipliers: [[f64; NARROW]; NARROW] = array::from_fn(|r| {
        let row = w.a.part((first + r) * w.n + first, NARROW);
        array::from_fn(|k| if k < r { -mem.load(row.at(k)) * mem.load(w.factors.at(first + k)) } else { 0.0 })
    });
    let mut j = columns.start;
    while j + S::LANES <= columns.end {
        one_register(mem, isa, w, first, j, &multipliers);
        j += S::LANES;
    }
    while j < columns.end {
        one_register(mem, Scalar, w, first, j, &multipliers);
        j += 1;
    }
}

#[inline(always)]
fn one_register<M: Memory, S: Fused>(
    mem: &mut M,
    isa: S,
    w: Workspace,
    first: usize,
    j: usize,
    multipliers: &[[f64; NARROW]; NARROW],
) {
    let cells: [_; NARROW] = array::from_fn(|r| w.a.part((first + r) * w.n + j, S::LANES).lanes(0));
    let mut rows: [S::Register; NARROW] = array::from_fn(|r| mem.load_vector(cells[r]));
    for r in 1..NARROW {
        for k in 0..r {
            rows[r] = isa.sub_product(rows[r], rows[k], isa.splat(multipliers[r][k]));
        }
        mem.store_vector(cells[r], rows[r]);
    }
}

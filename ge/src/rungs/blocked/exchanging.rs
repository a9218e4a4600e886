//! A panel of [`crate::rungs::lu`]: eliminates columns with row exchanges, each column only
//! when its turn comes (left-looking).

use std::array;
use std::ops::Range;

use isa::{Fused, Simd};
use memory::{Array, Memory};

use crate::problem::workspace::{PANEL, STEP, Workspace};
use crate::rungs::pivoting::exchange;

/// Registers of a column that are updated together.
const ROWS: usize = 4;
/// Rows that are copied, or searched, together.
const COPIED: usize = 8;

/// Eliminates the columns `panel` in all rows from the first pivot on. The pivot row is the
/// one with the largest remaining element; records the exchange and -1 / pivot for each.
/// Elements outside the panel are not changed: see [`exchange_other_columns`].
#[inline(always)]
pub(crate) fn exchanging<M: Memory, S: Fused>(mem: &mut M, isa: S, w: Workspace, panel: Range<usize>) {
    let rows = w.n - panel.start;
    let len = rows.next_multiple_of(STEP);
    let column = |c: usize| column(w, panel.start, c);
    for c in 0..panel.len() {
        (rows..len).for_each(|row| mem.store(column(c).at(row), 0.0));
    }
    for k in 0..panel.len() {
        if k > 0 {
            catch_up(mem, isa, w.factors.part(panel.start, k), column, k);
        }
        let (row, pivot) = largest(mem, column(k).part(k, rows - k));
        for c in 0..panel.len() {
            let (upper, lower) = (column(c).at(k), column(c).at(k + row));
            let (above, below) = (mem.load(upper), mem.load(lower));
            mem.store(upper, below);
            mem.store(lower, above);
        }
        mem.store(w.exchanges.at(panel.start + k), panel.start + k + row);
        // A column of zeros: nothing to eliminate, and no divisor.
        mem.store(w.factors.at(panel.start + k), if pivot == 0.0 { 0.0 } else { -1.0 / pivot });
    }
}

/// Copies `rows` of the columns `panel` column by column to the memory in which
/// [`exchanging`] works, so that its search accesses consecutive elements.
#[inline(always)]
pub(crate) fn take_out<M: Memory>(mem: &mut M, w: Workspace, panel: Range<usize>, rows: Range<usize>) {
    each_element(panel.clone(), rows, |row, c| {
        let element = mem.load(w.a.at(row * w.n + panel.start + c));
        mem.store(column(w, panel.start, c).at(row - panel.start), element);
    });
}

/// Copies them back.
#[inline(always)]
pub(crate) fn put_back<M: Memory>(mem: &mut M, w: Workspace, panel: Range<usize>, rows: Range<usize>) {
    each_element(panel.clone(), rows, |row, c| {
        let element = mem.load(column(w, panel.start, c).at(row - panel.start));
        mem.store(w.a.at(row * w.n + panel.start + c), element);
    });
}

/// Column `c` of the panel that begins with pivot `first`, from that pivot's row on, and up
/// to one step after the last row.
#[inline(always)]
fn column(w: Workspace<'_>, first: usize, c: usize) -> Array<'_, f64> {
    let len = (w.n - first).next_multiple_of(STEP);
    w.copy.part(c * len, len)
}

/// Calls `one` for each of `rows` and each column of the panel, a few rows at a time.
#[inline(always)]
fn each_element(panel: Range<usize>, rows: Range<usize>, mut one: impl FnMut(usize, usize)) {
    for few in rows.clone().step_by(COPIED) {
        for c in 0..panel.len() {
            for row in few..rows.end.min(few + COPIED) {
                one(row, c);
            }
        }
    }
}

/// Subtracts from column `k` its multiples of the columns to its left, whose pivots are
/// done.
#[inline(always)]
fn catch_up<'a, M: Memory, S: Fused>(
    mem: &mut M,
    isa: S,
    factors: Array<f64>,
    column: impl Fn(usize) -> Array<'a, f64>,
    k: usize,
) {
    let target = column(k);
    // First the pivot rows themselves; they are stored last, because the next loop
    // overwrites up to one step of them.
    let (mut above, mut by) = ([0.0; PANEL], [0.0; PANEL]);
    for row in 0..k {
        let mut element = mem.load(target.at(row));
        for (left, by) in by[..row].iter().enumerate() {
            element += by * mem.load(column(left).at(row));
        }
        (above[row], by[row]) = (element, element * mem.load(factors.at(row)));
    }
    const { assert!(STEP.is_multiple_of(ROWS * S::LANES)) };
    let step = ROWS * S::LANES;
    for row in (k / step * step..target.len()).step_by(step) {
        let cells: [_; ROWS] = array::from_fn(|r| target.part(row + r * S::LANES, S::LANES).lanes(0));
        let mut sums: [S::Register; ROWS] = cells.map(|cells| mem.load_vector(cells));
        for left in 0..k {
            let source = column(left).part(row, step);
            let by = isa.splat(by[left]);
            for (r, sum) in sums.iter_mut().enumerate() {
                *sum = isa.add_product(*sum, mem.load_vector(source.lanes(r * S::LANES)), by);
            }
        }
        for (cells, sum) in cells.into_iter().zip(sums) {
            mem.store_vector(cells, sum);
        }
    }
    for (row, element) in above.into_iter().enumerate().take(k) {
        mem.store(target.at(row), element);
    }
}

/// The row of the first element of largest magnitude, and the element; NaNs are ignored.
#[inline(always)]
fn largest<M: Memory>(mem: &mut M, column: Array<f64>) -> (usize, f64) {
    let mut largest = (0..1, -1.0);
    let mut few = 0;
    while few + COPIED <= column.len() {
        look_at::<M, COPIED>(mem, column, few, &mut largest);
        few += COPIED;
    }
    (few..column.len()).for_each(|row| look_at::<M, 1>(mem, column, row, &mut largest));
    let (rows, magnitude) = largest;
    let first = rows.start;
    let place = rows.into_iter().find(|row| mem.load(column.at(*row)).abs() == magnitude).unwrap_or(first);
    (place, mem.load(column.at(place)))
}

/// Stores in `largest` the `W` elements from `first` on, and their largest magnitude, if
/// that is larger. The comparisons are independent, unlike those of a search one by one.
#[inline(always)]
fn look_at<M: Memory, const W: usize>(
    mem: &mut M,
    column: Array<f64>,
    first: usize,
    largest: &mut (Range<usize>, f64),
) {
    let few = column.part(first, W);
    let magnitudes: [f64; W] = array::from_fn(|row| mem.load(few.at(row)).abs());
    let of_few = magnitudes.into_iter().fold(-1.0, |one, other| if other > one { other } else { one });
    if of_few > largest.1 {
        *largest = (first..first + W, of_few);
    }
}

/// Makes the recorded row exchanges of the pivots `panel` in those of `columns` that are
/// not in the panel (dlaswp).
#[inline(always)]
pub(crate) fn exchange_other_columns<M: Memory, S: Simd>(
    mem: &mut M,
    isa: S,
    w: Workspace,
    panel: Range<usize>,
    columns: Range<usize>,
) {
    let left = columns.start..columns.end.min(panel.start);
    let right = columns.start.max(panel.end)..columns.end;
    for k in panel {
        let row = mem.load(w.exchanges.at(k));
        if row == k {
            continue;
        }
        for part in [&left, &right] {
            if !part.is_empty() {
                let of = |row: usize| w.a.part(row * w.n + part.start, part.len());
                exchange(mem, isa, of(k), of(row));
            }
        }
    }
}

//! The product of blocks in which the blocked rung spends nearly all of its time: that of
//! [`dgemm::rungs::tiled`].

use std::ops::Range;

use dgemm::View;
use dgemm::rungs::widest::Product;
use memory::Memory;

use crate::problem::workspace::{SIDES, Workspace};

/// In `rows` and `columns`, subtracts the multiples of the rows `pivots`:
/// `a[i][j] -= sum over k of a[i][k] * (a[k][j] / a[k][k])`.
#[inline(always)]
pub(crate) fn update<M: Memory>(
    mem: &mut M,
    w: Workspace,
    rows: Range<usize>,
    columns: Range<usize>,
    pivots: Range<usize>,
) {
    if rows.is_empty() || columns.is_empty() {
        return;
    }
    let matrix = View::over(w.a, w.n, w.n);
    let block = |rows: &Range<usize>, columns: &Range<usize>| {
        matrix.block(rows.start, columns.start, rows.len(), columns.len())
    };
    let views = [block(&rows, &pivots), block(&pivots, &columns), block(&rows, &columns)];
    let factors = Some(w.factors.part(pivots.start, pivots.len()));
    let product = Product { views, factors, sides: SIDES.within(w.n, w.n, w.n), scratch: w.panels };
    product.add::<M, true>(mem, w.isa);
}

//! The product of blocks that nearly all of the blocked rung's time goes into:
//! that of [`dgemm::variants::tiled`].

use std::ops::Range;

use dgemm::View;
use dgemm::problem::LINE;
use dgemm::variants::tiled::{self, Sides};
use dgemm::variants::widest::{Product, tile};
use isa::Widest;
use memory::{Array, Memory};

/// Pivots per pass over a row.
pub(crate) const DEPTH: usize = 256;

/// Blocks of the product: 128 by 256 doubles of multipliers are a quarter of a
/// megabyte, half of the smallest second-level cache that AVX2 came with.
const SIDES: Sides = Sides { rows: 128, cols: 1032, depth: DEPTH };

/// The matrix and what one member of the team needs beside it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Workspace<'a> {
    /// The matrix, row by row.
    pub(crate) a: Array<'a, f64>,
    /// Its rows and columns.
    pub(crate) n: usize,
    /// -1 / pivot, for the pivots done so far.
    pub(crate) factors: Array<'a, f64>,
    /// This member's panels: [`Workspace::panels`] elements.
    pub(crate) panels: Array<'a, f64>,
    /// The instructions of the product.
    pub(crate) isa: Widest,
}

impl Workspace<'_> {
    /// Elements of the panels of one member, in a system of `n` by `n`.
    pub(crate) fn panels(n: usize) -> usize {
        let (rows, columns) = tile(Widest::detect());
        tiled::scratch_len(SIDES.within(n, n, n), rows, columns).next_multiple_of(LINE)
    }
}

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

//! The product of blocks that nearly all of [`crate::blocked`]'s time goes into:
//! that of [`dgemm::tiled`].

use std::ops::Range;

use common::memory::{Array, Memory};
use dgemm::tiled::{self, Sides};
use dgemm::variants::add_product;
use dgemm::view::View;

pub use dgemm::simd::Isa;

/// Pivots per pass over a row.
pub const DEPTH: usize = 256;

/// Blocks of the product: 128 by 256 doubles of multipliers are a quarter of a
/// megabyte, half of the smallest second-level cache that AVX2 came with.
const SIDES: Sides = Sides { rows: 128, cols: 1032, depth: DEPTH };

/// The matrix and what one member of the team needs beside it.
#[derive(Debug, Clone, Copy)]
pub struct Workspace<'a> {
    /// The matrix, row by row.
    pub a: Array<'a, f64>,
    /// Its rows and columns.
    pub n: usize,
    /// -1 / pivot, for the pivots done so far.
    pub factors: Array<'a, f64>,
    /// This member's panels: [`Workspace::panels`] elements.
    pub panels: Array<'a, f64>,
    /// The instructions of the product.
    pub isa: Isa,
}

impl Workspace<'_> {
    /// Elements of the panels of one member, in a system of `n` by `n`.
    pub fn panels(n: usize) -> usize {
        let (rows, columns) = Isa::best().tile();
        tiled::scratch_len(SIDES.within(n, n, n), rows, columns).next_multiple_of(dgemm::problem::LINE)
    }
}

/// In `rows` and `columns`, subtracts the multiples of the rows `pivots`:
/// `a[i][j] -= sum over k of a[i][k] * (a[k][j] / a[k][k])`.
#[inline(always)]
pub fn update<M: Memory>(
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
    let factors = w.factors.part(pivots.start, pivots.len());
    add_product(mem, w.isa, views, factors, SIDES.within(w.n, w.n, w.n), w.panels);
}

//! What the blocked rungs need in addition to the matrix.

use dgemm::problem::LINE;
use dgemm::rungs::tiled::{self, Sides};
use dgemm::rungs::widest::tile;
use isa::Widest;
use memory::Array;

/// Columns of a panel: three cache lines, the width of the widest tile.
pub(crate) const PANEL: usize = 24;

/// Pivots per pass over a row.
pub(crate) const DEPTH: usize = 256;

/// Rows of a column that are changed together, in the widest registers: four of eight.
pub(crate) const STEP: usize = 32;

/// Blocks of the product: 256 by 120 doubles of pivot rows are a quarter of a megabyte,
/// half of the smallest second-level cache of any processor with AVX2.
pub(crate) const SIDES: Sides = Sides { rows: 1032, cols: 120, depth: DEPTH };

/// The matrix, and the memory that one thread needs in addition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Workspace<'a> {
    /// The matrix, row by row.
    pub(crate) a: Array<'a, f64>,
    /// Its rows and columns.
    pub(crate) n: usize,
    /// For each pivot, the row that was exchanged with its row.
    pub(crate) exchanges: Array<'a, usize>,
    /// -1 / pivot, for the pivots done so far; 0 where a column of zeros has none.
    pub(crate) factors: Array<'a, f64>,
    /// This thread's panels: [`Workspace::panels`] elements.
    pub(crate) panels: Array<'a, f64>,
    /// The first thread's panels, into which the panel to be eliminated is copied.
    pub(crate) copy: Array<'a, f64>,
    /// The instruction set of the product.
    pub(crate) isa: Widest,
}

impl Workspace<'_> {
    /// Elements of the panels of one thread, in a system of `n` by `n`.
    pub(crate) fn panels(n: usize) -> usize {
        let (rows, columns) = tile(Widest::detect());
        let copied = PANEL * n.min(usize::MAX / (2 * PANEL)).next_multiple_of(STEP); // n fits a memory
        tiled::scratch_len(SIDES.within(n, n, n), rows, columns).max(copied).next_multiple_of(LINE)
    }
}

//! The data of an elimination: the matrix, and everything else that it accesses.

use std::cell::Cell;

use dgemm::problem::{LINE, on_a_line};
use dgemm::rungs::tiled::{self, Sides};
use dgemm::rungs::widest::tile;
use isa::Widest;
use memory::{Arena, Array, Matrix, Memory, OutOfMemory};

/// Blocks of the product: 256 by 120 doubles of pivot rows are a quarter of a megabyte,
/// half of the smallest second-level cache of any processor with AVX2.
pub(crate) const SIDES: Sides = Sides { rows: 1032, cols: 120, depth: 256 };

/// Elements that the products need in addition to an `n` by `n` matrix.
fn panels(n: usize) -> usize {
    let (rows, columns) = tile(Widest::detect());
    tiled::scratch_len(SIDES.within(n, n, n), rows, columns).next_multiple_of(LINE)
}

/// The arrays of one run, in one arena.
#[derive(Debug, Clone, Copy)]
pub struct System<'a> {
    pub(crate) matrix: Matrix<'a, f64>,
    /// The same elements with row pointers, for ge1 to ge4.
    pub(crate) rows: Rows<'a>,
    /// ge1's loop variables.
    pub(crate) variables: Variables<'a>,
    /// For the blocked rung: -1 / pivot, for the pivots done so far.
    pub(crate) factors: Array<'a, f64>,
    /// Memory for the blocked rung's copies.
    pub(crate) panels: Array<'a, f64>,
}

/// A matrix with row pointers: C's `double **`.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// The start of each row, in elements.
    pub pointers: Array<'a, usize>,
    /// The elements.
    pub elements: Array<'a, f64>,
}

impl<'a> Rows<'a> {
    /// Number of rows, and of columns.
    #[inline(always)]
    pub fn size(self) -> usize {
        self.pointers.len()
    }

    /// Row `i`: loads its pointer.
    #[inline(always)]
    #[track_caller] // who steps through a rung sees the rung's own line
    pub fn row<M: Memory>(self, mem: &mut M, i: usize) -> Array<'a, f64> {
        let start = mem.load(self.pointers.at(i));
        self.elements.part(start, self.size())
    }
}

/// Loop variables in memory.
#[derive(Debug, Clone, Copy)]
pub struct Variables<'a> {
    /// Rows and columns of the matrix.
    pub size: &'a Cell<usize>,
    /// The row that is changed.
    pub i: &'a Cell<usize>,
    /// The column that is changed.
    pub j: &'a Cell<usize>,
    /// The pivot's row and column.
    pub k: &'a Cell<usize>,
}

impl<'a> System<'a> {
    /// Bytes of an arena for an `n` by `n` system; the largest number for one that no machine can address.
    pub fn bytes(n: usize) -> usize {
        let rows_and_factors = n.saturating_mul(2);
        let doubles =
            n.saturating_mul(n).saturating_add(rows_and_factors).saturating_add(4 + panels(n) + LINE);
        doubles.saturating_mul(8)
    }

    /// Rows and columns of the matrix.
    #[inline(always)]
    pub fn size(self) -> usize {
        self.matrix.rows()
    }

    /// The n by n matrix, row by row.
    #[inline(always)]
    pub fn matrix(self) -> Matrix<'a, f64> {
        self.matrix
    }

    /// The matrix as one array, row by row, and its rows and columns.
    #[inline(always)]
    pub fn flat(self) -> (Array<'a, f64>, usize) {
        (self.matrix.flat(), self.size())
    }

    /// An `n` by `n` matrix of zeros.
    /// Fails if the arena has less than [`System::bytes`] left.
    pub fn new(arena: &'a Arena, n: usize) -> Result<System<'a>, OutOfMemory> {
        let matrix = arena.matrix("a", n, n)?;
        let pointers = arena.array::<usize>("rows", n)?;
        let variables = arena.array::<usize>("variables", 4)?;
        let factors = arena.array("factors", n)?;
        let copies = arena.array("panels", panels(n) + LINE)?;
        pointers.fill(|i| i * n);
        // Memory that the first run does not have to ask the system for.
        [factors, copies].iter().for_each(|scratch| scratch.fill(|_| 0.0));
        variables.at(0).set(n);
        let [size, i, j, k] = [0, 1, 2, 3].map(|slot| variables.at(slot));
        Ok(System {
            matrix,
            rows: Rows { pointers, elements: matrix.flat() },
            variables: Variables { size, i, j, k },
            factors,
            panels: on_a_line(copies).part(0, panels(n)),
        })
    }
}

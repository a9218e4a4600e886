//! Arrays and matrices: views of elements in an [`Arena`](super::Arena).

use std::cell::Cell;

use super::Word;

/// Adjacent elements. A view: copying it copies no element.
#[derive(Debug, Clone, Copy)]
pub struct Array<'a, T: Copy> {
    pub(super) cells: &'a [Cell<T>],
}

impl<'a, T: Word> Array<'a, T> {
    /// Number of elements.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.cells.len()
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.cells.is_empty()
    }

    /// Element `i`, to be given to [`Memory::load`](super::Memory::load).
    ///
    /// # Panics
    ///
    /// If there is no such element.
    #[inline(always)]
    pub fn at(self, i: usize) -> &'a Cell<T> {
        &self.cells[i]
    }

    /// All elements.
    #[inline(always)]
    pub fn cells(self) -> &'a [Cell<T>] {
        self.cells
    }

    /// Sets every element, outside any measurement.
    pub fn fill(self, value: impl Fn(usize) -> T) {
        for (i, cell) in self.cells.iter().enumerate() {
            cell.set(value(i));
        }
    }

    /// Sets every element to the value of `values` at its index, outside any measurement.
    /// Elements after the end of `values` stay as they are.
    pub fn copy_from(self, values: &[T]) {
        for (cell, value) in self.cells.iter().zip(values) {
            cell.set(*value);
        }
    }

    /// A copy of the elements.
    pub fn to_vec(self) -> Vec<T> {
        self.cells.iter().map(Cell::get).collect()
    }

    /// The elements `start..start + len`.
    ///
    /// # Panics
    ///
    /// If they are not all in the array.
    #[inline(always)]
    pub fn part(self, start: usize, len: usize) -> Array<'a, T> {
        Array { cells: &self.cells[start..start + len] }
    }

    /// The whole pieces of `len` elements, one after the other: with a constant `len`, no
    /// index inside a piece needs a check.
    ///
    /// # Panics
    ///
    /// If `len` is 0.
    #[inline(always)]
    pub fn pieces(self, len: usize) -> impl Iterator<Item = Array<'a, T>> {
        self.cells.chunks_exact(len).map(|cells| Array { cells })
    }

    /// The pieces of two arrays at once, without bounds checks for either: with zipped
    /// iterators, compilers leave some checks in.
    ///
    /// # Panics
    ///
    /// If a length is 0.
    #[inline(always)]
    pub fn pieces_with(self, len: usize, other: Array<'a, T>, other_len: usize) -> Pairs<'a, T> {
        let left = (self.len() / len).min(other.len() / other_len);
        Pairs { cells: [self.cells, other.cells], lens: [len, other_len], left }
    }
}

/// Pieces of two arrays, one of each at a time.
#[derive(Debug)]
pub struct Pairs<'a, T: Copy> {
    cells: [&'a [Cell<T>]; 2],
    lens: [usize; 2],
    /// The number of pieces that both still have.
    left: usize,
}

impl<'a, T: Copy> Iterator for Pairs<'a, T> {
    type Item = (Array<'a, T>, Array<'a, T>);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let [a, b] = self.cells;
        // SAFETY: both have at least `left` pieces of these lengths, and one more before.
        let ((a, a_rest), (b, b_rest)) =
            unsafe { (a.split_at_unchecked(self.lens[0]), b.split_at_unchecked(self.lens[1])) };
        self.cells = [a_rest, b_rest];
        Some((Array { cells: a }, Array { cells: b }))
    }
}

/// A matrix stored row by row. A view: copying it copies no element.
#[derive(Debug, Clone, Copy)]
pub struct Matrix<'a, T: Copy> {
    pub(super) cells: Array<'a, T>,
    pub(super) rows: usize,
    pub(super) cols: usize,
}

impl<'a, T: Word> Matrix<'a, T> {
    /// Number of rows.
    #[inline(always)]
    pub fn rows(self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[inline(always)]
    pub fn cols(self) -> usize {
        self.cols
    }

    /// Element (`i`, `j`), to be given to [`Memory::load`](super::Memory::load).
    /// If the loops end at [`rows`](Matrix::rows) and [`cols`](Matrix::cols), the compiler
    /// proves the index valid and removes the check.
    ///
    /// # Panics
    ///
    /// If there is no such element.
    #[inline(always)]
    pub fn at(self, i: usize, j: usize) -> &'a Cell<T> {
        if i >= self.rows || j >= self.cols {
            no_element(i, j);
        }
        // SAFETY: just checked, and the view holds rows * cols elements.
        unsafe { self.cells.cells().get_unchecked(i * self.cols + j) }
    }

    /// Row `i`.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline(always)]
    pub fn row(self, i: usize) -> Array<'a, T> {
        self.cells.part(i * self.cols, self.cols)
    }

    /// All elements, row by row.
    #[inline(always)]
    pub fn flat(self) -> Array<'a, T> {
        self.cells
    }

    /// Sets every element, outside any measurement.
    pub fn fill(self, value: impl Fn(usize, usize) -> T) {
        for i in 0..self.rows {
            self.row(i).fill(|j| value(i, j));
        }
    }
}

/// By value, so that a loop's counters need not be in memory.
#[cold]
#[inline(never)]
fn no_element(i: usize, j: usize) -> ! {
    panic!("no element ({i}, {j}) in a matrix")
}

/// The side `n` of matrices that must all be `n` by `n`, and the matrices with that size:
/// loops that end at this `n` need no check of an index.
///
/// # Panics
///
/// If one of them is not square, or not of the first one's size.
#[inline(always)]
pub fn squares<T: Word, const K: usize>(matrices: [Matrix<'_, T>; K]) -> (usize, [Matrix<'_, T>; K]) {
    let n = matrices[0].rows;
    let same = matrices.map(|m| {
        assert!(m.rows == n && m.cols == n, "square matrices of one size are needed");
        Matrix { rows: n, cols: n, ..m }
    });
    (n, same)
}

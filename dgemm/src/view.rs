//! A matrix, or a block of one: the operands of every kernel of the ladder.

use std::cell::Cell;

use memory::{Array, Matrix};

/// `rows` by `cols` doubles, each row `stride` elements after the one before. Copying a
/// view copies no element.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    cells: Array<'a, f64>,
    rows: usize,
    cols: usize,
    stride: usize,
}

impl<'a> From<Matrix<'a, f64>> for View<'a> {
    fn from(matrix: Matrix<'a, f64>) -> View<'a> {
        View { cells: matrix.flat(), rows: matrix.rows(), cols: matrix.cols(), stride: matrix.cols() }
    }
}

impl<'a> View<'a> {
    /// The first `rows * cols` elements of `array`, as `rows` by `cols`.
    ///
    /// # Panics
    ///
    /// If it has fewer.
    #[inline(always)]
    pub fn over(array: Array<'a, f64>, rows: usize, cols: usize) -> View<'a> {
        View { cells: array.part(0, rows.saturating_mul(cols)), rows, cols, stride: cols }
    }

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

    /// Element (`i`, `j`). In loops that end at the sides given by [`conform`], the
    /// compiler proves the index valid and removes the check.
    ///
    /// # Panics
    ///
    /// If there is no such element.
    #[inline(always)]
    pub fn at(self, i: usize, j: usize) -> &'a Cell<f64> {
        if i >= self.rows || j >= self.cols {
            no_element(i, j);
        }
        // SAFETY: just checked; every view has (rows - 1) * stride + cols elements, because
        // `From` and `over` take whole matrices and `block` takes parts of them.
        unsafe { self.cells.cells().get_unchecked(i * self.stride + j) }
    }

    /// The block of at most `rows` by `cols` whose first element is (`i`, `j`): smaller at
    /// the edge, empty beyond it.
    #[inline(always)]
    pub fn block(self, i: usize, j: usize, rows: usize, cols: usize) -> View<'a> {
        let rows = rows.min(self.rows.saturating_sub(i));
        let cols = cols.min(self.cols.saturating_sub(j));
        if rows == 0 || cols == 0 {
            return View { cells: self.cells.part(0, 0), rows, cols, stride: self.stride };
        }
        let cells = self.cells.part(i * self.stride + j, (rows - 1) * self.stride + cols);
        View { cells, rows, cols, stride: self.stride }
    }

    /// The elements of row `i`, which are contiguous.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline(always)]
    pub fn row(self, i: usize) -> Array<'a, f64> {
        self.cells.part(i * self.stride, self.cols)
    }

    /// The view as one array, and the distance between its rows.
    #[inline(always)]
    pub fn flat(self) -> (Array<'a, f64>, usize) {
        (self.cells, self.stride)
    }
}

/// By value, so that a loop's counters need not be in memory.
#[cold]
#[inline(never)]
fn no_element(i: usize, j: usize) -> ! {
    panic!("no element ({i}, {j}) in a view")
}

/// The sides `m`, `n`, `k` of `a` (m by k), `b` (k by n) and `c` (m by n), and the views
/// with these sides: loops that end at them need no check of an index.
///
/// # Panics
///
/// If the sides do not match.
#[inline(always)]
pub fn conform<'a>(
    a: View<'a>,
    b: View<'a>,
    c: View<'a>,
) -> (usize, usize, usize, View<'a>, View<'a>, View<'a>) {
    let (m, n, k) = (c.rows, c.cols, a.cols);
    assert!(a.rows == m && b.rows == k && b.cols == n, "a is m by k, b is k by n and c is m by n");
    (m, n, k, View { rows: m, cols: k, ..a }, View { rows: k, cols: n, ..b }, View { rows: m, cols: n, ..c })
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory::Arena;

    #[test]
    fn a_block_is_cut_at_the_edge() {
        let arena = Arena::with_capacity(4096).unwrap();
        let matrix = arena.matrix::<f64>("m", 5, 7).unwrap();
        matrix.fill(|i, j| (10 * i + j) as f64);
        let block = View::from(matrix).block(3, 4, 4, 4);
        assert_eq!((block.rows(), block.cols()), (2, 3));
        assert_eq!(block.at(1, 2).get(), 46.0);
        assert_eq!(block.row(0).to_vec(), [34.0, 35.0, 36.0]);
        assert_eq!(block.block(1, 1, 1, 1).at(0, 0).get(), 45.0);
        assert_eq!(View::from(matrix).block(5, 0, 2, 2).rows(), 0);
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn more_elements_than_can_be_counted_are_refused() {
        let arena = Arena::with_capacity(4096).unwrap();
        let array = arena.array::<f64>("x", 16).unwrap();
        View::over(array, 1 << (usize::BITS / 2), 1 << (usize::BITS / 2));
    }

    #[test]
    #[should_panic(expected = "no element (1, 3)")]
    fn an_element_outside_of_the_block_is_refused_even_inside_the_matrix() {
        let arena = Arena::with_capacity(4096).unwrap();
        let matrix = arena.matrix::<f64>("m", 5, 7).unwrap();
        View::from(matrix).block(0, 0, 3, 3).at(1, 3);
    }
}

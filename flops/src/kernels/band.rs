//! A thread's share of the product, and the loops over its rows.

/// A thread's share of the product `c = a b`: some rows of a and of c, and all of b, which
/// is transposed, so that every element of c is the product of two rows. All are stored row
/// by row.
#[derive(Debug)]
pub struct Band<'m> {
    /// Length of a row of a and of b.
    pub depth: usize,
    /// Rows of a.
    pub a: &'m [f64],
    /// All rows of b transposed.
    pub b: &'m [f64],
    /// Rows of c.
    pub c: &'m mut [f64],
}

/// The loops over rows. Each sum starts from the last one times zero: without that, the
/// processor would work on two sums at once, and the rate would depend on its reordering
/// and not on its adder.
#[inline(always)]
pub(super) fn rows(band: Band, dot: impl Fn(f64, &[f64], &[f64]) -> f64) {
    let Band { depth, a, b, c } = band;
    let width = b.len() / depth.max(1);
    let mut last = 0.0;
    for (row, c) in a.chunks_exact(depth.max(1)).zip(c.chunks_exact_mut(width.max(1))) {
        for (column, c) in b.chunks_exact(depth.max(1)).zip(c) {
            last = dot(0.0 * last, row, column);
            *c = last;
        }
    }
}

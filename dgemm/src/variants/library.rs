//! The library for comparison: the crate `matrixmultiply`, in Rust with its own SIMD kernels.

use crate::problem::Problem;

/// `c += a * b`, on one core.
pub(super) fn multiply(p: &Problem) {
    let [m, n, k] = p.sides();
    let [(a, row_a), (b, row_b), (c, row_c)] = [p.a.flat(), p.b.flat(), p.c.flat()];
    // SAFETY: the three views have m by k, k by n and m by n elements, with a distance of
    // `row_*` between rows and 1 between columns, and nothing else uses them at the same
    // time; cells may be written through a shared reference.
    unsafe {
        matrixmultiply::dgemm(
            m,
            k,
            n,
            1.0,
            a.cells().as_ptr().cast(),
            row_a as isize,
            1,
            b.cells().as_ptr().cast(),
            row_b as isize,
            1,
            1.0,
            c.cells().as_ptr().cast::<f64>().cast_mut(),
            row_c as isize,
            1,
        );
    }
}

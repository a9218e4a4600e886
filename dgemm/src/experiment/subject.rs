//! What runs.

use threads::NoThread;

use crate::problem::Problem;
use crate::variants::Variant;

/// The library for comparison: the crate `matrixmultiply`, in Rust with its own SIMD kernels.
const YARDSTICK: &str = "matrixmultiply";

/// What is measured: a rung, or the library for comparison.
#[derive(Debug, Clone, Copy)]
pub enum Subject {
    /// A rung of the ladder.
    Rung(&'static Variant),
    /// The library.
    Yardstick,
}

impl Subject {
    /// Its name in the output.
    pub fn name(self) -> &'static str {
        match self {
            Subject::Rung(variant) => variant.name,
            Subject::Yardstick => YARDSTICK,
        }
    }

    /// The number of cores that it uses, of `threads`.
    pub fn cores(self, threads: usize) -> usize {
        match self {
            Subject::Rung(variant) => variant.cores(threads),
            Subject::Yardstick => 1,
        }
    }

    /// `c += a * b`.
    /// Fails if the system does not start enough threads.
    pub fn run(self, p: &Problem) -> Result<(), NoThread> {
        match self {
            Subject::Rung(variant) => variant.run_native(p),
            Subject::Yardstick => {
                by_the_library(p);
                Ok(())
            }
        }
    }
}

/// `c += a * b` by the library, on one core.
fn by_the_library(p: &Problem) {
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

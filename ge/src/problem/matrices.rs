//! The selectable matrices, and the checks of the result.

use memory::Matrix;
use thiserror::Error;

use crate::problem::rand::Rand;

/// A matrix by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Fill {
    /// The homework's: rand() after srand(1), row by row
    Rand,
    /// The same, with a diagonal so large that elimination loses no digits
    Dominant,
    /// The homework's, with a zero in the first pivot's place
    ZeroPivot,
    /// The homework's, with 1 (against 10^9) in the first pivot's place
    TinyPivot,
}

impl Fill {
    /// Sets all elements.
    pub fn write(self, a: Matrix<f64>) {
        let mut rand = Rand::new(1);
        let n = a.rows();
        for cell in a.flat().cells() {
            cell.set(f64::from(rand.next()));
        }
        if n == 0 {
            return;
        }
        match self {
            Fill::Rand => {}
            Fill::Dominant => (0..n).for_each(|i| a.at(i, i).set(n as f64 * f64::from(1u32 << 31))),
            Fill::ZeroPivot => a.at(0, 0).set(0.0),
            Fill::TinyPivot => a.at(0, 0).set(1.0),
        }
    }

    /// Whether this matrix of `n` by `n` elements can be eliminated, without computing it.
    /// Fails if a pivot is zero.
    pub fn eliminable(self, n: usize) -> Result<(), Broken> {
        if self == Fill::ZeroPivot && n > 1 { Err(Broken::ZeroPivot(0)) } else { Ok(()) }
    }
}

/// Why a result is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum Broken {
    /// A division by zero.
    #[error("the pivot in row {0} is zero, and no rung exchanges rows: choose another --matrix")]
    ZeroPivot(usize),
    /// Numbers too large for a double.
    #[error("the elements grew beyond the largest double, the pivots are too small: choose another --matrix")]
    Overflow,
}

/// Checks the matrix after elimination. The last pivot may be zero: it is not a divisor.
/// Fails if a pivot was zero, or an element overflowed.
pub fn eliminated(a: Matrix<f64>) -> Result<(), Broken> {
    let divisors = 0..a.rows().saturating_sub(1);
    if let Some(zero) = divisors.into_iter().find(|&k| a.at(k, k).get() == 0.0) {
        return Err(Broken::ZeroPivot(zero));
    }
    let finite = a.flat().cells().iter().all(|cell| cell.get().is_finite());
    if finite { Ok(()) } else { Err(Broken::Overflow) }
}

/// The sum of all elements, row by row: what the homework prints as `Check`.
pub fn check(a: Matrix<f64>) -> f64 {
    a.flat().cells().iter().fold(0.0, |sum, cell| sum + cell.get())
}

/// The largest element.
pub fn largest(a: Matrix<f64>) -> f64 {
    a.flat().cells().iter().fold(0.0, |most, cell| cell.get().abs().max(most))
}

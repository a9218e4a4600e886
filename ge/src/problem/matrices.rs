//! The selectable matrices, and the checks of the result.

use memory::Matrix;
use thiserror::Error;

use crate::problem::rand::Rand;

/// A matrix by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "program", derive(clap::ValueEnum))]
pub enum Fill {
    /// The homework's: rand() after srand(1), row by row
    Rand,
    /// The same, with a diagonal so large that elimination loses no digits
    Dominant,
    /// The homework's, with a zero in the first pivot's place
    ZeroPivot,
    /// The homework's, with 1 (against 10^9) in the first pivot's place
    TinyPivot,
    /// The homework's, with a NaN in the middle
    Nan,
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
            Fill::Nan => a.at(n / 2, n / 2).set(f64::NAN),
        }
    }

    /// The known properties of this matrix of `n` by `n` elements, without computing it.
    ///
    /// # Errors
    ///
    /// If elimination without row exchanges must fail on it.
    pub fn eliminable_in_place(self, n: usize) -> Result<(), Broken> {
        match self {
            Fill::Nan if n > 0 => Err(Broken::NotFinite { row: n / 2, column: n / 2, value: f64::NAN }),
            Fill::ZeroPivot if n > 1 => Err(Broken::ZeroPivot(0)),
            Fill::Rand | Fill::Dominant | Fill::TinyPivot | Fill::ZeroPivot | Fill::Nan => Ok(()),
        }
    }
}

/// Why a result is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum Broken {
    /// An element cannot be eliminated: infinite or not a number.
    #[error("element ({row}, {column}) of the matrix is {value}: elimination needs finite numbers")]
    NotFinite {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// The element.
        value: f64,
    },
    /// A division by zero.
    #[error(
        "the pivot in row {0} is zero, and this rung never exchanges rows: run `ge pivoting` or `ge lu`, which do"
    )]
    ZeroPivot(usize),
    /// Numbers too large for a double.
    #[error("the elements grew beyond the largest double, the pivots are too small: run `ge pivoting`")]
    Overflow,
    /// A column of zeros: no row exchange helps.
    #[error("column {0} has no element left that could be a pivot: the matrix is singular")]
    Singular(usize),
}

/// Checks the matrix before elimination.
///
/// # Errors
///
/// If an element is infinite or not a number.
pub fn eliminable(a: Matrix<f64>) -> Result<(), Broken> {
    let cells = a.flat().cells().iter();
    let found = cells.enumerate().find(|(_, cell)| !cell.get().is_finite());
    found.map_or(Ok(()), |(place, cell)| {
        let (row, column) = (place / a.cols(), place % a.cols());
        Err(Broken::NotFinite { row, column, value: cell.get() })
    })
}

/// Checks the matrix after elimination, with or without row exchanges. The last pivot may
/// be zero: it is not a divisor.
///
/// # Errors
///
/// If a pivot was zero, or an element overflowed.
pub fn eliminated(a: Matrix<f64>, exchanges: bool) -> Result<(), Broken> {
    let divisors = 0..a.rows().saturating_sub(1);
    if let Some(zero) = divisors.into_iter().find(|&k| a.at(k, k).get() == 0.0) {
        return Err(if exchanges { Broken::Singular(zero) } else { Broken::ZeroPivot(zero) });
    }
    eliminable(a).map_err(|_| Broken::Overflow)
}

/// The sum of all elements, row by row: what the homework prints as `Check`.
pub fn check(a: Matrix<f64>) -> f64 {
    a.flat().cells().iter().fold(0.0, |sum, cell| sum + cell.get())
}

/// The largest element.
pub fn largest(a: Matrix<f64>) -> f64 {
    a.flat().cells().iter().fold(0.0, |most, cell| cell.get().abs().max(most))
}

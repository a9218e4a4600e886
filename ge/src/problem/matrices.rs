//! The course's matrix, and the check of the result.

use memory::Matrix;

use crate::problem::rand::Rand;

/// Sets all elements to the homework's: rand() after srand(1), row by row.
pub fn write(a: Matrix<f64>) {
    let mut rand = Rand::new(1);
    a.flat().cells().iter().for_each(|cell| cell.set(f64::from(rand.next())));
}

/// The sum of all elements, row by row: what the homework prints as `Check`.
pub fn check(a: Matrix<f64>) -> f64 {
    a.flat().cells().iter().fold(0.0, |sum, cell| sum + cell.get())
}

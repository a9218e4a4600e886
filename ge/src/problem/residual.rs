//! The error of a factorisation whose last digits may differ.

use memory::Matrix;

use crate::problem::rand::Rand;

/// The error of `done` as a factorisation of `original`: the difference `A x - L (U x)` for a
/// random `x`, divided by the largest row sum of |A|. It takes n^2 steps where the product
/// itself would take n^3. Below its diagonal `done` contains L times the pivots.
pub fn residual(original: Matrix<f64>, done: Matrix<f64>) -> f64 {
    let n = done.rows();
    let mut rand = Rand::new(7);
    let x: Vec<f64> = (0..n).map(|_| if rand.next().is_multiple_of(2) { 1.0 } else { -1.0 }).collect();
    let product = |row: &[f64], x: &[f64]| row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
    let ux: Vec<f64> = (0..n).map(|i| product(&done.row(i).to_vec()[i..], &x[i..])).collect();
    let (mut worst, mut size) = (0.0f64, f64::MIN_POSITIVE);
    for i in 0..n {
        let row = original.row(i).to_vec();
        size = size.max(row.iter().map(|a| a.abs()).sum());
        let left = done.row(i).to_vec();
        let multipliers: Vec<f64> = (0..i).map(|k| left[k] / done.at(k, k).get()).collect();
        let off = (product(&row, &x) - ux[i] - product(&multipliers, &ux)).abs();
        worst = if off.is_nan() { f64::INFINITY } else { worst.max(off) };
    }
    worst / size
}

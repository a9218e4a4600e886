//! The error of a factorisation whose last digits may differ.

use memory::{Array, Matrix};

use crate::problem::rand::Rand;

/// The difference `P a x - L (U x)` for a random `x`, which takes n^2 steps where the
/// product itself would take n^3.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// Divided by the largest row sum of |a|: small only if the result is right *and* the
    /// pivots were large enough.
    pub relative: f64,
    /// In rounding errors of the added numbers (2^-53 of their size): below n for any
    /// correct elimination, however bad its pivots.
    pub roundings: f64,
}

/// The residual of `done` as a factorisation of `original`, with the recorded row
/// exchanges. Below its diagonal `done` contains L times the pivots.
pub fn residual(original: Matrix<f64>, done: Matrix<f64>, exchanges: Array<usize>) -> Residual {
    let n = done.rows();
    let mut rand = Rand::new(7);
    let x: Vec<f64> = (0..n).map(|_| if rand.next().is_multiple_of(2) { 1.0 } else { -1.0 }).collect();
    let row_of = |m: Matrix<f64>, i: usize| m.row(i).to_vec();
    let mut ax = Vec::with_capacity(n);
    let mut size = f64::MIN_POSITIVE;
    for i in 0..n {
        let row = row_of(original, i);
        ax.push(row.iter().zip(&x).map(|(a, x)| a * x).sum::<f64>());
        size = size.max(row.iter().map(|a| a.abs()).sum());
    }
    for (k, cell) in exchanges.cells().iter().enumerate() {
        ax.swap(k, cell.get());
    }
    let (mut ux, mut ux_size) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        for (u, x) in row_of(done, i)[i..].iter().zip(&x[i..]) {
            ux[i] += u * x;
            ux_size[i] += u.abs();
        }
    }
    let (mut worst, mut scale) = (0.0f64, f64::MIN_POSITIVE);
    for i in 0..n {
        let (mut lux, mut lux_size) = (ux[i], ux_size[i]);
        for (k, left) in row_of(done, i)[..i].iter().enumerate() {
            let pivot = done.at(k, k).get();
            let multiplier = if pivot == 0.0 { 0.0 } else { left / pivot };
            lux += multiplier * ux[k];
            lux_size += multiplier.abs() * ux_size[k];
        }
        let off = (ax[i] - lux).abs();
        worst = if off.is_nan() { f64::INFINITY } else { worst.max(off) };
        scale = scale.max(lux_size);
    }
    Residual { relative: worst / size, roundings: worst / (scale * f64::EPSILON / 2.0) }
}

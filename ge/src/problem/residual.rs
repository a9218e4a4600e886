//! The error of a factorisation whose last digits may differ.

use memory::Matrix;

use crate::problem::rand::Rand;

/// The difference `A x - L (U x)` for a random `x`, which takes n^2 steps where the
/// product itself would take n^3.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// Divided by the largest row sum of |A|: small only if the result is right *and* the
    /// pivots were large enough.
    pub relative: f64,
    /// In rounding errors of the added numbers (2^-53 of their size): below n for any
    /// correct elimination, however bad its pivots.
    pub roundings: f64,
}

/// The residual of `done` as a factorisation of `original`. Below its diagonal `done`
/// contains L times the pivots.
pub fn residual(original: Matrix<f64>, done: Matrix<f64>) -> Residual {
    let n = done.rows();
    let mut rand = Rand::new(7);
    let x: Vec<f64> = (0..n).map(|_| if rand.next().is_multiple_of(2) { 1.0 } else { -1.0 }).collect();
    let (mut ux, mut ux_size) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        for (u, x) in done.row(i).to_vec()[i..].iter().zip(&x[i..]) {
            ux[i] += u * x;
            ux_size[i] += u.abs();
        }
    }
    let (mut worst, mut size, mut scale) = (0.0f64, f64::MIN_POSITIVE, f64::MIN_POSITIVE);
    for i in 0..n {
        let row = original.row(i).to_vec();
        let ax: f64 = row.iter().zip(&x).map(|(a, x)| a * x).sum();
        size = size.max(row.iter().map(|a| a.abs()).sum());
        let (mut lux, mut lux_size) = (ux[i], ux_size[i]);
        for (k, left) in done.row(i).to_vec()[..i].iter().enumerate() {
            let multiplier = left / done.at(k, k).get();
            lux += multiplier * ux[k];
            lux_size += multiplier.abs() * ux_size[k];
        }
        let off = (ax - lux).abs();
        worst = if off.is_nan() { f64::INFINITY } else { worst.max(off) };
        scale = scale.max(lux_size);
    }
    Residual { relative: worst / size, roundings: worst / (scale * f64::EPSILON / 2.0) }
}

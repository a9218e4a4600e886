//! One double at a time: on x86-64 the scalar SSE2 instructions.

use common::counters::watched;

use super::band::{Band, rows};

/// `start + sum of x[k] * y[k]`. Rust never reorders floating-point additions,
/// so this stays one chain and is not vectorised.
#[inline(always)]
pub(super) fn dot(start: f64, x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(start, |sum, (x, y)| sum + x * y)
}

watched! {
    #[inline(never)]
    pub(super) fn band(band: Band) {
        rows(band, dot);
    }
}

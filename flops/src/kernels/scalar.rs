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

/// `n` additions in a row.
pub(super) fn chain(n: u64) -> f64 {
    let one = std::hint::black_box(1.0);
    let mut sum = 0.0;
    for _ in 0..n / 8 {
        // Eight in a row, so that the loop's own instructions take no additional time.
        sum = sum + one + one + one + one + one + one + one + one;
    }
    sum
}

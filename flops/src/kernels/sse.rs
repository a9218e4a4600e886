//! Two doubles at a time: the packed SSE2 instructions.

use std::arch::x86_64::*;

use common::counters::watched;

use super::band::{Band, rows};
use super::scalar;

/// `start + sum of x[k] * y[k]`, even and odd k in a chain each.
#[inline(always)]
fn dot(start: f64, x: &[f64], y: &[f64]) -> f64 {
    let (pairs, others) = (x.chunks_exact(2), y.chunks_exact(2));
    let rest = scalar::dot(0.0, pairs.remainder(), others.remainder());
    // SAFETY: every x86-64 processor has SSE2; the chunks hold two doubles.
    unsafe {
        let mut sum = _mm_set_sd(start);
        for (x, y) in pairs.zip(others) {
            sum = _mm_add_pd(sum, _mm_mul_pd(_mm_loadu_pd(x.as_ptr()), _mm_loadu_pd(y.as_ptr())));
        }
        _mm_cvtsd_f64(_mm_add_sd(sum, _mm_unpackhi_pd(sum, sum))) + rest
    }
}

watched! {
    #[inline(never)]
    pub(super) fn band(band: Band) {
        rows(band, dot);
    }
}

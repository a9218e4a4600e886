//! Two doubles at a time: NEON, multiplication and addition separate.

use std::arch::aarch64::*;

use common::counters::watched;

use super::band::{Band, rows};
use super::scalar;

/// `start + sum of x[k] * y[k]`, even and odd k in a chain each.
#[inline(always)]
fn dot(start: f64, x: &[f64], y: &[f64]) -> f64 {
    let (pairs, others) = (x.chunks_exact(2), y.chunks_exact(2));
    let rest = scalar::dot(0.0, pairs.remainder(), others.remainder());
    // SAFETY: every aarch64 processor that std supports has NEON; the chunks
    // hold two doubles.
    unsafe {
        let mut sum = vsetq_lane_f64::<0>(start, vdupq_n_f64(0.0));
        for (x, y) in pairs.zip(others) {
            sum = vaddq_f64(sum, vmulq_f64(vld1q_f64(x.as_ptr()), vld1q_f64(y.as_ptr())));
        }
        vaddvq_f64(sum) + rest
    }
}

watched! {
    #[inline(never)]
    pub(super) fn band(band: Band) {
        rows(band, dot);
    }
}

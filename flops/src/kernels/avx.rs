//! Four doubles at a time: AVX, multiplication and addition separate (a fused instruction
//! would use another unit).

use std::arch::x86_64::*;

use common::counters::watched;

use super::band::{Band, rows};
use super::scalar;

/// `start + sum of x[k] * y[k]`, in four parallel chains.
#[inline]
#[target_feature(enable = "avx")]
fn dot(start: f64, x: &[f64], y: &[f64]) -> f64 {
    let (fours, others) = (x.chunks_exact(4), y.chunks_exact(4));
    let rest = scalar::dot(0.0, fours.remainder(), others.remainder());
    let mut sum = _mm256_zextpd128_pd256(_mm_set_sd(start));
    for (x, y) in fours.zip(others) {
        // SAFETY: the chunks hold four doubles.
        let (x, y) = unsafe { (_mm256_loadu_pd(x.as_ptr()), _mm256_loadu_pd(y.as_ptr())) };
        sum = _mm256_add_pd(sum, _mm256_mul_pd(x, y));
    }
    let pair = _mm_add_pd(_mm256_castpd256_pd128(sum), _mm256_extractf128_pd::<1>(sum));
    _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair))) + rest
}

pub(super) fn band(band: Band) {
    assert!(is_x86_feature_detected!("avx"), "this processor has no AVX");
    // SAFETY: just checked.
    unsafe { with_avx(band) }
}

watched! {
    #[inline(never)]
    #[target_feature(enable = "avx")]
    fn with_avx(band: Band) {
        rows(band, |start, x, y| dot(start, x, y));
    }
}

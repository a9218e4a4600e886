//! Arm's registers of 16 bytes.

use std::arch::aarch64::*;

use crate::simd::{fused, register, simd, token};

register! {
    /// Two doubles.
    F64x2, float64x2_t
}

token! {
    /// NEON.
    Neon, "NEON", "neon", std::arch::is_aarch64_feature_detected!("neon")
}

simd!(Neon, F64x2: vdupq_n_f64, vaddq_f64, vsubq_f64, vmulq_f64);

fused!(Neon, F64x2: |x, y, sum| vfmaq_f64(sum, x, y), |x, y, sum| vfmsq_f64(sum, x, y));

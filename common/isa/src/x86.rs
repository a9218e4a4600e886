//! x86's registers of 16, 32 and 64 bytes.

use std::arch::x86_64::*;

use crate::simd::{fused, register, simd, token};

register! {
    /// Two doubles.
    F64x2, __m128d
}
register! {
    /// Four doubles.
    F64x4, __m256d
}
register! {
    /// Eight doubles.
    F64x8, __m512d
}

token! {
    /// SSE2, which every 64-bit x86 has.
    Sse2, "SSE2", "sse2", is_x86_feature_detected!("sse2")
}
token! {
    /// AVX.
    Avx, "AVX", "avx", is_x86_feature_detected!("avx")
}
token! {
    /// AVX2 with FMA.
    Avx2Fma, "AVX2 and FMA", "avx2,fma", (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"))
}
token! {
    /// AVX-512's foundation.
    Avx512, "AVX-512F", "avx512f", (is_x86_feature_detected!("avx512f"))
}

simd!(Sse2, F64x2: _mm_set1_pd, _mm_add_pd, _mm_sub_pd, _mm_mul_pd);
simd!(Avx, F64x4: _mm256_set1_pd, _mm256_add_pd, _mm256_sub_pd, _mm256_mul_pd);
simd!(Avx2Fma, F64x4: _mm256_set1_pd, _mm256_add_pd, _mm256_sub_pd, _mm256_mul_pd);
simd!(Avx512, F64x8: _mm512_set1_pd, _mm512_add_pd, _mm512_sub_pd, _mm512_mul_pd);

fused!(Avx2Fma, F64x4: _mm256_fmadd_pd, _mm256_fnmadd_pd);
fused!(Avx512, F64x8: _mm512_fmadd_pd, _mm512_fnmadd_pd);

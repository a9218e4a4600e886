//! Registers of two, four and eight doubles, on each instruction set.

use common::memory::{Array, Memory, Vector};

/// What the rungs do with a register of doubles, lane by lane.
///
/// The methods use instructions that not every processor has: they are called
/// only below a function with the `target_feature`, which is entered only after
/// asking the processor ([`crate::needs::Needs`]).
pub trait Simd: Vector<Lane = f64> {
    /// `x` in every lane.
    fn splat(x: f64) -> Self;
    /// `self * other`
    fn mul(self, other: Self) -> Self;
    /// `self - other`
    fn sub(self, other: Self) -> Self;
    /// `self - x * y`, rounded once.
    fn sub_mul(self, x: Self, y: Self) -> Self;
}

/// Two doubles: SSE2, or NEON on Arm.
#[cfg(target_arch = "x86_64")]
pub type Pair = std::arch::x86_64::__m128d;
/// Four doubles: AVX.
#[cfg(target_arch = "x86_64")]
pub type Quad = std::arch::x86_64::__m256d;
/// Eight doubles: AVX-512.
#[cfg(target_arch = "x86_64")]
pub type Octet = std::arch::x86_64::__m512d;

/// Two doubles: NEON.
#[cfg(target_arch = "aarch64")]
pub type Pair = std::arch::aarch64::float64x2_t;
/// Four doubles: two NEON registers.
#[cfg(target_arch = "aarch64")]
pub type Quad = Halves<Pair>;
/// Eight doubles: four NEON registers.
#[cfg(target_arch = "aarch64")]
pub type Octet = Halves<Quad>;

/// Two doubles without any SIMD instruction.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub type Pair = Halves<One>;
/// Four doubles without any SIMD instruction.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub type Quad = Halves<Pair>;
/// Eight doubles without any SIMD instruction.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub type Octet = Halves<Quad>;

/// One double which the compiler may merge with its neighbours, keep in a
/// register, or load as part of another instruction.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct One(pub f64);

// SAFETY: one f64 and nothing else.
unsafe impl Vector for One {
    type Lane = f64;
}

impl Simd for One {
    #[inline(always)]
    fn splat(x: f64) -> Self {
        One(x)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        One(self.0 * other.0)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        One(self.0 - other.0)
    }
    // Without the instruction, `f64::mul_add` is a slow library call.
    #[inline(always)]
    fn sub_mul(self, x: Self, y: Self) -> Self {
        self.sub(x.mul(y))
    }
}

/// Twice as many lanes, from two registers.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Halves<V>(V, V);

// SAFETY: two registers side by side; no padding, as V has none.
unsafe impl<V: Vector<Lane = f64>> Vector for Halves<V> {
    type Lane = f64;
}

impl<V: Simd> Simd for Halves<V> {
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Halves(V::splat(x), V::splat(x))
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Halves(self.0.mul(other.0), self.1.mul(other.1))
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Halves(self.0.sub(other.0), self.1.sub(other.1))
    }
    #[inline(always)]
    fn sub_mul(self, x: Self, y: Self) -> Self {
        Halves(self.0.sub_mul(x.0, y.0), self.1.sub_mul(x.1, y.1))
    }
}

/// Declares a register type by its four intrinsics.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! simd {
    ($register:ty: $splat:expr, $mul:expr, $sub:expr, $sub_mul:expr) => {
        impl Simd for $register {
            #[inline(always)]
            fn splat(x: f64) -> Self {
                // SAFETY: called only where the processor has it, see `Simd`.
                unsafe { $splat(x) }
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                // SAFETY: as above.
                unsafe { $mul(self, other) }
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                // SAFETY: as above.
                unsafe { $sub(self, other) }
            }
            #[inline(always)]
            fn sub_mul(self, x: Self, y: Self) -> Self {
                // SAFETY: as above.
                unsafe { $sub_mul(x, y, self) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Octet, Pair, Quad, Simd};
    use std::arch::x86_64::*;

    simd!(Pair: _mm_set1_pd, _mm_mul_pd, _mm_sub_pd, _mm_fnmadd_pd);
    simd!(Quad: _mm256_set1_pd, _mm256_mul_pd, _mm256_sub_pd, _mm256_fnmadd_pd);
    simd!(Octet: _mm512_set1_pd, _mm512_mul_pd, _mm512_sub_pd, _mm512_fnmadd_pd);
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use super::{Pair, Simd};
    use std::arch::aarch64::*;

    simd!(Pair: vdupq_n_f64, vmulq_f64, vsubq_f64, |x, y, sum| vfmsq_f64(sum, x, y));
}

/// `target[j..] -= source[j..] * multiplier` for as many columns as a register
/// holds: product and difference each rounded, as in the scalar rungs.
#[inline(always)]
pub fn block_step<M: Memory, V: Simd>(
    mem: &mut M,
    target: Array<f64>,
    source: Array<f64>,
    multiplier: V,
    j: usize,
) {
    let above: V = mem.load_vector(source.lanes(j));
    let old: V = mem.load_vector(target.lanes(j));
    mem.store_vector(target.lanes(j), old.sub(above.mul(multiplier)));
}

/// The same, with product and difference fused into one rounding.
#[inline(always)]
pub fn fused_step<M: Memory, V: Simd>(
    mem: &mut M,
    target: Array<f64>,
    source: Array<f64>,
    multiplier: V,
    j: usize,
) {
    let above: V = mem.load_vector(source.lanes(j));
    let old: V = mem.load_vector(target.lanes(j));
    mem.store_vector(target.lanes(j), old.sub_mul(above, multiplier));
}

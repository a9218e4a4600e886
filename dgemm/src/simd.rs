//! What the register tiles need of a SIMD register, for each instruction set.

use std::cell::Cell;

use common::memory::Vector;

/// A register of doubles that multiplies and adds in one instruction.
///
/// The methods use instructions that not every processor has: they are called
/// only below a function with the `target_feature`, entered after asking the
/// processor ([`Isa::best`]).
pub(crate) trait Simd: Vector<Lane = f64> {
    /// `x` in every lane.
    fn splat(x: f64) -> Self;
    /// Lane by lane.
    fn add(self, other: Self) -> Self;
    /// Lane by lane.
    fn mul(self, other: Self) -> Self;
    /// `self * x + sum`, rounded once.
    fn mul_add(self, x: Self, sum: Self) -> Self;
}

/// The instruction sets a tile is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isa {
    /// x86: 8 doubles, 32 registers.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// x86: 4 doubles, 16 registers.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Arm: 2 doubles, 32 registers.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// No intrinsics: arrays of 4 that the compiler may vectorise.
    Plain,
}

impl Isa {
    /// The widest set of this processor.
    pub fn best() -> Isa {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                return Isa::Avx512;
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                return Isa::Avx2;
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            return Isa::Neon;
        }
        Isa::Plain
    }

    /// As printed: `avx2+fma`.
    pub fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => "avx2+fma",
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => "neon",
            Isa::Plain => "plain",
        }
    }

    /// Rows and columns of the tile of c that is kept in registers.
    pub fn tile(self) -> (usize, usize) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => (8, 24),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => (6, 8),
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => (6, 8),
            Isa::Plain => (4, 4),
        }
    }
}

/// One double, loaded as a register: a plain load that may be part of the
/// instruction which spreads it over the lanes.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct One(pub f64);

// SAFETY: one f64 and nothing else.
unsafe impl Vector for One {
    type Lane = f64;
}

/// Four doubles without any intrinsic.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Plain([f64; 4]);

// SAFETY: four f64 and nothing else.
unsafe impl Vector for Plain {
    type Lane = f64;
}

impl Simd for Plain {
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Plain([x; 4])
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (x, y) = (self.0, other.0);
        Plain([x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3]])
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let (x, y) = (self.0, other.0);
        Plain([x[0] * y[0], x[1] * y[1], x[2] * y[2], x[3] * y[3]])
    }
    // Without the instruction `f64::mul_add` is a slow library call.
    #[inline(always)]
    fn mul_add(self, x: Self, sum: Self) -> Self {
        self.mul(x).add(sum)
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Simd;
    use std::arch::x86_64::*;

    impl Simd for __m256d {
        #[inline(always)]
        fn splat(x: f64) -> Self {
            // SAFETY: called only where AVX is enabled, see `Simd`.
            unsafe { _mm256_set1_pd(x) }
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm256_add_pd(self, other) }
        }
        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm256_mul_pd(self, other) }
        }
        #[inline(always)]
        fn mul_add(self, x: Self, sum: Self) -> Self {
            // SAFETY: called only where FMA is enabled, see `Simd`.
            unsafe { _mm256_fmadd_pd(self, x, sum) }
        }
    }

    impl Simd for __m512d {
        #[inline(always)]
        fn splat(x: f64) -> Self {
            // SAFETY: called only where AVX-512F is enabled, see `Simd`.
            unsafe { _mm512_set1_pd(x) }
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_add_pd(self, other) }
        }
        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_mul_pd(self, other) }
        }
        #[inline(always)]
        fn mul_add(self, x: Self, sum: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_fmadd_pd(self, x, sum) }
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use super::Simd;
    use std::arch::aarch64::*;

    impl Simd for float64x2_t {
        #[inline(always)]
        fn splat(x: f64) -> Self {
            // SAFETY: called only where NEON is enabled, see `Simd`.
            unsafe { vdupq_n_f64(x) }
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { vaddq_f64(self, other) }
        }
        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { vmulq_f64(self, other) }
        }
        #[inline(always)]
        fn mul_add(self, x: Self, sum: Self) -> Self {
            // SAFETY: as above.
            unsafe { vfmaq_f64(sum, self, x) }
        }
    }
}

/// Asks for the line of `cell` ahead of its use, into L1 or, where that has no
/// room yet, into L2: a hint that loads nothing and that the cache model does
/// not see. An address without memory is ignored.
#[inline(always)]
pub(crate) fn prefetch<const LEVEL: u32>(cell: *const Cell<f64>) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint, which never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};
        match LEVEL {
            1 => _mm_prefetch::<_MM_HINT_T0>(cell.cast()),
            _ => _mm_prefetch::<_MM_HINT_T1>(cell.cast()),
        }
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        use std::arch::asm;
        match LEVEL {
            1 => asm!("prfm pldl1keep, [{0}]", in(reg) cell, options(nostack, preserves_flags, readonly)),
            _ => asm!("prfm pldl2keep, [{0}]", in(reg) cell, options(nostack, preserves_flags, readonly)),
        }
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = cell;
}

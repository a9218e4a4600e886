//! Everything that depends on the processor's instruction set only: native memory, and SIMD
//! registers.
//!
//! An instruction set is a *token*: a value of size zero that only [`Isa::detect`] makes,
//! after checking the processor. A kernel takes the token of the instructions that it uses,
//! so it cannot be called on a processor without them. The arithmetic of registers belongs
//! to the token.
//!
//! ```
//! use isa::{Isa, Quads, Simd};
//! if let Some(quads) = Quads::detect() {
//!     quads.splat(1.0);
//! }
//! ```
//!
//! Without the check there is no token, so no arithmetic either:
//!
//! ```compile_fail,E0423
//! use isa::{Isa, Quads, Simd};
//! Quads(()).splat(1.0);
//! ```
//!
//! | token | doubles | x86 | Arm | elsewhere |
//! |---|---|---|---|---|
//! | [`Scalar`] | 1 | any | any | any |
//! | [`Pairs`] | 2 | SSE2 | NEON | portable code |
//! | [`Quads`] | 4 | AVX | two of NEON | portable code |
//! | [`FusedQuads`] | 4 | AVX2 and FMA | two of NEON | portable code |
//! | [`Avx512`] | 8 | AVX-512F | none | none |

#[cfg(target_arch = "aarch64")]
mod arm;
mod elsewhere;
mod native;
mod portable;
mod simd;
mod widest;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use elsewhere::Elsewhere;
pub use native::{Native, start_on_a_line};
pub use portable::{Halves, One, Scalar, Twice};
pub use simd::{Fused, Isa, Simd, Task};
pub use widest::Widest;

#[cfg(target_arch = "x86_64")]
mod target {
    pub use crate::x86::{Avx, Avx2Fma, Avx512, F64x2, F64x4, F64x8, Sse2};

    /// Two doubles at a time: SSE2.
    pub type Pairs = Sse2;
    /// Four doubles at a time: AVX.
    pub type Quads = Avx;
    /// Four doubles at a time, with fused multiply-add: AVX2 with FMA.
    pub type FusedQuads = Avx2Fma;
    /// Arm's.
    pub type Neon = crate::Elsewhere<2>;
}

#[cfg(target_arch = "aarch64")]
mod target {
    pub use crate::arm::{F64x2, Neon};

    /// x86's.
    pub type Avx2Fma = crate::Elsewhere<4>;
    /// x86's.
    pub type Avx512 = crate::Elsewhere<8>;
    /// Two doubles at a time: NEON.
    pub type Pairs = Neon;
    /// Four doubles at a time: two registers of NEON's.
    pub type Quads = crate::Twice<Neon>;
    /// Four doubles at a time, with fused multiply-add, which NEON always has.
    pub type FusedQuads = Quads;
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod target {
    /// Arm's.
    pub type Neon = crate::Elsewhere<2>;
    /// x86's.
    pub type Avx2Fma = crate::Elsewhere<4>;
    /// x86's.
    pub type Avx512 = crate::Elsewhere<8>;
    /// Two doubles at a time, in instructions that the compiler chooses.
    pub type Pairs = crate::Twice<crate::Scalar>;
    /// Four doubles at a time, in instructions that the compiler chooses.
    pub type Quads = crate::Twice<Pairs>;
    /// Four doubles at a time, in instructions that the compiler chooses.
    pub type FusedQuads = Quads;
}

pub use target::*;

#[cfg(test)]
mod tests;

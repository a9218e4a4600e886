//! The widest registers of this processor.

use crate::{Avx2Fma, Avx512, Isa, Neon, Scalar, Twice};

/// The widest instruction set of the processor that has fused multiply-add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Widest {
    /// x86: 8 doubles, 32 registers.
    Avx512(Avx512),
    /// x86: 4 doubles, 16 registers.
    Avx2Fma(Avx2Fma),
    /// Arm: 2 doubles, 32 registers.
    Neon(Neon),
    /// None of them: 4 doubles in instructions that the compiler chooses.
    Portable(Twice<Twice<Scalar>>),
}

impl Widest {
    /// Detects it.
    pub fn detect() -> Widest {
        let wide = Avx512::detect().map(Widest::Avx512);
        let wide = wide.or_else(|| Avx2Fma::detect().map(Widest::Avx2Fma));
        let wide = wide.or_else(|| Neon::detect().map(Widest::Neon));
        wide.unwrap_or(Widest::Portable(Twice::ANY))
    }

    /// The name in records: `avx2+fma`.
    pub fn name(self) -> &'static str {
        match self {
            Widest::Avx512(_) => "avx512",
            Widest::Avx2Fma(_) => "avx2+fma",
            Widest::Neon(_) => "neon",
            Widest::Portable(_) => "plain",
        }
    }
}

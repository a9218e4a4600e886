//! Tokens of instruction sets that this target does not have: types without values, so that
//! kernels can name them without conditional compilation.

/// Declares such a token, for registers of several lanes.
macro_rules! elsewhere {
    ($(#[$doc:meta])* $token:ident, $name:literal, $lanes:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $token(std::convert::Infallible);

        impl crate::Isa for $token {
            const NAME: &'static str = $name;

            fn detect() -> Option<Self> {
                None
            }
            fn run<T: crate::Task>(self, _: T) -> T::Output {
                match self.0 {}
            }
        }

        impl crate::Simd for $token {
            type Register = [f64; $lanes];

            fn splat(self, _: f64) -> Self::Register {
                match self.0 {}
            }
            fn add(self, _: Self::Register, _: Self::Register) -> Self::Register {
                match self.0 {}
            }
            fn sub(self, _: Self::Register, _: Self::Register) -> Self::Register {
                match self.0 {}
            }
            fn mul(self, _: Self::Register, _: Self::Register) -> Self::Register {
                match self.0 {}
            }
        }

        impl crate::Fused for $token {
            fn add_product(self, _: Self::Register, _: Self::Register, _: Self::Register) -> Self::Register {
                match self.0 {}
            }
            fn sub_product(self, _: Self::Register, _: Self::Register, _: Self::Register) -> Self::Register {
                match self.0 {}
            }
        }
    };
}

#[cfg(not(target_arch = "aarch64"))]
elsewhere! {
    /// NEON, which Arm processors have.
    Neon, "NEON", 2
}
#[cfg(not(target_arch = "x86_64"))]
elsewhere! {
    /// AVX2 with FMA, which x86 processors have.
    Avx2Fma, "AVX2 and FMA", 4
}
#[cfg(not(target_arch = "x86_64"))]
elsewhere! {
    /// AVX-512's foundation, which x86 processors have.
    Avx512, "AVX-512F", 8
}

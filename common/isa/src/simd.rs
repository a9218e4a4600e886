//! What a token of an instruction set is, and its operations.

use std::fmt::Debug;

use memory::Vector;

/// An instruction set. A value of such a type proves that this processor has it.
pub trait Isa: Copy + Debug + Send + Sync + 'static {
    /// The name in a sentence: `AVX2 and FMA`.
    const NAME: &'static str;

    /// The token, if the processor has the instructions.
    fn detect() -> Option<Self>;

    /// Runs `task` compiled for this instruction set.
    fn run<T: Task>(self, task: T) -> T::Output;
}

/// Work that is compiled once for each instruction set it is run with.
pub trait Task {
    /// The result.
    type Output;

    /// Does the work. Must be `#[inline(always)]`, like all functions it calls that handle
    /// registers: only inlined code is compiled for the instruction set.
    fn run(self) -> Self::Output;
}

/// Instructions on registers of doubles, lane by lane.
pub trait Simd: Isa {
    /// A register.
    type Register: Vector<Lane = f64> + Debug;

    /// Number of elements in a register.
    const LANES: usize = <Self::Register as Vector>::LANES;

    /// `x` in every lane.
    fn splat(self, x: f64) -> Self::Register;
    /// `x + y`
    fn add(self, x: Self::Register, y: Self::Register) -> Self::Register;
    /// `x - y`
    fn sub(self, x: Self::Register, y: Self::Register) -> Self::Register;
    /// `x * y`
    fn mul(self, x: Self::Register, y: Self::Register) -> Self::Register;
}

/// Fused multiply-add, which rounds once; [`Scalar`](crate::Scalar), and registers made of
/// it, round twice.
pub trait Fused: Simd {
    /// `sum + x * y`
    fn add_product(self, sum: Self::Register, x: Self::Register, y: Self::Register) -> Self::Register;
    /// `sum - x * y`
    fn sub_product(self, sum: Self::Register, x: Self::Register, y: Self::Register) -> Self::Register;
}

/// Declares the token of an instruction set.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! token {
    ($(#[$doc:meta])* $token:ident, $name:literal, $features:literal, $there:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $token(());

        impl crate::Isa for $token {
            const NAME: &'static str = $name;

            #[inline(always)]
            fn detect() -> Option<Self> {
                $there.then_some($token(()))
            }

            #[inline(always)]
            fn run<T: crate::Task>(self, task: T) -> T::Output {
                #[target_feature(enable = $features)]
                fn compiled<T: crate::Task>(task: T) -> T::Output {
                    task.run()
                }
                // SAFETY: the token is proof that the processor has them.
                unsafe { compiled(task) }
            }
        }
    };
}

/// Declares a register as the processor's own type.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! register {
    ($(#[$doc:meta])* $register:ident, $own:ty) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        #[repr(transparent)]
        pub struct $register($own);

        // SAFETY: adjacent doubles and nothing else, valid for any bits.
        unsafe impl memory::Vector for $register {
            type Lane = f64;
        }
    };
}

/// Declares a token's arithmetic with its intrinsics.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! simd {
    ($token:ident, $register:ident: $splat:expr, $add:expr, $sub:expr, $mul:expr) => {
        impl crate::Simd for $token {
            type Register = $register;

            #[inline(always)]
            fn splat(self, x: f64) -> $register {
                // SAFETY: the token is proof that the processor has it.
                $register(unsafe { $splat(x) })
            }
            #[inline(always)]
            fn add(self, x: $register, y: $register) -> $register {
                // SAFETY: as above.
                $register(unsafe { $add(x.0, y.0) })
            }
            #[inline(always)]
            fn sub(self, x: $register, y: $register) -> $register {
                // SAFETY: as above.
                $register(unsafe { $sub(x.0, y.0) })
            }
            #[inline(always)]
            fn mul(self, x: $register, y: $register) -> $register {
                // SAFETY: as above.
                $register(unsafe { $mul(x.0, y.0) })
            }
        }
    };
}

/// Declares a token's fused arithmetic; both intrinsics take `x`, `y`, `sum`.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! fused {
    ($token:ident, $register:ident: $add_product:expr, $sub_product:expr) => {
        impl crate::Fused for $token {
            #[inline(always)]
            fn add_product(self, sum: $register, x: $register, y: $register) -> $register {
                // SAFETY: the token is proof that the processor has it.
                $register(unsafe { $add_product(x.0, y.0, sum.0) })
            }
            #[inline(always)]
            fn sub_product(self, sum: $register, x: $register, y: $register) -> $register {
                // SAFETY: as above.
                $register(unsafe { $sub_product(x.0, y.0, sum.0) })
            }
        }
    };
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use {fused, register, simd, token};

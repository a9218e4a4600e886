//! Instruction sets that this target does not have, so that kernels can name them without conditional compilation.

use std::convert::Infallible;

use crate::{Fused, Isa, Simd, Task};

/// The token of another processor's registers of `LANES` doubles: a type without values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elsewhere<const LANES: usize>(Infallible);

impl<const LANES: usize> Isa for Elsewhere<LANES> {
    const NAME: &'static str = "instructions of another processor";

    fn detect() -> Option<Self> {
        None
    }
    fn run<T: Task>(self, _: T) -> T::Output {
        match self.0 {}
    }
}

impl<const LANES: usize> Simd for Elsewhere<LANES> {
    type Register = [f64; LANES];

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

impl<const LANES: usize> Fused for Elsewhere<LANES> {
    fn add_product(self, _: Self::Register, _: Self::Register, _: Self::Register) -> Self::Register {
        match self.0 {}
    }
    fn sub_product(self, _: Self::Register, _: Self::Register, _: Self::Register) -> Self::Register {
        match self.0 {}
    }
}

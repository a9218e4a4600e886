//! Registers of any processor: one double, and twice as many as another register.

use memory::Vector;

use crate::{Fused, Isa, Simd, Task};

/// The instructions that every processor of the target has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scalar;

/// One double that the compiler may merge with adjacent ones, hold in a register, or load
/// as part of another instruction.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(transparent)]
pub struct One(pub f64);

// SAFETY: one f64 and nothing else.
unsafe impl Vector for One {
    type Lane = f64;
}

impl Isa for Scalar {
    const NAME: &'static str = "scalar";

    #[inline(always)]
    fn detect() -> Option<Self> {
        Some(Scalar)
    }
    #[inline(always)]
    fn run<T: Task>(self, task: T) -> T::Output {
        task.run()
    }
}

impl Simd for Scalar {
    type Register = One;

    #[inline(always)]
    fn splat(self, x: f64) -> One {
        One(x)
    }
    #[inline(always)]
    fn add(self, x: One, y: One) -> One {
        One(x.0 + y.0)
    }
    #[inline(always)]
    fn sub(self, x: One, y: One) -> One {
        One(x.0 - y.0)
    }
    #[inline(always)]
    fn mul(self, x: One, y: One) -> One {
        One(x.0 * y.0)
    }
}

// Without the instruction, `f64::mul_add` is a slow library call.
impl Fused for Scalar {
    #[inline(always)]
    fn add_product(self, sum: One, x: One, y: One) -> One {
        self.add(sum, self.mul(x, y))
    }
    #[inline(always)]
    fn sub_product(self, sum: One, x: One, y: One) -> One {
        self.sub(sum, self.mul(x, y))
    }
}

/// An instruction set that uses two registers at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Twice<S>(S);

/// Twice as many lanes, from two registers.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Halves<V>(V, V);

// SAFETY: two adjacent registers; no padding, as V has none.
unsafe impl<V: Vector<Lane = f64>> Vector for Halves<V> {
    type Lane = f64;
}

impl Twice<Twice<Scalar>> {
    /// Four doubles on any processor.
    pub const ANY: Self = Twice(Twice(Scalar));
}

impl<S: Isa> Isa for Twice<S> {
    const NAME: &'static str = S::NAME;

    #[inline(always)]
    fn detect() -> Option<Self> {
        S::detect().map(Twice)
    }
    #[inline(always)]
    fn run<T: Task>(self, task: T) -> T::Output {
        self.0.run(task)
    }
}

impl<S: Simd> Simd for Twice<S> {
    type Register = Halves<S::Register>;

    #[inline(always)]
    fn splat(self, x: f64) -> Self::Register {
        Halves(self.0.splat(x), self.0.splat(x))
    }
    #[inline(always)]
    fn add(self, x: Self::Register, y: Self::Register) -> Self::Register {
        Halves(self.0.add(x.0, y.0), self.0.add(x.1, y.1))
    }
    #[inline(always)]
    fn sub(self, x: Self::Register, y: Self::Register) -> Self::Register {
        Halves(self.0.sub(x.0, y.0), self.0.sub(x.1, y.1))
    }
    #[inline(always)]
    fn mul(self, x: Self::Register, y: Self::Register) -> Self::Register {
        Halves(self.0.mul(x.0, y.0), self.0.mul(x.1, y.1))
    }
}

impl<S: Fused> Fused for Twice<S> {
    #[inline(always)]
    fn add_product(self, sum: Self::Register, x: Self::Register, y: Self::Register) -> Self::Register {
        Halves(self.0.add_product(sum.0, x.0, y.0), self.0.add_product(sum.1, x.1, y.1))
    }
    #[inline(always)]
    fn sub_product(self, sum: Self::Register, x: Self::Register, y: Self::Register) -> Self::Register {
        Halves(self.0.sub_product(sum.0, x.0, y.0), self.0.sub_product(sum.1, x.1, y.1))
    }
}

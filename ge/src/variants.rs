//! The ladder as a table: programs, tests and charts iterate over it.

use cache::Modelled;

use crate::problem::system::{DEPTH, System};
use crate::rungs::blocked::Blocked;
use crate::rungs::ge1::Ge1;
use crate::rungs::ge2::Ge2;
use crate::rungs::ge3::Ge3;
use crate::rungs::ge4::Ge4;
use crate::rungs::ge5::Ge5;
use crate::rungs::ge6::Ge6;
use crate::rungs::ge7::Ge7;
use crate::rungs::printed::Printed;
use crate::rungs::{Kernel, NotRun};

/// One rung.
#[derive(Debug)]
pub struct Variant {
    /// Its name: `ge3`.
    pub name: &'static str,
    /// The difference from the rung before.
    pub idea: &'static str,
    /// Its loop, for each memory.
    kernel: Kernel,
    /// How its result compares with ge1's.
    pub rounding: Rounding,
    /// Columns per iteration of its inner loop, if every pass over a row of the same length
    /// executes the same instructions. The instruction count is then a cubic polynomial in
    /// N for all N with the same remainder.
    pub period: Option<usize>,
    /// Pivots applied each time a row is loaded.
    pub pivots_per_pass: usize,
}

/// How a rung's result compares with ge1's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// Every element is the same, bit for bit.
    Same,
    /// The last digits differ: check the residual.
    Differs,
    /// The result is wrong, on purpose.
    Wrong,
}

impl Variant {
    /// The name of its instruction set.
    pub fn needs(&self) -> &'static str {
        self.kernel.needs
    }

    /// Whether this processor can run it.
    /// Fails if it cannot; names the missing instructions.
    pub fn available(&self) -> Result<(), NotRun> {
        if (self.kernel.there)() { Ok(()) } else { Err(NotRun(self.kernel.needs)) }
    }

    /// Eliminates in place.
    /// Fails if this processor cannot run the rung.
    pub fn run(&self, system: System) -> Result<(), NotRun> {
        (self.kernel.native)(system)
    }

    /// Eliminates in place on modelled memory.
    /// Fails if this processor cannot run the rung.
    pub fn model(&self, mem: &mut Modelled, system: System) -> Result<(), NotRun> {
        (self.kernel.modelled)(mem, system)
    }

    /// Useful floating-point operations at size `n`, the same for all rungs: two for each
    /// inner step and one division for each multiplier. (ge1 and ge2 divide in every inner
    /// step; repeated divisions are not useful.)
    pub fn flops(n: usize) -> f64 {
        let n = n as f64;
        2.0 * inner_steps(n as usize) + n * (n - 1.0) / 2.0
    }
}

/// Inner steps at size `n`: n (n - 1) (2 n - 1) / 6.
pub fn inner_steps(n: usize) -> f64 {
    let n = n as f64;
    n * (n - 1.0) * (2.0 * n - 1.0) / 6.0
}

/// A rung with ge1's rounding, one pivot at a time, `period` columns per iteration.
const fn rung(name: &'static str, idea: &'static str, kernel: Kernel, period: usize) -> Variant {
    let (rounding, period) = (Rounding::Same, Some(period));
    Variant { name, idea, kernel, rounding, period, pivots_per_pass: 1 }
}

/// All rungs, from the textbook up, and one that is wrong.
pub const VARIANTS: &[Variant] = &[
    rung("ge1", "row pointers, loop variables in memory", Kernel::of::<Ge1>(), 1),
    rung("ge2", "loop variables and row addresses in registers", Kernel::of::<Ge2>(), 2),
    rung("ge3", "the multiplier computed once per row", Kernel::of::<Ge3>(), 2),
    rung("ge4", "the inner loop unrolled by 8", Kernel::of::<Ge4>(), 8),
    rung("ge5", "one flat array", Kernel::of::<Ge5>(), 8),
    rung("ge6", "two doubles at a time", Kernel::of::<Ge6>(), 8),
    rung("ge7", "four doubles at a time, 16 columns a trip", Kernel::of::<Ge7>(), 16),
    Variant {
        rounding: Rounding::Differs,
        period: None,
        pivots_per_pass: DEPTH,
        ..rung("blocked", "products of blocks, in registers", Kernel::of::<Blocked>(), 1)
    },
    Variant {
        rounding: Rounding::Wrong,
        period: None,
        ..rung("printed", "ge4 as the homework prints it: wrong, look at Check", Kernel::of::<Printed>(), 1)
    },
];

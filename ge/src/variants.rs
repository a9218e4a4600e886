//! The ladder as a table: programs, tests and charts iterate over it.

use cache::Modelled;
use isa::{Isa, Native};

use crate::problem::system::System;
use crate::rungs::blocked::Blocked;
use crate::rungs::ge1::Ge1;
use crate::rungs::ge2::Ge2;
use crate::rungs::ge3::Ge3;
use crate::rungs::ge4::Ge4;
use crate::rungs::ge5::Ge5;
use crate::rungs::ge6::Ge6;
use crate::rungs::ge7::Ge7;
use crate::rungs::printed::Printed;
use crate::rungs::{NotRun, Rung, enter};

/// One rung.
#[derive(Debug)]
pub struct Variant {
    /// Its name: `ge3`.
    pub name: &'static str,
    /// The difference from the rung before.
    pub idea: &'static str,
    /// How its result compares with ge1's.
    pub rounding: Rounding,
    /// Columns per iteration of its inner loop, if every pass over a row of the same length
    /// executes the same instructions.
    pub period: Option<usize>,
    /// The instruction set, in words.
    needs: &'static str,
    there: fn() -> bool,
    native: fn(System) -> Result<(), NotRun>,
    modelled: fn(&mut Modelled, System) -> Result<(), NotRun>,
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
        self.needs
    }

    /// Whether this processor can run it.
    /// Fails if it cannot; names the missing instructions.
    pub fn available(&self) -> Result<(), NotRun> {
        if (self.there)() { Ok(()) } else { Err(NotRun(self.needs)) }
    }

    /// Eliminates in place.
    /// Fails if this processor cannot run the rung.
    pub fn run(&self, system: System) -> Result<(), NotRun> {
        (self.native)(system)
    }

    /// Eliminates in place on modelled memory.
    /// Fails if this processor cannot run the rung.
    pub fn model(&self, mem: &mut Modelled, system: System) -> Result<(), NotRun> {
        (self.modelled)(mem, system)
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

/// A rung with ge1's rounding, and `period` columns per iteration.
const fn rung<R: Rung>(name: &'static str, idea: &'static str, period: usize) -> Variant {
    Variant {
        name,
        idea,
        rounding: Rounding::Same,
        period: Some(period),
        needs: R::Isa::NAME,
        there: || R::Isa::detect().is_some(),
        native: |system| enter::<R, Native>(&mut Native, &system),
        modelled: |mem, system| enter::<R, Modelled>(mem, &system),
    }
}

/// All rungs, from the textbook up, and one that is wrong.
pub const VARIANTS: &[Variant] = &[
    rung::<Ge1>("ge1", "row pointers, loop variables in memory", 1),
    rung::<Ge2>("ge2", "loop variables and row addresses in registers", 2),
    rung::<Ge3>("ge3", "the multiplier computed once per row", 2),
    rung::<Ge4>("ge4", "the inner loop unrolled by 8", 8),
    rung::<Ge5>("ge5", "one flat array", 8),
    rung::<Ge6>("ge6", "two doubles at a time", 8),
    rung::<Ge7>("ge7", "four doubles at a time, 16 columns a trip", 16),
    Variant {
        rounding: Rounding::Differs,
        period: None,
        ..rung::<Blocked>("blocked", "products of blocks, in registers", 1)
    },
    Variant {
        rounding: Rounding::Wrong,
        period: None,
        ..rung::<Printed>("printed", "ge4 as the homework prints it: wrong, look at Check", 1)
    },
];

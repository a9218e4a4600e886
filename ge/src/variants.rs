//! The ladder as a table: programs, tests, benches and charts walk it.

use common::cache::Modelled;
use common::isa::Native;
use thiserror::Error;

use crate::needs::Needs;
use crate::rung;
use crate::system::System;
use crate::update::DEPTH;

/// One rung.
#[derive(Debug)]
pub struct Variant {
    /// As typed and printed: `ge3`.
    pub name: &'static str,
    /// What is new against the rung before.
    pub idea: &'static str,
    /// What the processor must have.
    pub needs: Needs,
    /// How its result compares with ge1's.
    pub rounding: Rounding,
    /// Columns per trip of its inner loop, where every pass over a row of the
    /// same length executes the same instructions: then the instruction count
    /// is a cubic in N for all N that leave the same remainder.
    pub period: Option<usize>,
    /// Pivots applied each time a row is fetched.
    pub pivots_per_pass: usize,
    /// Whether it exchanges rows.
    pub exchanges: bool,
    /// The kernel on the machine's own memory.
    native: fn(&mut Native, System),
    /// The same kernel on modelled memory; several threads cannot be modelled.
    modelled: Option<fn(&mut Modelled, System)>,
    /// The loop as the homework prints it, where that is wrong.
    printed: Option<fn(&mut Native, System)>,
}

/// How a rung's result compares with ge1's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// Every element is the same, bit for bit.
    Same,
    /// The last digits differ: check the residual.
    Differs,
}

/// This processor has not what the rung is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{name} needs {instructions}, which this processor does not have: choose another rung")]
pub struct Unavailable {
    name: &'static str,
    instructions: &'static str,
}

impl Variant {
    /// Whether this processor can run it.
    ///
    /// # Errors
    ///
    /// If it cannot: which instructions are missing.
    pub fn available(&self) -> Result<(), Unavailable> {
        let gap = self.needs.missing();
        gap.map_or(Ok(()), |instructions| Err(Unavailable { name: self.name, instructions }))
    }

    /// Eliminates in place.
    ///
    /// # Errors
    ///
    /// If this processor cannot run the rung; then nothing is touched.
    pub fn run(&self, system: System) -> Result<(), Unavailable> {
        self.available()?;
        self.enter(system);
        Ok(())
    }

    /// Eliminates in place, [`available`](Variant::available) having been asked.
    pub(crate) fn enter(&self, system: System) {
        (self.native)(&mut Native, system);
    }

    /// Eliminates in place on modelled memory; `false` if that cannot be done.
    pub fn model(&self, mem: &mut Modelled, system: System) -> bool {
        match self.modelled {
            Some(kernel) if self.available().is_ok() => kernel(mem, system),
            _ => return false,
        }
        true
    }

    /// Whether the homework prints this rung's loop wrong.
    pub fn misprinted(&self) -> bool {
        self.printed.is_some()
    }

    /// Runs the loop as printed; without a wrong one, the right one.
    ///
    /// # Errors
    ///
    /// If this processor cannot run the rung; then nothing is touched.
    pub fn run_as_printed(&self, system: System) -> Result<(), Unavailable> {
        self.available()?;
        self.printed.unwrap_or(self.native)(&mut Native, system);
        Ok(())
    }

    /// Useful floating-point operations at size `n`, the same for all rungs: two
    /// for each inner step and one division for each multiplier. (ge1 and ge2
    /// divide in every inner step; repeated divisions are no use to anyone.)
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

/// The rung called `name`.
pub fn find(name: &str) -> Option<&'static Variant> {
    VARIANTS.iter().find(|variant| variant.name == name)
}

macro_rules! variant {
    ($name:ident, $needs:ident, $rounding:ident, $period:expr, $idea:literal) => {
        Variant {
            name: stringify!($name),
            idea: $idea,
            needs: Needs::$needs,
            rounding: Rounding::$rounding,
            period: $period,
            pivots_per_pass: 1,
            exchanges: false,
            native: rung::$name,
            modelled: Some(rung::$name),
            printed: None,
        }
    };
}

/// All rungs, from the textbook up.
pub static VARIANTS: &[Variant] = &[
    variant!(ge1, Nothing, Same, Some(1), "row pointers, loop variables in memory"),
    variant!(ge2, Nothing, Same, Some(2), "loop variables and row addresses in registers"),
    variant!(ge3, Nothing, Same, Some(2), "the multiplier computed once per row"),
    Variant {
        printed: Some(rung::printed_scalar),
        ..variant!(ge4, Nothing, Same, Some(8), "the inner loop unrolled by 8")
    },
    Variant {
        printed: Some(rung::printed_scalar),
        ..variant!(ge5, Nothing, Same, Some(8), "one flat array")
    },
    Variant {
        printed: Some(rung::printed_pairs),
        ..variant!(ge6, Pairs, Same, Some(8), "two doubles at a time")
    },
    variant!(ge7, Quads, Same, Some(16), "four doubles at a time, 16 columns a trip"),
    variant!(auto, Quads, Same, Some(16), "ge3's loop, vectorised by the compiler"),
    variant!(fma, FusedQuads, Differs, Some(16), "multiply and subtract in one instruction"),
    variant!(avx512, Octets, Differs, Some(32), "eight doubles at a time, 32 columns a trip"),
    Variant {
        pivots_per_pass: 4,
        ..variant!(pivots4, FusedQuads, Differs, None, "four pivots in one pass over a row")
    },
    Variant {
        exchanges: true,
        ..variant!(pivoting, Quads, Differs, None, "rows exchanged for the largest pivot")
    },
    Variant {
        pivots_per_pass: DEPTH,
        ..variant!(blocked, FusedQuads, Differs, None, "products of blocks, in registers")
    },
    Variant {
        name: "threads",
        idea: "blocked, on several processors",
        pivots_per_pass: DEPTH,
        native: rung::threads,
        modelled: None,
        ..variant!(blocked, FusedQuads, Differs, None, "")
    },
];

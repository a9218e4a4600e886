//! The ladder as a table: programs, tests, benches and charts walk it.

use common::memory::Native;
use thiserror::Error;

use crate::needs::Needs;
use crate::rung;
use crate::system::System;

/// One rung.
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
    /// The kernel on the machine's own memory.
    native: fn(&mut Native, System),
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
        (self.native)(&mut Native, system);
        Ok(())
    }
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
            native: rung::$name,
        }
    };
}

/// All rungs, from the textbook up.
pub static VARIANTS: &[Variant] = &[
    variant!(ge1, Nothing, Same, Some(1), "row pointers, loop variables in memory"),
    variant!(ge2, Nothing, Same, Some(2), "loop variables and row addresses in registers"),
    variant!(ge3, Nothing, Same, Some(2), "the multiplier computed once per row"),
    variant!(ge4, Nothing, Same, Some(8), "the inner loop unrolled by 8"),
    variant!(ge5, Nothing, Same, Some(8), "one flat array"),
    variant!(ge6, Pairs, Same, Some(8), "two doubles at a time"),
    variant!(ge7, Quads, Same, Some(16), "four doubles at a time, 16 columns a trip"),
    variant!(auto, Quads, Same, Some(16), "ge3's loop, vectorised by the compiler"),
    variant!(fma, FusedQuads, Differs, Some(16), "multiply and subtract in one instruction"),
    variant!(avx512, Octets, Differs, Some(32), "eight doubles at a time, 32 columns a trip"),
    variant!(pivots4, FusedQuads, Differs, None, "four pivots in one pass over a row"),
    variant!(blocked, FusedQuads, Differs, None, "products of blocks, in registers"),
    variant!(threads, FusedQuads, Differs, None, "blocked, on several processors"),
];

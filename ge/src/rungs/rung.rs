//! What a rung is, and how it is entered on each of the two memories.

use isa::{Isa, Task, start_on_a_line};
use memory::Memory;
use thiserror::Error;

use crate::problem::system::System;

/// One rung: a loop nest, and the instructions that it uses.
pub trait Rung {
    /// The token which proves that the processor has them.
    type Isa: Isa;

    /// Eliminates below the diagonal of the system's matrix.
    fn eliminate<M: Memory>(mem: &mut M, system: System, isa: Self::Isa);
}

/// The processor lacks the instructions of a rung, which did not run.
#[derive(Debug, Error)]
#[error("this processor has no {0}, which the rung is made of: choose another rung")]
pub struct NotRun(pub(crate) &'static str);

/// Runs a rung, compiled for its instructions, if the processor has them. Not inlined, so
/// that it is visible in a profile: scripts/ge_instructions.sh counts it.
#[inline(never)]
pub(crate) fn enter<R: Rung, M: Memory>(mem: &mut M, system: &System) -> Result<(), NotRun> {
    let isa = R::Isa::detect().ok_or(NotRun(R::Isa::NAME))?;
    isa.run(Elimination::<R, M> { mem, system, isa });
    Ok(())
}

struct Elimination<'e, R: Rung, M> {
    mem: &'e mut M,
    system: &'e System<'e>,
    isa: R::Isa,
}

impl<R: Rung, M: Memory> Task for Elimination<'_, R, M> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        start_on_a_line();
        R::eliminate(self.mem, *self.system, self.isa);
    }
}

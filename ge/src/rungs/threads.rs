//! threads: the blocked rung on several processors.
//!
//! **What changed.** All threads execute the same steps; in each, a thread does its share
//! of the rows or columns, and then waits for the others.
//!
//! **Predict.** Twice the processors: which of the steps does not become twice
//! as fast, and what does that cost at N = 200, at N = 2000?
//!
//! **Per inner step:** 2 flops, as in blocked.

use ::threads::{Member, Team, at_once};
use isa::{FusedQuads, Isa, Native};

use crate::problem::system::System;
use crate::rungs::{NotRun, blocked};

/// Eliminates below the diagonal. The first member of the
/// team is this thread; each other one is a new thread, pinned to its own processor of the
/// system's if the operating system allows it.
/// Fails if the processor lacks AVX2, or the system starts no more threads.
///
/// This type fixes what a thread does. A caller cannot pass a closure of its own, which
/// might write where another thread reads:
///
/// ```compile_fail
/// # use ge::{problem::system::System, rungs::threads};
/// # let arena = memory::Arena::with_capacity(System::bytes(9, 2).unwrap()).unwrap();
/// let system = System::new(&arena, 9, &[0, 1]).unwrap();
/// threads::together(system, &[0, 1], |_, system, _| system.matrix().at(0, 0).set(1.0));
/// ```
///
/// ```
/// # use ge::{problem::system::System, rungs::threads};
/// # let arena = memory::Arena::with_capacity(System::bytes(9, 2).unwrap()).unwrap();
/// let system = System::new(&arena, 9, &[0, 1]).unwrap();
/// system.matrix().at(0, 0).set(1.0);
/// let _ = threads::eliminate(system);
/// ```
pub fn eliminate(system: System) -> Result<(), NotRun> {
    let quads = FusedQuads::detect().ok_or(NotRun::Lacks(FusedQuads::NAME))?;
    let team = Team::new(system.processors.len());
    let lent = team.members().map(|member| Lent { system, member });
    at_once(lent, system.processors, |Lent { system, member }| {
        blocked::share(&mut Native, system, quads, &member);
    })?;
    Ok(())
}

/// The data of one thread.
struct Lent<'a> {
    system: System<'a>,
    member: Member<'a>,
}

// SAFETY: only `eliminate` makes one, for `blocked::share`. Between two barriers
// (`Member::wait`) no member reads or writes an element that another one writes: each has
// its own rows or columns (`Member::share`) and its own panels, or is the only one at work
// (`Member::first`). What all members read was written before a barrier. The parts of a
// `System` do not overlap, and `eliminate` waits for all threads.
unsafe impl Send for Lent<'_> {}

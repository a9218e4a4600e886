//! threads: the blocked rung on several processors.
//!
//! **What changed.** All threads walk through the same steps; in each, a thread
//! does its share of the rows or columns, and then waits for the others.
//!
//! **Predict.** Twice the processors: which of the steps does not become twice
//! as fast, and what does that cost at N = 200, at N = 2000?
//!
//! **Per inner step:** 2 flops, as in blocked.

use common::isa::Native;

use crate::system::System;
use crate::team::{Member, Team};

/// Runs `member` for each member of a team, each on its own thread and, where
/// the system allows, on its own processor out of `processors`.
pub fn together(
    system: System,
    processors: &[usize],
    eliminate: impl Fn(&mut Native, System, &Member) + Sync,
) {
    let team = Team::new(processors.len());
    let shared = Shared(system);
    std::thread::scope(|scope| {
        for (member, &processor) in team.members().zip(processors) {
            let (shared, eliminate) = (&shared, &eliminate);
            scope.spawn(move || {
                // Where the system does not agree, it places the thread itself.
                common::cpu::pin(&[processor]);
                eliminate(&mut Native, shared.get(), &member);
            });
        }
    });
}

/// A system that several threads work on.
struct Shared<'a>(System<'a>);

// SAFETY: between two meetings (`Member::wait`) no member reads or writes an
// element that another one writes: each has its own rows or columns
// (`Member::share`) and its own workspace.
unsafe impl Sync for Shared<'_> {}

impl<'a> Shared<'a> {
    fn get(&self) -> System<'a> {
        self.0
    }
}

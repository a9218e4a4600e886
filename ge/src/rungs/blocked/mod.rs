//! blocked: almost all the work becomes one product of blocks, in registers.
//!
//! **What changed.** A panel of 24 columns is eliminated as before. Then the last
//! 24, 48, 96 … of them ([`next`] says how many) change as many columns to their
//! right in one go: first the rows next to them, then, below, a *product of two
//! blocks* is subtracted, where an element that was fetched serves many
//! multiplications (`update`).
//!
//! **Predict.** pivots4 fetches a row once for 4 pivots. How often is an element
//! fetched if up to half the matrix is applied at once, and what is left to
//! wait for? How much of the peak is that?
//!
//! **Per inner step:** 2 flops; with AVX-512 1/24 load of 8 columns and 1/3 of one.

mod exchanging;
mod narrow;
mod next;
mod row_panel;
mod update;

use isa::{Fused, FusedQuads, Isa, Octets, Task};
use memory::Memory;

use crate::problem::system::System;
pub(crate) use crate::problem::workspace::DEPTH;
use crate::problem::workspace::{PANEL, Workspace};
use crate::rungs::Rung;
use exchanging::{exchange_other_columns, exchanging, put_back, take_out};
use narrow::{NARROW, narrow};
pub use next::next;
use row_panel::row_panel;
use threads::{Member, Team};
use update::update;

/// Eliminates below the diagonal, in the widest registers there are.
#[derive(Debug)]
pub struct Blocked;

impl Rung for Blocked {
    type Isa = FusedQuads;

    #[inline(always)]
    fn eliminate<M: Memory>(mem: &mut M, system: System, quads: FusedQuads) {
        share::<M, false>(mem, system, quads, &Team::new(1).alone());
    }
}

/// One thread's share of the elimination: all threads of a team call this together. Between
/// two barriers no thread accesses what another one writes.
pub(super) fn share<M: Memory, const EXCHANGES: bool>(
    mem: &mut M,
    system: System,
    quads: FusedQuads,
    member: &Member,
) {
    let work = system.workspace(member.index());
    match Octets::detect() {
        Some(isa) => isa.run(Share::<_, _, EXCHANGES> { mem, isa, work, member }),
        None => quads.run(Share::<_, _, EXCHANGES> { mem, isa: quads, work, member }),
    }
}

struct Share<'s, M, S, const EXCHANGES: bool> {
    mem: &'s mut M,
    isa: S,
    work: Workspace<'s>,
    member: &'s Member<'s>,
}

impl<M: Memory, S: Fused, const EXCHANGES: bool> Task for Share<'_, M, S, EXCHANGES> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Share { mem, isa, work: w, member } = self;
        for first in (0..w.n).step_by(PANEL) {
            let done = w.n.min(first + PANEL);
            if EXCHANGES {
                let mine = member.share(first..w.n, NARROW);
                take_out(mem, w, first..done, mine.clone());
                member.wait();
                if member.first() {
                    exchanging(mem, isa, w, first..done);
                }
                member.wait();
                put_back(mem, w, first..done, mine);
                exchange_other_columns(mem, isa, w, first..done, member.share(0..w.n, PANEL));
                member.wait();
            } else {
                narrow(mem, w, first..done, member);
            }
            if done < w.n {
                let last = next(done);
                let (pivots, columns) = (done - last..done, done..w.n.min(done + last));
                let mine = member.share(columns.clone(), PANEL);
                row_panel(mem, isa, w, pivots.clone(), mine);
                member.wait();
                let mine = member.share(done..w.n, NARROW);
                update(mem, w, mine, columns, pivots);
                member.wait();
            }
        }
    }
}

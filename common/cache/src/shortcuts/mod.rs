//! Iterations that need not be simulated, since they do what earlier ones did.
//!
//! A shortcut says *when* iterations may recur: after how many of them, with what moved by
//! how much. Whether they do is decided by comparing the state that the simulator is in with
//! the one it was in (see [`Journal`](crate::journal::Journal)), so a shortcut that is wrong
//! about that costs time, not counts; but what it says about the *accesses* must be right.

mod same_lines;
mod translated;

use std::fmt::Debug;

use crate::addresses::AddressMap;
use crate::loops::{Access, Loop};
use crate::moves::Moves;
use crate::simulator::Simulator;

/// All shortcuts, in the order in which they are tried.
pub(crate) const ALL: &[&dyn Shortcut] = &[&same_lines::SameLines, &translated::Translated];

/// When the state may recur.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Each iteration makes the accesses of the one so many before it ...
    pub(crate) period: u64,
    /// ... moved by these.
    pub(crate) moves: Moves,
    /// For how many iterations after the present one that is so.
    pub(crate) iterations: u64,
}

/// What a shortcut says of a loop after one of its iterations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    Plan(Plan),
    /// Nothing recurs soon; ask again after the next iteration.
    NotNow,
    /// Nothing recurs in this loop.
    Never,
}

/// One way in which iterations recur.
pub(crate) trait Shortcut: Debug + Sync {
    /// Its name, by which it can be switched off.
    fn name(&self) -> &'static str;

    /// What may recur after the iteration of `of` that makes `accesses`; `left`
    /// iterations follow.
    fn ask(&self, of: &Loop, accesses: &[Access], left: u64, sim: &Simulator, map: &AddressMap) -> Answer;
}

/// Whether [`same_lines`] is among `shortcuts`: the innermost loops have their own form of it.
pub(crate) fn uses_same_lines(shortcuts: &[&'static dyn Shortcut]) -> bool {
    shortcuts.iter().any(|shortcut| shortcut.name() == same_lines::NAME)
}

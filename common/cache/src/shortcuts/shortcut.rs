//! What a shortcut says of a loop.

use std::fmt::Debug;

use crate::addresses::AddressMap;
use crate::loops::{Access, Loop};
use crate::moves::Moves;
use crate::simulator::Simulator;

/// When the state may recur.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Each iteration makes the accesses of the iteration this many before it ...
    pub(crate) period: u64,
    /// ... moved by these distances.
    pub(crate) moves: Moves,
    /// For how many iterations after the present one this holds.
    pub(crate) iterations: u64,
}

/// A shortcut's answer after an iteration of a loop.
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
    /// The name by which it can be switched off.
    fn name(&self) -> &'static str;

    /// What may recur after the iteration of `of` that makes `accesses`; `left` iterations
    /// follow it.
    fn ask(&self, of: &Loop, accesses: &[Access], left: u64, sim: &Simulator, map: &AddressMap) -> Answer;
}

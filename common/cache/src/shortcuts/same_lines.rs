//! Iterations that access the same lines in the same order: `b[k][j]` for the eight `j` of
//! a line, if rows are whole lines; a sweep that is repeated. Exact for every policy,
//! inclusion, prefetcher and page mapping; it depends on none of them.

use super::{Answer, Plan, Shortcut};
use crate::addresses::AddressMap;
use crate::loops::{Access, Loop};
use crate::moves::Moves;
use crate::simulator::Simulator;

pub(super) const NAME: &str = "same-lines";

#[derive(Debug)]
pub(crate) struct SameLines;

impl Shortcut for SameLines {
    fn name(&self) -> &'static str {
        NAME
    }

    fn ask(&self, of: &Loop, accesses: &[Access], left: u64, sim: &Simulator, _: &AddressMap) -> Answer {
        let line = sim.smallest_line();
        if of.advances.iter().any(|advance| 2 * advance.unsigned_abs() >= line) {
            return Answer::Never;
        }
        match of.iterations_on_the_same_lines(accesses, line).min(left) {
            0 | 1 => Answer::NotNow,
            iterations => Answer::Plan(Plan { period: 1, moves: Moves::NONE, iterations }),
        }
    }
}

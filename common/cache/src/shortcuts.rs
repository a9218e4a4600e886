//! Shortcuts find iterations that need not be simulated, because they do what earlier ones
//! did.
//!
//! A shortcut proposes *when* the state may recur: after how many iterations, and by how
//! much everything has then moved. The simulator decides whether it recurs, by comparing
//! its present state with the earlier one (see [`Journal`](crate::journal::Journal)). So a
//! wrong proposal costs time, but no counts. What a shortcut says about the *accesses* must
//! be right.

use crate::addresses::AddressMap;
use crate::journal::Moves;
use crate::loops::{Access, Loop, gcd};
use crate::simulator::Simulator;

/// When the state may recur.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Each iteration makes the accesses of the iteration this many before it, moved by `moves`.
    pub(crate) period: u64,
    /// The distances by which the accesses of each array move in a period.
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
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shortcut {
    /// The name by which it can be switched off.
    pub(crate) name: &'static str,
    /// What may recur after the iteration of the loop that makes the accesses; so many
    /// iterations follow it.
    pub(crate) ask: fn(&Loop, &[Access], u64, &Simulator, &AddressMap) -> Answer,
}

/// All shortcuts, in the order in which they are tried.
pub(crate) const ALL: [Shortcut; 2] =
    [Shortcut { name: SAME_LINES, ask: same_lines }, Shortcut { name: "translated", ask: translated }];

pub(crate) const SAME_LINES: &str = "same-lines";

/// Iterations that access the same lines in the same order: `b[k][j]` for the eight `j` of
/// a line, if rows are whole lines; a sweep that is repeated. Exact for every policy,
/// inclusion and page mapping; it depends on none of them.
fn same_lines(of: &Loop, accesses: &[Access], left: u64, sim: &Simulator, _: &AddressMap) -> Answer {
    let line = sim.smallest_line();
    if of.advances.iter().any(|advance| 2 * advance.unsigned_abs() >= line) {
        return Answer::Never;
    }
    match of.iterations_on_the_same_lines(accesses, line).min(left) {
        0 | 1 => Answer::NotNow,
        iterations => Answer::Plan(Plan { period: 1, moves: Moves::NONE, iterations }),
    }
}

/// Iterations that do the same at other addresses: if pages are contiguous, whole rows move
/// every line to the same place of another set, and after some of them to the same set
/// again (Morelli and Reineke, "Warping Cache Simulation of Polyhedral Programs", PLDI
/// 2022).
fn translated(of: &Loop, _: &[Access], left: u64, sim: &Simulator, map: &AddressMap) -> Answer {
    let (Some(span), Some(advances)) = (sim.span_of_sets(), advances_of_arrays(of, map)) else {
        return Answer::Never;
    };
    // After how many iterations has every array moved by whole spans?
    let period = |advance: i64| span / gcd(span, advance.unsigned_abs());
    let period = advances.iter().fold(1, |all, advance| lcm(all, period(*advance)));
    if of.is_innermost() || period > left / 2 {
        return Answer::Never;
    }
    let moves = map.arrays().iter().zip(&advances).map(|(array, advance)| {
        let bytes = array.bytes.start as u64..array.bytes.end as u64;
        (bytes, advance * period as i64)
    });
    let moves = Moves::new(moves.collect());
    let starts: Vec<u64> = map.arrays().iter().map(|array| array.bytes.start as u64).collect();
    if !moves.are_whole(&starts, sim.largest_block()) {
        return Answer::Never;
    }
    Answer::Plan(Plan { period, moves, iterations: left })
}

/// The distance by which each array's accesses advance in one iteration; `None` if two
/// accesses to an array differ.
fn advances_of_arrays(of: &Loop, map: &AddressMap) -> Option<Vec<i64>> {
    let mut advances = vec![None; map.names().len()];
    for (access, advance) in of.accesses.iter().zip(&of.advances) {
        let known = advances[usize::from(access.array)].get_or_insert(*advance);
        if known != advance {
            return None;
        }
    }
    Some(advances.into_iter().map(|advance| advance.unwrap_or(0)).collect())
}

fn lcm(a: u64, b: u64) -> u64 {
    (a / gcd(a, b)).saturating_mul(b)
}

//! Iterations that do the same at other addresses: if pages are contiguous, whole rows move
//! every line to the same place of another set, and after some of them to the same set
//! again (Morelli and Reineke, "Warping Cache Simulation of Polyhedral Programs", PLDI
//! 2022).

use super::{Answer, Plan, Shortcut};
use crate::addresses::AddressMap;
use crate::loops::{Access, Loop, gcd};
use crate::moves::Moves;
use crate::simulator::Simulator;

#[derive(Debug)]
pub(crate) struct Translated;

impl Shortcut for Translated {
    fn name(&self) -> &'static str {
        "translated"
    }

    fn ask(&self, of: &Loop, _: &[Access], left: u64, sim: &Simulator, map: &AddressMap) -> Answer {
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

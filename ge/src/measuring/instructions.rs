//! Exact instruction counts on machines without a counter: a small run is stepped, and continued to any size.

use std::collections::BTreeMap;

use common::memory::Arena;
use common::step::{self, StepError};
use common::value::{Reading, Source};

use crate::Variant;
use crate::problem::matrices;
use crate::problem::system::System;

/// Longest run that is single-stepped, in instructions.
const LIMIT: u64 = 1_000_000;

/// A rung's instructions at any size, or the reason why there are none.
#[derive(Debug)]
pub struct Stepped(Result<Counts, String>);

impl Stepped {
    /// Steps through a small run, whose loops must be regular.
    pub fn find(variant: &Variant) -> Stepped {
        Stepped(find(variant).map_err(|error| error.to_string()).and_then(|found| {
            found.ok_or_else(|| "this rung's loops are too irregular to be counted in parts".to_owned())
        }))
    }

    /// The count at size `n` as a figure.
    pub fn reading(&self, n: usize) -> Reading {
        Reading::of(self.0.as_ref().map(|counts| counts.total(n) as f64), Source::Stepped)
    }
}

fn find(variant: &Variant) -> Result<Option<Counts>, StepError> {
    let Some(columns) = variant.period else { return Ok(None) };
    // Each remainder of the columns has a second difference.
    let n = usize::max(4 * columns, 3 * columns + 4);
    Ok(Counts::of(&stepped(variant, n)?, n, columns))
}

/// The instructions of each pivot: with `l` rows below it a + l (b + c (l / columns)), where `columns` of a row are one
/// iteration of the inner loop; a and b depend on `l % columns`. So the second difference over `columns` is constant.
#[derive(Debug, PartialEq, Eq)]
struct Counts {
    columns: usize,
    /// Instructions before the first pivot, and from the last one on.
    around: usize,
    /// Those of the other pivots, by the rows below.
    pivots: Vec<usize>,
    /// Their second difference.
    bend: usize,
}

impl Counts {
    /// Of the addresses in a run of more than `3 * columns` pivots; `None` if they are not those of such a nest.
    fn of(trace: &[u64], n: usize, columns: usize) -> Option<Counts> {
        let mut times = BTreeMap::<u64, usize>::new();
        trace.iter().for_each(|address| *times.entry(*address).or_default() += 1);
        // The first instruction that each pivot executes once.
        let mark = trace.iter().find(|address| times[address] == n)?;
        let marks: Vec<usize> = (0..trace.len()).filter(|at| trace[*at] == *mark).collect();
        let between = marks.windows(2).rev().map(|pair| pair[1] - pair[0]);
        let pivots: Vec<usize> = [0].into_iter().chain(between).collect();
        let bend = |l: usize| (pivots[l] + pivots[l - 2 * columns]).checked_sub(2 * pivots[l - columns]);
        let first = bend(3 * columns)?;
        let is_constant = (3 * columns..n).all(|l| bend(l) == Some(first));
        let around = marks[0] + trace.len() - marks[n - 1];
        is_constant.then_some(Counts { columns, around, pivots, bend: first })
    }

    /// All instructions of a run at size `n`.
    fn total(&self, n: usize) -> usize {
        let mut pivots = self.pivots.clone();
        for l in pivots.len()..n {
            let before = 2 * pivots[l - self.columns];
            pivots.push((self.bend + before).saturating_sub(pivots[l - 2 * self.columns]));
        }
        self.around + pivots[..n].iter().sum::<usize>()
    }
}

/// The addresses of the instructions of one run at size `n`.
fn stepped(variant: &Variant, n: usize) -> Result<Vec<u64>, StepError> {
    let arena = Arena::with_capacity(System::bytes(n)).map_err(|_| StepError::TooMany(LIMIT))?;
    let Ok(system) = System::new(&arena, n) else { return Err(StepError::TooMany(LIMIT)) };
    matrices::write(system.matrix);
    // Called before stepping, so that the detection of instructions is not counted.
    if variant.available().is_err() {
        return Err(StepError::Unsupported);
    }
    // SAFETY: a rung of a regular nest computes in the arena's memory: it neither allocates nor
    // locks.
    unsafe {
        step::trace(LIMIT, &mut || {
            // The result was checked before.
            let _ = variant.run(system);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Those of short loops; scripts/ge_instructions.sh compares all with callgrind.
    #[test]
    fn the_rungs_are_continued_to_the_instruction() {
        for variant in &crate::VARIANTS[..3] {
            match (find(variant), stepped(variant, 12)) {
                (Err(why), _) | (_, Err(why)) => return skip::skip(&why.to_string()),
                (Ok(found), Ok(run)) => assert_eq!(found.unwrap().total(12), run.len(), "{}", variant.name),
            }
        }
    }

    /// Three instructions a pivot, two a row, five per iteration of 4 columns, and two per remaining element.
    fn nest(n: usize) -> Vec<u64> {
        let pivot = |l: usize| {
            let row = [10, 11]
                .into_iter()
                .chain((0..l / 4).flat_map(|_| 20..25))
                .chain((0..l % 4).flat_map(|_| 30..32));
            [1, 2, 3].into_iter().chain((0..l).flat_map(move |_| row.clone()))
        };
        (0..n).rev().flat_map(pivot).collect()
    }

    #[test]
    fn a_regular_nest_is_continued_and_another_is_not() {
        let counts = Counts::of(&nest(16), 16, 4).unwrap();
        for n in [1, 11, 100, 333] {
            assert_eq!(counts.total(n), nest(n).len(), "size {n}");
        }
        let mut odd = nest(16);
        odd.insert(20, 99);
        assert_eq!(Counts::of(&odd, 16, 4), None);
    }
}

//! Exact instruction counts on machines without a counter.

use common::memory::Arena;
use common::step::{self, StepError, Trace};
use common::value::{Reading, Source};

use crate::Variant;
use crate::problem::matrices::Fill;
use crate::problem::system::System;

/// Longest run that is single-stepped, in instructions.
const LIMIT: u64 = 1_000_000;

/// The position of an instruction in the loop nest, which determines how often it is
/// executed for a pivot with `l` rows of `l` elements: one of each list in [`Place::times`].
///
/// In each row the inner loop makes `l / columns` iterations; the `l % columns` remaining
/// elements follow one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place([usize; 3]);

impl Place {
    /// How often at size `n`, with `columns` per iteration.
    fn total(self, n: usize, columns: usize) -> u64 {
        (0..n).map(|l| self.times(l, columns) as u64).sum()
    }

    fn times(self, l: usize, columns: usize) -> usize {
        let (trips, rest) = (l / columns, l % columns);
        let applies = [true, l > 0, trips > 0, trips == 0 && l > 0, trips > 0 && rest > 0];
        let rows = [1, l, l.saturating_sub(1), l + 1];
        let in_a_row = [
            [1, trips, rest, rest / 2, rest % 2],
            [rest > 0, rest > 1, rest == 0, rest > 3, rest % 4 > 0].map(usize::from),
            [
                trips.saturating_sub(1),
                rest.saturating_sub(1),
                (rest / 2).saturating_sub(1),
                rest / 4,
                rest % 4,
            ],
            [trips + 1, rest + 1, 0, 0, 0],
        ];
        let Place([applying, row, at]) = self;
        usize::from(applies[applying]) * rows[row] * in_a_row.as_flattened()[at]
    }

    fn all() -> impl Iterator<Item = Place> {
        let rows = (0..4).flat_map(|rows| (0..17).map(move |times| (rows, times)));
        rows.flat_map(|(rows, times)| (0..5).map(move |pivots| Place([pivots, rows, times])))
    }
}

/// A rung's instructions at any size, or the reason why there are none.
#[derive(Debug)]
pub struct Stepped(Result<Counts, String>);

impl Stepped {
    /// Steps through two small sizes, finds for each instruction the position in the loop
    /// nest that explains both of its counts, and checks the exact sum at a third size.
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
    let sizes = [(columns + 3).max(9), (2 * columns + 6).max(14)];
    let traces = [stepped(variant, sizes[0])?, stepped(variant, sizes[1])?];
    let Some(counts) = Counts::explain(columns, sizes, &traces) else { return Ok(None) };
    let third = (2 * columns + 3).max(11);
    let confirmed = stepped(variant, third)?.values().sum::<u64>() == counts.total(third);
    Ok(confirmed.then_some(counts))
}

/// How often each instruction of a rung is executed, as a function of the size.
#[derive(Debug, PartialEq, Eq)]
struct Counts {
    columns: usize,
    /// Instructions executed at any size, or once more than their position says: the test
    /// that ends a loop.
    once: u64,
    places: Vec<Place>,
}

impl Counts {
    fn explain(columns: usize, sizes: [usize; 2], traces: &[Trace; 2]) -> Option<Counts> {
        let mut counts = Counts { columns, once: 0, places: Vec::new() };
        if traces[0].keys().any(|address| !traces[1].contains_key(address)) {
            return None;
        }
        for (address, &large) in &traces[1] {
            let small = traces[0].get(address).copied().unwrap_or(0);
            if (small, large) == (1, 1) {
                counts.once += 1;
                continue;
            }
            let at =
                |place: Place, more: u64| [small, large] == sizes.map(|n| place.total(n, columns) + more);
            let found =
                [0, 1].into_iter().find_map(|more| Some((Place::all().find(|&p| at(p, more))?, more)));
            match found {
                Some((place, more)) => {
                    counts.places.push(place);
                    counts.once += more;
                }
                // A copy of a few words, before the nest.
                None if small == large => counts.once += large,
                None => return None,
            }
        }
        Some(counts)
    }

    /// All instructions of a run at size `n`.
    fn total(&self, n: usize) -> u64 {
        self.once + self.places.iter().map(|place| place.total(n, self.columns)).sum::<u64>()
    }
}

/// The instructions of one run at size `n`.
fn stepped(variant: &Variant, n: usize) -> Result<Trace, StepError> {
    let arena = Arena::with_capacity(System::bytes(n)).map_err(|_| StepError::TooMany(LIMIT))?;
    let Ok(system) = System::new(&arena, n) else { return Err(StepError::TooMany(LIMIT)) };
    Fill::Dominant.write(system.matrix);
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

    /// The trace of a nest with three instructions per row, five per iteration of 4
    /// columns, and two per remaining element.
    fn nest(n: usize) -> Trace {
        let mut trace = Trace::from([(0, 1), (1, n as u64)]);
        let mut execute = |from: u64, instructions: u64, times: usize| {
            (from..from + instructions)
                .for_each(|address| *trace.entry(address).or_default() += times as u64);
        };
        for l in 0..n {
            execute(10, 3, l);
            execute(20, 5, l * (l / 4));
            execute(30, 2, l * (l % 4));
        }
        trace
    }

    #[test]
    fn a_regular_nest_is_explained_and_carried_to_any_size() {
        let counts = Counts::explain(4, [7, 14], &[nest(7), nest(14)]).unwrap();
        for n in [11, 100, 1003] {
            assert_eq!(counts.total(n), nest(n).values().sum::<u64>(), "size {n}");
        }
    }

    #[test]
    fn an_instruction_without_a_place_is_not_explained_away() {
        let mut odd = nest(14);
        odd.insert(99, 17);
        assert_eq!(Counts::explain(4, [7, 14], &[nest(7), odd]), None);
    }
}

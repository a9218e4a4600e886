//! Exact instruction counts on machines without a counter.

use common::memory::Arena;
use common::step::{self, StepError};
use common::value::{Reading, Source, Value};

use crate::Variant;
use crate::matrices::Fill;
use crate::system::System;

/// The longest run that is stepped through, in instructions.
const LIMIT: u64 = 1_000_000;

/// What the parts of a rung's loop nest cost, in instructions.
///
/// A row of `l` elements to the right of the pivot costs the same wherever it
/// lies; one more trip of the inner loop costs the same wherever it is added;
/// and the elements behind the last whole trip cost what they cost without one.
#[derive(Debug, Clone, PartialEq)]
pub struct Costs {
    /// Entering and leaving the kernel.
    call: f64,
    /// One pivot, without its rows.
    pivot: f64,
    /// A row of 0, 1, 2 … elements, shorter than two trips.
    rows: Vec<f64>,
    /// One more trip.
    trip: f64,
}

impl Costs {
    /// Finds the costs by stepping through small sizes, and confirms them, to
    /// the instruction, at a size they were not taken from. `None` if they do
    /// not hold there: the rung's loop is not as regular as that.
    ///
    /// # Errors
    ///
    /// If this system does not let a program be stepped through.
    pub fn find(variant: &Variant) -> Result<Option<Costs>, StepError> {
        match variant.period {
            Some(columns) => Costs::from_counts(columns.max(2), |n| Ok(stepped(variant, n)? as f64)),
            None => Ok(None),
        }
    }

    /// The same from any count of a run at size `n`, for `columns` in a trip.
    fn from_counts(
        columns: usize,
        count: impl Fn(usize) -> Result<f64, StepError>,
    ) -> Result<Option<Costs>, StepError> {
        let call = count(0)?;
        let pivot = count(1)? - call;
        let mut costs = Costs { call, pivot, rows: vec![0.0], trip: 0.0 };
        for l in 1..columns + 2 {
            let row = (count(l + 1)? - costs.total(l) - pivot) / l as f64;
            costs.rows.push(row);
        }
        for rest in 2..columns {
            let row = costs.rows[columns + 1] + costs.rows[rest] - costs.rows[1];
            costs.rows.push(row);
        }
        let two_trips = (count(2 * columns + 1)? - costs.total(2 * columns) - pivot) / (2 * columns) as f64;
        costs.trip = two_trips - costs.rows[columns];
        Ok((count(2 * columns + 2)? == costs.total(2 * columns + 2)).then_some(costs))
    }

    /// A row of `l` elements.
    fn row(&self, l: usize) -> f64 {
        let Some(&row) = self.rows.get(l) else {
            let columns = self.rows.len() / 2;
            let trips = l / columns - 1;
            return self.rows[columns + l % columns] + trips as f64 * self.trip;
        };
        row
    }

    /// The whole elimination at size `n`: pivot `k` has n - k - 1 rows of as many
    /// elements each.
    pub fn total(&self, n: usize) -> f64 {
        self.call + (0..n).map(|l| self.pivot + l as f64 * self.row(l)).sum::<f64>()
    }

    /// The count at size `n` as a figure with its source.
    pub fn reading(found: &Result<Option<Costs>, StepError>, n: usize) -> Reading {
        match found {
            Ok(Some(costs)) => Value::new(costs.total(n), Source::Analytic).into(),
            Ok(None) => Reading::missing("this rung's loops are too irregular to be counted in parts"),
            Err(error) => Reading::missing(error.to_string()),
        }
    }
}

/// The instructions of one run at size `n`, counted.
fn stepped(variant: &Variant, n: usize) -> Result<u64, StepError> {
    let bytes = System::bytes(n, 1).unwrap_or(usize::MAX);
    let arena = Arena::with_capacity(bytes).map_err(|_| StepError::TooMany(LIMIT))?;
    let Ok(system) = System::new(&arena, n, &[0]) else { return Err(StepError::TooMany(LIMIT)) };
    Fill::Dominant.write(system.matrix);
    // Asked here, so that looking it up is not counted.
    if variant.available().is_err() {
        return Err(StepError::Unsupported);
    }
    step::instructions(LIMIT, &mut || variant.enter(system))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loop nest of known costs: 7 a row, 20 a trip of 4 columns, 6 an element
    /// behind the last trip, 3 more if there are any.
    fn nest(n: usize) -> f64 {
        let row = |l: usize| 7 + 20 * (l / 4) + 6 * (l % 4) + if l % 4 > 0 { 3 } else { 0 };
        (11 + (0..n).map(|l| 5 + l * row(l)).sum::<usize>()) as f64
    }

    #[test]
    fn the_costs_of_a_regular_nest_are_found_and_carried_to_any_size() {
        let costs = Costs::from_counts(4, |n| Ok(nest(n))).unwrap().unwrap();
        assert_eq!(costs.trip, 20.0);
        for n in [0, 1, 5, 10, 11, 100, 1003] {
            assert_eq!(costs.total(n), nest(n), "size {n}");
        }
    }

    #[test]
    fn an_irregular_nest_is_refused() {
        let jumpy = |n: usize| nest(n) + if n == 10 { 1.0 } else { 0.0 };
        assert_eq!(Costs::from_counts(4, |n| Ok(jumpy(n))).unwrap(), None);
    }
}

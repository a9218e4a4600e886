//! Rungs at one size, in turns: the data of the homework's charts.

use std::collections::BTreeMap;

use common::failure::Failure;
use common::measure::{Plan, Session};
use common::record::Row;
use common::value::Reading;

use crate::measuring::measure::{self, Outcome, Stepped, Task};
use crate::problem::matrices::Fill;
use crate::{Rounding, Variant};

/// A row for each of `variants`. In each round every rung runs once, so that a slow moment of
/// the machine affects neighbouring rungs equally. `stepped` has the instructions of the rungs
/// that were counted at another size.
///
/// # Errors
///
/// If a rung cannot run on this machine, there is not enough memory, or a rung that should
/// have ge1's bits has others.
pub fn rows(
    variants: &[&'static Variant],
    size: usize,
    session: &Session,
    plan: &Plan,
    stepped: &mut BTreeMap<&'static str, Stepped>,
) -> Result<Vec<Row>, Failure> {
    let task = Task {
        size,
        fill: Fill::Rand,
        as_printed: false,
        processors: &session.cpus[..session.team().min(session.cpus.len())],
    };
    let mut outcomes: Vec<Outcome> = Vec::new();
    for _ in 0..session.runs {
        for (at, variant) in variants.iter().enumerate() {
            if session.is_over() && !outcomes.is_empty() {
                break;
            }
            let outcome = measure::run(variant, &task, session, 1).map_err(Failure::could_not)?;
            same_bits(variants, &outcomes, variant, outcome.check)?;
            match outcomes.get_mut(at) {
                Some(all) => all.timed.runs.extend(outcome.timed.runs),
                None => outcomes.push(outcome),
            }
        }
    }
    let counted = variants.iter().zip(&outcomes).map(|(variant, outcome)| {
        let totals = if session.is_over() {
            [Reading::missing("left out: the sweep ended early"), outcome.cycles()]
        } else {
            let stepped = stepped.entry(variant.name).or_default();
            measure::totals(variant, &task, session, plan, outcome, stepped)?
        };
        Ok(measure::row(variant, size, outcome, Some(totals)))
    });
    counted.collect()
}

/// Fails if a rung that should have the same bits as others has another `check` than an
/// earlier run, its own or theirs.
fn same_bits(
    variants: &[&'static Variant],
    outcomes: &[Outcome],
    variant: &Variant,
    check: f64,
) -> Result<(), Failure> {
    let exact = variants.iter().zip(outcomes).filter(|(other, _)| other.rounding == Rounding::Same);
    let differs = |(_, outcome): &(&&Variant, &Outcome)| outcome.check.to_bits() != check.to_bits();
    match exact.into_iter().find(differs).filter(|_| variant.rounding == Rounding::Same) {
        Some((other, outcome)) => Err(Failure::could_not(format!(
            "Check differs: {} has {:e}, {} has {check:e}; one of them is wrong",
            other.name, outcome.check, variant.name
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::cli::{Counters, Measuring, Modelling, Output};

    #[test]
    fn every_rung_has_a_row_of_all_rounds_and_every_round_is_compared() {
        let measuring = Measuring { counters: Counters::None, runs: Some(3), cpu: None };
        let session = Session::start(&measuring, &Modelling::of("host"), &Output::none()).unwrap();
        let plan = measure::plan(&session).unwrap();
        let variants: Vec<&Variant> = ["ge2", "ge3"].iter().filter_map(|name| crate::find(name)).collect();
        let rows = rows(&variants, 20, &session, &plan, &mut BTreeMap::new()).unwrap();
        assert_eq!(rows.len(), 2);
        for row in &rows {
            assert_eq!(row.reading("real_time_seconds").unwrap().runs().len(), 3);
            assert_eq!(row.amount("instructions"), None);
        }
        let task = Task { size: 8, fill: Fill::Rand, as_printed: false, processors: &[] };
        let outcomes = [measure::run(variants[0], &task, &session, 1).unwrap()];
        let right = outcomes[0].check;
        same_bits(&variants, &outcomes, variants[1], right).unwrap();
        let told = same_bits(&variants, &outcomes, variants[1], right + 1.0).unwrap_err().to_string();
        assert!(told.contains("ge2") && told.contains("ge3"), "{told}");
    }
}

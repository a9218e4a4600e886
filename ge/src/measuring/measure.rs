//! Rungs at one size, in turns: prepared, timed, counted, and their results checked.

use std::collections::BTreeMap;

use common::cli::Counters;
use common::events::Event;
use common::failure::Failure;
use common::measure::{self, Plan, Session, Timed};
use common::memory::Arena;
use common::record::Row;
use common::value::{Reading, Source};

use crate::measuring::instructions::Stepped;
use crate::problem::matrices::{self, Fill};
use crate::problem::residual::residual;
use crate::problem::system::System;
use crate::{Rounding, Variant};

/// The events of a run. The cache model does not count them.
const EVENTS: [Event; 2] = [Event::TOT_INS, Event::TOT_CYC];

/// Seconds of one operation on the ladder's first rungs.
pub(super) const OPERATION: f64 = 1e-9;

/// The settings of a run.
#[derive(Debug, Clone, Copy)]
pub struct Task {
    /// Rows and columns.
    pub size: usize,
    /// The matrix.
    pub fill: Fill,
    /// The homework's misprinted loop instead of the right one.
    pub as_printed: bool,
}

impl Task {
    /// Memory for a system and a copy of its matrix.
    /// Fails if there is not enough; the sentence names the size.
    pub fn arena(&self) -> Result<Arena, Failure> {
        let n = self.size;
        let copy = n.checked_mul(n).and_then(|elements| elements.checked_mul(8));
        let bytes = System::bytes(n).zip(copy).and_then(|(bytes, copy)| bytes.checked_add(copy));
        let bytes = bytes.filter(|&bytes| bytes < isize::MAX as usize).ok_or_else(|| {
            Failure::could_not(format!(
                "a {n} by {n} matrix is larger than any memory: choose a smaller SIZE"
            ))
        })?;
        measure::arena(bytes)
    }

    /// Eliminates; a rung that this processor lacks does nothing.
    fn run(&self, variant: &Variant, system: System) {
        let _ = if self.as_printed { variant.run_as_printed(system) } else { variant.run(system) };
    }
}

/// The results of a rung.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The rung.
    pub variant: &'static Variant,
    /// The times of all runs.
    pub timed: Timed,
    /// The sum of all elements.
    pub check: f64,
    /// The relative error of the result; not computed if every bit is known.
    pub residual: Option<f64>,
    /// The largest element of the result divided by that of the matrix.
    pub growth: f64,
}

/// The results of `variants` with the settings of `task`, in turns.
/// Fails if the processor lacks a rung's instructions, there is not enough memory, the matrix
/// cannot be eliminated, or a rung that should have ge1's bits has others.
pub fn outcomes(
    variants: &[&'static Variant],
    task: &Task,
    session: &Session,
) -> Result<Vec<Outcome>, Failure> {
    for variant in variants {
        variant.available().map_err(|why| Failure::could_not(format!("{}: {why}", variant.name)))?;
    }
    let arena = task.arena()?;
    let system = System::new(&arena, task.size).map_err(Failure::could_not)?;
    let original = arena.matrix("original", task.size, task.size).map_err(Failure::could_not)?;
    task.fill.write(original);
    let largest = matrices::largest(original).max(f64::MIN_POSITIVE);
    let mut exact = None;
    let runs = ladder::in_turns(session, variants.len(), session.runs, |at, _| {
        let variant = variants[at];
        let prepare = &mut || task.fill.write(system.matrix);
        let timed = session.time(1, prepare, &mut || task.run(variant, system));
        if !task.as_printed {
            matrices::eliminated(system.matrix).map_err(Failure::could_not)?;
        }
        let check = matrices::check(system.matrix);
        same_bits(&mut exact, variant, check)?;
        let residual = (variant.rounding == Rounding::Differs).then(|| residual(original, system.matrix));
        let growth = matrices::largest(system.matrix) / largest;
        Ok(Some(Outcome { variant, timed, check, residual, growth }))
    })?;
    let joined = |runs: Vec<Outcome>| {
        runs.into_iter().reduce(|mut all, run| {
            all.timed.runs.extend(run.timed.runs);
            all
        })
    };
    Ok(runs.into_iter().filter_map(joined).collect())
}

/// Fails if a rung that should have the same bits as others has another `check` than the first one, `exact`.
fn same_bits(exact: &mut Option<(&str, f64)>, variant: &'static Variant, check: f64) -> Result<(), Failure> {
    if variant.rounding == Rounding::Differs {
        return Ok(());
    }
    let (name, first) = *exact.get_or_insert((variant.name, check));
    if first.to_bits() == check.to_bits() {
        return Ok(());
    }
    Err(Failure::could_not(format!(
        "Check differs: {name} has {first:e}, {} has {check:e}; one of them is wrong",
        variant.name
    )))
}

/// The row of a record: the results of a rung, and its instructions and cycles if they were
/// asked for.
pub fn row(size: usize, outcome: &Outcome, totals: Option<[Reading; 2]>) -> Row {
    let rate = |run: f64| Variant::flops(size) / run * 1e-6;
    let row = Row::at([("variant", outcome.variant.name.into()), ("size", size.into())])
        .result("check", outcome.check)
        .result("residual", outcome.residual)
        .with("real_time_seconds", outcome.timed.wall())
        .with("proc_time_seconds", outcome.timed.cpu())
        .with("flops", Reading::new(Variant::flops(size), Source::Analytic))
        .with("mflops", outcome.timed.figure(|run| rate(run.wall.0)));
    match totals {
        Some([instructions, cycles]) => row.with("instructions", instructions).with("cycles", cycles),
        None => row,
    }
}

/// Chooses the source of instructions and cycles.
/// Fails if `--counters hardware` was asked for and counts neither.
pub fn plan(session: &Session) -> Result<Plan, Failure> {
    session.plan(&EVENTS, false)
}

/// The stepped instructions of each rung, found once for all sizes.
pub type AllStepped = BTreeMap<&'static str, Stepped>;

/// Instructions and cycles of another run: from hardware, as `plan` says; else
/// single-stepped instructions and cycles from the clock; nothing if only hardware is
/// wanted.
/// Fails if there is not enough memory, or a counter fails.
pub fn totals(
    task: &Task,
    session: &Session,
    plan: &Plan,
    outcome: &Outcome,
    stepped: &mut AllStepped,
) -> Result<[Reading; 2], Failure> {
    if session.is_over() {
        return Ok([Reading::missing(ladder::LEFT_OUT), outcome.timed.cycles()]);
    }
    let arena = task.arena()?;
    let system = System::new(&arena, task.size).map_err(Failure::could_not)?;
    let variant = outcome.variant;
    let counted =
        session.count(plan, &mut || task.fill.write(system.matrix), &mut || task.run(variant, system))?;
    let [mut instructions, mut cycles] = EVENTS.map(|event| measure::reading_of(&counted, &event));
    if matches!(session.counters, Counters::None | Counters::Hardware) {
        return Ok([instructions, cycles]);
    }
    if instructions.amount().is_none() {
        instructions = if task.as_printed {
            Reading::missing("the misprinted loop is counted by hardware only")
        } else {
            stepped.entry(variant.name).or_insert_with(|| Stepped::find(variant)).reading(task.size)
        };
    }
    if cycles.amount().is_none() {
        cycles = outcome.timed.cycles();
    }
    Ok([instructions, cycles])
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::cli::{Measuring, Modelling, Output};

    #[test]
    fn every_rung_has_all_rounds_and_every_round_is_compared() {
        let measuring = Measuring { counters: Counters::None, runs: Some(3), cpu: None };
        let session = Session::start(&measuring, &Modelling::of("host"), &Output::none()).unwrap();
        let variants: Vec<&Variant> = ["ge2", "ge3"].iter().filter_map(|name| crate::find(name)).collect();
        let task = Task { size: 20, fill: Fill::Rand, as_printed: false };
        let outcomes = outcomes(&variants, &task, &session).unwrap();
        assert_eq!(outcomes.iter().map(|outcome| outcome.timed.runs.len()).collect::<Vec<_>>(), [3, 3]);
        let mut first = Some((variants[0].name, outcomes[0].check));
        assert!(same_bits(&mut first, variants[1], outcomes[1].check).is_ok());
        let sentence = same_bits(&mut first, variants[1], outcomes[1].check + 1.0).unwrap_err().to_string();
        assert!(sentence.contains("ge2") && sentence.contains("ge3"), "{sentence}");
    }
}

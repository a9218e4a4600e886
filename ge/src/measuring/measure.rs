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
use crate::{NotRun, Rounding, Variant};

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

/// The results of `variants` with the settings of `task`. In each round every rung runs once,
/// so that a slow moment of the machine affects neighbouring rungs equally.
/// Fails if the processor lacks a rung's instructions, there is not enough memory, the matrix
/// cannot be eliminated, or a rung that should have ge1's bits has others.
pub fn outcomes(
    variants: &[&'static Variant],
    task: &Task,
    session: &Session,
) -> Result<Vec<Outcome>, Failure> {
    let mut outcomes: Vec<Outcome> = Vec::new();
    for _ in 0..session.runs {
        for (at, variant) in variants.iter().enumerate() {
            if session.is_over() && !outcomes.is_empty() {
                break;
            }
            let outcome = once(variant, task, session)?;
            same_bits(&outcomes, &outcome)?;
            match outcomes.get_mut(at) {
                Some(all) => all.timed.runs.extend(outcome.timed.runs),
                None => outcomes.push(outcome),
            }
        }
    }
    Ok(outcomes)
}

fn once(variant: &'static Variant, task: &Task, session: &Session) -> Result<Outcome, Failure> {
    let arena = arena(task)?;
    let system = System::new(&arena, task.size).map_err(Failure::could_not)?;
    task.fill.write(system.matrix);
    let before = matrices::largest(system.matrix);
    let timed = ran(variant, task, system, |prepare, body| session.time(1, prepare, body))?;
    if !task.as_printed {
        matrices::eliminated(system.matrix).map_err(Failure::could_not)?;
    }
    let residual = if variant.rounding == Rounding::Differs {
        let original = arena.matrix("original", task.size, task.size).map_err(Failure::could_not)?;
        task.fill.write(original);
        Some(residual(original, system.matrix))
    } else {
        None
    };
    let growth = matrices::largest(system.matrix) / before.max(f64::MIN_POSITIVE);
    Ok(Outcome { variant, timed, check: matrices::check(system.matrix), residual, growth })
}

/// Fails if a rung that should have the same bits as others has another `check` than an
/// earlier run, its own or theirs.
fn same_bits(outcomes: &[Outcome], new: &Outcome) -> Result<(), Failure> {
    let exact = |outcome: &Outcome| outcome.variant.rounding == Rounding::Same;
    let other = |outcome: &&Outcome| exact(outcome) && outcome.check.to_bits() != new.check.to_bits();
    match outcomes.iter().find(other).filter(|_| exact(new)) {
        Some(other) => Err(Failure::could_not(format!(
            "Check differs: {} has {:e}, {} has {:e}; one of them is wrong",
            other.variant.name, other.check, new.variant.name, new.check
        ))),
        None => Ok(()),
    }
}

/// Checks that there is memory for a run at size `n`, with a copy of its matrix.
/// Fails if there is not; the sentence names the size.
pub fn check_memory(n: usize) -> Result<usize, Failure> {
    let copy = n.checked_mul(n).and_then(|elements| elements.checked_mul(8));
    let bytes = System::bytes(n).zip(copy).and_then(|(bytes, copy)| bytes.checked_add(copy));
    let bytes = bytes.filter(|&bytes| bytes < isize::MAX as usize).ok_or_else(|| {
        Failure::could_not(format!("a {n} by {n} matrix is larger than any memory: choose a smaller SIZE"))
    })?;
    measure::check_memory(bytes)?;
    Ok(bytes)
}

fn arena(task: &Task) -> Result<Arena, Failure> {
    let bytes = check_memory(task.size)?;
    Arena::with_capacity(bytes).map_err(Failure::could_not)
}

/// The results of `measure` for the rung in `system`, which it prepares and runs.
fn ran<T>(
    variant: &Variant,
    task: &Task,
    system: System,
    measure: impl FnOnce(&mut dyn FnMut(), &mut dyn FnMut()) -> T,
) -> Result<T, Failure> {
    let refused = |refusal: NotRun| Failure::could_not(format!("{}: {refusal}", variant.name));
    variant.available().map_err(refused)?;
    let mut ran = Ok(());
    let measured = measure(&mut || task.fill.write(system.matrix), &mut || {
        if ran.is_ok() {
            ran = if task.as_printed { variant.run_as_printed(system) } else { variant.run(system) };
        }
    });
    ran.map(|()| measured).map_err(refused)
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
    // The cache model does not count instructions.
    Ok(session.plan(&[Event::TOT_INS, Event::TOT_CYC])?.without_model())
}

/// The stepped instructions of each rung, found once for all sizes.
pub type AllStepped = BTreeMap<&'static str, Stepped>;

/// Instructions and cycles of another run: from hardware, as `plan` says; else
/// single-stepped instructions and cycles from the clock; nothing if only hardware is
/// wanted.
/// Fails if the rung does not run, there is not enough memory, or a counter fails.
pub fn totals(
    task: &Task,
    session: &Session,
    plan: &Plan,
    outcome: &Outcome,
    stepped: &mut AllStepped,
) -> Result<[Reading; 2], Failure> {
    if session.is_over() {
        return Ok([Reading::missing("left out: the sweep ended early"), outcome.timed.cycles()]);
    }
    let [mut instructions, mut cycles] = counted(outcome.variant, task, session, plan)?;
    if matches!(session.counters, Counters::None | Counters::Hardware) {
        return Ok([instructions, cycles]);
    }
    if instructions.amount().is_none() {
        instructions = if task.as_printed {
            Reading::missing("the misprinted loop is counted by hardware only")
        } else {
            let stepped =
                stepped.entry(outcome.variant.name).or_insert_with(|| Stepped::find(outcome.variant));
            stepped.reading(task.size)
        };
    }
    if cycles.amount().is_none() {
        cycles = outcome.timed.cycles();
    }
    Ok([instructions, cycles])
}

fn counted(variant: &Variant, task: &Task, session: &Session, plan: &Plan) -> Result<[Reading; 2], Failure> {
    let arena = arena(task)?;
    let system = System::new(&arena, task.size).map_err(Failure::could_not)?;
    let counts = ran(variant, task, system, |prepare, body| session.count(plan, prepare, body))??;
    let of = |event: Event| {
        let found = counts.iter().find(|(counted, _)| *counted == event);
        found.map_or_else(|| Reading::missing("not counted"), |(_, reading)| reading.clone())
    };
    Ok([of(Event::TOT_INS), of(Event::TOT_CYC)])
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
        let wrong = Outcome { check: outcomes[1].check + 1.0, ..outcomes[1].clone() };
        let sentence = same_bits(&outcomes, &wrong).unwrap_err().to_string();
        assert!(sentence.contains("ge2") && sentence.contains("ge3"), "{sentence}");
    }
}

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

/// The largest element of the result divided by that of the matrix.
pub(super) const GROWTH: &str = "growth";

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
    /// Fails if there is not enough.
    pub fn arena(&self) -> Result<Arena, Failure> {
        let copy = self.size.saturating_mul(self.size).saturating_mul(8);
        measure::arena(System::bytes(self.size).saturating_add(copy))
    }

    /// Eliminates; a rung that this processor lacks does nothing.
    fn run(&self, variant: &Variant, system: System) {
        let _ = if self.as_printed { variant.run_as_printed(system) } else { variant.run(system) };
    }
}

/// The results of `variants` with the settings of `task`, in turns, a row each; with instructions and cycles if
/// `counting` has what counts them, and the stepped instructions that are known.
/// Fails if the processor lacks a rung's instructions, there is not enough memory, the matrix
/// cannot be eliminated, a rung that should have ge1's bits has others, or a counter fails.
pub fn rows(
    variants: &[&'static Variant],
    task: &Task,
    session: &Session,
    mut counting: Option<(&Plan, &mut AllStepped)>,
) -> Result<Vec<Row>, Failure> {
    for variant in variants {
        variant.available().map_err(|why| Failure::could_not(format!("{}: {why}", variant.name)))?;
    }
    let arena = task.arena()?;
    let system = System::new(&arena, task.size).map_err(Failure::could_not)?;
    let original = arena.matrix("original", task.size, task.size).map_err(Failure::could_not)?;
    task.fill.write(original);
    let largest = matrices::largest(original).max(f64::MIN_POSITIVE);
    let prepare = &mut || task.fill.write(system.matrix);
    let mut exact = None;
    let once = |at: usize| Ok(session.time(1, prepare, &mut || task.run(variants[at], system)));
    let check = |at: usize| {
        let (variant, done) = (variants[at], system.matrix);
        if !task.as_printed {
            matrices::eliminated(done).map_err(Failure::could_not)?;
        }
        let check = matrices::check(done);
        same_bits(&mut exact, variant, check)?;
        let residual = (variant.rounding == Rounding::Differs).then(|| residual(original, done));
        let row = Row::at([("variant", variant.name.into()), ("size", task.size.into())]);
        let growth = matrices::largest(done) / largest;
        Ok(row.result("check", check).result("residual", residual).result(GROWTH, growth))
    };
    let all = ladder::in_turns(session, variants.len(), session.runs, once, check, |_| false)?;
    let row = |(variant, (runs, row)): (&&'static Variant, (Vec<Timed>, Row))| {
        let clock = runs[0].clock;
        let timed = Timed { runs: runs.into_iter().flat_map(|run| run.runs).collect(), clock };
        let flops = Variant::flops(task.size);
        let row = row
            .with("real_time_seconds", timed.wall())
            .with("proc_time_seconds", timed.cpu())
            .with("flops", Reading::new(flops, Source::Analytic))
            .with("mflops", timed.wall().rate(flops * 1e-6));
        let Some((plan, stepped)) = &mut counting else { return Ok(row) };
        let [instructions, cycles] = totals(task, session, plan, system, variant, &timed, stepped)?;
        Ok(row.with("instructions", instructions).with("cycles", cycles))
    };
    variants.iter().zip(all).filter_map(|(variant, runs)| Some((variant, runs.ok()?))).map(row).collect()
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
/// Fails if a counter fails.
fn totals(
    task: &Task,
    session: &Session,
    plan: &Plan,
    system: System,
    variant: &'static Variant,
    timed: &Timed,
    stepped: &mut AllStepped,
) -> Result<[Reading; 2], Failure> {
    if session.is_over() {
        return Ok([Reading::missing(ladder::LEFT_OUT), timed.cycles()]);
    }
    let prepare = &mut || task.fill.write(system.matrix);
    let counted = session.count(plan, prepare, &mut || task.run(variant, system))?;
    let [instructions, cycles] = EVENTS.map(|event| measure::reading_of(&counted, &event));
    if matches!(session.counters, Counters::None | Counters::Hardware) {
        return Ok([instructions, cycles]);
    }
    let or = |counted: Reading, other: &mut dyn FnMut() -> Reading| {
        if counted.amount().is_some() { counted } else { other() }
    };
    let instructions = or(instructions, &mut || match task.as_printed {
        true => Reading::missing("the misprinted loop is counted by hardware only"),
        false => stepped.entry(variant.name).or_insert_with(|| Stepped::find(variant)).reading(task.size),
    });
    Ok([instructions, or(cycles, &mut || timed.cycles())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::cli::{Measuring, Modelling, Output};

    #[test]
    fn every_rung_has_all_rounds_and_their_bits_are_compared() {
        let measuring = Measuring { counters: Counters::None, runs: Some(3), cpu: None };
        let session = Session::start(&measuring, &Modelling::of("host"), &Output::none()).unwrap();
        let variants = [&crate::VARIANTS[1], &crate::VARIANTS[2]];
        let task = Task { size: 20, fill: Fill::Rand, as_printed: false };
        let rows = rows(&variants, &task, &session, None).unwrap();
        let runs = |row: &Row| row.figure("proc_time_seconds").runs().len();
        assert_eq!(rows.iter().map(runs).collect::<Vec<_>>(), [3, 3]);
        let check = |row: &Row| row.value("check").and_then(serde_json::Value::as_f64).unwrap();
        let mut first = Some((variants[0].name, check(&rows[0])));
        assert!(same_bits(&mut first, variants[1], check(&rows[1])).is_ok());
        let sentence = same_bits(&mut first, variants[1], check(&rows[1]) + 1.0).unwrap_err().to_string();
        assert!(sentence.contains("ge2") && sentence.contains("ge3"), "{sentence}");
    }
}

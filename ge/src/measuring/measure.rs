//! One rung at one size: prepared, timed, counted, and its result checked.

use std::cell::OnceCell;

use common::cache::Counts;
use common::cli::Counters;
use common::events::Event;
use common::failure::Failure;
use common::machine::Machine;
use common::measure::{self, Plan, Session, Timed};
use common::memory::{Arena, Matrix};
use common::record::Row;
use common::step::StepError;
use common::value::{Reading, Source};

use crate::measuring::instructions;
use crate::modelled;
use crate::problem::matrices::{self, Fill};
use crate::problem::residual::{Residual, residual};
use crate::problem::system::System;
use crate::{NotRun, Rounding, Variant};

/// The settings of a run.
#[derive(Debug, Clone)]
pub struct Task<'a> {
    /// Rows and columns.
    pub size: usize,
    /// The matrix.
    pub fill: Fill,
    /// The homework's misprinted loop instead of the right one.
    pub as_printed: bool,
    /// Processors for the rung that uses several.
    pub processors: &'a [usize],
}

/// The results of a run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The times of all runs.
    pub timed: Timed,
    /// The sum of all elements.
    pub check: f64,
    /// The error of the result; not computed if every bit is known.
    pub residual: Option<Residual>,
    /// The largest element of the result divided by that of the matrix.
    pub growth: f64,
}

impl Outcome {
    /// Cycles, from the time and the core's clock.
    pub fn cycles(&self) -> Reading {
        self.timed.figure(|run| self.timed.clock.periods(run.cpu).round())
    }

    /// Useful operations per second, in millions.
    pub fn mflops(&self, size: usize) -> Reading {
        self.timed.figure(|run| Variant::flops(size) / run.wall.0 * 1e-6)
    }
}

/// Runs `variant` with the settings of `task`, `runs` times.
///
/// # Errors
///
/// A sentence: the processor lacks its instructions, there is not enough memory, or the
/// matrix cannot be eliminated like this.
pub fn run(variant: &Variant, task: &Task, session: &Session, runs: usize) -> Result<Outcome, String> {
    variant.available().map_err(|refusal| refused(variant, &refusal))?;
    let checked = variant.rounding == Rounding::Differs;
    let arena = arena(task, checked).map_err(|failure| failure.to_string())?;
    let system = System::new(&arena, task.size, task.processors).map_err(|error| error.to_string())?;
    task.fill.write(system.matrix);
    matrices::eliminable(system.matrix).map_err(|broken| broken.to_string())?;
    let before = matrices::largest(system.matrix);
    let timed = ran(variant, task, system, |prepare, body| session.time(runs, prepare, body))?;
    if !task.as_printed {
        matrices::eliminated(system.matrix, variant.exchanges).map_err(|broken| broken.to_string())?;
    }
    let residual = if checked { Some(compare(task, system, &arena)?) } else { None };
    Ok(Outcome {
        timed,
        check: matrices::check(system.matrix),
        residual,
        growth: matrices::largest(system.matrix) / before.max(f64::MIN_POSITIVE),
    })
}

/// Checks that there is memory for a run at size `n`, and for a copy of its matrix if that is
/// needed.
///
/// # Errors
///
/// If there is not; the sentence names the size.
pub fn check_memory(n: usize, threads: usize, copied: bool) -> Result<usize, Failure> {
    let copy = if copied { n.checked_mul(n).and_then(|elements| elements.checked_mul(8)) } else { Some(0) };
    let bytes = System::bytes(n, threads).zip(copy).and_then(|(bytes, copy)| bytes.checked_add(copy));
    let addressable = bytes.filter(|&bytes| bytes < isize::MAX as usize);
    let bytes = addressable.ok_or_else(|| {
        Failure::could_not(format!("a {n} by {n} matrix is larger than any memory: choose a smaller SIZE"))
    })?;
    measure::check_memory(bytes)?;
    Ok(bytes)
}

fn arena(task: &Task, copied: bool) -> Result<Arena, Failure> {
    let bytes = check_memory(task.size, task.processors.len(), copied)?;
    Arena::with_capacity(bytes).map_err(Failure::could_not)
}

/// The results of `measure` for the rung in `system`, which it prepares and runs.
fn ran<T>(
    variant: &Variant,
    task: &Task,
    system: System,
    measure: impl FnOnce(&mut dyn FnMut(), &mut dyn FnMut()) -> T,
) -> Result<T, String> {
    let mut ran = Ok(());
    let measured = measure(&mut || task.fill.write(system.matrix), &mut || {
        if ran.is_ok() {
            ran = if task.as_printed { variant.run_as_printed(system) } else { variant.run(system) };
        }
    });
    ran.map(|()| measured).map_err(|refusal| refused(variant, &refusal))
}

fn refused(variant: &Variant, refusal: &NotRun) -> String {
    format!("{}: {refusal}", variant.name)
}

fn compare(task: &Task, system: System, arena: &Arena) -> Result<Residual, String> {
    let n = task.size;
    let original: Matrix<f64> = arena.matrix("original", n, n).map_err(|error| error.to_string())?;
    task.fill.write(original);
    Ok(residual(original, system.matrix, system.exchanges))
}

/// The row of a record: the results of a rung, and its instructions and cycles if they were
/// asked for.
pub fn row(variant: &Variant, size: usize, outcome: &Outcome, totals: Option<[Reading; 2]>) -> Row {
    let row = Row::new([
        ("variant", variant.name.into()),
        ("size", size.into()),
        ("check", outcome.check.into()),
        ("residual", outcome.residual.map(|r| r.relative).into()),
    ])
    .with("real_time_seconds", outcome.timed.wall())
    .with("proc_time_seconds", outcome.timed.cpu())
    .with("flops", Reading::new(Variant::flops(size), Source::Analytic))
    .with("mflops", outcome.mflops(size));
    match totals {
        Some([instructions, cycles]) => row.with("instructions", instructions).with("cycles", cycles),
        None => row,
    }
}

/// Chooses the source of instructions and cycles.
///
/// # Errors
///
/// If `--counters hardware` was asked for and counts neither.
pub fn plan(session: &Session) -> Result<Plan, Failure> {
    // The cache model does not count instructions.
    Ok(session.plan(&[Event::TOT_INS, Event::TOT_CYC])?.without_model())
}

/// A rung's instructions, single-stepped once for all sizes.
pub type Stepped = OnceCell<Result<Option<instructions::Counts>, StepError>>;

/// Instructions and cycles of another run: from hardware, as `plan` says; else
/// single-stepped instructions and cycles from the clock; nothing if only hardware is
/// wanted.
///
/// # Errors
///
/// If the rung does not run, there is not enough memory, or a counter fails.
pub fn totals(
    variant: &Variant,
    task: &Task,
    session: &Session,
    plan: &Plan,
    outcome: &Outcome,
    stepped: &Stepped,
) -> Result<[Reading; 2], Failure> {
    let [mut instructions, mut cycles] = counted(variant, task, session, plan)?;
    if matches!(session.counters, Counters::None | Counters::Hardware) {
        return Ok([instructions, cycles]);
    }
    if instructions.amount().is_none() {
        instructions = if task.as_printed {
            Reading::missing("the misprinted loop is counted by hardware only")
        } else {
            let found = stepped.get_or_init(|| instructions::Counts::find(variant));
            instructions::Counts::reading(found, task.size)
        };
    }
    if cycles.amount().is_none() {
        cycles = outcome.cycles();
    }
    Ok([instructions, cycles])
}

fn counted(variant: &Variant, task: &Task, session: &Session, plan: &Plan) -> Result<[Reading; 2], Failure> {
    let arena = arena(task, false)?;
    let system = System::new(&arena, task.size, task.processors).map_err(Failure::could_not)?;
    let counts = ran(variant, task, system, |prepare, body| session.count(plan, prepare, body));
    let counts = counts.map_err(Failure::could_not)??;
    let of = |event: Event| {
        let found = counts.iter().find(|(counted, _)| *counted == event);
        found.map_or_else(|| Reading::missing("not counted"), |(_, reading)| reading.clone())
    };
    Ok([of(Event::TOT_INS), of(Event::TOT_CYC)])
}

/// The cache model's counts of a run on `machine`; reports its progress to `watch`.
///
/// # Errors
///
/// A sentence: the rung cannot be modelled, there is not enough memory, or the machine's
/// description is incomplete.
pub fn model(
    variant: &Variant,
    task: &Task,
    machine: &Machine,
    watch: Option<Box<dyn FnMut(f64)>>,
) -> Result<Counts, String> {
    check_memory(task.size, 1, false).map_err(|failure| failure.to_string())?;
    modelled::count_watched(variant, task.size, task.fill, machine, watch)
}

//! One rung at one size: prepared, timed, counted, and its result checked.

use std::cell::OnceCell;

use common::cache::Counts;
use common::cli::Counters;
use common::events::Event;
use common::failure::Failure;
use common::machine::Machine;
use common::measure::{Plan, Session, Timed};
use common::memory::{Arena, Matrix};
use common::step::StepError;
use common::value::Reading;

use crate::measuring::instructions;
use crate::measuring::memory_limit;
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
    let bytes = memory_limit::bytes(task.size, task.processors.len())?;
    let original = if checked { task.size * task.size * 8 } else { 0 };
    let arena = Arena::with_capacity(bytes + original).map_err(|error| error.to_string())?;
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
    let bytes = memory_limit::bytes(task.size, task.processors.len()).map_err(Failure::could_not)?;
    let arena = Arena::with_capacity(bytes).map_err(Failure::could_not)?;
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
    memory_limit::bytes(task.size, 1)?;
    modelled::count_watched(variant, task.size, task.fill, machine, watch)
}

//! One rung at one size: prepared, timed, counted, and its result checked.

use common::cache::Counts;
use common::cli::Counters;
use common::clock::{Elapsed, Stopwatch};
use common::core_clock;
use common::counters;
use common::events::Event;
use common::machine::Machine;
use common::memory::{Arena, Matrix};
use common::value::{Reading, Source, Value};

use crate::measuring::instructions;
use crate::measuring::room;
use crate::modelled;
use crate::problem::matrices::{self, Fill};
use crate::problem::residual::{Residual, residual};
use crate::problem::system::System;
use crate::{NotRun, Rounding, Variant};

/// What is to be done.
#[derive(Debug, Clone)]
pub struct Task<'a> {
    /// Rows and columns.
    pub size: usize,
    /// The matrix.
    pub fill: Fill,
    /// The homework's misprinted loop instead of the right one.
    pub as_printed: bool,
    /// Where counts shall come from.
    pub counters: Counters,
    /// Repetitions.
    pub runs: usize,
    /// Processors for the rung that uses several.
    pub processors: &'a [usize],
}

/// What a run gave.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The times of all runs.
    pub times: Vec<Elapsed>,
    /// Clock of the core during the runs, in Hz.
    pub core_clock: f64,
    /// The sum of all elements.
    pub check: f64,
    /// How right the result is; not computed where every bit is known.
    pub residual: Option<Residual>,
    /// The largest element of the result against that of the matrix.
    pub growth: f64,
}

impl Outcome {
    /// Seconds on the wall.
    pub fn wall(&self) -> Reading {
        timing(self.times.iter().map(|t| t.wall.0).collect())
    }

    /// Seconds of processor time, of all threads together.
    pub fn cpu(&self) -> Reading {
        timing(self.times.iter().map(|t| t.cpu.0).collect())
    }

    /// Cycles, from the time and the core's clock.
    pub fn cycles(&self) -> Reading {
        timing(self.times.iter().map(|t| (t.cpu.0 * self.core_clock).round()).collect())
    }

    /// Useful operations per second, in millions.
    pub fn mflops(&self, size: usize) -> Reading {
        timing(self.times.iter().map(|t| Variant::flops(size) / t.wall.0 * 1e-6).collect())
    }
}

fn timing(runs: Vec<f64>) -> Reading {
    Value::from_runs(&runs, Source::Timing).map_or_else(|| Reading::missing("no run"), Reading::from)
}

/// Runs `variant` as `task` says, but once at least and no more when it `is_over`.
///
/// # Errors
///
/// A sentence: the processor lacks its instructions, the memory is short, or
/// the matrix cannot be eliminated this way.
pub fn run(variant: &Variant, task: &Task, is_over: impl Fn() -> bool) -> Result<Outcome, String> {
    let refused = |refusal: NotRun| format!("{}: {refusal}", variant.name);
    variant.available().map_err(refused)?;
    let checked = variant.rounding == Rounding::Differs;
    let bytes = room::bytes(task.size, task.processors.len())?;
    let original = if checked { task.size * task.size * 8 } else { 0 };
    let arena = Arena::with_capacity(bytes + original).map_err(|error| error.to_string())?;
    let system = System::new(&arena, task.size, task.processors).map_err(|error| error.to_string())?;
    task.fill.write(system.matrix);
    matrices::eliminable(system.matrix).map_err(|broken| broken.to_string())?;
    let before = matrices::largest(system.matrix);
    let mut clocks = vec![core_clock::measure().0];
    let mut times = Vec::with_capacity(task.runs);
    for _ in (0..task.runs).take_while(|run| *run == 0 || !is_over()) {
        times.push(once(variant, task, system).map_err(refused)?);
        clocks.push(core_clock::measure().0);
    }
    if !task.as_printed {
        matrices::eliminated(system.matrix, variant.exchanges).map_err(|broken| broken.to_string())?;
    }
    let residual = if checked { Some(compare(task, system, &arena)?) } else { None };
    Ok(Outcome {
        times,
        core_clock: common::stats::median(&clocks).unwrap_or(1e9),
        check: matrices::check(system.matrix),
        residual,
        growth: matrices::largest(system.matrix) / before.max(f64::MIN_POSITIVE),
    })
}

fn once(variant: &Variant, task: &Task, system: System) -> Result<Elapsed, NotRun> {
    task.fill.write(system.matrix);
    let watch = Stopwatch::start();
    let ran = if task.as_printed { variant.run_as_printed(system) } else { variant.run(system) };
    let elapsed = watch.stop();
    ran.map(|()| elapsed)
}

fn compare(task: &Task, system: System, arena: &Arena) -> Result<Residual, String> {
    let n = task.size;
    let original: Matrix<f64> = arena.matrix("original", n, n).map_err(|error| error.to_string())?;
    task.fill.write(original);
    Ok(residual(original, system.matrix, system.exchanges))
}

/// Instructions and cycles of a run: hardware where it counts and is wanted,
/// else stepped instructions and cycles from the clock.
pub fn totals(variant: &Variant, task: &Task, outcome: &Outcome) -> [Reading; 2] {
    let missing = |reason: &str| [Reading::missing(reason), Reading::missing(reason)];
    if task.counters == Counters::None {
        return missing("--counters none");
    }
    match hardware_totals(variant, task) {
        Ok(counted) => return counted,
        Err(reason) if task.counters == Counters::Hardware => return missing(&reason),
        Err(_) => {}
    }
    let printed = "the misprinted loop is counted by hardware only";
    let stepped = if task.as_printed {
        Reading::missing(printed)
    } else {
        instructions::Counts::reading(&instructions::Counts::find(variant), task.size)
    };
    [stepped, outcome.cycles()]
}

/// Instructions and cycles of another run, counted by hardware.
///
/// # Errors
///
/// Why hardware does not count them, or is not wanted.
pub fn hardware_totals(variant: &Variant, task: &Task) -> Result<[Reading; 2], String> {
    if !matches!(task.counters, Counters::Auto | Counters::Hardware) {
        return Err("hardware was not asked for".to_owned());
    }
    let events: Result<Vec<Event>, _> =
        ["PAPI_TOT_INS", "PAPI_TOT_CYC"].map(Event::parse).into_iter().collect();
    let events = events.map_err(|error| error.to_string())?;
    if let Some(refusal) = counters::survey(&events).into_iter().find_map(Result::err) {
        return Err(refusal.to_string());
    }
    let bytes = room::bytes(task.size, task.processors.len())?;
    let arena = Arena::with_capacity(bytes).map_err(|error| error.to_string())?;
    let system = System::new(&arena, task.size, task.processors).map_err(|error| error.to_string())?;
    let mut ran = Ok(());
    let counted = counters::count(&events, &mut || task.fill.write(system.matrix), &mut || {
        ran = if task.as_printed { variant.run_as_printed(system) } else { variant.run(system) };
    });
    ran.map_err(|refusal| refusal.to_string())?;
    let counted = counted.map_err(|error| error.to_string())?;
    <[Reading; 2]>::try_from(counted).map_err(|_| "the counters gave no pair of counts".to_owned())
}

/// What the cache model of `machine` counts in a run; `watch` is told how far it is.
///
/// # Errors
///
/// A sentence: the rung cannot be modelled, the memory is short, or the machine
/// is not described well enough.
pub fn model(
    variant: &Variant,
    task: &Task,
    machine: &Machine,
    watch: Option<Box<dyn FnMut(f64)>>,
) -> Result<Counts, String> {
    room::bytes(task.size, 1)?;
    modelled::count_watched(variant, task.size, task.fill, machine, watch)
}

//! Measuring one region of code: who counts what, how often it runs, and what
//! disturbed it.

mod cells;
mod environment;
mod identity;
mod limits;
mod plan;
mod processor;
mod progress;

use std::cell::Cell;
use std::fmt::Display;
use std::path::Path;
use std::time::{Duration, Instant};

pub use environment::Warning;
pub use limits::{arena, check_memory, duration, patience};
pub use plan::Plan;

use crate::cli::{Compare, Counters, Measuring, Modelling, Output};
use crate::console;
use crate::failure::Failure;
use crate::output;
use cache::{Counts, Modelled};
use counters::{self, Platform};
use events::Event;
use figures::units::Hertz;
use figures::value::{Reading, Source, Value};
use isa::Native;
use machine::{Machine, MachineError};
use memory::Arena;
use records::note::Note;
use records::record::Record;
use system::clock::{Elapsed, Stopwatch};
use system::{core_clock, cpu, files};

/// The measured region: one closure, compiled for native memory and for the
/// model. Written with [`region!`](crate::region).
pub struct Measured<'r> {
    /// The region on the machine's own memory.
    pub native: &'r mut dyn FnMut(&mut Native),
    /// The region on the modelled memory.
    pub modelled: &'r mut dyn FnMut(&mut Modelled),
    /// Whether the model must compute the numbers too.
    pub computes: bool,
    /// Arrays of the arena that the model need not expect an access to.
    pub idle: &'r [&'r str],
}

impl<'r> Measured<'r> {
    /// The same, but the model only counts: for kernels that access the arena's
    /// arrays alone, and the same whatever the numbers in them. What the machine's own run left there stays.
    #[must_use]
    pub fn without_numbers(self) -> Self {
        Measured { computes: false, ..self }
    }

    /// The same, and these of the arrays are not accessed.
    #[must_use]
    pub fn without_arrays(self, idle: &'r [&'r str]) -> Self {
        Measured { idle, ..self }
    }
}

/// `region!(|mem| kernel(mem, a, b, c))`: everything between the two reads of
/// the counters, and nothing else.
#[macro_export]
macro_rules! region {
    (|$mem:ident| $body:expr) => {
        $crate::measure::Measured {
            native: &mut |$mem: &mut $crate::isa::Native| $body,
            modelled: &mut |$mem: &mut $crate::cache::Modelled| $body,
            computes: true,
            idle: &[],
        }
    };
}

/// What one region gave.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Seconds on the wall.
    pub wall: Reading,
    /// Seconds of processor time.
    pub cpu: Reading,
    /// Cycles of the core's clock: counted (PAPI_TOT_CYC) where hardware counts
    /// them, else processor time at the clock measured next to it; on a described
    /// machine its time at its clock.
    pub cycles: Reading,
    /// The events asked for, in that order.
    pub counts: Vec<(Event, Reading)>,
    /// What the model counted, if it ran.
    pub model: Option<Counts>,
}

impl Default for Sample {
    fn default() -> Sample {
        let unknown = || Reading::missing("not measured");
        Sample { wall: unknown(), cpu: unknown(), cycles: unknown(), counts: Vec::new(), model: None }
    }
}

impl Sample {
    /// The sample of `accesses` accesses, each of which takes `nanos`.
    pub fn of_accesses(nanos: &Reading, accesses: f64) -> Sample {
        Sample::at_clock(nanos, accesses, core_clock::measure())
    }

    fn at_clock(nanos: &Reading, accesses: f64, clock: Hertz) -> Sample {
        let time = nanos.scaled(1e-9 * accesses);
        let cycles = time.scaled(clock.0);
        Sample { wall: time.clone(), cpu: time, cycles, ..Sample::default() }
    }

    /// The reading of an event asked for.
    pub fn count(&self, name: &str) -> Option<&Reading> {
        self.counts.iter().find(|(event, _)| event.name() == name).map(|(_, reading)| reading)
    }
}

/// The times of one region.
#[derive(Debug, Clone)]
pub struct Timed {
    /// Of each run.
    pub runs: Vec<Elapsed>,
    /// The core's clock meanwhile.
    pub clock: Hertz,
}

impl Timed {
    /// A figure of each run, and their median.
    pub fn figure(&self, pick: impl Fn(&Elapsed) -> f64) -> Reading {
        let runs: Vec<f64> = self.runs.iter().map(pick).collect();
        Value::from_runs(&runs, Source::Timing).map_or_else(|| Reading::missing("no run"), Reading::from)
    }

    /// Seconds on the wall.
    pub fn wall(&self) -> Reading {
        self.figure(|run| run.wall.0)
    }

    /// Seconds of processor time, of all threads together.
    pub fn cpu(&self) -> Reading {
        self.figure(|run| run.cpu.0)
    }

    /// Cycles, from the time and the core's clock.
    pub fn cycles(&self) -> Reading {
        self.figure(|run| self.clock.periods(run.cpu))
    }
}

/// The settings and the state of one program's measurements.
#[derive(Debug)]
pub struct Session {
    /// Where counts come from.
    pub counters: Counters,
    /// The machine that is measured or, if it is not this one, modelled.
    pub machine: Machine,
    /// Whether [`machine`](Session::machine) is the one the program runs on.
    pub here: bool,
    /// Repetitions of each measurement.
    pub runs: usize,
    /// Whether nobody has said how many: a program may then choose.
    pub runs_are_free: bool,
    /// Whether the model must run in addition to the measurement.
    pub compare: bool,
    /// The processors that a team of threads may use: those that were allowed before
    /// pinning, or the one that was asked for.
    pub cpus: Vec<usize>,
    /// What may have disturbed the measurement.
    pub warnings: Vec<Warning>,
    quiet: bool,
    /// When what is being measured must come to an end.
    deadline: Cell<Option<Instant>>,
}

impl Session {
    /// Reads the shared options, pins this thread to one processor, lets the
    /// clock ramp up, and says on stderr what may disturb the measurement.
    ///
    /// # Errors
    ///
    /// If the machine is unknown, or a processor or a file may not be used.
    pub fn start(measuring: &Measuring, modelling: &Modelling, output: &Output) -> Result<Session, Failure> {
        output::check_distinct([Path::new(&modelling.machine)], output.files())?;
        if let Ok(names) = std::env::var("CACHE_LAB_NO_SHORTCUTS") {
            cache::switch_off_shortcuts(&names);
        }
        for path in output.files() {
            files::try_place(path).map_err(Failure::could_not)?;
        }
        // Pinned first: where cores differ, the machine is what this one sees.
        let allowed = cpu::allowed();
        let pinned = processor::pin(measuring.cpu, &allowed)?;
        let machine = match system::machine::select(&modelling.machine) {
            Err(why @ MachineError::HostUnknown { .. }) if measuring.counters != Counters::Model => {
                Ok(system::machine::undescribed_host(&why))
            }
            selected => selected.map_err(Failure::usage),
        }?;
        let here = modelling.machine.eq_ignore_ascii_case("host");
        if !here && matches!(measuring.counters, Counters::Hardware | Counters::Timing) {
            return Err(Failure::usage(format!(
                "--machine {} describes another machine, which only --counters model can count on; leave out --machine to measure this one",
                modelling.machine
            )));
        }
        // a described machine's times are modelled: nothing here disturbs them
        let mut warnings = Vec::new();
        if here {
            warnings = environment::warnings(allowed.len());
            warnings.extend((!pinned).then_some(Warning::NotPinned));
            warnings.extend(Platform::host().core_type_description().map(Warning::CoreType));
        }
        let compared = modelling.compare == Some(Compare::Model);
        warnings.extend(
            (compared && machine.levels.is_empty()).then(|| Warning::NoModel(machine.unknown.join("; "))),
        );
        for warning in warnings.iter().filter(|_| !output.quiet) {
            console::message(format!("note: {warning}"));
        }
        if here {
            processor::warm_up(Duration::from_millis(50));
        }
        Ok(Session {
            counters: measuring.counters,
            compare: compared && !machine.levels.is_empty(),
            machine,
            here,
            runs: measuring.runs.map_or(1, |runs| runs as usize),
            runs_are_free: measuring.runs.is_none(),
            cpus: measuring.cpu.map_or(allowed, |cpu| vec![cpu]),
            warnings,
            quiet: output.quiet,
            deadline: Cell::new(None),
        })
    }

    /// An empty record of `program` on this session's machine.
    pub fn record(&self, program: &str) -> Record {
        let mut record = Record::new(program, self.machine.summary());
        if !self.runs_are_free {
            record = record.set("runs", self.runs); // else each figure says of how many it is
        }
        identity::sign(&mut record, &self.machine);
        record.notes.extend(self.warnings.iter().map(|warning| warning.to_string().into()));
        record
    }

    /// Puts a note into the record and, unless the session is quiet, on stderr.
    pub fn note(&self, record: &mut Record, note: impl Into<Note>) {
        let note = note.into();
        self.say(format!("note: {note}"));
        record.notes.push(note);
    }

    /// A line on stderr, unless the session is quiet.
    pub fn say(&self, line: impl Display) {
        if !self.quiet {
            console::message(line);
        }
    }

    /// Times `region` as often as asked for, `prepare` before each run, and has the
    /// events of `plan` counted by whom it says.
    ///
    /// # Errors
    ///
    /// If a counter fails while it counts, or the machine cannot be modelled.
    pub fn measure(
        &self,
        arena: &Arena,
        plan: &Plan,
        prepare: &mut dyn FnMut(),
        region: Measured<'_>,
    ) -> Result<Sample, Failure> {
        let mut sample = Sample::default();
        if self.here {
            let mut body = || (region.native)(&mut Native);
            let timed = self.time(self.runs, prepare, &mut body);
            let mut events = plan.hardware();
            let cycles = plan.counts_cycles();
            events.extend((cycles && !events.contains(&Event::TOT_CYC)).then_some(Event::TOT_CYC));
            sample.counts = self.count_events(&events, prepare, &mut body)?;
            let counted = sample.count(Event::TOT_CYC.name()).filter(|_| cycles);
            sample.cycles = counted.filter(|r| r.amount().is_some()).cloned().unwrap_or(timed.cycles());
            (sample.wall, sample.cpu) = (timed.wall(), timed.cpu());
        }
        self.model(arena, plan, prepare, region, &mut sample)?;
        Ok(sample)
    }

    /// As [`measure`](Session::measure), for a region that is timed elsewhere: it runs
    /// where something counts it, and no more.
    ///
    /// # Errors
    ///
    /// As [`measure`](Session::measure).
    pub fn count_alone(
        &self,
        arena: &Arena,
        plan: &Plan,
        prepare: &mut dyn FnMut(),
        region: Measured<'_>,
    ) -> Result<Sample, Failure> {
        let mut sample = Sample::default();
        if self.here {
            let body = &mut || (region.native)(&mut Native);
            sample.counts = self.count_events(&plan.hardware(), prepare, body)?;
        }
        self.model(arena, plan, prepare, region, &mut sample)?;
        Ok(sample)
    }

    /// Runs `body` `runs` times, `prepare` before each, but once at least and no
    /// more when the session [is over](Session::is_over).
    pub fn time(&self, runs: usize, prepare: &mut dyn FnMut(), body: &mut dyn FnMut()) -> Timed {
        let before = core_clock::measure();
        let once = |_| {
            prepare();
            let watch = Stopwatch::start();
            body();
            watch.stop()
        };
        let runs = (0..runs).take_while(|run| *run == 0 || !self.is_over()).map(once).collect();
        Timed { runs, clock: Hertz((before.0 + core_clock::measure().0) / 2.0) }
    }

    /// Counts the events of `plan` in hardware while `body` runs, as often as asked
    /// for; of an event that hardware does not count, why not. Nothing runs where
    /// there is none that it counts.
    ///
    /// # Errors
    ///
    /// If a counter fails while it counts.
    pub fn count(
        &self,
        plan: &Plan,
        prepare: &mut dyn FnMut(),
        body: &mut dyn FnMut(),
    ) -> Result<Vec<(Event, Reading)>, Failure> {
        Ok(plan.complete(self.count_events(&plan.hardware(), prepare, body)?, None))
    }

    /// Runs `region` on the model if `plan` needs it, and completes the sample's counts.
    fn model(
        &self,
        arena: &Arena,
        plan: &Plan,
        prepare: &mut dyn FnMut(),
        region: Measured<'_>,
        sample: &mut Sample,
    ) -> Result<(), Failure> {
        if plan.needs_model() || self.compare || !self.here {
            let mut model = if region.computes {
                prepare();
                Modelled::new(&self.machine, arena)
            } else {
                Modelled::of_arrays_alone(&self.machine, arena, region.idle).map(Modelled::without_numbers)
            }
            .map_err(Failure::could_not)?;
            if let Some(line) = self.line_of_progress() {
                model = model.reporting(line);
            }
            (region.modelled)(&mut model);
            let counts = model.counts();
            if !self.here {
                self.modelled_time(&counts, sample);
            }
            sample.model = Some(counts);
        }
        sample.counts = plan.complete(std::mem::take(&mut sample.counts), sample.model.as_ref());
        Ok(())
    }

    /// The time of a described machine, from its latencies.
    fn modelled_time(&self, counts: &Counts, sample: &mut Sample) {
        let time = counts.time(&self.machine).map(|time| time.overlapped);
        let reading = |time: Result<f64, String>| match time {
            Ok(amount) => Value::new(amount, Source::Model).into(),
            Err(reason) => Reading::missing(reason),
        };
        let no_clock = || format!("the clock of {} is not described", self.machine.name);
        let cycles = time.clone().and_then(|t| Ok(self.machine.clock.ok_or_else(no_clock)?.periods(t)));
        sample.cycles = reading(cycles);
        sample.wall = reading(time.map(|t| t.0));
        sample.cpu = sample.wall.clone();
    }

    /// Counts `events` in hardware, as often as asked for and as there is time.
    fn count_events(
        &self,
        events: &[Event],
        prepare: &mut dyn FnMut(),
        body: &mut dyn FnMut(),
    ) -> Result<Vec<(Event, Reading)>, Failure> {
        if events.is_empty() {
            return Ok(Vec::new());
        }
        let runs: Result<Vec<Vec<Reading>>, _> = (0..self.runs)
            .take_while(|run| *run == 0 || !self.is_over())
            .map(|_| counters::count(events, prepare, body))
            .collect();
        let runs = runs.map_err(Failure::could_not)?;
        let median = |at: usize| {
            let readings: Vec<Reading> = runs.iter().map(|run| run[at].clone()).collect();
            Reading::median(&readings)
        };
        Ok(events.iter().cloned().enumerate().map(|(at, event)| (event, median(at))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_those_of_the_core_whatever_the_rate_of_its_timer() {
        let nanos = Reading::from(Value::new(2.0, Source::Timing));
        let sample = Sample::at_clock(&nanos, 1e9, Hertz(3.5e9));
        assert_eq!((sample.cpu.amount(), sample.cycles.amount()), (Some(2.0), Some(7e9)));
    }
}

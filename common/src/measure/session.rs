//! The settings and the state of one program's measurements.

use std::cell::{Cell, OnceCell};
use std::fmt::Display;
use std::path::Path;
use std::time::{Duration, Instant};

use super::environment::{self, Warning};
use super::{identity, processor};
use crate::cli::{Compare, Counters, Measuring, Modelling, Output};
use crate::console;
use crate::failure::Failure;
use crate::output;
use counters::Platform;
use figures::units::Hertz;
use figures::value::Reading;
use machine::{Machine, MachineError};
use records::note::Note;
use records::product::{WALL_OVER_CPU_WARNING, cause_of_waits};
use records::record::Record;
use system::{cpu, host};

/// The settings of one program's measurements, and their state.
#[derive(Debug)]
pub struct Session {
    /// Where counts come from.
    pub counters: Counters,
    /// The machine that is measured, or modelled if it is not this one.
    pub machine: Machine,
    /// Whether [`machine`](Session::machine) is the one the program runs on.
    pub measures_host: bool,
    /// Repetitions of each measurement.
    pub runs: usize,
    /// Whether the number of repetitions is the default: a program may then choose another.
    pub runs_are_free: bool,
    /// Whether the model must run in addition to the measurement.
    pub compare: bool,
    /// The processors for a team of threads: those that were allowed before pinning, or the
    /// one given as an option.
    pub cpus: Vec<usize>,
    /// The processor given as an option.
    pub cpu: Option<usize>,
    /// What may have disturbed the measurement.
    pub warnings: Vec<Warning>,
    /// Whether a termination signal ends the process within a sweep, so that no part of a
    /// sweep is taken for a whole one.
    pub ends_at_signal: bool,
    pub(super) quiet: bool,
    /// The deadline of the current measurement.
    pub(super) deadline: Cell<Option<Instant>>,
    /// The core's clock, once it was measured: one for all cycles that are computed from
    /// times, so that ratios of cycles are ratios of times.
    pub(super) clock: OnceCell<Hertz>,
}

impl Session {
    /// Reads the shared options, pins this thread to one processor, waits until the clock
    /// is up to speed, and prints warnings to stderr.
    ///
    /// # Errors
    ///
    /// If the machine is unknown, or a processor or a file cannot be used.
    pub fn start(measuring: &Measuring, modelling: &Modelling, output: &Output) -> Result<Session, Failure> {
        output::prepare([Path::new(&modelling.machine)], output)?;
        if let Ok(names) = std::env::var("CACHE_LAB_NO_SHORTCUTS") {
            cache::switch_off_shortcuts(&names);
        }
        // Pinned first: where cores differ, the description is that of this processor.
        let allowed = cpu::allowed();
        let pinned = processor::pin(measuring.cpu, &allowed)?;
        let machine = match system::machine::select(&modelling.machine) {
            Err(why @ MachineError::HostUnknown { .. }) if measuring.counters != Counters::Model => {
                Ok(system::machine::undescribed_host(&why))
            }
            selected => selected.map_err(Failure::usage),
        }?;
        let measures_host = modelling.machine.eq_ignore_ascii_case("host");
        if !measures_host && matches!(measuring.counters, Counters::Hardware | Counters::Timing) {
            return Err(Failure::usage(format!(
                "--machine {} describes another machine, which only --counters model can count on; leave out --machine to measure this one",
                modelling.machine
            )));
        }
        if !measures_host && measuring.cpu.is_some() {
            return Err(Failure::usage(format!(
                "--cpu is for measurements, and --machine {} is modelled; leave out one of the two",
                modelling.machine
            )));
        }
        // a described machine's times are modelled: nothing on this machine disturbs them
        let mut warnings = Vec::new();
        if measures_host {
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
        if measures_host {
            processor::warm_up(Duration::from_millis(50));
        }
        Ok(Session {
            counters: measuring.counters,
            compare: compared && !machine.levels.is_empty(),
            machine,
            measures_host,
            runs: measuring.runs.map_or(1, |runs| runs as usize),
            runs_are_free: measuring.runs.is_none(),
            cpus: measuring.cpu.map_or(allowed, |cpu| vec![cpu]),
            cpu: measuring.cpu,
            warnings,
            ends_at_signal: false,
            quiet: output.quiet,
            deadline: Cell::new(None),
            clock: OnceCell::new(),
        })
    }

    /// The number of threads that a team has by default: one for each processor that it may use,
    /// within the CPU quota.
    pub fn team(&self) -> usize {
        host::usable(self.cpus.len(), host::cpu_quota())
    }

    /// An empty record of `program` on this session's machine.
    pub fn record(&self, program: &str) -> Record {
        let mut record = Record::new(program, self.machine.summary());
        if !self.runs_are_free {
            record = record.set("runs", self.runs); // else each figure says of how many it is
        }
        if let Some(cpu) = self.cpu {
            record = record.set("cpu", cpu);
        }
        if self.measures_host {
            record.environment = identity::environment(&self.cpus);
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

    /// Notes in the record if `threads` threads waited for the processor: their wall time is
    /// longer than their CPU time, of which `cpu` is the sum.
    pub fn note_waits(&self, record: &mut Record, wall: &Reading, cpu: &Reading, threads: usize) {
        let times = wall.amount().zip(cpu.amount()).map(|(wall, cpu)| wall * threads as f64 / cpu);
        let Some(times) = times.filter(|times| *times > WALL_OVER_CPU_WARNING) else { return };
        let (cause, remedy) = cause_of_waits(host::cpu_quota(), threads);
        let note = format!("wall time is {times:.1} times CPU time: {cause}; use CPU times, or {remedy}");
        // On the terminal one warning of this kind is enough.
        if self.warnings.iter().any(|warning| matches!(warning, Warning::Busy { .. } | Warning::Quota(_))) {
            record.notes.push(note.into());
        } else {
            self.note(record, note);
        }
    }

    /// Prints a line on stderr, unless the session is quiet.
    pub fn say(&self, line: impl Display) {
        if !self.quiet {
            console::message(line);
        }
    }
}

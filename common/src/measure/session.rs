//! The settings and the state of one program's measurements.

use std::cell::OnceCell;
use std::fmt::Display;
use std::io::{IsTerminal, Write, stderr};
use std::path::Path;
use std::time::{Duration, Instant};

use super::environment;
use crate::cli::{Counters, Measuring, Modelling, Output};
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
use system::{clock, cpu, host};

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
    /// The processors for a team of threads: those that were allowed before pinning, or the
    /// one given as an option.
    pub cpus: Vec<usize>,
    /// The processor given as an option.
    pub cpu: Option<usize>,
    /// What may have disturbed the measurement.
    pub warnings: Vec<String>,
    /// Whether a termination signal ends the process within a sweep, so that no part of a
    /// sweep is taken for a whole one.
    pub ends_at_signal: bool,
    pub(super) quiet: bool,
    /// Whether notes on how counts were made are printed, too.
    verbose: bool,
    /// The core's clock, once it was measured: one for all cycles that are computed from
    /// times, so that ratios of cycles are ratios of times.
    pub(super) clock: OnceCell<Hertz>,
}

impl Session {
    /// Reads the shared options, pins this thread to one processor, waits until the clock
    /// is up to speed, and prints warnings to stderr.
    /// Fails if the machine is unknown, or a processor or a file cannot be used.
    pub fn start(measuring: &Measuring, modelling: &Modelling, output: &Output) -> Result<Session, Failure> {
        output::prepare([Path::new(&modelling.machine)], output)?;
        if let Ok(names) = std::env::var("CACHE_LAB_NO_SHORTCUTS") {
            cache::switch_off_shortcuts(&names);
        }
        // Pinned first: where cores differ, the description is that of this processor.
        let allowed = cpu::allowed();
        let pinned = pin(measuring.cpu, &allowed)?;
        let machine = match system::machine::select(&modelling.machine) {
            Err(why @ MachineError::HostUnknown(_)) if measuring.counters != Counters::Model => {
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
        if let Some(runs) = measuring.runs.filter(|runs| !measures_host && *runs > 1) {
            return Err(Failure::usage(format!(
                "--runs {runs} is for measurements, and --machine {} is modelled, with the same result each time; leave out one of the two",
                modelling.machine
            )));
        }
        // a described machine's times are modelled: nothing on this machine disturbs them
        let mut warnings = Vec::new();
        if measures_host {
            warnings = environment::warnings();
            let scatter = "the system did not pin the program to one processor: times may scatter";
            warnings.extend((!pinned).then(|| scatter.to_owned()));
            let cores = Platform::host().core_type_description();
            warnings.extend(
                cores.map(|cores| format!("this processor's cores differ; events are counted on {cores}")),
            );
        }
        let printed = if output.verbose { warnings.len() } else { 1 };
        for warning in warnings.iter().take(printed).filter(|_| !output.quiet) {
            console::message(format!("note: {warning}"));
        }
        if measures_host {
            warm_up(Duration::from_millis(50));
        }
        Ok(Session {
            counters: measuring.counters,
            machine,
            measures_host,
            runs: measuring.runs.map_or(1, |runs| runs as usize),
            cpus: measuring.cpu.map_or(allowed, |cpu| vec![cpu]),
            cpu: measuring.cpu,
            warnings,
            ends_at_signal: false,
            quiet: output.quiet,
            verbose: output.verbose,
            clock: OnceCell::new(),
        })
    }

    /// The number of threads that a team has by default: one for each processor that it may use,
    /// within the CPU quota.
    pub fn team(&self) -> usize {
        self.cpus.len().min(host::cpu_quota().map_or(usize::MAX, |quota| quota as usize)).max(1)
    }

    /// An empty record of `program` on this session's machine.
    pub fn record(&self, program: &str) -> Record {
        let mut record = Record::new(program, self.machine.label()).set("runs", self.runs);
        if let Some(cpu) = self.cpu {
            record = record.set("cpu", cpu);
        }
        if self.measures_host {
            record.environment = environment::environment(&self.cpus);
        }
        environment::sign(&mut record, &self.machine);
        record.notes.extend(self.warnings.iter().map(|warning| warning.clone().into()));
        record
    }

    /// Puts a note into the record and, unless the session is quiet, on stderr; one on what the counts
    /// mean only if the session is verbose.
    pub fn note(&self, record: &mut Record, note: impl Into<Note>) {
        let note = note.into();
        if self.verbose || !matches!(note, Note::Counts(_)) {
            self.say(format!("note: {note}"));
        }
        record.notes.push(note);
    }

    /// Notes in the record if `threads` threads waited for the processor: their wall time is
    /// longer than their CPU time, of which `cpu` is the sum.
    pub fn note_waits(&self, record: &mut Record, wall: &Reading, cpu: &Reading, threads: usize) {
        let times = wall.amount().zip(cpu.amount()).map(|(wall, cpu)| wall * threads as f64 / cpu);
        let Some(times) = times.filter(|times| *times > WALL_OVER_CPU_WARNING) else { return };
        let (cause, remedy) = cause_of_waits(host::cpu_quota(), threads);
        let note = format!("wall time is {times:.1} times CPU time: {cause}; use CPU times, or {remedy}");
        self.note(record, note);
    }

    /// Prints a line on stderr, unless the session is quiet.
    pub fn say(&self, line: impl Display) {
        if !self.quiet {
            console::message(line);
        }
    }

    /// Draws that `done` of `all` parts are measured, on a terminal; at the end removes that.
    pub fn progress(&self, done: usize, all: usize) {
        if self.quiet || !stderr().is_terminal() {
            return;
        }
        // A closed terminal is no reason to stop measuring.
        let _ = match done < all {
            true => write!(stderr(), "\rmeasured {done} of {all} "),
            false => write!(stderr(), "\r\x1b[K"),
        };
    }

    /// The callback to which a model reports the share (0 to 1) of its work that is done;
    /// it is dropped after the run. None without a terminal.
    pub fn line_of_progress(&self) -> Option<Box<dyn FnMut(f64)>> {
        let mut line = StatusLine { last: Instant::now(), drawn: false };
        let shown = !self.quiet && stderr().is_terminal();
        shown.then(|| Box::new(move |share| line.draw(share)) as Box<dyn FnMut(f64)>)
    }
}

/// A line that is redrawn, and removed at the end.
struct StatusLine {
    /// When it was last drawn, or the work began.
    last: Instant,
    drawn: bool,
}

impl StatusLine {
    fn draw(&mut self, share: f64) {
        if self.last.elapsed() > Duration::from_secs(1) {
            let _ = write!(stderr(), "\rmodelling: {:.0} % ", 100.0 * share);
            (self.last, self.drawn) = (Instant::now(), true);
        }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        if self.drawn {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}

/// Whether the thread now stays on one processor: the one given as an option, else the
/// present one or, where cores differ, one whose events can be counted.
fn pin(wanted: Option<usize>, allowed: &[usize]) -> Result<bool, Failure> {
    match wanted.or_else(|| home(cpu::current()?, Platform::host().counted_on(), allowed)) {
        Some(cpu) if allowed.contains(&cpu) => Ok(cpu::pin(&[cpu])),
        Some(cpu) if wanted.is_some() => Err(Failure::usage(format!(
            "--cpu {cpu} is not available to this process; it may run on {allowed:?}"
        ))),
        _ => Ok(false),
    }
}

fn home(current: usize, counted_on: Option<Vec<usize>>, allowed: &[usize]) -> Option<usize> {
    let Some(good) = counted_on.filter(|good| !good.contains(&current)) else { return Some(current) };
    allowed.iter().copied().find(|cpu| good.contains(cpu)).or(Some(current))
}

/// Runs a busy loop, so that the core's clock is up to speed when the first run starts.
fn warm_up(time: Duration) {
    let from = clock::wall();
    let mut x = 1u64;
    while clock::wall().0 - from.0 < time.as_secs_f64() {
        for _ in 0..100_000 {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1);
        }
        std::hint::black_box(x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_cores_differ_a_program_goes_to_those_that_count() {
        let all: Vec<usize> = (0..8).collect();
        assert_eq!(home(5, None, &all), Some(5));
        assert_eq!(home(5, Some(vec![0, 1, 2, 3]), &all), Some(0));
        assert_eq!(home(2, Some(vec![0, 1, 2, 3]), &all), Some(2));
        // If only efficiency cores are allowed, one of them is used.
        assert_eq!(home(5, Some(vec![0, 1]), &[4, 5]), Some(5));
    }
}

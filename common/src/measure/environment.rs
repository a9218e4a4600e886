//! Conditions that make a measurement's figures doubtful, with advice.

use std::fmt;

use figures::value::Reading;
use records::product::{WALL_OVER_CPU_WARNING, cause_of_waits};
use records::record::Record;
use system::facts::Facts;
use system::host;

use super::Session;

/// A reason to distrust the figures that follow.
#[derive(Debug, Clone, PartialEq)]
pub enum Warning {
    /// Compiled without optimisation.
    DebugBuild,
    /// The clock frequency follows the load.
    Governor(String),
    /// Other programs use the processors.
    Busy {
        /// Processes that wanted to run, on average over the last minute.
        load: f64,
        /// The processors that they share.
        cpus: usize,
    },
    /// A control group grants less than one processor's time.
    Quota(f64),
    /// The system did not let the program stay on one processor.
    NotPinned,
    /// Cores differ, and events are counted on one kind of them.
    CoreType(String),
    /// There is no model to compare with: the machine's caches are unknown.
    NoModel(String),
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::DebugBuild => {
                f.write_str("this is a debug build: times mean nothing; run it with `cargo run --release`")
            }
            Warning::Governor(name) => write!(
                f,
                "the frequency governor is '{name}': first runs may be slow; `cpupower frequency-set -g performance` fixes the clock"
            ),
            Warning::Busy { load, cpus } => {
                write!(
                    f,
                    "{load:.1} processes share {cpus} processors: wall times include the other programs; close them, or take the median of more runs (--runs)"
                )
            }
            Warning::Quota(quota) => {
                let (cause, remedy) = cause_of_waits(Some(*quota), 1);
                write!(f, "{cause}: wall times include its waits; use CPU times, or {remedy}")
            }
            Warning::NotPinned => {
                f.write_str("the system did not pin the program to one processor: times may scatter")
            }
            Warning::CoreType(cores) => {
                write!(f, "this processor's cores differ; events are counted on {cores}")
            }
            Warning::NoModel(why) => write!(f, "nothing is compared with the model: {why}"),
        }
    }
}

/// The warnings that can be determined from inside this process, on its processor.
pub(super) fn warnings(cpus: usize) -> Vec<Warning> {
    let debug = cfg!(debug_assertions).then_some(Warning::DebugBuild);
    let governor = Facts::of_host().governor.filter(|name| name != "performance").map(Warning::Governor);
    let busy = host::load().and_then(|load| busy(load, cpus));
    let quota = host::cpu_quota().filter(|quota| *quota < 1.0).map(Warning::Quota);
    [debug, governor, busy, quota].into_iter().flatten().collect()
}

fn busy(load: f64, cpus: usize) -> Option<Warning> {
    // A system that does not list its processors has at least one.
    let cpus = cpus.max(1);
    (load > cpus as f64).then_some(Warning::Busy { load, cpus })
}

impl Session {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_processes_than_processors_are_warned_of() {
        assert_eq!(busy(2.5, 2), Some(Warning::Busy { load: 2.5, cpus: 2 }));
        assert_eq!(busy(1.99, 2), None);
    }
}

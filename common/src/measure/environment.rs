//! What identifies a record, and the conditions of its measurement, with advice where they
//! make figures doubtful.

use std::fmt;

use machine::Machine;
use records::product::cause_of_waits;
use records::record::{Record, Seal};
use serde_json::{Map, Value as Json, json};
use system::facts::Facts;
use system::{date, host};

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

/// An empty record of a program that only models `machine`.
pub fn modelled_record(program: &str, machine: &Machine) -> Record {
    let mut record = Record::new(program, machine.summary());
    sign(&mut record, machine);
    record
}

/// Puts time, command line, machine and an id into the record; for a sealed machine its
/// name and seal only.
pub(super) fn sign(record: &mut Record, machine: &Machine) {
    record.time = date::now();
    record.arguments = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
    record.id = format!("{:016x}", date::unlike_any_other());
    record.machine_data = match &machine.seal {
        None => json!(machine),
        Some(_) => json!({ "name": machine.name }),
    };
    record.seal = machine.seal.as_deref().map(Seal::of_machine);
}

/// The conditions of a measurement on this machine.
pub(super) fn environment(allowed: &[usize]) -> Map<String, Json> {
    let facts = Facts::of_host();
    let compiler = Some(records::COMPILER).filter(|compiler| !compiler.is_empty());
    let all: [(&str, Option<Json>); 7] = [
        ("system", facts.system.map(Json::from)),
        ("compiler", compiler.map(Json::from)),
        ("profile", Some(if cfg!(debug_assertions) { "debug" } else { "release" }.into())),
        ("governor", facts.governor.map(Json::from)),
        ("load", host::load().map(Json::from)),
        ("processors", Some(json!(allowed))),
        ("quota_processors", host::cpu_quota().map(Json::from)),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
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

//! What identifies a record, and the conditions of its measurement, with advice where they
//! make figures doubtful.

use machine::Machine;
use records::product::cause_of_waits;
use records::record::{Fields, Record, Seal};
use serde_json::{Value as Json, json};
use system::facts::Facts;
use system::{date, host};

/// Reasons to distrust the figures that follow, as far as they can be determined from inside this
/// process, with advice.
pub(super) fn warnings() -> Vec<String> {
    let debug = "this is a debug build: times mean nothing; run it with `cargo run --release`";
    let debug = cfg!(debug_assertions).then(|| debug.to_owned());
    let quota = host::cpu_quota().filter(|quota| *quota < 1.0).map(|quota| {
        let (cause, remedy) = cause_of_waits(Some(quota), 1);
        format!("{cause}: wall times include its waits; use CPU times, or {remedy}")
    });
    debug.into_iter().chain(quota).collect()
}

/// An empty record of a program that only models `machine`.
pub fn modelled_record(program: &str, machine: &Machine) -> Record {
    let mut record = Record::new(program, machine.label());
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
        Some(_) => json!({ "name": machine.name, "sealed": true }),
    };
    record.seal = machine.seal.as_deref().map(Seal::of_machine);
}

/// The conditions of a measurement on this machine.
pub(super) fn environment(allowed: &[usize]) -> Fields {
    let facts = Facts::of_host();
    let all: [(&str, Option<Json>); 7] = [
        ("system", facts.system.map(Json::from)),
        ("profile", Some(if cfg!(debug_assertions) { "debug" } else { "release" }.into())),
        ("governor", facts.governor.map(Json::from)),
        ("transparent_huge_pages", facts.huge_pages.map(Json::from)),
        ("load", host::load().map(Json::from)),
        ("processors", Some(json!(allowed))),
        ("quota_processors", host::cpu_quota().map(Json::from)),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

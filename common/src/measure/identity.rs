//! What identifies a record.

use machine::Machine;
use records::record::{Record, Seal};
use serde_json::{Map, Value as Json, json};
use system::facts::Facts;
use system::{date, host};

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

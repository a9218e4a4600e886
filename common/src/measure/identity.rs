//! What identifies a record.

use machine::Machine;
use records::record::{Record, Seal};
use serde_json::json;
use system::date;

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

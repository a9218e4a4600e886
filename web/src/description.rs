//! Descriptions of machines, as the page sends them.

use machine::Machine;

/// The machine described by a text from the page.
pub(crate) fn machine(toml: &str) -> Result<Machine, String> {
    Machine::parse(toml, "the description").map_err(|error| error.to_string())
}

/// The same, unless it is sealed: the answer would reveal its sets.
pub(crate) fn open(toml: &str) -> Result<Machine, String> {
    let machine = machine(toml)?;
    if machine.sealed() {
        return Err("this description is sealed: open it on the page “The mystery”".to_owned());
    }
    Ok(machine)
}

//! Descriptions of machines, as the page sends them.

use machine::Machine;

/// The machine described by a text from the page.
pub(crate) fn machine(toml: &str) -> Result<Machine, String> {
    Machine::parse(toml, "the description").map_err(|error| error.to_string())
}

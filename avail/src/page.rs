//! The output: collected, and written at once.

use std::fmt::{Display, Write};

use common::failure::Failure;
use common::output;
use serde::Serialize;

/// Lines for standard output.
#[derive(Debug, Default)]
pub(crate) struct Page(String);

impl Page {
    /// Adds a line.
    pub(crate) fn say(&mut self, line: impl Display) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.0, "{line}");
    }

    /// Adds a line of a header: `Name                     : value`.
    pub(crate) fn line(&mut self, name: &str, value: impl Display) {
        self.say(format_args!("{name:<25}: {value}"));
    }

    /// Adds a horizontal line.
    pub(crate) fn rule(&mut self) {
        self.say("-".repeat(80));
    }

    /// Writes it.
    pub(crate) fn print(&self) -> Result<(), Failure> {
        output::print(&self.0)
    }
}

/// Prints one object.
pub(crate) fn json(object: &impl Serialize) -> Result<(), Failure> {
    output::print(&(serde_json::to_string_pretty(object).map_err(Failure::could_not)? + "\n"))
}

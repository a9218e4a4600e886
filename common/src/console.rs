//! Writes to standard output (data) and standard error (messages).

use std::fmt::Display;
use std::io::{self, Write};

use figures::text::clean;

use crate::failure::Failure;

/// Writes to standard output.
/// Fails if it is full or cannot be written to. A closed pipe is not an error.
pub fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// Prints a file's content to standard output.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::Reported,
        _ => Failure::CouldNot(format!(
            "cannot write to standard output: {error}; free some space, or redirect the output"
        )),
    })
}

/// One line on standard error. Errors are ignored: no result is lost.
pub fn message(line: impl Display) {
    let _ = writeln!(io::stderr(), "{}", clean(&line.to_string()));
}

//! Reads saved curves: every format in which a program of this lab (or the C kit before it)
//! has ever printed a sweep of array size and stride.
//!
//! | format | looks like |
//! |---|---|
//! | oldest kit | `CSIZE=8192 STRIDE=1 avgMISSES=0.000294 avgTIME=0.003029` |
//! | newer kit, and ours | `cache_size=8192 stride=1 avg_misses=0.000294 avg_time=0.003029 ...` |
//! | spark's table | a header `size stride elapsed(s) cycles`, then numbers, then perhaps `source=timing repeats=100`; `[LOG]` lines |
//! | CSV | a header that names the columns: `size_bytes,stride_bytes,ns_per_access`, `Array size (KiB)`; also with `;` or tabs, and below `sep=;` |
//! | one column per size | `stride_bytes,4k,8k,16k,...`, nanoseconds per access |
//! | JSON record | what `--record` and `--format json` write |
//!
//! Decimals are separated by a point or, in the whole file, by a comma; misses may be
//! percentages. Small damage is accepted with a note. Data are never guessed: the file is
//! refused with the number of the line. [`limits`] says how much is read.

mod error;
mod header;
mod json;
mod keyed;
pub mod limits;
mod lines;
mod merge;
mod numbers;
mod other_files;
mod raw;
mod sweep;
mod table;

use figures::encoding;
use figures::units::Bytes;
use figures::value::Reading;

use crate::authentic::check;
use crate::record::{Record, Row};
pub use error::SavedError;
use raw::{RawCell, RawSweep};
pub use sweep::{Saved, SavedCell, counts_misses};

impl Saved {
    /// Reads a file in any of the formats and of the [`encoding`]s.
    ///
    /// # Errors
    ///
    /// The same as for [`parse`](Saved::parse), and if it is not text.
    pub fn read(bytes: &[u8]) -> Result<Saved, SavedError> {
        within_limit(bytes)?;
        Saved::parse(&encoding::decode(bytes)?)
    }

    /// Reads a text in any of the formats.
    ///
    /// # Errors
    ///
    /// If no row is found, a line cannot be understood, or the text is above one of the
    /// [`limits`].
    pub fn parse(text: &str) -> Result<Saved, SavedError> {
        within_limit(text.as_bytes())?;
        let text = &*encoding::plain(text);
        check(text)?;
        let read = found(text).and_then(RawSweep::sweep);
        read.map_err(|error| match error {
            SavedError::TooMuch(_) => error,
            error => other_files::describe(text).map_or(error, SavedError::OtherProgram),
        })
    }

    /// The sweep of a new record, as if it had been read from a file.
    pub fn of(record: &Record) -> Saved {
        let mut found = RawSweep::of_rows();
        if let Some(event) = record.settings.get("event").and_then(|event| event.as_str()) {
            found.note_event(1, event);
        }
        found.cells = (1..).zip(&record.rows).filter_map(|(line, row)| of_row(row, line)).collect();
        found.sweep().unwrap_or_default()
    }
}

fn within_limit(file: &[u8]) -> Result<(), SavedError> {
    if file.len() as u64 > limits::BYTES {
        return Err(SavedError::TooMuch(format!("has more than {}", Bytes(limits::BYTES))));
    }
    Ok(())
}

fn found(text: &str) -> Result<RawSweep, SavedError> {
    let start = text.trim_start();
    if start.starts_with(['{', '[']) && !start.starts_with("[LOG]") {
        return json::parse(text);
    }
    match table::recognise(text) {
        Some(table) => table.parse(text),
        None => keyed::parse(text),
    }
}

/// The cell of a record's row.
fn of_row(row: &Row, line: usize) -> Option<RawCell> {
    let micros = || row.reading("avg_time_us").map(|micros| micros.scaled(1e3));
    let time = row.reading("ns_per_access").cloned().or_else(micros);
    let misses = row.reading("avg_misses");
    Some(RawCell {
        cell: SavedCell {
            size: row.whole("size_bytes")?,
            stride: row.whole("stride_bytes")?,
            misses: misses.and_then(Reading::amount),
            nanos: time.as_ref().and_then(Reading::amount),
        },
        counted: misses.and_then(Reading::source),
        timed: time.as_ref().and_then(Reading::source),
        line,
    })
}

#[cfg(test)]
mod tests;

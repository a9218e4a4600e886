//! Reading saved curves: every format in which a program of this lab (or the
//! C kit before it) has ever printed a sweep of array size and stride.
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
//! Decimals are set off by a point or, in the whole file, by a comma; misses may be in
//! per cent. Small damage is tolerated and noted; where the data would have to be
//! guessed, the file is refused and the line named. How much is read at all
//! is in [`limits`].

mod header;
mod json;
mod keyed;
pub mod limits;
mod lines;
mod merge;
mod numbers;
mod other_files;
mod raw;
mod table;

use figures::encoding::{self, NotText};
use figures::text::shorten;
use figures::units::Bytes;
use figures::value::{Reading, Source};
use thiserror::Error;

use crate::authentic::{Changed, check};
use crate::record::{Record, Row};
use merge::TOO_COARSE;
use raw::{RawCell, RawSweep};

/// One cell of a sweep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Bytes walked over.
    pub size: u64,
    /// Bytes from one access to the next.
    pub stride: u64,
    /// Misses per access, if the file has them.
    pub misses: Option<f64>,
    /// Nanoseconds per access, if the file has them.
    pub nanos: Option<f64>,
}

/// A sweep as it was found in a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Saved {
    /// The cells in order of size, then stride; no cell twice.
    pub cells: Vec<Cell>,
    /// The event that was counted, where the file names it.
    pub event: Option<String>,
    /// Where the misses come from, or, if there are none, the times; where the
    /// file says it. Of several sources the weakest.
    pub source: Option<Source>,
    /// What was tolerated, one sentence each.
    pub notes: Vec<String>,
    /// Those of the notes that report damage: a line cut off, an entry that is
    /// no number.
    pub damage: Vec<String>,
    /// The most decimals with which misses per access are written, where the file is a text
    /// that has them.
    pub decimals: Option<usize>,
}

/// The file cannot be read as a sweep.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SavedError {
    /// Nothing in it.
    #[error(
        "there is no row of a sweep in it; expected is the output of cm1 or spark: lines like \
         'cache_size=8192 stride=1 avg_misses=0.01 avg_time=0.003', or a table with a header like \
         'size stride elapsed(s) cycles'"
    )]
    Empty,
    /// Rows without a single figure.
    #[error("its rows have no figure that can be used ({0}); give the file as cm1 or spark wrote it")]
    NoFigures(String),
    /// Two ways to write decimals, or one that can be read in two ways.
    #[error("{0}; write decimals with a point, or all with a comma, and no separators of thousands")]
    Decimals(String),
    /// A unit that is not known.
    #[error(
        "line {line} calls a column '{name}', whose unit is not known; expected are bytes (B, KiB, MiB), seconds \
         (ns, us, ms, s) or %"
    )]
    Unit {
        /// Counted from 1.
        line: usize,
        /// As it is in the header.
        name: String,
    },
    /// Misses of several events, which have no curve in common.
    #[error(
        "{place} counts {others}, those before it {known}; a sweep has one event: put each in its own file"
    )]
    Events {
        /// The first.
        known: String,
        /// The others, the first few of them.
        others: String,
        /// Where the second begins.
        place: String,
    },
    /// Misses of whole cells.
    #[error(
        "its column '{name}' has the misses of a whole cell ({total} in {place}) and not those of one access; divide \
         them by the accesses of the cell, and call the column avg_misses"
    )]
    Totals {
        /// The column.
        name: String,
        /// The first above 1.
        total: String,
        /// Where it is.
        place: String,
    },
    /// Times that were rounded away.
    #[error("the times of all its {0} rows {TOO_COARSE}")]
    Coarse(usize),
    /// One line makes no sense.
    #[error("line {line} {what}: '{text}'; correct or remove it")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong, as a clause.
        what: String,
        /// The beginning of the line.
        text: String,
    },
    /// A JSON text that is not a record of a sweep.
    #[error("it is JSON, but {0}; give what cm1 or spark wrote with --format json or --record")]
    Json(String),
    /// The output of a program that sweeps nothing.
    #[error("this is {0}, which is no sweep of array size and stride; give what spark or cm1 wrote")]
    Stranger(String),
    /// The record of a sealed machine, not as it was made.
    #[error(transparent)]
    Changed(#[from] Changed),
    /// No text.
    #[error(transparent)]
    NotText(#[from] NotText),
    /// More than the reader takes in: see [`limits`].
    #[error("it {0}, more than any sweep of spark or cm1; give the file that one of them wrote")]
    TooMuch(String),
}

impl Saved {
    /// Reads a file in any of the formats and of the [`encoding`]s.
    ///
    /// # Errors
    ///
    /// As [`parse`](Saved::parse), and if it is not text.
    pub fn read(bytes: &[u8]) -> Result<Saved, SavedError> {
        within_limit(bytes)?;
        Saved::parse(&encoding::decode(bytes)?)
    }

    /// Reads a text in any of the formats.
    ///
    /// # Errors
    ///
    /// If no row is found, a line cannot be understood, or the text is beyond
    /// the [`limits`].
    pub fn parse(text: &str) -> Result<Saved, SavedError> {
        within_limit(text.as_bytes())?;
        let text = &*encoding::plain(text);
        check(text)?;
        let read = found(text).and_then(RawSweep::sweep);
        read.map_err(|error| match error {
            SavedError::TooMuch(_) => error,
            error => other_files::describe(text).map_or(error, SavedError::Stranger),
        })
    }

    /// The sweep of a record that was just made, as it would be read back.
    pub fn of(record: &Record) -> Saved {
        let mut found = RawSweep::of_rows();
        if let Some(event) = record.settings.get("event").and_then(|event| event.as_str()) {
            found.note_event(1, event);
        }
        found.cells = (1..).zip(&record.rows).filter_map(|(line, row)| of_row(row, line)).collect();
        found.sweep().unwrap_or_default()
    }

    /// Whether its misses can be misses by the event's name, and are not cycles,
    /// instructions or accesses.
    pub fn counts_misses(&self) -> bool {
        counts_misses(self.event.as_deref())
    }

    /// The sizes in the file, ascending.
    pub fn sizes(&self) -> Vec<u64> {
        let mut sizes: Vec<u64> = self.cells.iter().map(|c| c.size).collect();
        sizes.dedup();
        sizes
    }

    /// The cells of one size, by stride.
    pub fn row(&self, size: u64) -> impl Iterator<Item = &Cell> {
        let from = self.cells.partition_point(|cell| cell.size < size);
        self.cells[from..].iter().take_while(move |cell| cell.size == size)
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
    let time = row.reading("ns_per_access").cloned().or_else(micros).and_then(|time| time.value());
    let misses = row.reading("avg_misses").and_then(Reading::value);
    let [amount, nanos] = [misses, time].map(|value| value.map(|value| value.amount));
    Some(RawCell {
        cell: Cell {
            size: row.whole("size_bytes")?,
            stride: row.whole("stride_bytes")?,
            misses: amount,
            nanos,
        },
        counted: misses.map(|value| value.source),
        timed: time.map(|value| value.source),
        line,
    })
}

/// A line that cannot be used.
fn bad_line(line: usize, text: &str, what: impl Into<String>) -> SavedError {
    SavedError::Line { line, what: what.into(), text: shorten(text, limits::NAME) }
}

/// Whether `event` can be one of misses: of PAPI's presets those are, of other names all
/// but those of cycles and instructions. A sweep that names none has misses.
pub fn counts_misses(event: Option<&str>) -> bool {
    let Some(event) = event.map(str::to_ascii_uppercase) else { return true };
    if event.starts_with("PAPI_") {
        return ["CM", "DM", "IM", "TM"].iter().any(|end| event.ends_with(end));
    }
    !["CYC", "CLK", "CLOCK", "INS"].iter().any(|part| event.contains(part))
}

/// Whether this is how the kit prints a figure that could not be had.
fn is_gap(text: &str) -> bool {
    text.starts_with("not counted")
}

#[cfg(test)]
mod tests;

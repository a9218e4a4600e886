//! Reading saved curves: every format in which a program of this lab (or the
//! C kit before it) has ever printed a sweep of array size and stride.
//!
//! | format | looks like |
//! |---|---|
//! | oldest kit | `CSIZE=8192 STRIDE=1 avgMISSES=0.000294 avgTIME=0.003029` |
//! | newer kit, and ours | `cache_size=8192 stride=1 avg_misses=0.000294 avg_time=0.003029 ...` |
//! | spark's table | a header `size stride elapsed(s) cycles`, then numbers; `[LOG]` lines |
//! | CSV | a header that names the columns: `size_bytes,stride_bytes,ns_per_access` |
//! | one column per size | `stride_bytes,4k,8k,16k,...`, nanoseconds per access |
//! | JSON record | what `--record` and `--format json` write |
//!
//! Small damage is tolerated and noted; where the data would have to be
//! guessed, the file is refused and the line named.

mod json;
mod keyed;
mod merge;
mod table;

use thiserror::Error;

use crate::record::{self, Record};
use figures::value::Source;

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
    /// Where the figures come from, where the file says it.
    pub source: Option<Source>,
    /// What was tolerated, one sentence each.
    pub notes: Vec<String>,
    /// Those of the notes that tell of damage: a line cut off, an entry that is
    /// no number.
    pub damage: Vec<String>,
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
}

impl Saved {
    /// Reads a text in any of the formats.
    ///
    /// # Errors
    ///
    /// If no row is found, or a line cannot be understood.
    pub fn parse(text: &str) -> Result<Saved, SavedError> {
        let text = text.trim_start_matches('\u{feff}');
        let mut found =
            if text.trim_start().starts_with(['{', '[']) && !text.trim_start().starts_with("[LOG]") {
                json::parse(text)?
            } else {
                let lines = Lines::of(text);
                if table::recognises(&lines) { table::parse(&lines)? } else { keyed::parse(&lines)? }
            };
        if found.rows.is_empty() {
            return Err(SavedError::Empty);
        }
        let cells = merge::merge(&mut found)?;
        Ok(Saved {
            cells,
            event: found.event,
            source: found.source,
            notes: found.notes,
            damage: found.damage,
        })
    }

    /// The sweep of a record that was just made, as it would be read back.
    pub fn of(record: &Record) -> Saved {
        let cell = |row: &record::Row| {
            let micros = row.amount("avg_time_us").map(|micros| micros * 1e3);
            Some(Cell {
                size: row.whole("size_bytes")?,
                stride: row.whole("stride_bytes")?,
                misses: row.amount("avg_misses"),
                nanos: row.amount("ns_per_access").or(micros),
            })
        };
        let mut cells: Vec<Cell> = record.rows.iter().filter_map(cell).collect();
        cells.sort_by_key(|cell| (cell.size, cell.stride));
        let event = record.settings.get("event").and_then(|event| event.as_str());
        let counted = record.rows.iter().find_map(|row| row.reading("avg_misses")?.value());
        Saved {
            cells,
            event: event.map(str::to_owned),
            source: counted.map(|value| value.source),
            ..Saved::default()
        }
    }

    /// The sizes in the file, ascending.
    pub fn sizes(&self) -> Vec<u64> {
        let mut sizes: Vec<u64> = self.cells.iter().map(|c| c.size).collect();
        sizes.dedup();
        sizes
    }

    /// The cells of one size, by stride.
    pub fn row(&self, size: u64) -> impl Iterator<Item = &Cell> {
        self.cells.iter().filter(move |c| c.size == size)
    }
}

/// A row before duplicates are merged, with the line it stood on.
struct Row {
    cell: Cell,
    line: usize,
}

/// What a parser found.
#[derive(Default)]
struct Found {
    rows: Vec<Row>,
    event: Option<String>,
    source: Option<Source>,
    notes: Vec<String>,
    damage: Vec<String>,
}

impl Found {
    fn note_damage(&mut self, note: String) {
        self.damage.push(note.clone());
        self.notes.push(note);
    }

    fn note_event(&mut self, event: &str) {
        match &self.event {
            None => self.event = Some(event.to_owned()),
            Some(known) if known != event => {
                let note =
                    format!("the file mixes rows of {known} and of {event}; they are read as one curve");
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
            }
            Some(_) => {}
        }
    }

    fn note_source(&mut self, source: &str) {
        self.source = match source {
            "hardware" => Some(Source::Hardware),
            "timing" => Some(Source::Timing),
            "model" => Some(Source::Model),
            "analytic" => Some(Source::Analytic),
            _ => self.source,
        };
    }
}

/// The lines that can hold data, with their numbers, and whether the text ends
/// in the middle of the last one.
struct Lines<'a> {
    lines: Vec<(usize, &'a str)>,
    cut: bool,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Lines<'a> {
        let lines = (1..)
            .zip(text.lines())
            .map(|(number, line)| (number, line.trim()))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with("[LOG]") && !line.starts_with('#'))
            .collect();
        Lines { lines, cut: !text.is_empty() && !text.ends_with('\n') }
    }

    fn is_last(&self, number: usize) -> bool {
        self.lines.last().is_some_and(|&(last, _)| last == number)
    }
}

/// A line that cannot be used.
fn bad_line(line: usize, text: &str, what: impl Into<String>) -> SavedError {
    SavedError::Line { line, what: what.into(), text: text.chars().take(60).collect() }
}

/// A finite number that can be a count or a time, else `None`.
fn amount(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|v: &f64| v.is_finite() && *v >= 0.0)
}

#[cfg(test)]
mod tests;

//! Tables with a header: spark's, CSV with named columns, and one column per
//! array size.

use figures::text::shorten;

use super::found::{Found, FoundCell, source};
use super::limits::{COLUMNS, NAME};
use super::lines::{self, Line, Mark};
use super::{Cell, SavedError, amount, bad_line, bytes, is_gap};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Column {
    Size,
    Stride,
    Misses,
    Nanos,
    /// Microseconds per access, as cm1 prints.
    Micros,
    /// Seconds for the whole cell: `repeats` * stride passes over the array.
    Elapsed,
    Event,
    /// Source of whatever the row tells.
    Source,
    MissesSource,
    TimeSource,
    /// Nanoseconds per access at this array size.
    NanosAt(u64),
    Other,
}

/// How a column may be called, in lower case.
const NAMES: [(Column, &[&str]); 10] = [
    (Column::Size, &["size", "size_bytes", "cache_size", "array_size", "array_bytes", "csize"]),
    (Column::Stride, &["stride", "stride_bytes"]),
    (Column::Misses, &["avg_misses", "avgmisses", "misses_per_access", "misses"]),
    (Column::Nanos, &["ns_per_access", "ns"]),
    (Column::Micros, &["avg_time_us", "avg_time", "avgtime", "us_per_access"]),
    (Column::Elapsed, &["elapsed(s)", "elapsed", "elapsed_s", "elapsed_seconds", "seconds"]),
    (Column::Event, &["event"]),
    (Column::Source, &["source"]),
    (Column::MissesSource, &["avg_misses_source", "misses_source"]),
    (Column::TimeSource, &["ns_per_access_source", "avg_time_us_source"]),
];

/// spark's passes per stride, where the file does not say them.
const USUAL_REPEATS: f64 = 100.0;

/// C's `%lf` has six decimals: half of the last is what rounding may have changed.
const ROUNDING: f64 = 0.5e-6;
/// Rounding by more than this share is told, ...
const COARSE: f64 = 0.05;
/// ... and by as much leaves nothing of a time.
const GONE: f64 = 0.5;

/// Lines that may stand above the header.
const HEAD: usize = 20;

/// A table that was recognised.
pub(super) struct Table {
    mark: Mark,
    /// The line with the header; 0 if it was lost.
    header: usize,
    columns: Vec<Column>,
}

fn column(name: &str) -> Column {
    let name = name.to_ascii_lowercase();
    NAMES
        .iter()
        .find(|(_, names)| names.contains(&name.as_str()))
        .map_or(Column::Other, |(column, _)| *column)
}

/// The columns, if these are the entries of a header.
fn columns(names: &[String]) -> Option<Vec<Column>> {
    let (first, rest) = names.split_first()?;
    if column(first) == Column::Stride && !rest.is_empty() {
        let wide: Option<Vec<Column>> = rest.iter().map(|name| bytes(name).map(Column::NanosAt)).collect();
        if let Some(wide) = wide {
            return Some([vec![Column::Stride], wide].concat());
        }
    }
    let columns: Vec<Column> = names.iter().map(|name| column(name)).collect();
    (columns.contains(&Column::Size) && columns.contains(&Column::Stride)).then_some(columns)
}

/// The table that `text` is, if it is one.
pub(super) fn recognise(text: &str) -> Option<Table> {
    let with_header = |mark: Mark| {
        let head = |line: Line| Some(Table { mark, header: line.number, columns: columns(&line.entries)? });
        lines::split(text, mark).take(HEAD).find_map(head)
    };
    Mark::ALL
        .into_iter()
        .find_map(with_header)
        .or_else(|| Mark::ALL.into_iter().find_map(|mark| bare(text, mark)))
}

/// spark's rows whose header was lost; the last may be damaged.
fn bare(text: &str, mark: Mark) -> Option<Table> {
    let numbers =
        |line: &Line| line.entries.len() >= 4 && line.entries[..4].iter().all(|e| amount(e).is_some());
    let mut lines = lines::split(text, mark);
    let first = lines.next()?;
    let all = numbers(&first) && !first.last && lines.all(|line| line.last || numbers(&line));
    let columns = vec![Column::Size, Column::Stride, Column::Elapsed, Column::Other];
    all.then_some(Table { mark, header: 0, columns })
}

impl Table {
    /// Reads the rows of `text`.
    pub(super) fn parse(mut self, text: &str) -> Result<Found, SavedError> {
        let mut found = Found::default();
        if self.header == 0 {
            found.note("the table has no header; it is read as spark's: size stride seconds cycles");
        }
        if self.columns.contains(&Column::Nanos) || self.columns.contains(&Column::Micros) {
            self.columns.iter_mut().filter(|c| **c == Column::Elapsed).for_each(|c| *c = Column::Other);
        }
        let mut usual = false;
        for line in lines::split(text, self.mark) {
            if line.number < self.header {
                let text = shorten(line.text, NAME);
                found.note(format!("line {}, above the header, is skipped: '{text}'", line.number));
            } else if columns(&line.entries).is_none() {
                // (a file that two runs were appended to repeats the header)
                usual |= self.row(line, lines::is_cut(text), &mut found)?;
            }
        }
        if usual {
            found.note("the time per access is taken for spark's usual 100 * stride passes over each array");
        }
        Ok(found)
    }

    /// Adds the cells of one line; whether spark's usual passes were assumed.
    fn row(&self, mut line: Line, cut: bool, found: &mut Found) -> Result<bool, SavedError> {
        let number = line.number;
        if line.entries.len() > COLUMNS {
            return Err(bad_line(number, line.text, format!("has more than {COLUMNS} entries")));
        }
        if line.is_open() {
            return Err(bad_line(number, line.text, "opens a quotation mark that is never closed"));
        }
        let beyond = line.entries.split_off(line.entries.len().min(self.columns.len()));
        let appended = Appended::of(&beyond).ok_or_else(|| {
            let (entries, columns) = (line.entries.len() + beyond.len(), self.columns.len());
            bad_line(number, line.text, format!("has {entries} entries for {columns} columns"))
        })?;
        if cut && line.last && line.entries.len() < self.columns.len() {
            found.note_damage(format!("line {number}, the last, is cut off; its last entry is left out"));
            line.entries.pop();
        } else if !line.last
            && line.entries.len() < self.columns.len()
            && self.columns.contains(&Column::Size)
        {
            let (entries, columns) = (line.entries.len(), self.columns.len());
            found.note_damage(format!(
                "line {number} has {entries} entries for {columns} columns; what it lacks is left open"
            ));
        }
        let row = Entries { columns: &self.columns, entries: &line.entries, appended, number };
        let places = row.get(Column::Stride).and_then(bytes).zip(row.sizes());
        let Some((stride, size)) = places else {
            if !line.last {
                return Err(bad_line(
                    number,
                    line.text,
                    "has no array size and stride where the header has them",
                ));
            }
            found.note_damage(format!(
                "line {number}, the last, has no array size and stride; it is left out"
            ));
            return Ok(false);
        };
        match size {
            Some(size) => row.cell(size, stride, found),
            None => row.cells(stride, found).map(|()| false),
        }
    }
}

/// By what share C's `%lf` may have changed a number when it rounded it: 3
/// microseconds as `0.000003` by a sixth.
fn rounded(entry: &str) -> f64 {
    let six = entry.split_once('.').is_some_and(|(_, decimals)| decimals.len() == 6);
    if six { amount(entry).map_or(0.0, |seconds| ROUNDING / seconds) } else { 0.0 }
}

/// What the kit has appended to a line of spark's since the first table.
#[derive(Default)]
struct Appended<'a> {
    source: Option<&'a str>,
    repeats: Option<f64>,
}

impl<'a> Appended<'a> {
    /// `source=timing`, `median of 3 (0.1 to 0.2)`, `repeats=100`; `None` where
    /// an entry is nothing of the kind. Blanks may have taken the tabs' places.
    fn of(entries: &'a [String]) -> Option<Appended<'a>> {
        let mut appended = Appended::default();
        let mut entries = entries.iter();
        while let Some(entry) = entries.next() {
            match entry.split_once('=') {
                Some(("source", name)) => appended.source = Some(name),
                Some(("repeats", number)) => appended.repeats = Some(amount(number).filter(|n| *n >= 1.0)?),
                Some(_) => {}
                None if entry == "median" => _ = entries.find(|word| word.ends_with(')'))?,
                None if entry.starts_with("median of ") => {}
                None => return None,
            }
        }
        Some(appended)
    }
}

/// The entries of one line by their columns.
struct Entries<'a> {
    columns: &'a [Column],
    entries: &'a [String],
    appended: Appended<'a>,
    number: usize,
}

impl<'a> Entries<'a> {
    fn get(&self, wanted: Column) -> Option<&'a str> {
        let at = self.columns.iter().position(|column| *column == wanted)?;
        self.entries.get(at).map(String::as_str).filter(|entry| !entry.is_empty())
    }

    /// `Some(None)` if every column is of its own size.
    fn sizes(&self) -> Option<Option<u64>> {
        match self.columns.get(1) {
            Some(Column::NanosAt(_)) => Some(None),
            _ => self.get(Column::Size).and_then(bytes).map(Some),
        }
    }

    /// The number in a column; what is there and is none is noted.
    fn amount(&self, wanted: Column, found: &mut Found) -> Option<f64> {
        self.number_of(self.get(wanted)?, found)
    }

    fn number_of(&self, entry: &str, found: &mut Found) -> Option<f64> {
        let number = amount(entry);
        if number.is_none() && !is_gap(entry) {
            let (line, entry) = (self.number, shorten(entry, NAME));
            found.note_damage(format!(
                "line {line}: '{entry}' is not a usable number; that cell is left open"
            ));
        }
        number
    }

    /// Adds the cell of a row that has one; whether spark's usual passes were
    /// assumed for it.
    fn cell(&self, size: u64, stride: u64, found: &mut Found) -> Result<bool, SavedError> {
        if let Some(event) = self.get(Column::Event) {
            found.note_event(event);
        }
        let either = self.get(Column::Source).or(self.appended.source);
        let from = |column: Column| self.get(column).or(either).and_then(source);
        // repeats * stride passes of size / stride accesses each
        let repeats = self.appended.repeats.unwrap_or(USUAL_REPEATS);
        let accesses = repeats * stride as f64 * (size / stride).max(1) as f64;
        let misses = self.amount(Column::Misses, found);
        let nanos = self.amount(Column::Nanos, found);
        let micros = self.amount(Column::Micros, found).map(|micros| micros * 1e3);
        let seconds = self.amount(Column::Elapsed, found);
        let rounding = seconds.and(self.get(Column::Elapsed)).map_or(0.0, rounded);
        found.coarse += usize::from(rounding > COARSE);
        let elapsed = seconds.filter(|_| rounding < GONE).map(|seconds| seconds * 1e9 / accesses);
        found.push(FoundCell {
            cell: Cell { size, stride, misses, nanos: nanos.or(micros).or(elapsed) },
            counted: from(Column::MissesSource),
            timed: from(Column::TimeSource),
            line: self.number,
        })?;
        Ok(elapsed.is_some() && self.appended.repeats.is_none())
    }

    /// Adds the cells of a row with one column per size; an empty entry is a
    /// cell that was not run.
    fn cells(&self, stride: u64, found: &mut Found) -> Result<(), SavedError> {
        for (column, entry) in self.columns.iter().zip(self.entries) {
            if let Column::NanosAt(size) = *column
                && !entry.is_empty()
            {
                let nanos = self.number_of(entry, found);
                let cell = Cell { size, stride, misses: None, nanos };
                found.push(FoundCell { cell, counted: None, timed: None, line: self.number })?;
            }
        }
        Ok(())
    }
}

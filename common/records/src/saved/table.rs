//! Tables with a header: spark's, CSV with named columns, and one column per
//! array size.

use figures::text::shorten;

use super::error::bad_line;
use super::header::{self, Column, Head};
use super::limits::{COLUMNS, ENTRY, NAME};
use super::lines::{self, Line, Mark};
use super::numbers::Numbers;
use super::raw::{RawCell, RawSweep, source};
use super::{SavedCell, SavedError};

/// spark's passes per stride, if the file does not give them.
const USUAL_REPEATS: f64 = 100.0;

/// C's `%lf` has six decimals: rounding may have changed a number by half of the last.
const ROUNDING: f64 = 0.5e-6;
/// A larger share of rounding is reported, ...
const COARSE: f64 = 0.05;
/// ... and above this share a time is useless.
const GONE: f64 = 0.5;

/// Number of lines that may precede the header.
const HEAD: usize = 20;

/// A table that was recognised.
pub(super) struct Table {
    mark: Mark,
    /// The line of the header; 0 if it is missing.
    header: usize,
    columns: Vec<Head>,
    /// The names in the header.
    names: Vec<String>,
}

/// The columns, if these entries are a header.
fn columns(names: &[String]) -> Option<Vec<Head>> {
    let heads: Vec<Head> = names.iter().map(|name| header::head(name)).collect();
    let (first, rest) = heads.split_first()?;
    if first.column == Column::Stride && !rest.is_empty() {
        let size = |name: &String| Some(Column::NanosAt(Numbers::default().bytes(1, name, 1.0)?));
        let wide: Option<Vec<Column>> = names[1..].iter().map(size).collect();
        if let Some(wide) = wide {
            let wide = wide.into_iter().map(|column| Head { column, scale: Some(1.0) });
            return Some(std::iter::once(first.clone()).chain(wide).collect());
        }
    }
    let has = |wanted: Column| heads.iter().any(|head| head.column == wanted);
    (has(Column::Size) && has(Column::Stride)).then_some(heads)
}

/// Recognises a table in `text`.
pub(super) fn recognise(text: &str) -> Option<Table> {
    let with_header = |mark: Mark| {
        let head = |line: Line| {
            let columns = columns(&line.entries).filter(|_| mark.is_in(line.text))?;
            Some(Table { mark, header: line.number, columns, names: line.entries })
        };
        lines::split(text, mark).take(HEAD).find_map(head)
    };
    let marks = Mark::of(text);
    let without = || marks.iter().find_map(|mark| bare(text, *mark));
    marks.iter().copied().find_map(with_header).or_else(without)
}

/// spark's rows without their header; the last may be damaged.
fn bare(text: &str, mark: Mark) -> Option<Table> {
    let number = |entry: &String| Numbers::default().amount(1, entry).is_ok();
    let numbers = |line: &Line| line.entries.len() >= 4 && line.entries[..4].iter().all(number);
    let mut lines = lines::split(text, mark);
    let first = lines.next()?;
    let all = numbers(&first) && !first.last && lines.all(|line| line.last || numbers(&line));
    let names = ["size", "stride", "elapsed", "cycles"].map(str::to_owned).to_vec();
    all.then_some(Table { mark, header: 0, columns: columns(&names)?, names })
}

impl Table {
    /// Reads the rows of `text`.
    pub(super) fn parse(mut self, text: &str) -> Result<RawSweep, SavedError> {
        let mut found = RawSweep::default();
        if let Some((_, name)) = self.columns.iter().zip(&self.names).find(|(head, _)| head.scale.is_none()) {
            return Err(SavedError::Unit { line: self.header, name: shorten(name, NAME) });
        }
        let of = |wanted: Column| self.columns.iter().position(|head| head.column == wanted);
        if of(Column::Misses).is_none() {
            found.counts = of(Column::Count).map(|at| shorten(&self.names[at], NAME));
        }
        self.has_figures()?;
        if self.header == 0 {
            found.note("the table has no header; it is read as spark's: size stride seconds cycles");
        }
        if of(Column::Nanos).is_some() {
            let elapsed = self.columns.iter_mut().filter(|head| head.column == Column::Elapsed);
            elapsed.for_each(|head| head.column = Column::Other);
        }
        let mut usual = false;
        for line in lines::split(text, self.mark) {
            if line.number < self.header {
                let text = shorten(line.text, NAME);
                found.note(format!("line {}, above the header, is skipped: '{text}'", line.number));
            } else if columns(&line.entries).is_none() {
                // (a file with two runs has the header twice)
                usual |= self.row(line, lines::is_cut(text), &mut found)?;
            }
        }
        if usual {
            found.note("the time per access is taken for spark's usual 100 * stride passes over each array");
        }
        Ok(found)
    }

    /// Refuses a header without a column of figures.
    fn has_figures(&self) -> Result<(), SavedError> {
        let figure = |head: &Head| {
            use Column::{Count, Elapsed, Misses, Nanos, NanosAt};
            matches!(head.column, Misses | Count | Nanos | Elapsed | NanosAt(_))
        };
        if self.columns.iter().any(figure) {
            return Ok(());
        }
        let what = "has columns of size and stride but none of a figure; expected is avg_misses, ns_per_access, \
                    avg_time_us or elapsed(s)";
        Err(bad_line(self.header, &self.names.join(" "), what))
    }

    /// Adds the cells of one line; returns whether spark's usual passes were assumed.
    fn row(&self, mut line: Line, cut: bool, found: &mut RawSweep) -> Result<bool, SavedError> {
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
            && self.columns.iter().any(|head| head.column == Column::Size)
        {
            let (entries, columns) = (line.entries.len(), self.columns.len());
            found.note_damage(format!(
                "line {number} has {entries} entries for {columns} columns; what it lacks is left open"
            ));
        }
        let row = Entries { columns: &self.columns, entries: &line.entries, appended, number };
        let wide = matches!(self.columns.get(1), Some(Head { column: Column::NanosAt(_), .. }));
        let place = row.bytes(Column::Stride, "stride", found).and_then(|stride| {
            Ok((stride, if wide { None } else { Some(row.bytes(Column::Size, "array size", found)?) }))
        });
        match place {
            Ok((stride, Some(size))) => row.cell(size, stride, found),
            Ok((stride, None)) => row.cells(stride, found).map(|()| false),
            Err(_) if line.last => {
                found.note_damage(format!(
                    "line {number}, the last, has no array size and stride; it is left out"
                ));
                Ok(false)
            }
            Err(what) => Err(bad_line(number, line.text, what)),
        }
    }
}

/// The share by which C's `%lf` may have changed a number by rounding: for 3 microseconds
/// as `0.000003` a sixth.
fn rounded(entry: &str) -> f64 {
    let six = entry.split_once(['.', ',']).is_some_and(|(_, decimals)| decimals.len() == 6);
    if six { Numbers::default().amount(1, entry).map_or(0.0, |seconds| ROUNDING / seconds) } else { 0.0 }
}

/// The fields that newer versions add to a line of spark's.
#[derive(Default)]
struct Appended<'a> {
    source: Option<&'a str>,
    repeats: Option<f64>,
}

impl<'a> Appended<'a> {
    /// `source=timing`, `median of 3 (0.1 to 0.2)`, `repeats=100`; `None` if an entry is
    /// something else. Blanks may have replaced the tabs.
    fn of(entries: &'a [String]) -> Option<Appended<'a>> {
        let mut appended = Appended::default();
        let mut entries = entries.iter();
        while let Some(entry) = entries.next() {
            match entry.split_once('=') {
                Some(("source", name)) => appended.source = Some(name),
                Some(("repeats", number)) => {
                    appended.repeats =
                        Some(number.parse().ok().filter(|n: &f64| n.is_finite() && *n >= 1.0)?);
                }
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
    columns: &'a [Head],
    entries: &'a [String],
    appended: Appended<'a>,
    number: usize,
}

impl<'a> Entries<'a> {
    fn get(&self, wanted: Column) -> Option<&'a str> {
        self.scaled(wanted).map(|(entry, _)| entry)
    }

    /// The content of a column, and the factor that follows from its name.
    fn scaled(&self, wanted: Column) -> Option<(&'a str, f64)> {
        let at = self.columns.iter().position(|head| head.column == wanted)?;
        let entry = self.entries.get(at).map(String::as_str).filter(|entry| !entry.is_empty())?;
        Some((entry, self.columns[at].scale.unwrap_or(1.0)))
    }

    /// The bytes in a column, or what is wrong; a clause.
    fn bytes(&self, wanted: Column, what: &str, found: &mut RawSweep) -> Result<u64, String> {
        let (entry, scale) =
            self.scaled(wanted).ok_or_else(|| format!("has nothing in the column of the {what}"))?;
        found.numbers.bytes(self.number, entry, scale).ok_or_else(|| {
            let entry = shorten(entry, ENTRY);
            format!("has '{entry}' as its {what}, where bytes are expected, as 8192 or 8K")
        })
    }

    /// The number in a column; a note if it is not a number.
    fn amount(&self, wanted: Column, found: &mut RawSweep) -> Option<f64> {
        let (entry, scale) = self.scaled(wanted)?;
        let amount = found.amount(self.number, entry)?;
        // in a column of percentages, a percent sign in a cell is redundant
        Some(if entry.contains('%') { amount } else { amount * scale })
    }

    /// Adds the cell of a row; returns whether spark's usual passes were assumed.
    fn cell(&self, size: u64, stride: u64, found: &mut RawSweep) -> Result<bool, SavedError> {
        if let Some(event) = self.get(Column::Event) {
            found.note_event(self.number, event);
        }
        let either = self.get(Column::Source).or(self.appended.source);
        let from = |column: Column| self.get(column).or(either).and_then(source);
        // repeats * stride passes of size / stride accesses each
        let repeats = self.appended.repeats.unwrap_or(USUAL_REPEATS);
        let accesses = repeats * stride as f64 * (size / stride).max(1) as f64;
        let counted = if self.get(Column::Misses).is_some() { Column::Misses } else { Column::Count };
        let misses = self.amount(counted, found);
        if let (Some(_), Some(entry)) = (misses, self.get(counted)) {
            found.numbers.note_decimals(entry);
        }
        let nanos = self.amount(Column::Nanos, found);
        let seconds = self.amount(Column::Elapsed, found);
        let rounding = seconds.and(self.get(Column::Elapsed)).map_or(0.0, rounded);
        found.coarse += usize::from(rounding > COARSE);
        let elapsed = seconds.filter(|_| rounding < GONE).map(|seconds| seconds * 1e9 / accesses);
        found.push(RawCell {
            cell: SavedCell { size, stride, misses, nanos: nanos.or(elapsed) },
            counted: from(Column::MissesSource),
            timed: from(Column::TimeSource),
            line: self.number,
        })?;
        Ok(elapsed.is_some() && self.appended.repeats.is_none())
    }

    /// Adds the cells of a row with one column per size; an empty entry is a cell that was
    /// not measured.
    fn cells(&self, stride: u64, found: &mut RawSweep) -> Result<(), SavedError> {
        for (head, entry) in self.columns.iter().zip(self.entries) {
            if let Column::NanosAt(size) = head.column
                && !entry.is_empty()
            {
                let nanos = found.amount(self.number, entry);
                let cell = SavedCell { size, stride, misses: None, nanos };
                found.push(RawCell { cell, counted: None, timed: None, line: self.number })?;
            }
        }
        Ok(())
    }
}

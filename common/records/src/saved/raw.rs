//! The cells that a reader finds, before they are put into order.

use std::collections::BTreeMap;

use figures::text::shorten;
use figures::units::Bytes;
use figures::value::Source;

use super::numbers::Numbers;
use super::{Saved, SavedCell, SavedError, counts_misses, limits};

/// A cell of the file.
pub(super) struct RawCell {
    pub(super) cell: SavedCell,
    /// Source of the misses.
    pub(super) counted: Option<Source>,
    /// Source of the time.
    pub(super) timed: Option<Source>,
    /// Line, or row of a record, counted from 1.
    pub(super) line: usize,
}

/// The results of a reader.
#[derive(Default)]
pub(super) struct RawSweep {
    cells: Vec<RawCell>,
    event: Option<String>,
    pub(super) numbers: Numbers,
    notes: Vec<String>,
    damage: Vec<String>,
    /// Rows whose seconds have too few digits.
    pub(super) coarse: usize,
    /// Whether the number of passes was not in the file.
    pub(super) usual_repeats: bool,
}

impl RawSweep {
    pub(super) fn push(&mut self, cell: RawCell) -> Result<(), SavedError> {
        if self.cells.len() == limits::ROWS {
            return Err(SavedError::TooMuch(format!("{} rows", limits::ROWS)));
        }
        self.cells.push(cell);
        Ok(())
    }

    /// Notes a figure that cannot be used.
    pub(super) fn left_open(&mut self, line: usize, why: &str) {
        self.note_damage(format!("line {line}: {why}; that cell is left open"));
    }

    /// Notes a last line that is incomplete.
    pub(super) fn cut_off(&mut self, line: usize) {
        self.note_damage(format!("line {line}, the last, is cut off; it is left out"));
    }

    fn note_damage(&mut self, note: String) {
        if self.damage.len() < limits::NOTES {
            self.damage.push(note);
        }
    }

    /// Adds the event that a row names.
    pub(super) fn note_event(&mut self, line: usize, event: &str) -> Result<(), SavedError> {
        let event = shorten(event, limits::NAME);
        match &self.event {
            Some(known) if *known != event => {
                Err(SavedError::Events(format!("line {line} counts {event}, those before it {known}")))
            }
            Some(_) => Ok(()),
            None => {
                self.event = Some(event);
                Ok(())
            }
        }
    }

    /// The sweep, in order.
    pub(super) fn sweep(mut self) -> Result<Saved, SavedError> {
        if self.cells.is_empty() && self.damage.is_empty() {
            return Err(SavedError::Empty);
        }
        self.numbers.check()?;
        let source = self.source();
        let mut places: BTreeMap<(u64, u64), (usize, SavedCell)> = BTreeMap::new();
        let misses_counted = counts_misses(self.event.as_deref());
        for RawCell { mut cell, line, .. } in std::mem::take(&mut self.cells) {
            if !(1..=cell.size).contains(&cell.stride) || cell.size > limits::ARRAY {
                let what = format!(
                    "has an array of {} bytes and a stride of {}; arrays have up to {}, and a stride fits into them",
                    cell.size,
                    cell.stride,
                    Bytes(limits::ARRAY)
                );
                return Err(SavedError::NoFigures(format!("line {line} {what}")));
            }
            if let Some(misses) = cell.misses.filter(|misses| misses_counted && *misses > limits::MISSES) {
                self.left_open(line, &format!("{misses} misses per access are impossible"));
                cell.misses = None;
            }
            if let Some((first, _)) = places.insert((cell.size, cell.stride), (line, cell)) {
                return Err(SavedError::NoFigures(format!(
                    "lines {first} and {line} have the same array size {} and stride {}; put each run into its own file",
                    cell.size, cell.stride
                )));
            }
        }
        if self.coarse > 0 {
            self.notes.push(format!(
                "the times of {} rows have too few digits: sweep with more --repeats, or save with --format csv",
                self.coarse
            ));
        }
        if self.usual_repeats {
            self.notes.push("the time per access is taken for spark's usual 100 * stride passes".to_owned());
        }
        self.notes.extend(self.damage.iter().cloned());
        let cells: Vec<SavedCell> = places.into_values().map(|(_, cell)| cell).collect();
        let cells: Vec<SavedCell> =
            cells.into_iter().filter(|cell| cell.misses.is_some() || cell.nanos.is_some()).collect();
        if cells.is_empty() {
            let why =
                self.notes.first().map(|note| note.trim_end_matches("; that cell is left open").to_owned());
            return Err(SavedError::NoFigures(
                why.unwrap_or_else(|| "all are marked as not counted".to_owned()),
            ));
        }
        let decimals = self.numbers.decimals;
        Ok(Saved { cells, event: self.event, source, notes: self.notes, damage: self.damage, decimals })
    }

    /// The source of the misses or, without any, of the times. If there are several
    /// sources, the weakest.
    fn source(&mut self) -> Option<Source> {
        let counted = self.cells.iter().any(|found| found.cell.misses.is_some());
        let of = |found: &RawCell| {
            if counted { found.counted.filter(|_| found.cell.misses.is_some()) } else { found.timed }
        };
        let mut sources: Vec<Source> = SOURCES.map(|(_, source)| source).to_vec();
        sources.retain(|source| self.cells.iter().any(|found| of(found) == Some(*source)));
        let weakest = *sources.last()?;
        if sources.len() > 1 {
            let names: Vec<String> = sources.iter().map(Source::to_string).collect();
            self.notes.push(format!(
                "its figures come from different sources, {}; the whole is taken for the weakest, {weakest}",
                names.join(" and ")
            ));
        }
        Some(weakest)
    }
}

/// The sources by name, the strongest evidence about a machine first.
const SOURCES: [(&str, Source); 6] = [
    ("hardware", Source::Hardware),
    ("timing", Source::Timing),
    ("system", Source::System),
    ("model", Source::Model),
    ("stepped", Source::Stepped),
    ("analytic", Source::Analytic),
];

/// The source of that name.
pub(super) fn source(name: &str) -> Option<Source> {
    SOURCES.iter().find(|(known, _)| *known == name).map(|(_, source)| *source)
}

//! The cells that a parser finds, before they are put into order.

use std::collections::BTreeSet;

use figures::text::shorten;
use figures::value::Source;

use super::numbers::{Numbers, is_gap};
use super::{SavedCell, SavedError, limits};

/// A cell of the file.
pub(super) struct RawCell {
    pub(super) cell: SavedCell,
    /// Source of the misses.
    pub(super) counted: Option<Source>,
    /// Source of the time.
    pub(super) timed: Option<Source>,
    /// Line, or row of a list, counted from 1.
    pub(super) line: usize,
}

/// The name for the rows of a file.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Unit {
    /// A line of text.
    #[default]
    Line,
    /// A row of a list in JSON.
    Row,
}

impl Unit {
    pub(super) fn name(self) -> &'static str {
        match self {
            Unit::Line => "line",
            Unit::Row => "row",
        }
    }
}

/// The results of a parser.
#[derive(Default)]
pub(super) struct RawSweep {
    pub(super) cells: Vec<RawCell>,
    pub(super) event: Option<String>,
    other_events: BTreeSet<String>,
    /// The row of the first of those.
    second_event: Option<usize>,
    pub(super) numbers: Numbers,
    /// What messages call its rows: `line`, or `row` of a list.
    pub(super) unit: Unit,
    /// The column of misses whose name does not say whether they are per access.
    pub(super) counts: Option<String>,
    pub(super) notes: Vec<String>,
    pub(super) unsaid: usize,
    pub(super) damage: Vec<String>,
    /// Rows whose seconds have too few digits.
    pub(super) coarse: usize,
}

impl RawSweep {
    /// Results for a list of rows.
    pub(super) fn of_rows() -> RawSweep {
        RawSweep { unit: Unit::Row, ..RawSweep::default() }
    }

    /// Adds a cell.
    pub(super) fn push(&mut self, cell: RawCell) -> Result<(), SavedError> {
        if self.cells.len() == limits::ROWS {
            return Err(SavedError::TooMuch(format!("has more than {} rows", limits::ROWS)));
        }
        self.cells.push(cell);
        Ok(())
    }

    /// Adds a note on something that was accepted.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        if self.notes.len() < limits::NOTES {
            self.notes.push(note.into());
        } else {
            self.unsaid += 1;
        }
    }

    /// Adds a note on damage that was accepted.
    pub(super) fn note_damage(&mut self, note: impl Into<String>) {
        let note = note.into();
        if self.damage.len() < limits::NOTES {
            self.damage.push(note.clone());
        }
        self.note(note);
    }

    /// Adds the event that a row names.
    pub(super) fn note_event(&mut self, row: usize, event: &str) {
        let event = shorten(event, limits::NAME);
        match &self.event {
            None => self.event = Some(event),
            Some(known) if *known != event => {
                self.second_event.get_or_insert(row);
                self.other_events.insert(event);
            }
            Some(_) => {}
        }
    }

    /// The misses or the time in `entry`; a note if it is not a number.
    pub(super) fn amount(&mut self, row: usize, entry: &str) -> Option<f64> {
        match self.numbers.amount(row, entry) {
            Ok(amount) => Some(amount),
            Err(_) if is_gap(entry) => None,
            Err(why) => {
                let (unit, entry) = (self.unit.name(), shorten(entry.trim(), limits::NAME));
                self.note_damage(format!("{unit} {row}: '{entry}' {why}; that cell is left open"));
                None
            }
        }
    }

    /// [`amount`](RawSweep::amount) of misses per access.
    pub(super) fn misses(&mut self, row: usize, entry: &str) -> Option<f64> {
        let misses = self.amount(row, entry)?;
        self.numbers.note_decimals(entry);
        Some(misses)
    }

    /// Refuses misses of several events; times with several events are one curve.
    pub(super) fn check_events(&mut self) -> Result<(), SavedError> {
        let (Some(known), Some(row)) = (&self.event, self.second_event) else { return Ok(()) };
        let others: Vec<&str> = self.other_events.iter().take(3).map(String::as_str).collect();
        let more = match self.other_events.len().saturating_sub(others.len()) {
            0 => String::new(),
            more => format!(" and {more} events more"),
        };
        let others = others.join(", ") + &more;
        if self.cells.iter().any(|found| found.cell.misses.is_some()) {
            let (known, unit) = (known.clone(), self.unit.name());
            return Err(SavedError::Events { known, others, place: format!("{unit} {row}") });
        }
        self.note(format!(
            "the file mixes rows of {known} and of {others}; their times are read as one curve"
        ));
        Ok(())
    }

    /// Refuses whole numbers above 1 in a column that may have misses per cell.
    pub(super) fn check_counts(&self) -> Result<(), SavedError> {
        let Some(name) = &self.counts else { return Ok(()) };
        let misses = || self.cells.iter().filter_map(|found| Some((found.line, found.cell.misses?)));
        let total = misses().find(|(_, misses)| *misses > 1.0);
        match total {
            Some((row, total)) if misses().all(|(_, misses)| misses.fract() == 0.0) => {
                let (name, unit) = (name.clone(), self.unit.name());
                Err(SavedError::Totals { name, total: total.to_string(), place: format!("{unit} {row}") })
            }
            _ => Ok(()),
        }
    }

    /// The source of the misses or, without any, of the times. If there are several
    /// sources, the weakest.
    pub(super) fn source(&mut self) -> Option<Source> {
        let counted = self.cells.iter().filter(|found| found.cell.misses.is_some());
        let timed = self.cells.iter().filter(|found| found.cell.nanos.is_some());
        let sources: BTreeSet<(u8, &str)> = if self.cells.iter().any(|found| found.cell.misses.is_some()) {
            counted.filter_map(|found| found.counted).map(ranked).collect()
        } else {
            timed.filter_map(|found| found.timed).map(ranked).collect()
        };
        let names: Vec<&str> = sources.iter().map(|(_, name)| *name).collect();
        let weakest = *names.last()?;
        if names.len() > 1 {
            self.note(format!(
                "its figures come from different sources, {}; the whole is taken for the weakest, {weakest}",
                names.join(" and ")
            ));
        }
        source(weakest)
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

fn ranked(wanted: Source) -> (u8, &'static str) {
    let mut ranks = (0..).zip(SOURCES);
    ranks.find(|(_, (_, source))| *source == wanted).map_or((0, ""), |(rank, (name, _))| (rank, name))
}

/// The source of that name.
pub(super) fn source(name: &str) -> Option<Source> {
    SOURCES.iter().find(|(known, _)| *known == name).map(|(_, source)| *source)
}

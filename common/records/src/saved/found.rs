//! What a parser finds, cell by cell, before the cells are brought in order.

use std::collections::BTreeSet;

use figures::text::shorten;
use figures::value::Source;

use super::{Cell, SavedError, limits};

/// A cell as it stands in the file.
pub(super) struct FoundCell {
    pub(super) cell: Cell,
    /// Source of the misses.
    pub(super) counted: Option<Source>,
    /// Source of the time.
    pub(super) timed: Option<Source>,
    /// Line, or row of a list, counted from 1.
    pub(super) line: usize,
}

/// What a parser found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) cells: Vec<FoundCell>,
    pub(super) event: Option<String>,
    other_events: BTreeSet<String>,
    pub(super) notes: Vec<String>,
    pub(super) unsaid: usize,
    pub(super) damage: Vec<String>,
    /// Rows whose seconds have too few digits.
    pub(super) coarse: usize,
}

impl Found {
    /// Takes a cell in.
    pub(super) fn push(&mut self, cell: FoundCell) -> Result<(), SavedError> {
        if self.cells.len() == limits::ROWS {
            return Err(SavedError::TooMuch(format!("has more than {} rows", limits::ROWS)));
        }
        self.cells.push(cell);
        Ok(())
    }

    /// Something that was tolerated.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        if self.notes.len() < limits::NOTES {
            self.notes.push(note.into());
        } else {
            self.unsaid += 1;
        }
    }

    /// Something that was tolerated and is damage.
    pub(super) fn note_damage(&mut self, note: impl Into<String>) {
        let note = note.into();
        if self.damage.len() < limits::NOTES {
            self.damage.push(note.clone());
        }
        self.note(note);
    }

    /// The event that a row names.
    pub(super) fn note_event(&mut self, event: &str) {
        let event = shorten(event, limits::NAME);
        match &self.event {
            None => self.event = Some(event),
            Some(known) if *known != event => _ = self.other_events.insert(event),
            Some(_) => {}
        }
    }

    /// Notes that rows of several events are read as one curve.
    pub(super) fn tell_events(&mut self) {
        let Some(known) = &self.event else { return };
        let others: Vec<&str> = self.other_events.iter().take(3).map(String::as_str).collect();
        let more = match self.other_events.len().saturating_sub(others.len()) {
            0 => String::new(),
            more => format!(" and {more} events more"),
        };
        if !others.is_empty() {
            let others = others.join(", ");
            self.note(format!(
                "the file mixes rows of {known} and of {others}{more}; they are read as one curve"
            ));
        }
    }

    /// Where the misses come from; without any, where the times come from. Of
    /// several sources the weakest holds for the whole.
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
const SOURCES: [(&str, Source); 5] = [
    ("hardware", Source::Hardware),
    ("timing", Source::Timing),
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

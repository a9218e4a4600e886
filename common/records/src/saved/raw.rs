//! The cells that a reader finds, before they are put into order.

use std::collections::{BTreeMap, BTreeSet};

use figures::text::shorten;
use figures::units::Bytes;
use figures::value::Source;

use super::{ARRAY, MISSES, NAME, Saved, SavedCell, counts_misses};

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
    pub(super) cells: Vec<RawCell>,
    event: Option<String>,
    notes: Vec<String>,
    /// Rows whose seconds have too few digits.
    pub(super) coarse: usize,
    /// Whether the number of passes was not in the file.
    pub(super) usual_repeats: bool,
}

impl RawSweep {
    /// Adds the event that a row names.
    pub(super) fn note_event(&mut self, line: usize, event: &str) -> Result<(), String> {
        let event = shorten(event, NAME);
        let known = self.event.get_or_insert_with(|| event.clone());
        if *known == event {
            return Ok(());
        }
        Err(format!(
            "line {line} counts {event}, those before it {known}; a sweep has one event: put each into its own file"
        ))
    }

    /// The sweep, in order.
    pub(super) fn sweep(mut self) -> Result<Saved, String> {
        if self.cells.is_empty() {
            return Err(super::EMPTY.to_owned());
        }
        let source = self.source();
        let mut places: BTreeMap<(u64, u64), SavedCell> = BTreeMap::new();
        let mut again = Vec::new();
        let misses_counted = counts_misses(self.event.as_deref());
        for RawCell { cell, line, .. } in std::mem::take(&mut self.cells) {
            let SavedCell { size, stride, .. } = cell;
            if !(1..=size).contains(&stride) || size > ARRAY {
                return Err(format!(
                    "line {line} has an array of {size} bytes and a stride of {stride}; arrays have up to {}, and a stride fits into them",
                    Bytes(ARRAY)
                ));
            }
            if let Some(misses) = cell.misses.filter(|misses| misses_counted && *misses > MISSES) {
                return Err(format!("line {line}: {misses} misses per access are impossible"));
            }
            // Rows that were appended replace earlier ones of the same cell.
            if places.insert((size, stride), cell).is_some() {
                again.push(format!("{} at stride {}", Bytes(size), Bytes(stride)));
            }
        }
        if let Some(first) = again.first() {
            self.notes.push(format!(
                "cells that are in it more than once, {}, the first {first}: the last row of each is used",
                again.len()
            ));
        }
        if self.coarse > 0 {
            self.notes.push(format!(
                "the times of {} rows have too few digits and are left out: sweep with more --repeats, or save with --format csv",
                self.coarse
            ));
        }
        if self.usual_repeats {
            self.notes.push("the time per access is taken for spark's usual 100 * stride passes".to_owned());
        }
        // A cell without figures stays: it is a gap in its curve.
        let cells: Vec<SavedCell> = places.into_values().collect();
        if cells.iter().all(|cell| cell.misses.is_none() && cell.nanos.is_none()) {
            let why = self.notes.first().map_or("all are marked as not counted", String::as_str);
            return Err(format!("none of its rows has a figure that can be used: {why}"));
        }
        let RawSweep { event, notes, .. } = self;
        Ok(Saved { cells, event, source, notes })
    }

    /// The source of the misses or, without any, of the times. If there are several
    /// sources, the weakest.
    fn source(&mut self) -> Option<Source> {
        let counted = self.cells.iter().any(|found| found.cell.misses.is_some());
        let of = |found: &RawCell| {
            if counted { found.counted.filter(|_| found.cell.misses.is_some()) } else { found.timed }
        };
        let sources = Vec::from_iter(self.cells.iter().filter_map(of).collect::<BTreeSet<Source>>());
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

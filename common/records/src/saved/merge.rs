//! Puts cells into order: duplicates, impossible cells, missing figures.

use std::collections::BTreeMap;

use figures::stats;
use figures::units::Bytes;

use super::error::TOO_COARSE;
use super::raw::{RawCell, RawSweep};
use super::{Saved, SavedCell, SavedError, counts_misses, limits};

/// If two figures of one cell differ by more than this factor, they are not two runs of one
/// experiment.
const SAME: f64 = 1.5;

/// Below this number of misses per access a difference is noise, whatever its factor.
const NOISE: f64 = 0.05;

impl RawSweep {
    /// The sweep: each cell once, in order.
    pub(super) fn sweep(mut self) -> Result<Saved, SavedError> {
        if self.cells.is_empty() {
            return Err(SavedError::Empty);
        }
        self.numbers.check()?;
        self.check_events()?;
        self.check_counts()?;
        self.leave_out_impossible();
        let coarse = self.coarse;
        if coarse > 0 {
            self.note(format!("the times of {coarse} rows {TOO_COARSE}; results are as coarse"));
        }
        let source = self.source();
        let found = std::mem::take(&mut self.cells);
        let cells = merge(&found, &mut self).map_err(|error| match error {
            SavedError::Empty if coarse > 0 => SavedError::Coarse(coarse),
            SavedError::Empty => self.nothing_usable(),
            error => error,
        })?;
        if self.unsaid > 0 {
            self.notes.push(format!("and {} notes more of the kind", self.unsaid));
        }
        let decimals = self.numbers.decimals;
        Ok(Saved { cells, event: self.event, source, notes: self.notes, damage: self.damage, decimals })
    }

    /// Removes impossible numbers of misses.
    fn leave_out_impossible(&mut self) {
        if !counts_misses(self.event.as_deref()) {
            return;
        }
        let impossible = |found: &&mut RawCell| found.cell.misses.is_some_and(|m| m > limits::MISSES);
        let mut notes = Vec::new();
        for found in self.cells.iter_mut().filter(impossible) {
            let misses = found.cell.misses.take().unwrap_or_default();
            notes.push(format!(
                "{} {}: {misses} misses per access are impossible (at most {} are believed); that cell is left open",
                self.unit.name(),
                found.line,
                limits::MISSES
            ));
        }
        notes.into_iter().for_each(|note| self.note_damage(note));
    }

    /// Why there are rows without figures.
    fn nothing_usable(&self) -> SavedError {
        let why = self.damage.first().or_else(|| self.notes.iter().find(|note| note.contains("left o")));
        let why = why.map_or("they have neither misses per access nor times", |note| {
            note.strip_suffix("; that cell is left open").unwrap_or(note)
        });
        SavedError::NoFigures(why.to_owned())
    }
}

/// The cells in order, each once.
fn merge(cells: &[RawCell], notes: &mut RawSweep) -> Result<Vec<SavedCell>, SavedError> {
    let mut places: BTreeMap<(u64, u64), Vec<&RawCell>> = BTreeMap::new();
    for found in cells {
        let SavedCell { size, stride, .. } = found.cell;
        if size > limits::ARRAY {
            return Err(SavedError::TooMuch(format!(
                "has an array of {size} bytes in {} {}, larger than {}",
                notes.unit.name(),
                found.line,
                Bytes(limits::ARRAY)
            )));
        }
        if stride > size {
            let unit = notes.unit.name();
            notes.note(format!("{unit} {} has a stride beyond its array; it is left out", found.line));
            continue;
        }
        places.entry((size, stride)).or_default().push(found);
    }
    let repeated = places.values().filter(|found| found.len() > 1).count();
    let mut merged = Vec::new();
    for ((size, stride), found) in places {
        let misses = pick(&found, |cell| cell.misses, NOISE, notes);
        let nanos = pick(&found, |cell| cell.nanos, 0.0, notes);
        if misses.is_some() || nanos.is_some() {
            merged.push(SavedCell { size, stride, misses, nanos });
        }
    }
    if repeated > 0 {
        notes.note(format!("{repeated} cells are in the file more than once; their median is taken"));
    }
    if merged.is_empty() { Err(SavedError::Empty) } else { Ok(merged) }
}

/// The median of one cell's figures, unless they contradict each other.
fn pick(
    found: &[&RawCell],
    value: fn(&SavedCell) -> Option<f64>,
    noise: f64,
    notes: &mut RawSweep,
) -> Option<f64> {
    let values: Vec<f64> = found.iter().filter_map(|found| value(&found.cell)).collect();
    let (low, high) = (stats::quantile(&values, 0.0)?, stats::quantile(&values, 1.0)?);
    if high <= low * SAME || high - low <= noise {
        return stats::median(&values);
    }
    let SavedCell { size, stride, .. } = found[0].cell;
    notes.note(format!(
        "array size {size}, stride {stride} is there {} times with figures from {low} to {high} \
         ({}s {} and {}); that cell is left open",
        values.len(),
        notes.unit.name(),
        found[0].line,
        found[found.len() - 1].line
    ));
    None
}

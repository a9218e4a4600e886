//! The dirty lines that an exclusive level has moved to the level above: they are dirty
//! again when they return.

use crate::line_set::LineSet;
use crate::moves::Moves;

#[derive(Debug, Default)]
pub(crate) struct Promoted {
    lines: LineSet,
    /// Lines added or removed since the first open window was opened.
    changes: Vec<u64>,
    /// The number of these at the start of each open window.
    open: Vec<usize>,
}

impl Promoted {
    pub(crate) fn insert(&mut self, line: u64) {
        if self.lines.insert(line) {
            self.note(line);
        }
    }

    /// Removes a line; returns whether it was there.
    pub(crate) fn take(&mut self, line: u64) -> bool {
        let was_there = !self.lines.is_empty() && self.lines.remove(line);
        if was_there {
            self.note(line);
        }
        was_there
    }

    fn note(&mut self, line: u64) {
        if !self.open.is_empty() {
            self.changes.push(line);
        }
    }

    pub(crate) fn open_window(&mut self) {
        self.open.push(self.changes.len());
    }

    pub(crate) fn close_window(&mut self) {
        self.open.pop();
        if self.open.is_empty() {
            self.changes.clear();
        }
    }

    /// Whether the lines are those at the start of the last window, moved by `moves`.
    pub(crate) fn recurs(&self, moves: &Moves, shift: u32) -> bool {
        // Lines that were added or removed an odd number of times differ.
        let mut changed = LineSet::default();
        for line in &self.changes[self.open.last().copied().unwrap_or(0)..] {
            if !changed.remove(*line) {
                changed.insert(*line);
            }
        }
        if moves.is_none() {
            return changed.is_empty();
        }
        let stayed = self.lines.iter().filter(|line| !changed.contains(*line));
        let left = changed.iter().filter(|line| !self.lines.contains(*line));
        let mut before = 0;
        let mut all_moved = stayed.chain(left).all(|line| {
            before += 1;
            self.lines.contains(line.wrapping_add_signed(moves.lines(line, shift)))
        });
        all_moved &= before == self.lines.len();
        all_moved
    }

    /// Moves all lines `times` times.
    pub(crate) fn advance(&mut self, moves: &Moves, shift: u32, times: u64) {
        if moves.is_none() {
            return;
        }
        let lines: Vec<u64> = self.lines.iter().collect();
        for line in &lines {
            self.take(*line);
        }
        for line in lines {
            self.insert(line.wrapping_add_signed(moves.lines(line, shift) * times as i64));
        }
    }
}

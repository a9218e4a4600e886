//! The dirty lines that an exclusive level has moved to the level above: they are dirty
//! again when they return.

use std::collections::HashSet;

use foldhash::fast::FixedState;

use crate::journal::Moves;

type Lines = HashSet<u64, FixedState>;

#[derive(Debug, Default)]
pub(crate) struct Promoted {
    lines: Lines,
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
        let was_there = self.lines.remove(&line);
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
        // Each change adds a line or removes it, so those of a line undo each other in pairs.
        let mut changed = Lines::default();
        for line in &self.changes[self.open.last().copied().unwrap_or(0)..] {
            if !changed.remove(line) {
                changed.insert(*line);
            }
        }
        let before = self.lines.symmetric_difference(&changed);
        changed.is_empty() && moves.is_none() || moved(before, moves, shift, 1) == self.lines
    }

    /// Moves all lines `times` times.
    pub(crate) fn advance(&mut self, moves: &Moves, shift: u32, times: u64) {
        if moves.is_none() {
            return;
        }
        let after = moved(self.lines.iter(), moves, shift, times as i64);
        let changed: Vec<u64> = self.lines.symmetric_difference(&after).copied().collect();
        changed.into_iter().for_each(|line| self.note(line));
        self.lines = after;
    }
}

fn moved<'a>(lines: impl Iterator<Item = &'a u64>, moves: &Moves, shift: u32, times: i64) -> Lines {
    lines.map(|line| line.wrapping_add_signed(moves.lines(*line, shift) * times)).collect()
}

//! The dirty lines that an exclusive level has moved to the level above: they are dirty
//! again when they return.

use std::collections::BTreeSet;

use crate::journal::Moves;

#[derive(Debug, Default)]
pub(crate) struct Promoted {
    /// A bit for each line.
    lines: Vec<u64>,
    /// Lines added or removed since the first open window was opened.
    changes: Vec<u64>,
    /// The number of these at the start of each open window.
    open: Vec<usize>,
}

impl Promoted {
    pub(crate) fn insert(&mut self, line: u64) {
        self.set(line, true);
    }

    /// Removes a line; returns whether it was there.
    pub(crate) fn take(&mut self, line: u64) -> bool {
        self.set(line, false)
    }

    /// Adds or removes a line; returns whether that changes anything.
    fn set(&mut self, line: u64, is_there: bool) -> bool {
        let word = (line / 64) as usize;
        if word >= self.lines.len() {
            if !is_there {
                return false;
            }
            self.lines.resize(word + 1, 0);
        }
        let changes = (self.lines[word] >> (line % 64) & 1 == 1) != is_there;
        if changes {
            self.lines[word] ^= 1 << (line % 64);
            if !self.open.is_empty() {
                self.changes.push(line);
            }
        }
        changes
    }

    fn lines(&self) -> impl Iterator<Item = u64> {
        let words = self.lines.iter().zip(0..).filter(|(word, _)| **word != 0);
        words.flat_map(|(word, at)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * at + bit)
        })
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
        let mut changes = self.changes[self.open.last().copied().unwrap_or(0)..].to_vec();
        changes.sort_unstable();
        let changed = changes.chunk_by(|one, other| one == other).filter(|same| same.len() % 2 == 1);
        let mut changed = changed.map(|same| same[0]);
        if moves.is_none() {
            return changed.next().is_none();
        }
        let changed: BTreeSet<u64> = changed.collect();
        let now: BTreeSet<u64> = self.lines().collect();
        moved(now.symmetric_difference(&changed), moves, shift, 1) == now
    }

    /// Moves all lines `times` times.
    pub(crate) fn advance(&mut self, moves: &Moves, shift: u32, times: u64) {
        if moves.is_none() {
            return;
        }
        let now: BTreeSet<u64> = self.lines().collect();
        let after = moved(now.iter(), moves, shift, times as i64);
        for line in now.symmetric_difference(&after) {
            self.set(*line, after.contains(line));
        }
    }
}

fn moved<'a>(lines: impl Iterator<Item = &'a u64>, moves: &Moves, shift: u32, times: i64) -> BTreeSet<u64> {
    lines.map(|line| line.wrapping_add_signed(moves.lines(*line, shift) * times)).collect()
}

//! The lines of a level that evicts nothing, as the accesses of a loop ask for them.

use super::level::Level;
use super::moving::Moving;
use super::tag::{DIRTY, Tag, line_of, tag_of};

/// The line is there.
const HELD: u8 = 1;
/// It was asked for.
const ASKED: u8 = 2;
/// Newer data came to it.
const WRITTEN: u8 = 4;

#[derive(Debug)]
pub(super) struct Kept {
    /// By line, what is known of it.
    lines: Vec<u8>,
    /// In the period at hand: lines that came, those asked for the first time that were
    /// there before, and those that newer data came to.
    new: Vec<u64>,
    old: Vec<u64>,
    written: Vec<u64>,
}

impl Kept {
    /// The lines that `level` has at present.
    pub(super) fn of(level: &Level, arrays: &[Moving]) -> Kept {
        let end = arrays.iter().map(|array| (array.to >> level.shift) as usize + 1).max();
        let mut lines = vec![0; end.unwrap_or(0)];
        for tag in level.lines.all().iter().filter(|tag| **tag != 0) {
            if let Some(line) = lines.get_mut(line_of(*tag) as usize) {
                *line = HELD;
            }
        }
        Kept { lines, new: Vec::new(), old: Vec::new(), written: Vec::new() }
    }

    /// Begins a period.
    pub(super) fn begin(&mut self) {
        self.written.drain(..).for_each(|line| self.lines[line as usize] &= !WRITTEN);
        self.new.clear();
        self.old.clear();
    }

    /// Asks for the line; whether it was there.
    pub(super) fn fetch(&mut self, line: u64) -> bool {
        let known = &mut self.lines[line as usize];
        match *known & (HELD | ASKED) {
            0 => self.new.push(line),
            HELD => self.old.push(line),
            _ => return true,
        }
        let held = *known & HELD != 0;
        *known |= HELD | ASKED;
        held
    }

    /// Takes newer data for the line.
    pub(super) fn take(&mut self, line: u64) {
        let known = &mut self.lines[line as usize];
        if *known & WRITTEN == 0 {
            *known |= WRITTEN;
            self.written.push(line);
        }
    }

    /// Whether in so many more periods, each of which advances a line `by` so many, the same
    /// is there, and is not.
    pub(super) fn recurs(&self, by: impl Fn(u64) -> u64, times: u64) -> bool {
        let known = |line: u64| self.lines.get(line as usize).copied().unwrap_or(0);
        let later = |line: u64| {
            let by = by(line);
            (1..=times).map(move |time| line + by * time)
        };
        let comes = |line: u64| by(line) > 0 && later(line).all(|line| known(line) == 0);
        // Of what was asked for, the next line is asked for in the next period, and is there then.
        let stays = |line: u64| {
            later(line).map(known).take_while(|known| *known & ASKED == 0).all(|known| known != 0)
        };
        self.new.iter().all(|line| comes(*line)) && self.old.iter().all(|line| stays(*line))
    }

    /// What `level` holds after those; newer data came to the `marked` lines meanwhile.
    pub(super) fn after(
        &self,
        level: &Level,
        by: impl Fn(u64) -> u64,
        times: u64,
        marked: impl Iterator<Item = u64>,
    ) -> Vec<Tag> {
        let held = level.lines.all();
        let end = held.iter().filter(|tag| **tag != 0).map(|tag| line_of(*tag) as usize + 1).max();
        let mut tags = vec![0; end.unwrap_or(0).max(self.lines.len())];
        held.iter().filter(|tag| **tag != 0).for_each(|tag| tags[line_of(*tag) as usize] = *tag);
        for time in 1..=times {
            for line in self.new.iter().map(|line| line + by(*line) * time) {
                tags[line as usize] |= tag_of(line);
            }
            for line in self.written.iter().map(|line| line + by(*line) * time) {
                tags[line as usize] |= tag_of(line) | DIRTY;
            }
        }
        marked.for_each(|line| tags[line as usize] |= tag_of(line) | DIRTY);
        tags.retain(|tag| *tag != 0);
        tags
    }
}

//! Saves the content of sets before it is first accessed, in order to find out whether all
//! of them have the same content again.
//!
//! The time between [`open`](Journal::open) and [`close`](Journal::close) is a window.
//! Windows nest, as loops do. Each window saves a set once, before it is accessed for the
//! first time.

use std::ops::Range;

/// The content of one set before its first access in a window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Saved {
    pub(crate) set: usize,
    /// The state of its policy, besides its ways and their order.
    pub(crate) state: u64,
    /// Number of the window that had saved the set before.
    before: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Journal {
    ways: usize,
    /// Number of the open window; 0 without one. Each set stores the number of the last
    /// window that saved it.
    window: u32,
    last: u32,
    /// The open windows: their numbers, and where their entries begin.
    open: Vec<(u32, usize)>,
    entries: Vec<Saved>,
    /// The ways of each entry.
    tags: Vec<u32>,
}

impl Journal {
    pub(crate) fn new(ways: usize) -> Journal {
        Journal { ways, ..Journal::default() }
    }

    /// Whether there is a window.
    #[inline(always)]
    pub(crate) fn is_open(&self) -> bool {
        self.window > 0
    }

    /// Whether a set last saved by window `saved_in` must be saved before it is accessed.
    #[inline(always)]
    pub(crate) fn lacks(&self, saved_in: u32) -> bool {
        saved_in < self.window
    }

    /// Saves the ways and the state of `set`, and the window that had saved it `before`; returns the open
    /// window, which has saved it now.
    pub(crate) fn save(
        &mut self,
        set: usize,
        tags: impl Iterator<Item = u32>,
        state: u64,
        before: u32,
    ) -> u32 {
        self.entries.push(Saved { set, state, before });
        self.tags.extend(tags);
        self.window
    }

    /// Opens a window.
    pub(crate) fn open(&mut self) {
        // At the largest number nothing would be saved any more, and an empty window always
        // recurs; but so many windows take years.
        self.last = self.last.saturating_add(1);
        self.window = self.last;
        self.open.push((self.window, self.entries.len()));
    }

    /// Closes the last window. Its entries go to the window around it, unless that has
    /// saved the set itself; calls `saved_in` with each set and the window that saved it
    /// last.
    pub(crate) fn close(&mut self, mut saved_in: impl FnMut(usize, u32)) {
        let Some((_, start)) = self.open.pop() else { return };
        self.window = self.open.last().map_or(0, |(window, _)| *window);
        let mut end = start;
        for at in start..self.entries.len() {
            let Saved { set, before, .. } = self.entries[at];
            if before < self.window {
                saved_in(set, self.window);
                self.entries.swap(end, at);
                self.tags.copy_within(at * self.ways..(at + 1) * self.ways, end * self.ways);
                end += 1;
            } else {
                saved_in(set, before);
            }
        }
        self.entries.truncate(end);
        self.tags.truncate(end * self.ways);
    }

    /// The sets accessed in the last window, as they were before it.
    pub(crate) fn saved(&self) -> impl Iterator<Item = (&Saved, &[u32])> {
        let start = self.open.last().map_or(self.entries.len(), |(_, start)| *start);
        self.entries[start..].iter().zip(self.tags[start * self.ways..].chunks_exact(self.ways))
    }
}

/// The distances by which a loop's accesses have moved, for each array: address ranges, and the
/// bytes by which each moves; all other addresses stay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Moves(Vec<(Range<u64>, i64)>);

impl Moves {
    /// Nothing moves.
    pub(crate) const NONE: Moves = Moves(Vec::new());

    pub(crate) fn new(mut moves: Vec<(Range<u64>, i64)>) -> Moves {
        moves.retain(|(_, bytes)| *bytes != 0);
        Moves(moves)
    }

    /// Whether nothing moves.
    pub(crate) fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// The same moves repeated this many times.
    pub(crate) fn times(&self, times: i64) -> Moves {
        Moves(self.0.iter().map(|(range, bytes)| (range.clone(), bytes * times)).collect())
    }

    /// Whether the moving ranges are whole blocks of `block` bytes, not shared with a range
    /// that begins at one of `starts`, and move by whole blocks. If only a part of a block
    /// moved, the block would be in two places.
    pub(crate) fn are_whole(&self, starts: &[u64], block: u64) -> bool {
        self.0.iter().all(|(range, bytes)| {
            let shared = range.end..range.end.next_multiple_of(block);
            range.start.is_multiple_of(block)
                && bytes.unsigned_abs().is_multiple_of(block)
                && !starts.iter().any(|start| shared.contains(start))
        })
    }

    /// The number of lines of `1 << shift` bytes by which the line moves.
    #[inline]
    pub(crate) fn lines(&self, line: u64, shift: u32) -> i64 {
        let address = line << shift;
        let moves = self.0.iter().find(|(range, _)| range.contains(&address));
        moves.map_or(0, |(_, bytes)| *bytes >> shift)
    }
}

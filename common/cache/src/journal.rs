//! What sets held when they were first looked at: enough to say whether all of them are
//! again as they were.
//!
//! Between [`open`](Journal::open) and [`close`](Journal::close) lies a window; windows
//! nest, as loops do. A set is saved once in each, before it is looked at for the first time.

use std::fmt::Debug;

use crate::tag::Tag;

/// What a policy remembers of a set besides its tags: plain data, to be compared.
pub(crate) trait SetState: Clone + Default + PartialEq + Debug {}
impl<T: Clone + Default + PartialEq + Debug> SetState for T {}

/// The content of one set when a window first met it.
#[derive(Debug, Clone)]
pub(crate) struct Saved<S> {
    pub(crate) set: usize,
    pub(crate) state: S,
    /// Number of the window that had saved it before.
    before: u32,
}

#[derive(Debug)]
pub(crate) struct Journal<S> {
    ways: usize,
    /// Number of the open window; 0 without one. Each set keeps the number of the last one
    /// that saved it.
    window: u32,
    last: u32,
    /// The open windows: their numbers, and where their entries begin.
    open: Vec<(u32, usize)>,
    entries: Vec<Saved<S>>,
    tags: Vec<Tag>,
}

impl<S: SetState> Journal<S> {
    pub(crate) fn new(ways: usize) -> Journal<S> {
        Journal { ways, window: 0, last: 0, open: Vec::new(), entries: Vec::new(), tags: Vec::new() }
    }

    /// Whether a set that window `saved_in` saved must be saved before it is looked at.
    #[inline(always)]
    pub(crate) fn lacks(&self, saved_in: u32) -> bool {
        saved_in < self.window
    }

    /// Saves what `set` holds, and who saved it.
    #[cold]
    #[inline(never)]
    pub(crate) fn save(&mut self, set: usize, tags: &[Tag], state: S, saved_in: &mut u32) {
        let before = std::mem::replace(saved_in, self.window);
        self.entries.push(Saved { set, state, before });
        self.tags.extend_from_slice(tags);
    }

    /// Begins a window.
    pub(crate) fn open(&mut self) {
        // Numbers last for as many windows as there are: beyond, nothing is saved, and a window
        // without entries would recur. So many windows take years.
        self.last = self.last.saturating_add(1);
        self.window = self.last;
        self.open.push((self.window, self.entries.len()));
    }

    /// Ends the last window. What the one around it has not saved itself becomes its own;
    /// `saved_in` is given which window each set was saved by.
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

    /// The sets that the last window met, as it met them.
    pub(crate) fn saved(&self) -> impl Iterator<Item = (&Saved<S>, &[Tag])> {
        let start = self.open.last().map_or(self.entries.len(), |(_, start)| *start);
        self.entries[start..].iter().zip(self.tags[start * self.ways..].chunks_exact(self.ways))
    }
}

//! The three kinds of misses (M. D. Hill, 1987): the one definition for traces, for programs
//! and for the page.

use machine::{CacheLevel, Replacement};

use crate::recent::Recent;
use crate::seen::Seen;
use crate::sets::{Layout, Sets};
use crate::tag::tag_of;

/// Why an access missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissKind {
    /// The line was never accessed before.
    Compulsory,
    /// A fully associative LRU cache of the same size misses too.
    Capacity,
    /// A fully associative LRU cache of the same size would hit.
    Conflict,
}

/// Misses of the first level by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MissKinds {
    /// The line was never accessed before.
    pub compulsory: u64,
    /// A fully associative LRU cache of the same size misses too.
    pub capacity: u64,
    /// A fully associative LRU cache of the same size would hit.
    pub conflict: u64,
}

impl MissKinds {
    /// The figures of a record's row, by name.
    pub fn figures(self) -> [(&'static str, u64); 3] {
        [
            ("compulsory_misses", self.compulsory),
            ("capacity_misses", self.capacity),
            ("conflict_misses", self.conflict),
        ]
    }
}

/// Decides why accesses missed, with a fully associative LRU cache of the same size: the few lines
/// used last, and the others.
#[derive(Debug)]
pub struct Classifier {
    shift: u32,
    /// Whether a store that misses fetches its line.
    allocates: bool,
    seen: Seen,
    recent: Recent,
    /// How many lines may be recent.
    most: usize,
    /// The other lines of the cache.
    others: Sets,
    counts: MissKinds,
}

impl Classifier {
    /// For the misses of the cache `first`.
    pub fn new(first: &CacheLevel) -> Classifier {
        let (lines, shift) = (first.lines(), first.line.0.trailing_zeros());
        let most = lines.min(Recent::MOST);
        let layout = Layout { sets: 1, ways: lines - most, shift, resident: false };
        Classifier {
            shift,
            allocates: first.allocate,
            seen: Seen::default(),
            recent: Recent::default(),
            most,
            others: Sets::new(Replacement::Lru, layout),
            counts: MissKinds::default(),
        }
    }

    /// Whether the line at `address` is one of those used last; if so, it is the last one now.
    #[inline(always)]
    pub(crate) fn repeats(&mut self, address: u64) -> bool {
        self.recent.uses(tag_of(address >> self.shift))
    }

    /// An access within one line, and why it `missed`, if it did. Memory is needed for all
    /// lines up to the largest address.
    #[inline]
    pub fn access(&mut self, address: u64, store: bool, missed: bool) -> Option<MissKind> {
        let is_held = self.repeats(address) || self.uses(address, store);
        // A line that is there was accessed before.
        let is_new = !is_held && self.seen.is_new(address >> self.shift);
        let (kind, count) = match (is_new, is_held) {
            _ if !missed => return None,
            (true, _) => (MissKind::Compulsory, &mut self.counts.compulsory),
            (_, false) => (MissKind::Capacity, &mut self.counts.capacity),
            (_, true) => (MissKind::Conflict, &mut self.counts.conflict),
        };
        *count += 1;
        Some(kind)
    }

    /// Uses a line that is not recent; returns whether it was in the cache.
    #[inline]
    fn uses(&mut self, address: u64, store: bool) -> bool {
        let line = tag_of(address >> self.shift);
        let is_held = self.others.remove(0, line) != 0;
        if is_held || !store || self.allocates {
            let last = self.recent.add(line, self.most);
            if last != 0 {
                self.others.fill(0, last);
            }
        }
        is_held
    }

    /// The misses so far.
    pub fn counts(&self) -> MissKinds {
        self.counts
    }
}

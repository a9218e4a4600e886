//! An undo log of sets: enough to tell whether some accesses left the whole
//! level as it was.

use super::tag::Tag;

/// Parts that a journal may have.
const MOST_PARTS: u32 = 1 << 16;

/// The earlier content of every set touched since [`start`](Journal::start), and of those
/// touched in each of its parts.
#[derive(Debug, Clone, Default)]
pub(super) struct Journal {
    pub(super) on: bool,
    /// Number of the first part, of the present one, and of the last one that has each set.
    first: u32,
    now: u32,
    last: Vec<u32>,
    sets: Vec<u32>,
    /// Whether no earlier part has the set.
    new: Vec<bool>,
    tags: Vec<Tag>,
    trees: Vec<u64>,
    /// How many sets were saved when each part but the first one began.
    parts: Vec<usize>,
}

impl Journal {
    /// Begins anew, for that many sets.
    pub(super) fn start(&mut self, sets: usize) {
        self.on = true;
        self.now += 1;
        if self.last.len() != sets || self.now > u32::MAX - MOST_PARTS {
            self.last = vec![0; sets];
            self.now = 1;
        }
        self.first = self.now;
        self.sets.clear();
        self.new.clear();
        self.tags.clear();
        self.trees.clear();
        self.parts.clear();
    }

    /// Begins the next part.
    pub(super) fn begin_part(&mut self) {
        self.now += 1;
        self.parts.push(self.sets.len());
    }

    /// Whether `set` is to be saved before anything happens to it.
    #[inline(always)]
    pub(super) fn lacks(&self, set: usize) -> bool {
        self.on && self.last[set] != self.now
    }

    /// To be called before `set`, which it lacks, is looked at.
    #[inline(never)]
    pub(super) fn save(&mut self, set: usize, tags: &[Tag], tree: u64) {
        self.new.push(self.last[set] < self.first);
        self.last[set] = self.now;
        self.sets.push(set as u32);
        self.tags.extend_from_slice(tags);
        self.trees.push(tree);
    }

    /// Takes note of `set` alone; whether that is new.
    #[inline]
    pub(super) fn mark(&mut self, set: usize) -> bool {
        std::mem::replace(&mut self.last[set], self.now) != self.now
    }

    /// Every saved set, its tags and its tree at the start.
    pub(super) fn saved(&self, ways: usize) -> impl Iterator<Item = (usize, &[Tag], u64)> {
        self.all_parts(ways).zip(&self.new).filter(|(_, new)| **new).map(|(saved, _)| saved)
    }

    /// The same of all parts from number `part` on, the last one first: each set as it was
    /// when it was first touched in a part.
    pub(super) fn saved_from(&self, part: usize, ways: usize) -> impl Iterator<Item = (usize, &[Tag], u64)> {
        let earlier = part.checked_sub(1).and_then(|at| self.parts.get(at)).copied().unwrap_or(0);
        self.all_parts(ways).rev().take(self.sets.len() - earlier)
    }

    fn all_parts(
        &self,
        ways: usize,
    ) -> impl DoubleEndedIterator<Item = (usize, &[Tag], u64)> + ExactSizeIterator {
        let before = self.tags.chunks_exact(ways).zip(&self.trees);
        self.sets.iter().zip(before).map(|(set, (tags, tree))| (*set as usize, tags, *tree))
    }

    /// Whether `same` holds of every saved set, its tags and its tree then.
    pub(super) fn all(&self, ways: usize, same: impl Fn(usize, &[Tag], u64) -> bool) -> bool {
        self.saved(ways).all(|(set, tags, tree)| same(set, tags, tree))
    }
}

//! An undo log of sets: enough to tell whether some accesses left the whole
//! level as it was.

use super::tag::Tag;

/// The earlier content of every set touched since [`start`](Journal::start).
#[derive(Debug, Clone, Default)]
pub(super) struct Journal {
    pub(super) on: bool,
    /// Number of this journal, and of the last one that has each set.
    now: u32,
    last: Vec<u32>,
    sets: Vec<u32>,
    tags: Vec<Tag>,
    trees: Vec<u64>,
}

impl Journal {
    /// Begins anew, for that many sets.
    pub(super) fn start(&mut self, sets: usize) {
        self.on = true;
        self.now = self.now.wrapping_add(1);
        if self.last.len() != sets || self.now == 0 {
            self.last = vec![0; sets];
            self.now = 1;
        }
        self.sets.clear();
        self.tags.clear();
        self.trees.clear();
    }

    /// Whether `set` is to be saved before anything happens to it.
    #[inline]
    pub(super) fn lacks(&self, set: usize) -> bool {
        self.on && self.last[set] != self.now
    }

    /// To be called before `set` is looked at.
    #[inline]
    pub(super) fn save(&mut self, set: usize, tags: &[Tag], tree: u64) {
        if self.lacks(set) {
            self.last[set] = self.now;
            self.sets.push(set as u32);
            self.tags.extend_from_slice(tags);
            self.trees.push(tree);
        }
    }

    /// Takes note of `set` alone; whether that is new.
    #[inline]
    pub(super) fn mark(&mut self, set: usize) -> bool {
        std::mem::replace(&mut self.last[set], self.now) != self.now
    }

    /// Every saved set, its tags and its tree then.
    pub(super) fn saved(&self, ways: usize) -> impl Iterator<Item = (usize, &[Tag], u64)> {
        let before = self.tags.chunks_exact(ways).zip(&self.trees);
        self.sets.iter().zip(before).map(|(set, (tags, tree))| (*set as usize, tags, *tree))
    }

    /// Whether `same` holds of every saved set, its tags and its tree then.
    pub(super) fn all(&self, ways: usize, same: impl Fn(usize, &[Tag], u64) -> bool) -> bool {
        self.saved(ways).all(|(set, tags, tree)| same(set, tags, tree))
    }
}

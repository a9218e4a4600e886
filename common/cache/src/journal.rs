//! An undo log of sets: enough to tell whether some accesses left the whole
//! level as it was.

use std::borrow::Cow;

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

    /// To be called before anything happens to `set`.
    #[inline]
    pub(super) fn save(&mut self, set: usize, tags: &[Tag], tree: u64) {
        if self.lacks(set) {
            self.last[set] = self.now;
            self.sets.push(set as u32);
            self.tags.extend_from_slice(tags);
            self.trees.push(tree);
        }
    }

    /// Whether every saved set is again what it was; `now` gives a set's present
    /// tags and tree.
    pub(super) fn matches<'a>(&self, ways: usize, now: impl Fn(usize) -> (Cow<'a, [Tag]>, u64)) -> bool {
        let before = self.tags.chunks_exact(ways).zip(&self.trees);
        self.sets.iter().zip(before).all(|(&set, (tags, &tree))| now(set as usize) == (tags.into(), tree))
    }
}

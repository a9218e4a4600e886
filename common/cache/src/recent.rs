//! The few lines or pages that were used last. Loops use them again and again: they change places here,
//! and not in the order of all.

use crate::tag::Tag;

/// The most recent one first; 0 is none.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Recent(pub(crate) [Tag; Recent::MOST]);

impl Recent {
    pub(crate) const MOST: usize = 4;

    /// Whether `tag` is one of them; if so, it is the most recent one now.
    #[inline(always)]
    pub(crate) fn uses(&mut self, tag: Tag) -> bool {
        let [first, second, third, fourth] = self.0;
        self.0 = if tag == first {
            return true;
        } else if tag == second {
            [second, first, third, fourth]
        } else if tag == third {
            [third, first, second, fourth]
        } else if tag == fourth {
            [fourth, first, second, third]
        } else {
            return false;
        };
        true
    }

    /// Adds `tag`, if at most `most` have a place; returns the one that has none any more, or 0.
    pub(crate) fn add(&mut self, tag: Tag, most: usize) -> Tag {
        let last = self.0[most - 1];
        self.0.copy_within(..most - 1, 1);
        self.0[0] = tag;
        last
    }
}

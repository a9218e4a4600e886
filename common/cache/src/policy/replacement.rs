//! What a replacement policy does.

use std::fmt::Debug;

use crate::journal::SetState;
use crate::tag::{LINE, Tag};

/// How a set of ways chooses its victim. Empty ways, tag 0, are filled first. Repeating a sequence
/// of hits must leave a set as the first time left it; so touching the most recent line again changes
/// nothing.
pub(crate) trait Policy: Debug + Send + 'static {
    /// The state of a set besides its tags and their order; it must not contain line
    /// numbers.
    type Set: SetState;

    /// The state of the random generator that all sets share, if there is one.
    fn generator(&self) -> u64 {
        0
    }

    /// A use of the line in `way`.
    fn used(&mut self, state: &mut Self::Set, tags: &mut [Tag], way: usize);

    /// Inserts `tag`; returns the victim's tag, 0 if there was an empty way.
    fn fill(&mut self, state: &mut Self::Set, tags: &mut [Tag], tag: Tag) -> Tag;

    /// Empties `way`.
    fn remove(&mut self, tags: &mut [Tag], way: usize) {
        tags[way] = 0;
    }

    /// Uses the line `key` and sets `flags`; returns whether it is there.
    #[inline]
    fn hit(&mut self, state: &mut Self::Set, tags: &mut [Tag], key: Tag, flags: Tag) -> bool {
        let way = find(tags, key);
        if let Some(way) = way {
            tags[way] |= flags;
            self.used(state, tags, way);
        }
        way.is_some()
    }

    /// Uses the line `key` and sets `flags`, or fills it with them; returns the victim's tag then, 0
    /// if there was an empty way.
    #[inline]
    fn touch(&mut self, state: &mut Self::Set, tags: &mut [Tag], key: Tag, flags: Tag) -> Option<Tag> {
        let hit = self.hit(state, tags, key, flags);
        (!hit).then(|| self.fill(state, tags, key | flags))
    }
}

/// The way of the line `key`.
#[inline]
pub(crate) fn find(tags: &[Tag], key: Tag) -> Option<usize> {
    tags.iter().position(|tag| tag & LINE == key)
}

/// The first empty way.
pub(super) fn empty(tags: &[Tag]) -> Option<usize> {
    tags.iter().position(|tag| *tag == 0)
}

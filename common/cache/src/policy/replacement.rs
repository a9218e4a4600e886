//! What a replacement policy does.

use std::fmt::Debug;

use crate::journal::SetState;
use crate::tag::{LINE, PREFETCHED, Tag};

/// What [`Policy::touch`] met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Touched {
    pub(crate) hit: bool,
    /// The line's tag before if it hit, else the victim's; 0 for an empty way.
    pub(crate) tag: Tag,
}

/// How a set of ways chooses its victim. Empty ways, tag 0, are filled first.
pub(crate) trait Policy: Debug + 'static {
    /// What a set remembers besides its tags and their order: no line's number.
    type Set: SetState;
    /// What all sets share: the state of a generator, a counter of a duel.
    type Shared: Clone + PartialEq + Debug;
    /// Whether a sequence of hits, made a second time, leaves a set as the first time left it.
    const HITS_SETTLE: bool = true;

    /// The shared state, to be compared.
    fn shared(&self) -> Self::Shared;

    /// The line in `way` of the set numbered `set` is used.
    fn hit(&mut self, set: usize, state: &mut Self::Set, tags: &mut [Tag], way: usize);

    /// Puts `tag` in; returns the victim's tag, 0 if there was an empty way.
    fn fill(&mut self, set: usize, state: &mut Self::Set, tags: &mut [Tag], tag: Tag) -> Tag;

    /// Empties `way`.
    fn remove(&mut self, tags: &mut [Tag], way: usize) {
        tags[way] = 0;
    }

    /// Uses the line `key` and sets `flags`, or fills it with them.
    #[inline]
    fn touch(
        &mut self,
        set: usize,
        state: &mut Self::Set,
        tags: &mut [Tag],
        key: Tag,
        flags: Tag,
    ) -> Touched {
        match find(tags, key) {
            Some(way) => {
                let before = tags[way];
                tags[way] = (before | flags) & !PREFETCHED;
                self.hit(set, state, tags, way);
                Touched { hit: true, tag: before }
            }
            None => Touched { hit: false, tag: self.fill(set, state, tags, key | flags) },
        }
    }
}

/// The way that holds the line `key`.
#[inline]
pub(crate) fn find(tags: &[Tag], key: Tag) -> Option<usize> {
    tags.iter().position(|tag| tag & LINE == key)
}

/// The first empty way.
pub(super) fn empty(tags: &[Tag]) -> Option<usize> {
    tags.iter().position(|tag| *tag == 0)
}

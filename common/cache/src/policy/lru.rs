//! Least recently used: ways in order of use, the most recent first.

use super::{Policy, Touched};
use crate::tag::{LINE, PREFETCHED, Tag};

#[derive(Debug)]
pub(crate) struct Lru;

impl Policy for Lru {
    type Set = ();
    type Shared = ();
    const IS_LRU: bool = true;

    fn shared(&self) {}

    fn hit(&mut self, _: usize, (): &mut (), tags: &mut [Tag], way: usize) {
        tags[..=way].rotate_right(1);
    }

    fn fill(&mut self, _: usize, (): &mut (), tags: &mut [Tag], tag: Tag) -> Tag {
        put_first(tags, tag)
    }

    fn remove(&mut self, tags: &mut [Tag], way: usize) {
        remove_in_order(tags, way);
    }

    /// The hot spot of the model: searches `key` from the most recent way on, and moves
    /// each way one place back on the way.
    #[inline(always)]
    fn touch(&mut self, _: usize, (): &mut (), tags: &mut [Tag], key: Tag, flags: Tag) -> Touched {
        let mut newer = key | flags;
        for way in 0..tags.len() {
            let tag = std::mem::replace(&mut tags[way], newer);
            if tag & LINE == key {
                tags[0] = (tag | flags) & !PREFETCHED;
                return Touched { hit: true, tag };
            }
            newer = tag;
        }
        Touched { hit: false, tag: newer }
    }
}

/// Moves all ways one place back, and puts `tag` first; returns the tag that was last.
#[inline(always)]
pub(super) fn put_first(tags: &mut [Tag], tag: Tag) -> Tag {
    tags.iter_mut().fold(tag, |newer, way| std::mem::replace(way, newer))
}

/// Removes the tag in a way; empty ways stay behind the others.
#[inline(always)]
pub(super) fn remove_in_order(tags: &mut [Tag], way: usize) {
    tags.copy_within(way + 1.., way);
    tags[tags.len() - 1] = 0;
}

//! Least recently used: ways in order of use, the most recent first.

use super::{Policy, find};
use crate::tag::{LINE, Tag};

#[derive(Debug)]
pub(crate) struct Lru;

impl Policy for Lru {
    type Set = ();

    fn used(&mut self, (): &mut (), tags: &mut [Tag], way: usize) {
        tags[..=way].rotate_right(1);
    }

    fn fill(&mut self, (): &mut (), tags: &mut [Tag], tag: Tag) -> Tag {
        put_first(tags, tag)
    }

    fn remove(&mut self, tags: &mut [Tag], way: usize) {
        remove_in_order(tags, way);
    }

    /// The hot spot of the model: searches `key` from the most recent way on, and moves
    /// each way one place back on the way; the ways after the first eight by blocks.
    #[inline(always)]
    fn touch(&mut self, (): &mut (), tags: &mut [Tag], key: Tag, flags: Tag) -> Option<Tag> {
        let mut newer = key | flags;
        let one_by_one = if tags.len() > 4 * BLOCK { BLOCK } else { tags.len() };
        for way in 0..one_by_one {
            let tag = std::mem::replace(&mut tags[way], newer);
            if tag & LINE == key {
                tags[0] = tag | flags;
                return None;
            }
            newer = tag;
        }
        let older = &mut tags[one_by_one..];
        let holds = |block: &[Tag]| block.iter().fold(false, |found, tag| found | (tag & LINE == key));
        let Some(block) = older.chunks(BLOCK).position(holds) else {
            return Some(put_first(older, newer));
        };
        let way = block * BLOCK + find(&older[block * BLOCK..], key).unwrap_or(0);
        let tag = older[way];
        put_first(&mut older[..=way], newer);
        tags[0] = tag | flags;
        None
    }
}

/// Ways that are compared at once.
const BLOCK: usize = 8;

/// Moves all ways one place back, and puts `tag` first; returns the tag that was last.
#[inline(always)]
pub(super) fn put_first(tags: &mut [Tag], tag: Tag) -> Tag {
    let Some(last) = tags.len().checked_sub(1) else { return tag };
    let oldest = tags[last];
    tags.copy_within(..last, 1);
    tags[0] = tag;
    oldest
}

/// Removes the tag in a way; empty ways stay behind the others.
#[inline(always)]
pub(super) fn remove_in_order(tags: &mut [Tag], way: usize) {
    tags.copy_within(way + 1.., way);
    tags[tags.len() - 1] = 0;
}

//! First in, first out: ways in order of arrival, the newest first.

use super::Policy;
use super::lru::{put_first, remove_in_order};
use crate::tag::Tag;

#[derive(Debug)]
pub(crate) struct Fifo;

impl Policy for Fifo {
    type Set = ();

    fn used(&mut self, (): &mut (), _: &mut [Tag], _: usize) {}

    fn fill(&mut self, (): &mut (), tags: &mut [Tag], tag: Tag) -> Tag {
        put_first(tags, tag)
    }

    fn remove(&mut self, tags: &mut [Tag], way: usize) {
        remove_in_order(tags, way);
    }
}

//! Lines, each of an array.

use super::contents::Moves;
use crate::tag::{Tag, line_of, tag_of};

#[derive(Debug, Default)]
pub(super) struct Owned {
    tags: Vec<Tag>,
    owners: Vec<u8>,
}

impl Owned {
    pub(super) fn push(&mut self, line: u64, owner: u8) {
        self.tags.push(tag_of(line));
        self.owners.push(owner);
    }

    pub(super) fn len(&self) -> usize {
        self.tags.len()
    }

    /// The lines, moved.
    pub(super) fn moved(&self, moves: &Moves) -> impl Iterator<Item = u64> {
        let lines = self.tags.iter().zip(&self.owners);
        lines.map(|(tag, owner)| line_of(tag.wrapping_add(moves.tag(*owner))))
    }

    pub(super) fn bytes(&self) -> usize {
        self.tags.len() * (size_of::<Tag>() + 1)
    }

    pub(super) fn shrink(&mut self) {
        self.tags.shrink_to_fit();
        self.owners.shrink_to_fit();
    }
}

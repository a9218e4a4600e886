//! A group of events that count together, and their values.

use std::io;

use super::definition::Part;
use super::kernel::{Count, Handle, Opening, Ring};

/// Events that are on their counters at the same time, or not at all.
#[derive(Debug)]
pub(crate) struct Group {
    members: Vec<Handle>,
}

impl Group {
    /// Opens all of `parts` as one group, not counting yet.
    pub(crate) fn open(parts: &[Part], opening: Opening) -> io::Result<Group> {
        let mut members = Vec::with_capacity(parts.len());
        for part in parts {
            members.push(Handle::open(part.encoding, opening, members.first())?);
        }
        Ok(Group { members })
    }

    pub(crate) fn enable(&mut self) -> io::Result<()> {
        self.members.first_mut().map_or(Ok(()), Handle::enable)
    }

    pub(crate) fn disable(&mut self) -> io::Result<()> {
        self.members.first_mut().map_or(Ok(()), Handle::disable)
    }

    /// Maps the sample buffer of the first member.
    pub(crate) fn ring(&self) -> io::Result<Ring> {
        Ring::map(self.members.first().ok_or(io::ErrorKind::InvalidInput)?)
    }

    /// The counts since opening, in the order of the parts.
    pub(crate) fn read(&self) -> io::Result<Vec<Count>> {
        self.members.iter().map(Handle::read).collect()
    }
}

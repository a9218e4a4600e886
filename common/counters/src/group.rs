//! A group of events that count together, and their values.

use std::io;

use super::definition::Part;
use super::kernel::{Count, Errno, Handle, Opening, Ring};

/// Events that are on their counters at the same time, or not at all.
#[derive(Debug)]
pub(crate) struct Group {
    members: Vec<Member>,
    opening: Opening,
    sampled: Option<usize>,
}

#[derive(Debug)]
struct Member {
    handle: Handle,
    id: u64,
}

impl Group {
    /// Opens all of `parts` as one group, not counting yet; the one numbered
    /// `sampled` takes samples.
    pub(crate) fn open(parts: &[Part], opening: Opening, sampled: Option<usize>) -> io::Result<Group> {
        let telling = Opening { lost: sampled.is_some(), ..opening };
        match Group::open_as(parts, telling, sampled) {
            // The kernel may be too old to show what it lost.
            Err(e) if telling.lost && Errno::of(&e) == Errno::Invalid => {
                Group::open_as(parts, opening, sampled)
            }
            other => other,
        }
    }

    fn open_as(parts: &[Part], opening: Opening, sampled: Option<usize>) -> io::Result<Group> {
        let mut group = Group { members: Vec::with_capacity(parts.len()), opening, sampled };
        group.extend(parts)?;
        Ok(group)
    }

    /// Opens more members, while the group does not count.
    pub(crate) fn extend(&mut self, parts: &[Part]) -> io::Result<()> {
        for part in parts {
            let member = self.members.len();
            let opening = Opening {
                sibling: member > 0,
                sample_period: if self.sampled == Some(member) { self.opening.sample_period } else { 0 },
                ..self.opening
            };
            let opened = Handle::open(part.encoding, opening, self.leader()).and_then(|handle| {
                let id = if opening.group_read { handle.id()? } else { 0 };
                Ok(Member { handle, id })
            });
            self.members.push(opened?);
        }
        Ok(())
    }

    /// Closes all but the first members.
    pub(crate) fn truncate(&mut self, members: usize) {
        self.members.truncate(members);
    }

    fn leader(&self) -> Option<&Handle> {
        self.members.first().map(|member| &member.handle)
    }

    pub(crate) fn enable(&self) -> io::Result<()> {
        self.leader().map_or(Ok(()), Handle::enable)
    }

    pub(crate) fn disable(&self) -> io::Result<()> {
        self.leader().map_or(Ok(()), Handle::disable)
    }

    /// Maps the sample buffer of the member that samples.
    pub(crate) fn ring(&self) -> io::Result<Ring> {
        let sampled = self.sampled.and_then(|i| self.members.get(i));
        Ring::map(&sampled.ok_or(io::ErrorKind::InvalidInput)?.handle)
    }

    /// The counts since opening, in the order of the parts.
    pub(crate) fn read(&self) -> io::Result<Vec<Count>> {
        Ok(self.values()?.into_iter().map(|(count, _)| count).collect())
    }

    /// How many samples found the buffer full since opening; `None` if this
    /// kernel does not report.
    pub(crate) fn lost(&self) -> io::Result<Option<u64>> {
        let Some(sampled) = self.sampled.filter(|_| self.opening.lost) else { return Ok(None) };
        Ok(self.values()?.get(sampled).map(|(_, lost)| *lost))
    }

    /// Of each member its count, and the samples that it lost.
    fn values(&self) -> io::Result<Vec<(Count, u64)>> {
        if self.opening.group_read { self.read_together() } else { self.read_singly() }
    }

    /// Layout: value, enabled, running, lost if that is reported.
    fn read_singly(&self) -> io::Result<Vec<(Count, u64)>> {
        let size = 3 + usize::from(self.opening.lost);
        let one = |member: &Member| {
            let mut words = [0; 4];
            if member.handle.read(&mut words[..size])? != size {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            Ok((Count { value: words[0], enabled: words[1], running: words[2] }, words[3]))
        };
        self.members.iter().map(one).collect()
    }

    /// Layout: number, enabled, running, then of each value, id, and lost if
    /// that is reported.
    fn read_together(&self) -> io::Result<Vec<(Count, u64)>> {
        let Some(leader) = self.leader() else { return Ok(Vec::new()) };
        let each = 2 + usize::from(self.opening.lost);
        let mut words = vec![0; 3 + each * self.members.len()];
        if leader.read(&mut words)? != words.len() || words[0] != self.members.len() as u64 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let (enabled, running) = (words[1], words[2]);
        let value = |member: &Member| {
            let told = words[3..].chunks_exact(each).find(|told| told[1] == member.id)?;
            Some((Count { value: told[0], enabled, running }, told.get(2).copied().unwrap_or(0)))
        };
        self.members.iter().map(value).collect::<Option<_>>().ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

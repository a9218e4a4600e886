//! The stacks of a level, and the lines that it may have to write back.

use std::collections::VecDeque;

use super::level::Level;
use super::moving::Moving;
use super::stacks::{Data, Entry, Presence, Stacks};

/// Lines that mostly come from all over a turn.
const MANY: u64 = 1 << 17;

#[derive(Debug)]
pub(super) struct Ranked {
    pub(super) stacks: Stacks,
    pub(super) misses: u64,
    /// Lines that may be dirty, about in order of their last use; and when the first of them
    /// is to be looked at.
    pending: VecDeque<Pending>,
    due: u64,
}

#[derive(Debug, Clone, Copy)]
struct Pending {
    group: usize,
    line: u64,
    at: u64,
}

/// What a level did when it was asked for a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fetched {
    pub(super) presence: Presence,
    /// The line as it was before, if it is gone and may have been dirty.
    pub(super) before: Option<Entry>,
    /// The line that is certainly gone now, if it may have been dirty.
    pub(super) left: Option<Entry>,
}

impl Ranked {
    /// Empty stacks of `level`.
    pub(super) fn new(level: &Level, arrays: &[Moving]) -> Ranked {
        Ranked { stacks: Stacks::new(level, arrays), misses: 0, pending: VecDeque::new(), due: 0 }
    }

    fn size(&self) -> u64 {
        self.stacks.sets * self.stacks.ways as u64
    }

    /// Whether so many lines came that hardly a set still has some from before: within a turn,
    /// which may come to few sets for a while, as many more.
    pub(super) fn is_full(&self, turn_ends: bool) -> bool {
        self.misses > 2 * self.size() && (turn_ends || self.misses > MANY)
    }

    /// Asks for the line, to store there or not.
    pub(super) fn fetch(&mut self, group: usize, line: u64, stores: bool) -> Fetched {
        let stacks = &mut self.stacks;
        stacks.now += 1;
        let (presence, place) = stacks.presence(group, line);
        let before = place.map(|place| stacks.stack(group, line)[place]);
        let mut entry = Entry::new(line, stacks.now, Data::Clean);
        let mut was_pending = false;
        match (presence, before) {
            (Presence::There, Some(before)) => {
                let lost = before.lost_since;
                entry = Entry { at: stacks.now, lost, ..before };
                was_pending = before.data != Data::Clean;
            }
            (Presence::Gone, _) => {}
            _ => entry.data = Data::Unknown,
        }
        if stores {
            entry.data = Data::Dirty;
        }
        if entry.data != Data::Clean && !was_pending {
            self.pending.push_back(Pending { group, line, at: entry.at });
        }
        let left = stacks.push(group, entry, place);
        self.misses += u64::from(presence != Presence::There);
        let may_be_dirty = |entry: &Entry| entry.data != Data::Clean;
        let before = before.filter(|_| presence == Presence::Gone).filter(may_be_dirty);
        Fetched { presence, before, left: left.filter(may_be_dirty) }
    }

    /// Takes newer data for the line from above; whether the level certainly has it.
    pub(super) fn take(&mut self, group: usize, line: u64, data: Data) -> bool {
        let (presence, place) = self.stacks.presence(group, line);
        let there = presence == Presence::There;
        let Some(entry) = place.map(|place| &mut self.stacks.stack(group, line)[place]) else { return false };
        let was_clean = entry.data == Data::Clean;
        match data {
            Data::Dirty if there => entry.data = Data::Dirty,
            _ if was_clean => entry.data = Data::Unknown,
            _ => {}
        }
        if was_clean {
            self.pending.push_back(Pending { group, line, at: entry.at });
        }
        there
    }

    /// What its stack knows of the line.
    pub(super) fn entry(&mut self, group: usize, line: u64) -> Option<&mut Entry> {
        self.stacks.stack(group, line).iter_mut().find(|entry| entry.line == line)
    }

    /// The line pending longest, if it is to be looked at, and whether the level has it: if it
    /// is gone, it is pending no longer.
    pub(super) fn oldest(&mut self) -> Option<(usize, Entry, Presence)> {
        let (now, ways) = (self.stacks.now, self.stacks.ways as u64);
        while now >= self.due {
            let Pending { group, line, at } = *self.pending.front().filter(|first| now - first.at >= ways)?;
            self.pending.pop_front();
            let dirty = self.entry(group, line).copied().filter(|entry| entry.data != Data::Clean);
            let Some(entry) = dirty else { continue };
            let (presence, place) = self.stacks.presence(group, line);
            if presence != Presence::Gone {
                self.pending.push_back(Pending { group, line, at: entry.at });
                self.due = if entry.at == at { now + self.size() / 8 } else { now };
            } else if let Some(place) = place {
                self.stacks.stack(group, line)[place].data = Data::Clean;
            }
            return Some((group, entry, presence));
        }
        None
    }

    /// The lines that may be dirty: those that are certainly gone, which are pending no longer,
    /// and all others.
    pub(super) fn sweep(&mut self) -> [Vec<(usize, Entry)>; 2] {
        let now = self.stacks.now;
        self.stacks.groups.iter_mut().for_each(|group| group.look_at_once(now));
        let all = self.dirty();
        let (gone, others): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|(group, entry)| self.stacks.presence(*group, entry.line).0 == Presence::Gone);
        for (group, entry) in &gone {
            self.entry(*group, entry.line).into_iter().for_each(|entry| entry.data = Data::Clean);
        }
        [gone, others]
    }

    /// All lines that may be dirty, with their groups.
    pub(super) fn dirty(&self) -> Vec<(usize, Entry)> {
        let mut dirty = Vec::new();
        for (at, group) in self.stacks.groups.iter().enumerate() {
            let entries = group.stacks.iter().flatten().filter(|entry| entry.data != Data::Clean);
            dirty.extend(entries.map(|entry| (at, *entry)));
        }
        dirty
    }

    /// The lines of each set once the arrays have advanced by so many turns, the line used
    /// last first, with their groups; `None` if that is not certain.
    pub(super) fn after(&self, turns: usize) -> Option<Vec<Vec<(usize, Entry)>>> {
        let mut sets: Vec<Vec<(usize, Entry)>> = vec![Vec::new(); self.stacks.sets as usize];
        for (at, group) in self.stacks.groups.iter().enumerate() {
            let by = self.stacks.advance(at, turns);
            for entry in group.stacks.iter().flatten() {
                sets[((entry.line + by) % self.stacks.sets) as usize].push((at, *entry));
            }
        }
        for set in &mut sets {
            set.sort_unstable_by_key(|(_, entry)| std::cmp::Reverse(entry.at));
            set.truncate(self.stacks.ways);
        }
        sets.iter().all(|set| set.len() == self.stacks.ways).then_some(sets)
    }
}

//! How deep the lines of an LRU level lie, wherever its arrays lie to each other.
//!
//! A line is still there if fewer others than the level has ways came to its set since
//! it was fetched last: that number is its stack distance (Mattson and others,
//! "Evaluation techniques for storage hierarchies", 1970). How many of them are of arrays
//! that advance alike does not depend on where the others lie. Of these, at most as many
//! came as to any set, and at least as many as to every set.

use super::level::Level;
use super::moving::Moving;
use super::request::Request;
use super::tag::{DIRTY, Tag, tag_of};

/// The stacks of a level, and what it does for certain.
#[derive(Debug)]
pub(super) struct Stacks {
    shift: u32,
    /// Whether lines come as victims of the level above alone. They leave again as they are
    /// asked for: nothing is certain unless none is there ever.
    of_victims: bool,
    /// When that was uncertain last.
    uncertain: u64,
    pub(super) sets: u64,
    pub(super) ways: usize,
    /// Each array, and its group.
    owners: Vec<(Moving, usize)>,
    pub(super) groups: Vec<Group>,
    /// Lines that have come so far.
    pub(super) now: u64,
    /// What was done since all must be certain.
    certain: Option<Certain>,
}

/// What a level does wherever its arrays lie to each other.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Certain {
    pub(super) misses: u64,
    /// Lines that became dirty, and data that went by the level.
    pub(super) dirtied: u64,
    pub(super) passed_on: u64,
}

/// The lines of arrays that advance alike, as if there were no others.
#[derive(Debug)]
pub(super) struct Group {
    /// Bytes by which they advance.
    pub(super) stride: u64,
    /// Of each set, the lines fetched last, the last one first.
    pub(super) stacks: Vec<Vec<Entry>>,
    /// By depth: when the line that lies so deep was fetched, in the set where that is
    /// latest.
    latest: Vec<u64>,
    /// The same where it is earliest, as of a while ago: it can only be later.
    earliest: Vec<u64>,
    looked_at: u64,
}

/// A line that was fetched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) line: u64,
    /// When it was, last.
    pub(super) at: u64,
    pub(super) data: Data,
    /// How many of the levels below had certainly lost it before, and how many had when that
    /// was looked up.
    pub(super) lost: u8,
    pub(super) lost_since: u8,
}

/// Whether a line is dirty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Data {
    Clean,
    Dirty,
    Unknown,
}

/// Whether the level has a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    There,
    Gone,
    Unknown,
}

impl Stacks {
    /// Empty ones of `level`.
    pub(super) fn new(level: &Level, arrays: &[Moving]) -> Stacks {
        let [sets, ways] = [level.lines.count(), level.lines.ways];
        let mut strides: Vec<u64> = arrays.iter().map(|array| array.stride).collect();
        strides.sort_unstable();
        strides.dedup();
        let group = |array: &Moving| strides.partition_point(|stride| *stride < array.stride);
        Stacks {
            shift: level.shift,
            of_victims: level.is_exclusive(),
            uncertain: 0,
            sets: sets as u64,
            ways,
            owners: arrays.iter().map(|array| (*array, group(array))).collect(),
            groups: strides.iter().map(|stride| Group::new(*stride, sets, ways)).collect(),
            now: 0,
            certain: None,
        }
    }

    /// Whether so much was fetched that hardly a set still has lines from before.
    pub(super) fn are_full(&self) -> bool {
        self.now - self.uncertain > 2 * self.sets * self.ways as u64
    }

    /// From here on, all must be certain.
    pub(super) fn begin(&mut self) {
        if self.of_victims {
            self.groups.iter_mut().for_each(|group| group.forget(self.uncertain));
        }
        self.certain = Some(Certain::default());
    }

    /// What was done since then.
    pub(super) fn certain(&self) -> Option<Certain> {
        self.certain
    }

    /// Takes note of what the level is asked for; whether that is of use.
    pub(super) fn see(&mut self, requests: &[Request]) -> bool {
        requests.iter().all(|request| {
            let (victim, data) = (request.is(Request::VICTIM), request.is(Request::DATA));
            let line = request.address() >> self.shift;
            match self.group_of(line) {
                Some(group) if self.of_victims && victim => self.take_victim(group, line, data),
                _ if victim && !data => true,
                Some(group) if victim => self.take_data(group, line),
                Some(group) if !data => self.fetch(group, line),
                _ => false,
            }
        })
    }

    /// The group that the line belongs to.
    pub(super) fn group_of(&self, line: u64) -> Option<usize> {
        self.owners.iter().find(|(array, _)| array.is_in(line, self.shift)).map(|(_, group)| *group)
    }

    /// By how many lines those of the group advance in so many turns.
    pub(super) fn advance(&self, group: usize, turns: usize) -> u64 {
        (self.groups[group].stride * turns as u64) >> self.shift
    }

    fn fetch(&mut self, group: usize, line: u64) -> bool {
        self.now += u64::from(!self.of_victims);
        let (presence, place) = self.presence(group, line);
        if let Some(certain) = &mut self.certain {
            certain.misses += u64::from(presence == Presence::Gone);
        }
        if self.of_victims {
            return self.is_gone(presence);
        }
        let data = match (presence, place) {
            (Presence::There, Some(place)) => self.stack(group, line)[place].data,
            (Presence::Gone, _) => Data::Clean,
            _ => Data::Unknown,
        };
        self.push(group, Entry::new(line, self.now, data), place);
        presence != Presence::Unknown || self.certain.is_none()
    }

    /// The level above has evicted the line, which comes to this one.
    fn take_victim(&mut self, group: usize, line: u64, dirty: bool) -> bool {
        self.now += 1;
        let (presence, place) = self.presence(group, line);
        let data = if dirty { Data::Dirty } else { Data::Clean };
        self.push(group, Entry::new(line, self.now, data), place);
        if let Some(certain) = &mut self.certain {
            certain.dirtied += u64::from(dirty);
        }
        self.is_gone(presence)
    }

    /// Whether a line that a level of victims is asked for, or given, is not there; that must
    /// only be certain from some time on.
    fn is_gone(&mut self, presence: Presence) -> bool {
        let gone = presence == Presence::Gone;
        if !gone {
            self.uncertain = self.now;
        }
        gone || self.certain.is_none()
    }

    /// The lines of the group that came to the set of that one.
    pub(super) fn stack(&mut self, group: usize, line: u64) -> &mut Vec<Entry> {
        &mut self.groups[group].stacks[(line % self.sets) as usize]
    }

    /// Puts the line, which is at that place if at any, first in its set; what leaves that.
    pub(super) fn push(&mut self, group: usize, entry: Entry, place: Option<usize>) -> Option<Entry> {
        let Group { stacks, latest, .. } = &mut self.groups[group];
        let stack = &mut stacks[(entry.line % self.sets) as usize];
        let mut left = None;
        let place = place.unwrap_or_else(|| {
            if stack.len() < self.ways {
                stack.push(entry);
            } else {
                left = stack.last().copied();
            }
            stack.len() - 1
        });
        stack.copy_within(..place, 1);
        stack[0] = entry;
        for (latest, entry) in latest.iter_mut().zip(&stack[..=place]) {
            *latest = entry.at.max(*latest);
        }
        left
    }

    /// A level above has evicted the line, which is dirty.
    fn take_data(&mut self, group: usize, line: u64) -> bool {
        let (presence, place) = self.presence(group, line);
        let stack = self.stack(group, line);
        let [mut dirtied, mut passed_on] = [false; 2];
        let known = match (presence, place) {
            (Presence::There, Some(place)) => {
                let before = std::mem::replace(&mut stack[place].data, Data::Dirty);
                dirtied = before == Data::Clean;
                before != Data::Unknown
            }
            (Presence::Gone, _) => {
                passed_on = true;
                true
            }
            (_, place) => {
                place.into_iter().for_each(|place| stack[place].data = Data::Unknown);
                false
            }
        };
        if let Some(certain) = &mut self.certain {
            certain.dirtied += u64::from(dirtied);
            certain.passed_on += u64::from(passed_on);
        }
        known || self.certain.is_none()
    }

    /// Whether the level has the line wherever the arrays lie, and its place in its stack.
    pub(super) fn presence(&mut self, group: usize, line: u64) -> (Presence, Option<usize>) {
        let stack = &self.groups[group].stacks[(line % self.sets) as usize];
        let place = stack.iter().position(|entry| entry.line == line);
        let (own, since) = place.map_or((stack.len(), 0), |place| (place, stack[place].at));
        if own == self.ways {
            return (Presence::Gone, place);
        }
        let of_others = |groups: &[Group], times: fn(&Group) -> &[u64]| -> usize {
            let later = |group: &Group| times(group).iter().take_while(|at| **at > since).count();
            let others = groups.iter().enumerate().filter(|(other, _)| *other != group);
            others.map(|(_, other)| later(other)).sum()
        };
        if place.is_some() && own + of_others(&self.groups, |other| &other.latest) < self.ways {
            return (Presence::There, place);
        }
        let least = |groups: &[Group]| own + of_others(groups, |other| &other.earliest);
        if least(&self.groups) < self.ways {
            self.groups.iter_mut().for_each(|group| group.look(self.now));
        }
        let gone = least(&self.groups) >= self.ways;
        (if gone { Presence::Gone } else { Presence::Unknown }, place)
    }

    /// What each set holds once the arrays have advanced by so many turns, the line fetched
    /// last first; `None` if that is not certain.
    pub(super) fn after(&self, turns: usize) -> Option<Vec<Vec<Tag>>> {
        let mut sets: Vec<Vec<Entry>> = vec![Vec::new(); self.sets as usize];
        for (at, group) in self.groups.iter().enumerate() {
            let by = self.advance(at, turns);
            for entry in group.stacks.iter().flatten() {
                let line = entry.line + by;
                sets[(line % self.sets) as usize].push(Entry { line, ..*entry });
            }
        }
        let tags = |mut held: Vec<Entry>| {
            held.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.at));
            held.truncate(self.ways);
            let known = held.len() == self.ways && held.iter().all(|entry| entry.data != Data::Unknown);
            let tag = |entry: &Entry| tag_of(entry.line) | if entry.data == Data::Dirty { DIRTY } else { 0 };
            known.then(|| held.iter().map(tag).collect())
        };
        sets.into_iter().map(tags).collect()
    }
}

impl Entry {
    /// Of a line that is fetched `at` that time, with such data.
    pub(super) fn new(line: u64, at: u64, data: Data) -> Entry {
        Entry { line, at, data, lost: 0, lost_since: 0 }
    }
}

impl Group {
    fn new(stride: u64, sets: usize, ways: usize) -> Group {
        Group {
            stride,
            stacks: vec![Vec::with_capacity(ways); sets],
            latest: vec![0; ways],
            earliest: vec![0; ways],
            looked_at: 0,
        }
    }

    /// Forgets the lines that came until then.
    fn forget(&mut self, until: u64) {
        self.stacks.iter_mut().for_each(|stack| stack.retain(|entry| entry.at > until));
        self.earliest.fill(0);
        self.looked_at = 0;
    }

    /// Looks at every set again, unless that was a few fetches ago.
    fn look(&mut self, now: u64) {
        let size = self.stacks.len() * self.earliest.len();
        if now - self.looked_at >= size as u64 / 16 {
            self.look_at_once(now);
        }
    }

    /// Looks at every set again.
    pub(super) fn look_at_once(&mut self, now: u64) {
        self.looked_at = now;
        self.earliest.fill(u64::MAX);
        for stack in &self.stacks {
            for (depth, earliest) in self.earliest.iter_mut().enumerate() {
                *earliest = stack.get(depth).map_or(0, |entry| entry.at).min(*earliest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Modelled;
    use machine::{Inclusion, Machine};
    use memory::Arena;

    /// A line that leaves for the level above makes room: another one stays longer.
    #[test]
    fn a_level_of_victims_is_certain_of_nothing_that_came_before_one_left() {
        let level = |level: u8, size: usize, ways: usize| {
            format!("[[cache]]\nlevel = {level}\nsize = {size}\nline = 64\nways = {ways}\n")
        };
        let text = format!("name = \"test\"\n{}{}", level(1, 64, 1), level(2, 256, 2));
        let mut machine = Machine::from_toml(&text, "test").unwrap();
        machine.levels[1].inclusion = Inclusion::Exclusive;
        let model = Modelled::new(&machine, &Arena::with_capacity(4096).unwrap()).unwrap();
        let array = Moving { stride: 0, lowest: 0, from: 0, to: 4095 };
        let mut stacks = Stacks::new(&model.filter.hierarchy.levels[1], &[array]);
        let fetch = |line: u64| Request::new(line << 6, 0);
        let victims = |lines: &[u64]| -> Vec<Request> {
            lines.iter().map(|line| Request::new(line << 6, Request::VICTIM)).collect()
        };
        assert!(stacks.see(&victims(&[0, 2])));
        assert!(stacks.see(&[fetch(2)]));
        // Line 0 stays, though two others have come since.
        assert!(stacks.see(&victims(&[4, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21])));
        assert!(stacks.are_full());
        stacks.begin();
        assert!(stacks.see(&[fetch(1)]));
        assert!(!stacks.see(&[fetch(0)]));
    }
}

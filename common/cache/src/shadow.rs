//! The kinds of misses (Hill): a miss is compulsory if the line was never in
//! use before, a capacity miss if a fully associative LRU cache of the same
//! size misses too, and else a conflict miss.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use figures::random::mix;

/// Why a line was not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Compulsory = 0,
    Capacity = 1,
    Conflict = 2,
}

/// A fully associative LRU cache: a list of slots in order of last use, found
/// by line number.
#[derive(Debug, Clone)]
pub(super) struct Shadow {
    /// Slot of each line ever used; [`GONE`] if it made room since.
    slots: HashMap<u64, u32, BuildHasherDefault<Mixed>>,
    /// Per slot: line, slot used before it, slot used after it. Slot 0 joins
    /// the ends: after it comes the oldest, before it lies the newest.
    list: Vec<(u64, u32, u32)>,
    capacity: usize,
}

const GONE: u32 = 0;

impl Shadow {
    pub(super) fn new(capacity: usize) -> Shadow {
        Shadow { slots: HashMap::default(), list: vec![(0, 0, 0)], capacity }
    }

    /// Uses `line`; the kind of miss it is if the real cache misses.
    pub(super) fn kind_of_miss(&mut self, line: u64) -> Kind {
        let known = self.slots.get(&line).copied();
        match known {
            Some(slot) if slot != GONE => {
                self.unlink(slot);
                self.link_newest(slot, line);
                return Kind::Conflict;
            }
            _ => {
                let slot = self.free_slot();
                self.slots.insert(line, slot);
                self.link_newest(slot, line);
            }
        }
        if known.is_some() { Kind::Capacity } else { Kind::Compulsory }
    }

    fn free_slot(&mut self) -> u32 {
        if self.list.len() <= self.capacity {
            self.list.push((0, 0, 0));
            return self.list.len() as u32 - 1;
        }
        let oldest = self.list[0].2;
        self.unlink(oldest);
        self.slots.insert(self.list[oldest as usize].0, GONE);
        oldest
    }

    fn unlink(&mut self, slot: u32) {
        let (_, before, after) = self.list[slot as usize];
        self.list[before as usize].2 = after;
        self.list[after as usize].1 = before;
    }

    fn link_newest(&mut self, slot: u32, line: u64) {
        let newest = self.list[0].1;
        self.list[newest as usize].2 = slot;
        self.list[0].1 = slot;
        self.list[slot as usize] = (line, newest, 0);
    }

    /// Lines from the oldest to the newest, and how many were ever used: all
    /// that decides what it says next.
    pub(super) fn state(&self) -> Vec<u64> {
        let mut state = vec![self.slots.len() as u64];
        let mut slot = self.list[0].2;
        while slot != 0 {
            let (line, _, after) = self.list[slot as usize];
            state.push(line);
            slot = after;
        }
        state
    }
}

/// Line numbers hashed by one round of mixing.
#[derive(Debug, Clone, Default)]
pub(super) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = mix(self.0 ^ u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = mix(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_follow_the_fully_associative_cache() {
        use Kind::*;
        let mut shadow = Shadow::new(2);
        let kinds = [7, 8, 7, 9, 8, 9, 7].map(|line| shadow.kind_of_miss(line));
        assert_eq!(kinds, [Compulsory, Compulsory, Conflict, Compulsory, Capacity, Conflict, Capacity]);
        assert_eq!(shadow.state(), [3, 9, 7]);
    }
}

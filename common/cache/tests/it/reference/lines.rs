//! The sets of one cache or TLB.

use std::collections::BTreeSet;

use figures::random::Random;
use machine::{CacheLevel, Inclusion, Index, Machine, Replacement, TlbIndex};

/// A line in a cache. Times are counts of uses and arrivals in this cache.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    pub(crate) number: u64,
    /// The line is dirty.
    pub(crate) dirty: bool,
    arrived: u64,
    used: u64,
}

impl Line {
    pub(crate) fn new(number: u64, dirty: bool) -> Line {
        Line { number, dirty, arrived: 0, used: 0 }
    }
}

/// One cache.
pub(crate) struct Cache {
    pub(crate) rules: CacheLevel,
    pub(crate) is_physical: bool,
    /// Dirty lines that an exclusive level moved to the level above: they are dirty again
    /// when they return.
    pub(crate) given_up_dirty: BTreeSet<u64>,
    sets: Vec<Vec<Option<Line>>>,
    /// Per set, for each node of a tree over the ways, whether the victim is in its upper
    /// half. Node 1 is the root, node n has the children 2n and 2n + 1.
    trees: Vec<Vec<bool>>,
    random: Random,
    time: u64,
}

impl Cache {
    pub(crate) fn of(machine: &Machine) -> Vec<Cache> {
        let mut physical = false;
        let new = |rules: &CacheLevel| {
            physical |= rules.index == Index::Physical;
            Cache::new(rules, physical)
        };
        machine.levels.iter().map(new).collect()
    }

    fn new(rules: &CacheLevel, is_physical: bool) -> Cache {
        Cache {
            rules: rules.clone(),
            is_physical,
            given_up_dirty: BTreeSet::new(),
            sets: vec![vec![None; rules.ways]; rules.sets()],
            trees: vec![vec![false; rules.ways]; rules.sets()],
            random: Random::new(1),
            time: 0,
        }
    }

    pub(crate) fn is_exclusive(&self) -> bool {
        self.rules.inclusion == Inclusion::Exclusive
    }

    /// The line, if it is in this level.
    pub(crate) fn find(&self, number: u64) -> Option<Line> {
        self.sets[self.set(number)].iter().flatten().find(|line| line.number == number).copied()
    }

    /// A load or store uses the line.
    pub(crate) fn use_line(&mut self, number: u64) {
        self.time += 1;
        let set = self.set(number);
        let Some(way) = self.way(number) else { return };
        if let Some(line) = &mut self.sets[set][way] {
            line.used = self.time;
        }
        self.point_away(set, way);
    }

    pub(crate) fn make_dirty(&mut self, number: u64) {
        let set = self.set(number);
        for line in self.sets[set].iter_mut().flatten() {
            line.dirty |= line.number == number;
        }
    }

    /// Moves the line to the level above.
    pub(crate) fn give_up(&mut self, number: u64) {
        if self.remove(number).is_some_and(|line| line.dirty) {
            self.given_up_dirty.insert(number);
        }
    }

    pub(crate) fn remove(&mut self, number: u64) -> Option<Line> {
        let (set, way) = (self.set(number), self.way(number)?);
        self.sets[set][way].take()
    }

    /// Inserts a line that is not in this level into the first empty way of its set, or in
    /// place of a victim, which it returns.
    pub(crate) fn put(&mut self, line: Line) -> Option<Line> {
        self.time += 1;
        let set = self.set(line.number);
        let empty = self.sets[set].iter().position(Option::is_none);
        let way = empty.unwrap_or_else(|| self.victim(set));
        self.point_away(set, way);
        self.sets[set][way].replace(Line { arrived: self.time, used: self.time, ..line })
    }

    /// The way of a full set whose line is replaced.
    fn victim(&mut self, set: usize) -> usize {
        let ways = &self.sets[set];
        let earliest = |time: fn(&Line) -> u64| {
            (0..ways.len()).min_by_key(|&way| ways[way].as_ref().map(time)).unwrap_or(0)
        };
        match self.rules.replacement {
            Replacement::Lru => earliest(|line| line.used),
            Replacement::Fifo => earliest(|line| line.arrived),
            Replacement::Random => self.random.below(ways.len()),
            Replacement::Plru => {
                let mut node = 1;
                while node < ways.len() {
                    node = 2 * node + usize::from(self.trees[set][node]);
                }
                node - ways.len()
            }
        }
    }

    /// Points each node of the tree above `way` to its other half.
    fn point_away(&mut self, set: usize, way: usize) {
        if self.rules.replacement != Replacement::Plru {
            return;
        }
        let (mut node, mut ways) = (1, 0..self.rules.ways);
        while ways.len() > 1 {
            let middle = ways.start + ways.len() / 2;
            let is_upper = way >= middle;
            self.trees[set][node] = !is_upper;
            node = 2 * node + usize::from(is_upper);
            ways = if is_upper { middle..ways.end } else { ways.start..middle };
        }
    }

    fn set(&self, number: u64) -> usize {
        (number % self.sets.len() as u64) as usize
    }

    fn way(&self, number: u64) -> Option<usize> {
        self.sets[self.set(number)].iter().position(|line| line.is_some_and(|line| line.number == number))
    }
}

/// One TLB, always LRU.
pub(crate) struct Tlb {
    ways: usize,
    index: TlbIndex,
    /// The pages of each set, the most recently used last.
    sets: Vec<Vec<u64>>,
}

impl Tlb {
    pub(crate) fn new(rules: &machine::Tlb) -> Tlb {
        Tlb { ways: rules.ways, index: rules.index, sets: vec![Vec::new(); rules.entries / rules.ways] }
    }

    /// Uses the page; returns whether it was there.
    pub(crate) fn look_up(&mut self, page: u64) -> bool {
        let count = self.sets.len() as u64;
        let number = match self.index {
            TlbIndex::Modulo => page % count,
            TlbIndex::Xor => (page % count) ^ (page / count % count),
        };
        let set = &mut self.sets[number as usize];
        let before = set.len();
        set.retain(|&other| other != page);
        let hit = set.len() < before;
        if set.len() == self.ways {
            set.remove(0);
        }
        set.push(page);
        hit
    }
}

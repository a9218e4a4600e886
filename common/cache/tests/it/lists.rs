//! What the cache model does, written for readers: TLBs and caches as lists of lines, which serve
//! one access after the other. It shares no code with the model.
//!
//! - An access that crosses the end of a first-level line is one access per line. Each of these looks
//!   its page up in the TLBs, then requests its line from the first cache.
//! - If no TLB has the page, entries of the page table are loaded before that: 8 bytes from each of the
//!   tables that are read, the one that covers all the pages first; none at the first access to the page.
//! - A level serves all requests that the level above made for one access, in order, before the next
//!   level serves the requests of this one.
//! - A miss first changes its own set. Then the level requests the line from the next one, then passes
//!   the victim on, then a store that is written through.
//! - Lines are named by their virtual addresses; where physical ones select the sets of a level, they
//!   do in all levels below it.

use std::collections::BTreeSet;

use cache::{Counts, Replay};
use figures::random::{Random, mix};
use machine::{CacheLevel, Inclusion, Index, Machine, Mapping, Replacement, TlbIndex, Write};

use crate::machines::random_machine;
use crate::pick;

/// A line in a cache; times are counts of its uses and arrivals.
struct Line {
    address: u64,
    dirty: bool,
    arrived: u64,
    used: u64,
}

struct Level {
    rules: CacheLevel,
    /// For each page its frame, if physical addresses select the sets.
    frames: Option<Frames>,
    sets: Vec<Vec<Option<Line>>>,
    /// For each set, whether the victim is in the second half of a node's ways; the root is node 1.
    trees: Vec<Vec<bool>>,
    random: Random,
    time: u64,
    /// Dirty lines that an exclusive level gave to the level above: dirty again when they return.
    given_up: BTreeSet<u64>,
    counts: [u64; 7],
}

/// Where a machine's pages are: a permutation by a Feistel network of four rounds, each of which adds
/// a hash of the lower half of a page's number, the round and the seed to its upper half.
#[derive(Clone, Copy)]
struct Frames {
    page: u64,
    seed: u64,
    half: u32,
}

impl Frames {
    fn physical(self, address: u64) -> u64 {
        let (mask, mut number) = ((1 << self.half) - 1, address / self.page);
        for round in 0..4 {
            let (upper, lower) = (number >> self.half, number & mask);
            number = lower << self.half | (upper ^ mix(self.seed ^ mix(4 * lower + round)) & mask);
        }
        number * self.page + address % self.page
    }
}

/// Positions in a level's counts.
const ACCESSES: usize = 0;
const MISSES: usize = 2;
const EVICTIONS: usize = 4;
const WRITE_BACKS: usize = 5;
const THROUGH: usize = 6;

impl Level {
    fn exclusive(&self) -> bool {
        self.rules.inclusion == Inclusion::Exclusive
    }

    fn set(&self, address: u64) -> usize {
        let address = self.frames.map_or(address, |frames| frames.physical(address));
        (address / self.rules.line.0 % self.sets.len() as u64) as usize
    }

    fn way(&self, address: u64) -> Option<usize> {
        let is_it = |way: &Option<Line>| way.as_ref().is_some_and(|line| line.address == address);
        self.sets[self.set(address)].iter().position(is_it)
    }

    fn remove(&mut self, address: u64) -> Option<Line> {
        let (set, way) = (self.set(address), self.way(address)?);
        self.sets[set][way].take()
    }

    /// Makes the line dirty, if it is there.
    fn mark(&mut self, address: u64) {
        let set = self.set(address);
        self.sets[set]
            .iter_mut()
            .flatten()
            .filter(|line| line.address == address)
            .for_each(|line| line.dirty = true);
    }

    /// Uses the line in a way.
    fn uses(&mut self, set: usize, way: usize) {
        self.time += 1;
        self.sets[set][way].iter_mut().for_each(|line| line.used = self.time);
        let (mut node, mut ways) = (1, 0..self.rules.ways);
        while ways.len() > 1 {
            let middle = ways.start + ways.len() / 2;
            let is_second = way >= middle;
            self.trees[set][node] = !is_second;
            node = 2 * node + usize::from(is_second);
            ways = if is_second { middle..ways.end } else { ways.start..middle };
        }
    }

    /// Puts a line into an empty way, or in place of a victim, which it returns.
    fn put(&mut self, address: u64, dirty: bool) -> Option<Line> {
        let set = self.set(address);
        let ways = &self.sets[set];
        let first = |time: fn(&Line) -> u64| (0..ways.len()).min_by_key(|way| ways[*way].as_ref().map(time));
        let way = match (ways.iter().position(Option::is_none), self.rules.replacement) {
            (Some(empty), _) => empty,
            (None, Replacement::Lru) => first(|line| line.used).unwrap(),
            (None, Replacement::Fifo) => first(|line| line.arrived).unwrap(),
            (None, Replacement::Random) => self.random.below(ways.len()),
            (None, Replacement::Plru) => {
                let node =
                    (0..ways.len().ilog2()).fold(1, |node, _| 2 * node + usize::from(self.trees[set][node]));
                node - ways.len()
            }
        };
        let victim = self.sets[set][way].replace(Line { address, dirty, arrived: self.time + 1, used: 0 });
        self.uses(set, way);
        victim
    }
}

/// What a level asks of the next one.
#[derive(Clone, Copy)]
struct Ask {
    address: u64,
    store: bool,
    /// It carries a store's data, or those of a dirty victim.
    data: bool,
    victim: bool,
}

/// Pages of a TLB's sets, the most recent last.
struct Tlb(machine::Tlb, Vec<Vec<u64>>, u64);

struct Lists {
    machine: Machine,
    tlbs: Vec<Tlb>,
    levels: Vec<Level>,
    pages: BTreeSet<u64>,
    /// Page walks; lines read from memory and written to it.
    walks: u64,
    reads: u64,
    writes: u64,
}

impl Lists {
    fn new(machine: &Machine) -> Lists {
        let (mut physical, page) = (false, machine.page_size.0);
        let line = machine.levels.iter().map(|cache| cache.line.0).min().unwrap();
        let level = |rules: &CacheLevel| {
            physical |= rules.index == Index::Physical;
            // Memory has 2^20 pages, or fewer if the smallest lines would be more than 2^30.
            let half = ((line << 29) / page).ilog2().div_euclid(2).min(10);
            let frames = match machine.mapping {
                Mapping::Random { seed } if physical => Some(Frames { page, seed, half }),
                _ => None,
            };
            Level {
                rules: rules.clone(),
                frames,
                sets: (0..rules.sets()).map(|_| (0..rules.ways).map(|_| None).collect()).collect(),
                trees: vec![vec![false; 2 * rules.ways]; rules.sets()],
                random: Random::new(1),
                time: 0,
                given_up: BTreeSet::new(),
                counts: [0; 7],
            }
        };
        let tlb = |tlb: &machine::Tlb| Tlb(tlb.clone(), vec![Vec::new(); tlb.entries / tlb.ways], 0);
        Lists {
            levels: machine.levels.iter().map(level).collect(),
            tlbs: machine.tlbs.iter().map(tlb).collect(),
            machine: machine.clone(),
            pages: BTreeSet::new(),
            walks: 0,
            reads: 0,
            writes: 0,
        }
    }

    fn access(&mut self, address: u64, bytes: u64, store: bool) {
        let line = self.levels[0].rules.line.0;
        for part in address / line..=(address + bytes - 1) / line {
            self.translate((part * line).max(address) / self.machine.page_size.0);
            self.serve(0, Ask { address: part * line, store, data: store, victim: false });
        }
    }

    fn translate(&mut self, page: u64) {
        for Tlb(rules, sets, misses) in &mut self.tlbs {
            let count = sets.len() as u64;
            let other = if rules.index == TlbIndex::Xor { page / count % count } else { 0 };
            let (hit, _) = touch(&mut sets[((page % count) ^ other) as usize], page, rules.ways);
            if hit {
                return;
            }
            *misses += 1;
        }
        let Some(walk) = self.machine.walk else { return };
        if self.pages.insert(page) {
            return;
        }
        self.walks += 1;
        // The tables are one after the other, in the upper half of the addresses that the model reaches:
        // 8 bytes for each page below, for each 512 of them, and so on, with 512 entries at the least.
        let start = self.levels.iter().map(|level| level.rules.line.0).min().unwrap() << 28;
        for table in (0..u32::from(walk.levels)).rev() {
            let bytes = |table: u32| 8 * (start / self.machine.page_size.0 / 512_u64.pow(table)).max(512);
            let address = start + (0..table).map(bytes).sum::<u64>() + page / 512_u64.pow(table) * 8;
            self.serve(
                usize::from(walk.cache) - 1,
                Ask { address, store: false, data: false, victim: false },
            );
        }
    }

    fn serve(&mut self, from: usize, ask: Ask) {
        let mut asks = vec![ask];
        for at in from..self.levels.len() {
            for ask in std::mem::take(&mut asks) {
                let line = self.levels[at].rules.line.0;
                let address = ask.address / line * line;
                if ask.victim {
                    self.take_victim(at, address, ask, &mut asks)
                } else {
                    self.demand(at, address, ask, &mut asks)
                }
            }
        }
        self.writes += asks.iter().filter(|ask| ask.data).count() as u64;
        self.reads += asks.iter().filter(|ask| !ask.data && !ask.victim).count() as u64;
    }

    fn demand(&mut self, at: usize, address: u64, ask: Ask, below: &mut Vec<Ask>) {
        let level = &mut self.levels[at];
        let (back, exclusive) = (level.rules.write == Write::Back, level.exclusive());
        level.counts[ACCESSES + usize::from(ask.store)] += 1;
        if let Some(way) = level.way(address) {
            if !exclusive {
                level.uses(level.set(address), way);
            }
            if exclusive && !ask.data {
                if level.remove(address).is_some_and(|line| line.dirty) {
                    level.given_up.insert(address);
                }
            } else if ask.data && back {
                level.mark(address);
            } else if ask.data {
                level.counts[THROUGH] += 1;
                below.push(ask);
            }
            return;
        }
        level.counts[MISSES + usize::from(ask.store)] += 1;
        let passes_by = ask.data && !level.rules.allocate;
        if exclusive || passes_by {
            level.counts[THROUGH] += u64::from(!exclusive);
            return below.push(ask);
        }
        below.push(Ask { data: false, ..ask });
        self.fill(at, address, ask.data && back, below);
        if ask.data && !back {
            self.levels[at].counts[THROUGH] += 1;
            below.push(ask);
        }
    }

    /// A line that a level above evicted: only an exclusive level makes space for it.
    fn take_victim(&mut self, at: usize, address: u64, ask: Ask, below: &mut Vec<Ask>) {
        let level = &mut self.levels[at];
        let is_here = level.way(address).is_some();
        if level.exclusive() {
            let dirty = level.given_up.remove(&address) || ask.data;
            if !is_here {
                self.fill(at, address, dirty, below);
            } else if dirty {
                level.mark(address);
            }
        } else if ask.data && is_here && level.rules.write == Write::Back {
            level.mark(address);
        } else if ask.data {
            below.push(ask);
        }
    }

    /// A victim of an inclusive level leaves the levels above, too.
    fn fill(&mut self, at: usize, address: u64, dirty: bool, below: &mut Vec<Ask>) {
        let Some(victim) = self.levels[at].put(address, dirty) else { return };
        let (above, rest) = self.levels.split_at_mut(at);
        let (mut dirty, level) = (victim.dirty, &mut rest[0]);
        for above in above.iter_mut().filter(|_| level.rules.inclusion == Inclusion::Inclusive) {
            for part in (victim.address..victim.address + level.rules.line.0).step_by(above.rules.line.get())
            {
                dirty |= above.given_up.remove(&part);
                dirty |= above.remove(part).is_some_and(|line| line.dirty);
            }
        }
        level.counts[EVICTIONS] += 1;
        level.counts[WRITE_BACKS] += u64::from(dirty);
        if dirty || rest.get(1).is_some_and(Level::exclusive) {
            below.push(Ask { address: victim.address, store: false, data: dirty, victim: true });
        }
    }

    /// The levels' counts, misses of the TLBs, walks, reads and writes.
    fn counts(&self) -> (Vec<[u64; 7]>, Vec<u64>, [u64; 3]) {
        let levels = self.levels.iter().map(|level| level.counts).collect();
        (levels, self.tlbs.iter().map(|tlb| tlb.2).collect(), [self.walks, self.reads, self.writes])
    }
}

/// The same counts of the model.
fn modelled(counts: &Counts) -> (Vec<[u64; 7]>, Vec<u64>, [u64; 3]) {
    let level = |level: &cache::LevelCounts| {
        let (all, missed) = (level.accesses, level.misses);
        let others = [level.evictions, level.write_backs, level.written_through];
        [[all.loads, all.stores, missed.loads, missed.stores].as_slice(), &others]
            .concat()
            .try_into()
            .unwrap()
    };
    let tlbs = counts.tlbs.iter().map(|tlb| tlb.misses).collect();
    let others = [counts.walks, counts.memory_reads, counts.memory_writes];
    (counts.levels.iter().map(level).collect(), tlbs, others)
}

/// Uses an entry of a list in order of use, the most recent last; whether it was there, and whether
/// another one had to leave.
pub(crate) fn touch(list: &mut Vec<u64>, entry: u64, most: usize) -> (bool, bool) {
    let before = list.iter().position(|other| *other == entry);
    before.map(|at| list.remove(at));
    let is_full = list.len() == most;
    if is_full {
        list.remove(0);
    }
    list.push(entry);
    (before.is_some(), is_full)
}

/// On machines with all that a description can contain.
#[test]
fn every_machine_counts_as_its_lists() {
    let mut random = Random::new(3);
    for case in 0..800 {
        let (machine, text) = random_machine(&mut random);
        if machine.walk.is_some() && machine.mapping != Mapping::Identity {
            continue; // the page table's frames depend on where it begins
        }
        let (mut lists, mut replay) = (Lists::new(&machine), Replay::new(&machine, vec!["all"]).unwrap());
        let mut address = 0;
        for _ in 0..1500 {
            let reach = pick(&mut random, &[1 << 9, 1 << 12, 1 << 15, 1 << 18]);
            address = match random.below(4) {
                0 => random.below(reach) as u64,
                1 => address + 8,
                2 => (address + pick(&mut random, &[64, 256, 1024, 4096])) % (1 << 18),
                _ => address,
            };
            let (bytes, store) = (pick(&mut random, &[1, 8, 8, 32]), random.below(3) == 0);
            lists.access(address, bytes, store);
            replay.access(address, bytes, store, 0).unwrap();
        }
        assert_eq!(modelled(&replay.counts()), lists.counts(), "{case}: {text}");
    }
}

//! One set of a cache under every policy that is known: which accesses miss.

use std::fmt;

use cache::plru;
use figures::random::Random;

/// Which line is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Policy {
    /// The least recently used.
    Lru,
    /// The one that came first.
    Fifo,
    /// The one a tree of direction bits points at; 2, 4, 8 ... ways.
    Plru,
    /// Groups of four ways, each with such a tree; a line of the group least recently used
    /// is replaced. Ice Lake's L1 (Abel, uops.info/cache.html).
    LruOfPlru4,
    /// The first whose bit is set. A use clears a line's bit; when a line must be replaced and no
    /// bit is left, all are set.
    Nru,
    /// Any.
    Random,
}

/// All that a set of this many ways may have.
pub(super) fn known(ways: usize) -> Vec<Policy> {
    let mut all = vec![Policy::Lru, Policy::Fifo, Policy::Nru, Policy::Random];
    if ways.is_power_of_two() {
        all.push(Policy::Plru);
    }
    // (two groups of four are a tree of eight)
    if ways > 8 && ways.is_multiple_of(4) {
        all.push(Policy::LruOfPlru4);
    }
    all
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Policy::Lru => "LRU",
            Policy::Fifo => "FIFO",
            Policy::Plru => "tree-PLRU",
            Policy::LruOfPlru4 => "LRU over trees of 4 (tree-PLRU)",
            Policy::Nru => "NRU bits",
            Policy::Random => "random",
        })
    }
}

/// The lines of one set and what the policy knows of them.
#[derive(Debug, Clone)]
pub(super) struct Set {
    policy: Policy,
    lines: Vec<Option<u16>>,
    /// By way: time of use or arrival, or a bit.
    marks: Vec<u64>,
    /// Ways of a group, of which the one used least recently gives up a line: one way each, or a tree of them.
    group: usize,
    /// Direction bits of each group.
    trees: Vec<u64>,
    now: u64,
    random: Random,
}

impl Set {
    pub(super) fn new(policy: Policy, ways: usize) -> Set {
        let mark = u64::from(policy == Policy::Nru);
        let group = match policy {
            Policy::Plru => ways,
            Policy::LruOfPlru4 => 4,
            _ => 1,
        };
        let (lines, marks, trees) = (vec![None; ways], vec![mark; ways], vec![0; ways.div_ceil(group)]);
        Set { policy, lines, marks, group, trees, now: 0, random: Random::new(7) }
    }

    /// Uses a line; whether it was there.
    pub(super) fn access(&mut self, line: u16) -> bool {
        let held = self.lines.iter().position(|l| *l == Some(line));
        self.now += 1;
        let way = held.unwrap_or_else(|| self.victim());
        self.lines[way] = Some(line);
        self.used(way, held.is_some());
        held.is_some()
    }

    /// The first empty way, or the one that the policy gives up.
    fn victim(&mut self) -> usize {
        if let Some(empty) = self.lines.iter().position(Option::is_none) {
            return empty;
        }
        match self.policy {
            Policy::Nru => {
                if !self.marks.contains(&1) {
                    self.marks.fill(1);
                }
                self.marks.iter().position(|mark| *mark == 1).unwrap_or(0)
            }
            Policy::Random => self.random.below(self.lines.len()),
            _ => {
                let newest = |(_, marks): &(usize, &[u64])| marks.iter().copied().max();
                let oldest = self.marks.chunks(self.group).enumerate().min_by_key(newest);
                let group = oldest.map_or(0, |(group, _)| group);
                group * self.group + plru::victim(self.trees[group], self.group)
            }
        }
    }

    fn used(&mut self, way: usize, hit: bool) {
        match self.policy {
            Policy::Fifo if hit => {}
            Policy::Nru => self.marks[way] = 0,
            _ => {
                self.marks[way] = self.now;
                plru::touch(&mut self.trees[way / self.group], self.group, way % self.group);
            }
        }
    }
}

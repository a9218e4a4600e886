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
    /// Direction bits: of the tree, or of group after group.
    trees: Vec<u64>,
    now: u64,
    random: Random,
}

impl Set {
    pub(super) fn new(policy: Policy, ways: usize) -> Set {
        let mark = u64::from(policy == Policy::Nru);
        let (lines, marks) = (vec![None; ways], vec![mark; ways]);
        Set { policy, lines, marks, trees: vec![0; ways.div_ceil(4)], now: 0, random: Random::new(7) }
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
        let ways = self.lines.len();
        if let Some(empty) = self.lines.iter().position(Option::is_none) {
            return empty;
        }
        match self.policy {
            Policy::Lru | Policy::Fifo => oldest(&self.marks),
            Policy::Plru => plru::victim(self.trees[0], ways),
            Policy::LruOfPlru4 => {
                let newest = |group: &[u64]| group.iter().copied().max().unwrap_or(0);
                let group = oldest(&self.marks.chunks(4).map(newest).collect::<Vec<_>>());
                4 * group + plru::victim(self.trees[group], 4)
            }
            Policy::Nru => {
                if !self.marks.contains(&1) {
                    self.marks.fill(1);
                }
                self.marks.iter().position(|mark| *mark == 1).unwrap_or(0)
            }
            Policy::Random => self.random.below(ways),
        }
    }

    fn used(&mut self, way: usize, hit: bool) {
        let ways = self.lines.len();
        match self.policy {
            Policy::Fifo if hit => {}
            Policy::Lru | Policy::Fifo => self.marks[way] = self.now,
            Policy::Plru => plru::touch(&mut self.trees[0], ways, way),
            Policy::LruOfPlru4 => {
                self.marks[way] = self.now;
                plru::touch(&mut self.trees[way / 4], 4, way % 4);
            }
            Policy::Nru => self.marks[way] = 0,
            Policy::Random => {}
        }
    }
}

fn oldest(marks: &[u64]) -> usize {
    (0..marks.len()).min_by_key(|way| marks[*way]).unwrap_or(0)
}

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
    /// The first whose bit was not cleared by a use; when the last is cleared, all
    /// others are set.
    Mru,
    /// The same, but bits are set when a line must be replaced and no bit is left.
    Nru,
    /// Ages of two bits, as in Intel's L2 and L3.
    Qlru(Qlru),
    /// Any.
    Random,
}

/// Quad-age LRU, in the names of Abel and Reineke ("nanoBench: A Low-Overhead
/// Tool for Running Microbenchmarks on x86 Systems", ISPASS 2020).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Qlru {
    /// Hxy: age after a hit at age 3, and at age 2; younger become 0.
    hit: [u8; 2],
    /// Mx: age of a line that comes.
    miss: u8,
    /// R0, R1: the first of age 3 goes; with R1, the first way if there is none.
    first: bool,
    /// Ux: how ages grow when none is 3.
    update: u8,
    /// Only on a miss, before a line is replaced.
    on_miss_only: bool,
}

const OLDEST: u8 = 3;

/// All that a set of this many ways may have.
pub(super) fn known(ways: usize) -> Vec<Policy> {
    let mut all = vec![Policy::Lru, Policy::Fifo, Policy::Mru, Policy::Nru, Policy::Random];
    if ways.is_power_of_two() {
        all.push(Policy::Plru);
    }
    // (two groups of four are a tree of eight)
    if ways > 8 && ways.is_multiple_of(4) {
        all.push(Policy::LruOfPlru4);
    }
    for hit in [[0, 0], [1, 1], [2, 1], [1, 0], [2, 0]] {
        // M3 would give up what has just come
        for miss in 0..3 {
            for (first, update) in [(false, 0), (false, 1), (true, 0), (true, 1), (true, 2), (true, 3)] {
                for on_miss_only in [false, true] {
                    all.push(Policy::Qlru(Qlru { hit, miss, first, update, on_miss_only }));
                }
            }
        }
    }
    all
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Policy::Lru => f.write_str("LRU"),
            Policy::Fifo => f.write_str("FIFO"),
            Policy::Plru => f.write_str("tree-PLRU"),
            Policy::LruOfPlru4 => f.write_str("LRU over trees of 4 (tree-PLRU)"),
            Policy::Mru => f.write_str("MRU bits"),
            Policy::Nru => f.write_str("NRU bits"),
            Policy::Random => f.write_str("random"),
            Policy::Qlru(q) => {
                let [three, two] = q.hit;
                let only = if q.on_miss_only { "_UMO" } else { "" };
                write!(f, "QLRU_H{three}{two}_M{}_R{}_U{}{only}", q.miss, u8::from(q.first), q.update)
            }
        }
    }
}

/// The lines of one set and what the policy knows of them.
#[derive(Debug, Clone)]
pub(super) struct Set {
    policy: Policy,
    lines: Vec<Option<u16>>,
    /// By way: time of use or arrival, a bit, or an age.
    marks: Vec<u64>,
    /// Direction bits: of the tree, or of group after group.
    trees: Vec<u64>,
    now: u64,
    random: Random,
}

impl Set {
    pub(super) fn new(policy: Policy, ways: usize) -> Set {
        let mark = match policy {
            Policy::Qlru(_) => u64::from(OLDEST),
            Policy::Mru | Policy::Nru => 1,
            _ => 0,
        };
        let (lines, marks) = (vec![None; ways], vec![mark; ways]);
        Set { policy, lines, marks, trees: vec![0; ways.div_ceil(4)], now: 0, random: Random::new(7) }
    }

    /// Uses a line; whether it was there.
    pub(super) fn access(&mut self, line: u16) -> bool {
        let held = self.lines.iter().position(|l| *l == Some(line));
        self.now += 1;
        if let Policy::Qlru(q) = self.policy
            && q.on_miss_only
            && held.is_none()
        {
            self.grow(q.update, usize::MAX);
        }
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
            Policy::Mru | Policy::Nru => {
                if !self.marks.contains(&1) {
                    self.marks.fill(1);
                }
                self.first(1)
            }
            Policy::Qlru(_) => self.first(u64::from(OLDEST)),
            Policy::Random => self.random.below(ways),
        }
    }

    fn first(&self, mark: u64) -> usize {
        self.marks.iter().position(|m| *m == mark).unwrap_or(0)
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
            Policy::Mru | Policy::Nru => {
                self.marks[way] = 0;
                if self.policy == Policy::Mru && !self.marks.contains(&1) {
                    self.marks.fill(1);
                    self.marks[way] = 0;
                }
            }
            Policy::Qlru(q) => {
                let [three, two] = q.hit;
                let age = match (hit, self.marks[way]) {
                    (false, _) => q.miss,
                    (true, 3) => three,
                    (true, 2) => two,
                    (true, _) => 0,
                };
                self.marks[way] = u64::from(age);
                if !q.on_miss_only {
                    self.grow(q.update, way);
                }
            }
            Policy::Random => {}
        }
    }

    /// Lets ages grow, if none is the oldest. U0 and U1 by what the oldest lacks, U2
    /// and U3 by one; U1 and U3 spare the way `used`, and do not look at it.
    fn grow(&mut self, update: u8, used: usize) {
        let spared = if update % 2 == 1 { used } else { usize::MAX };
        // U3 looks at all, U1 at the others only
        let looks = |way: &usize| update == 3 || *way != spared;
        let oldest = (0..self.marks.len()).filter(looks).map(|way| self.marks[way]).max().unwrap_or(0);
        let lacks = u64::from(OLDEST).saturating_sub(oldest);
        let more = if update < 2 { lacks } else { lacks.min(1) };
        let grown = self.marks.iter_mut().enumerate().filter(|(way, _)| *way != spared);
        grown.for_each(|(_, age)| *age += more);
    }
}

fn oldest(marks: &[u64]) -> usize {
    (0..marks.len()).min_by_key(|way| marks[*way]).unwrap_or(0)
}

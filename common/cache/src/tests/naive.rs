//! The same hierarchy, written for reading: each way is a record with the
//! times of its arrival and last use.

use machine::{Inclusion, Machine, Replacement, Write};

#[derive(Clone, Copy)]
struct Way {
    line: u64,
    dirty: bool,
    arrived: u64,
    used: u64,
}

struct Cache {
    sets: Vec<Vec<Option<Way>>>,
    /// Per set and inner node of the tree: whether it leads to the upper half.
    trees: Vec<Vec<bool>>,
    replacement: Replacement,
    generator: u64,
    write: Write,
    allocate: bool,
    inclusion: Inclusion,
    misses: [u64; 2],
    write_backs: u64,
    /// Dirty lines promoted to the level above an exclusive one.
    promoted_dirty: Vec<u64>,
}

pub(super) struct Naive {
    caches: Vec<Cache>,
    page: u64,
    tlbs: Vec<Tlb>,
    time: u64,
    reads: u64,
    writes: u64,
}

struct Tlb {
    /// PageMap of each set, the last used one last.
    sets: Vec<Vec<u64>>,
    ways: usize,
    misses: u64,
}

impl Naive {
    pub(super) fn new(machine: &Machine) -> Naive {
        let cache = |c: &machine::CacheLevel| Cache {
            sets: vec![vec![None; c.ways]; c.sets()],
            trees: vec![vec![false; c.ways]; c.sets()],
            replacement: c.replacement,
            generator: if let Replacement::Random { seed } = c.replacement { seed } else { 0 },
            write: c.write,
            allocate: c.allocate,
            inclusion: c.inclusion,
            misses: [0; 2],
            write_backs: 0,
            promoted_dirty: Vec::new(),
        };
        let tlb =
            |t: &machine::Tlb| Tlb { sets: vec![Vec::new(); t.entries / t.ways], ways: t.ways, misses: 0 };
        Naive {
            caches: machine.levels.iter().map(cache).collect(),
            page: machine.page_size.0,
            tlbs: machine.tlbs.iter().map(tlb).collect(),
            time: 0,
            reads: 0,
            writes: 0,
        }
    }

    pub(super) fn access(&mut self, address: u64, store: bool) {
        self.time += 1;
        let page = address / self.page;
        let _ = self.tlbs.iter_mut().any(|tlb| tlb.has(page));
        if store {
            self.store(0, address / 64, true);
        } else {
            self.fetch(0, address / 64, false);
        }
    }

    pub(super) fn figures(&self) -> Vec<u64> {
        let level = |c: &Cache| [c.misses[0], c.misses[1], c.write_backs];
        let mut figures: Vec<u64> = self.caches.iter().flat_map(level).collect();
        figures.extend([self.reads, self.writes]);
        figures.extend(self.tlbs.iter().map(|tlb| tlb.misses));
        figures
    }

    /// The line is wanted at `level`.
    fn fetch(&mut self, level: usize, line: u64, for_store: bool) {
        let Some(cache) = self.caches.get_mut(level) else {
            self.reads += 1;
            return;
        };
        let found = cache.find(line);
        if let (Some((set, way)), Inclusion::Exclusive) = (found, cache.inclusion) {
            if cache.sets[set][way].take().is_some_and(|way| way.dirty) {
                cache.promoted_dirty.push(line);
            }
        } else if let Some((set, way)) = found {
            cache.use_way(set, way, self.time);
        } else {
            cache.misses[usize::from(for_store)] += 1;
            let keeps = cache.inclusion != Inclusion::Exclusive;
            let victim = if keeps { self.fill(level, line, false) } else { None };
            self.fetch(level + 1, line, for_store);
            self.evict(level, victim);
        }
    }

    /// Data comes to `level` from a store.
    fn store(&mut self, level: usize, line: u64, counted: bool) {
        let Some(cache) = self.caches.get_mut(level) else {
            self.writes += 1;
            return;
        };
        let back = cache.write == Write::Back;
        let allocate = cache.allocate;
        if let Some((set, way)) = cache.find(line) {
            cache.use_way(set, way, self.time);
            if let Some(way) = &mut cache.sets[set][way] {
                way.dirty |= back;
            }
        } else {
            cache.misses[usize::from(counted)] += 1;
            if !allocate {
                return self.store(level + 1, line, counted);
            }
            let victim = self.fill(level, line, back);
            self.fetch(level + 1, line, true);
            self.evict(level, victim);
        }
        if !back {
            self.store(level + 1, line, counted);
        }
    }

    /// Keeps a line: before the next level is asked for it.
    fn fill(&mut self, level: usize, line: u64, dirty: bool) -> Option<Way> {
        let way = Way { line, dirty, arrived: self.time, used: self.time };
        self.caches[level].replace(way)
    }

    /// What becomes of a replaced line: after the next level was asked.
    fn evict(&mut self, level: usize, victim: Option<Way>) {
        let Some(mut victim) = victim else { return };
        if self.caches[level].inclusion == Inclusion::Inclusive {
            for above in &mut self.caches[..level] {
                if let Some((set, way)) = above.find(victim.line) {
                    victim.dirty |= above.sets[set][way].take().is_some_and(|way| way.dirty);
                }
            }
        }
        self.caches[level].write_backs += u64::from(victim.dirty);
        self.accept_victim(level + 1, victim.line, victim.dirty);
    }

    /// A replaced line comes to `level`.
    fn accept_victim(&mut self, level: usize, line: u64, dirty: bool) {
        let Some(cache) = self.caches.get_mut(level) else {
            self.writes += u64::from(dirty);
            return;
        };
        if cache.inclusion == Inclusion::Exclusive {
            let at = cache.promoted_dirty.iter().position(|&l| l == line);
            let was_dirty = at.map(|at| cache.promoted_dirty.swap_remove(at)).is_some();
            let victim = self.fill(level, line, dirty || was_dirty);
            return self.evict(level, victim);
        }
        if !dirty {
            return;
        }
        match cache.find(line) {
            Some((set, way)) if cache.write == Write::Back => {
                if let Some(way) = &mut cache.sets[set][way] {
                    way.dirty = true;
                }
            }
            _ => self.accept_victim(level + 1, line, true),
        }
    }
}

impl Tlb {
    /// Whether it had the page, which it has now.
    fn has(&mut self, page: u64) -> bool {
        let count = self.sets.len();
        let set = &mut self.sets[page as usize % count];
        let found = set.iter().position(|&other| other == page);
        found.map(|at| set.remove(at));
        set.push(page);
        if set.len() > self.ways {
            set.remove(0);
        }
        self.misses += u64::from(found.is_none());
        found.is_some()
    }
}

impl Cache {
    fn find(&self, line: u64) -> Option<(usize, usize)> {
        let set = line as usize % self.sets.len();
        let way = self.sets[set].iter().position(|way| way.is_some_and(|way| way.line == line))?;
        Some((set, way))
    }

    fn use_way(&mut self, set: usize, at: usize, time: u64) {
        if let Some(way) = &mut self.sets[set][at] {
            way.used = time;
        }
        // every node above this way leads to its other half
        let (mut node, mut half) = (1, self.sets[set].len() / 2);
        let mut first = 0;
        while half > 0 {
            let upper = at >= first + half;
            self.trees[set][node] = !upper;
            first += if upper { half } else { 0 };
            node = 2 * node + usize::from(upper);
            half /= 2;
        }
    }

    fn replace(&mut self, new: Way) -> Option<Way> {
        let set = new.line as usize % self.sets.len();
        let ways = &self.sets[set];
        let oldest = |time: fn(&Way) -> u64| {
            let times = ways.iter().map(|way| way.as_ref().map_or(0, time));
            times.enumerate().min_by_key(|&(_, time)| time).map_or(0, |(at, _)| at)
        };
        let at = match (ways.iter().position(Option::is_none), self.replacement) {
            (Some(free), _) => free,
            (None, Replacement::Lru) => oldest(|way| way.used),
            (None, Replacement::Fifo) => oldest(|way| way.arrived),
            (None, Replacement::Plru) => self.follow(set),
            (None, Replacement::Random { .. }) => {
                let count = ways.len();
                self.draw(count)
            }
        };
        let victim = self.sets[set][at].replace(new);
        self.use_way(set, at, new.used);
        victim
    }

    fn follow(&self, set: usize) -> usize {
        let (mut node, mut half, mut first) = (1, self.sets[set].len() / 2, 0);
        while half > 0 {
            let upper = self.trees[set][node];
            first += if upper { half } else { 0 };
            node = 2 * node + usize::from(upper);
            half /= 2;
        }
        first
    }

    /// SplitMix64, scaled to `count`.
    fn draw(&mut self, count: usize) -> usize {
        self.generator = self.generator.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.generator;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bits = z ^ (z >> 31);
        (u128::from(bits) * count as u128 / (1u128 << 64)) as usize
    }
}

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

#[derive(Clone, Copy)]
struct Request {
    address: u64,
    /// A store instruction is the cause.
    store: bool,
    /// Data comes with it.
    data: bool,
    /// The level above evicted it.
    victim: bool,
}

struct Cache {
    line: u64,
    sets: Vec<Vec<Option<Way>>>,
    /// Per set and inner node of the tree: whether it leads to the upper half.
    trees: Vec<Vec<bool>>,
    replacement: Replacement,
    generator: u64,
    write: Write,
    allocate: bool,
    inclusion: Inclusion,
    accesses: [u64; 2],
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
    /// Pages of each set, the last used one last.
    sets: Vec<Vec<u64>>,
    ways: usize,
    misses: u64,
}

impl Naive {
    pub(super) fn new(machine: &Machine) -> Naive {
        let cache = |c: &machine::CacheLevel| Cache {
            line: c.line.0,
            sets: vec![vec![None; c.ways]; c.sets()],
            trees: vec![vec![false; c.ways]; c.sets()],
            replacement: c.replacement,
            generator: if let Replacement::Random { seed } = c.replacement { seed } else { 0 },
            write: c.write,
            allocate: c.allocate,
            inclusion: c.inclusion,
            accesses: [0; 2],
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
        let page = address / self.page;
        let _ = self.tlbs.iter_mut().any(|tlb| tlb.has(page));
        let mut requests = vec![Request { address, store, data: store, victim: false }];
        for level in 0..self.caches.len() {
            requests = requests.into_iter().flat_map(|request| self.serve(level, request)).collect();
        }
        let written = requests.iter().filter(|request| request.data).count() as u64;
        self.writes += written;
        self.reads += requests.len() as u64 - written;
    }

    pub(super) fn figures(&self) -> Vec<u64> {
        let level = |c: &Cache| [c.accesses[0], c.accesses[1], c.misses[0], c.misses[1], c.write_backs];
        let mut figures: Vec<u64> = self.caches.iter().flat_map(level).collect();
        figures.extend([self.reads, self.writes]);
        figures.extend(self.tlbs.iter().map(|tlb| tlb.misses));
        figures
    }

    /// What `level` asks of the next one for it.
    fn serve(&mut self, level: usize, request: Request) -> Vec<Request> {
        self.time += 1;
        if request.victim { self.accept_victim(level, request) } else { self.demand(level, request) }
    }

    fn demand(&mut self, level: usize, request: Request) -> Vec<Request> {
        let time = self.time;
        let cache = &mut self.caches[level];
        let line = request.address / cache.line;
        let exclusive = cache.inclusion == Inclusion::Exclusive;
        let back = cache.write == Write::Back;
        cache.accesses[usize::from(request.store)] += 1;
        if let Some((set, way)) = cache.find(line) {
            if exclusive && !request.data {
                if cache.sets[set][way].take().is_some_and(|way| way.dirty) {
                    cache.promoted_dirty.push(line);
                }
                return vec![];
            }
            if !exclusive {
                cache.use_way(set, way, time);
            }
            if let Some(way) = &mut cache.sets[set][way] {
                way.dirty |= request.data && back;
            }
            return if request.data && !back { vec![request] } else { vec![] };
        }
        cache.misses[usize::from(request.store)] += 1;
        if exclusive || request.data && !cache.allocate {
            return vec![request];
        }
        let mut sent = vec![Request { data: false, ..request }];
        sent.extend(self.fill(level, line, request.data && back));
        if request.data && !back {
            sent.push(request);
        }
        sent
    }

    /// Keeps a line, in place of its victim.
    fn fill(&mut self, level: usize, line: u64, dirty: bool) -> Option<Request> {
        let way = Way { line, dirty, arrived: self.time, used: self.time };
        let mut victim = self.caches[level].replace(way)?;
        let address = victim.line * self.caches[level].line;
        let end = address + self.caches[level].line;
        if self.caches[level].inclusion == Inclusion::Inclusive {
            victim.dirty |=
                self.caches[..level].iter_mut().fold(false, |d, c| c.drop_lines(address, end) | d);
        }
        self.caches[level].write_backs += u64::from(victim.dirty);
        let below = self.caches.get(level + 1).map(|below| below.inclusion);
        let sent = victim.dirty || below == Some(Inclusion::Exclusive);
        sent.then_some(Request { address, store: false, data: victim.dirty, victim: true })
    }

    /// A victim of the level above comes to `level`.
    fn accept_victim(&mut self, level: usize, request: Request) -> Vec<Request> {
        let cache = &mut self.caches[level];
        let line = request.address / cache.line;
        let found = cache.find(line);
        if cache.inclusion == Inclusion::Exclusive {
            let dirty = cache.was_promoted_dirty(line) || request.data;
            let Some((set, way)) = found else { return self.fill(level, line, dirty).into_iter().collect() };
            if let Some(way) = &mut cache.sets[set][way] {
                way.dirty |= dirty;
            }
            return vec![];
        }
        match found {
            _ if !request.data => vec![],
            Some((set, way)) if cache.write == Write::Back => {
                if let Some(way) = &mut cache.sets[set][way] {
                    way.dirty = true;
                }
                vec![]
            }
            _ => vec![request],
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
    /// Drops the lines from `address` to `end`; whether one of them was dirty.
    fn drop_lines(&mut self, address: u64, end: u64) -> bool {
        let mut dirty = false;
        for line in address / self.line..end / self.line {
            dirty |= self.was_promoted_dirty(line);
            if let Some((set, way)) = self.find(line) {
                dirty |= self.sets[set][way].take().is_some_and(|way| way.dirty);
            }
        }
        dirty
    }

    /// Whether an exclusive level gave the line to the level above, dirty.
    fn was_promoted_dirty(&mut self, line: u64) -> bool {
        let at = self.promoted_dirty.iter().position(|&promoted| promoted == line);
        at.map(|at| self.promoted_dirty.swap_remove(at)).is_some()
    }

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

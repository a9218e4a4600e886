//! What the cache model does, written for readers: caches and TLBs serve one access after
//! the other, without any shortcut.
//!
//! - The first access to a page finds its entry where the system has just written it, and
//!   loads nothing.
//! - An access that crosses the end of a first-level line is one access per line. Each of
//!   these looks its page up in the TLBs, then requests its line from the first cache. If no
//!   TLB has the page, entries of the page table are loaded before that: one of 8 bytes from
//!   each of the tables that are read, the one that covers all the pages first. Entries of the
//!   last table are one after the other in the order of pages; the table above has one for 512
//!   of them, and begins where the space for the entries of all pages ends: of all pages below
//!   the page table, or of 512 if those are fewer.
//! - A level serves all requests that the level above made for one access, in order,
//!   before the next level serves the requests of this one.
//! - A miss first changes its own set: the victim leaves, the line is there. Then the level
//!   requests the line from the next one, then passes the victim on, then a store that is
//!   written through.
//! - Requests carry virtual addresses. A level whose sets are selected by physical ones
//!   converts them, and so do all levels below it.

use std::cell::Cell;
use std::collections::BTreeSet;

use cache::{ArrayCounts, Counts, LevelCounts, LoadsStores, TlbCounts};
use machine::{CacheLevel, Inclusion, Machine, Write};
use memory::{Arena, Lanes, Memory, Vector, Word};

use super::addresses::{Arrays, Pages};
use super::lines::{Cache, Line, Tlb};

/// The memory of a machine: kernels run on it as they do on `cache::Modelled`.
pub(crate) struct Reference {
    arrays: Arrays,
    pages: Pages,
    tlbs: Vec<Tlb>,
    /// The level of cache that page walks ask, and the number of entries that each reads.
    walk: Option<(usize, u32)>,
    /// The pages that were accessed before.
    touched: BTreeSet<u64>,
    caches: Vec<Cache>,
    counts: Counts,
}

/// What a level asks of the next one.
enum Request {
    /// A load or store needs the line.
    Demand(Demand),
    /// A level above evicted the line.
    Victim { address: u64, dirty: bool },
}

#[derive(Clone, Copy)]
struct Demand {
    address: u64,
    array: usize,
    /// A store instruction is the cause.
    store: bool,
    /// The request carries the store's data; without it, it only fetches the line.
    data: bool,
}

impl Reference {
    /// The memory of `machine`; if `alone`, accesses outside the arrays ask no level.
    pub(crate) fn new(machine: &Machine, arena: &Arena, alone: bool) -> Reference {
        let arrays = Arrays::new(arena, alone);
        let walks = machine.walks().then_some("(page table)");
        let names: Vec<&'static str> = arrays.names().iter().copied().chain(walks).collect();
        let tlb_names = arrays.names();
        let level = |cache: &CacheLevel| LevelCounts {
            level: cache.level,
            accesses: LoadsStores::default(),
            misses: LoadsStores::default(),
            evictions: 0,
            write_backs: 0,
            written_through: 0,
            arrays: names.iter().map(|&name| ArrayCounts { name, misses: LoadsStores::default() }).collect(),
        };
        let tlb = |tlb: &machine::Tlb| TlbCounts {
            level: tlb.level,
            misses: 0,
            arrays: tlb_names.iter().map(|&name| (name, 0)).collect(),
        };
        Reference {
            counts: Counts {
                loads: 0,
                stores: 0,
                passes: 0,
                levels: machine.levels.iter().map(level).collect(),
                tlbs: machine.tlbs.iter().map(tlb).collect(),
                walks: 0,
                memory_reads: 0,
                memory_writes: 0,
                estimate: None,
            },
            pages: Pages::new(machine),
            tlbs: machine.tlbs.iter().map(Tlb::new).collect(),
            caches: Cache::of(machine),
            touched: BTreeSet::new(),
            walk: machine.walk.map(|walk| (usize::from(walk.cache - 1), u32::from(walk.levels))),
            arrays,
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        self.counts.clone()
    }

    /// An access of `bytes` bytes.
    fn access(&mut self, pointer: usize, bytes: usize, store: bool) {
        let line = self.caches[0].rules.line.get();
        let (mut start, end) = (pointer, pointer + bytes);
        while start < end {
            self.access_line(start, store);
            start = (start / line + 1) * line;
        }
    }

    /// The part of an access that lies in one line.
    fn access_line(&mut self, pointer: usize, store: bool) {
        let Some((address, array)) = self.arrays.locate(pointer) else {
            return count(&mut self.counts.levels[0].accesses, store); // but nothing is asked
        };
        self.translate(address, array);
        self.serve(0, Demand { address, array, store, data: store });
    }

    /// Serves a load or store from that level on.
    fn serve(&mut self, first: usize, demand: Demand) {
        let mut requests = vec![Request::Demand(demand)];
        for level in first..self.caches.len() {
            for request in std::mem::take(&mut requests) {
                match request {
                    Request::Demand(demand) => self.demand(level, demand, &mut requests),
                    Request::Victim { address, dirty } => {
                        self.take_victim(level, address, dirty, &mut requests);
                    }
                }
            }
        }
        for request in requests {
            match request {
                Request::Demand(Demand { data: true, .. }) | Request::Victim { dirty: true, .. } => {
                    self.counts.memory_writes += 1;
                }
                Request::Demand(_) => self.counts.memory_reads += 1,
                Request::Victim { dirty: false, .. } => {}
            }
        }
    }

    /// Looks the page up, level by level until one has it; those that did not have it now do.
    fn translate(&mut self, address: u64, array: usize) {
        for (tlb, counts) in self.tlbs.iter_mut().zip(&mut self.counts.tlbs) {
            if tlb.look_up(address / self.pages.size) {
                return;
            }
            counts.misses += 1;
            counts.arrays[array].1 += 1;
        }
        let Some((first, tables)) = self.walk else { return };
        let (start, page) = (self.arrays.end(), address / self.pages.size);
        if self.touched.insert(page) {
            return;
        }
        self.counts.walks += 1;
        for above in (0..tables).rev() {
            let bytes = |table: u32| 8 * (start / self.pages.size / 512u64.pow(table)).max(512);
            let table = start + (0..above).map(bytes).sum::<u64>();
            let array = self.arrays.names().len();
            let address = table + page / 512u64.pow(above) * 8;
            self.serve(first, Demand { address, array, store: false, data: false });
        }
    }

    fn demand(&mut self, level: usize, demand: Demand, below: &mut Vec<Request>) {
        let number = self.line_number(level, demand.address);
        let (cache, counts) = (&mut self.caches[level], &mut self.counts.levels[level]);
        count(&mut counts.accesses, demand.store);
        let back = cache.rules.write == Write::Back;
        if cache.find(number).is_some() {
            if !cache.is_exclusive() {
                cache.use_line(number);
            }
            if cache.is_exclusive() && !demand.data {
                cache.give_up(number);
            } else if demand.data && back {
                cache.make_dirty(number);
            } else if demand.data {
                counts.written_through += 1;
                below.push(Request::Demand(demand));
            }
        } else {
            count(&mut counts.misses, demand.store);
            count(&mut counts.arrays[demand.array].misses, demand.store);
            if cache.is_exclusive() {
                below.push(Request::Demand(demand));
            } else if demand.data && !cache.rules.allocate {
                counts.written_through += 1;
                below.push(Request::Demand(demand));
            } else {
                below.push(Request::Demand(Demand { data: false, ..demand }));
                self.fill(level, Line::new(number, demand.data && back), below);
                if demand.data && !back {
                    self.counts.levels[level].written_through += 1;
                    below.push(Request::Demand(demand));
                }
            }
        }
    }

    /// A victim of a level above. It updates a line, which is not used by that; only an
    /// exclusive level makes space for it.
    fn take_victim(&mut self, level: usize, address: u64, dirty: bool, below: &mut Vec<Request>) {
        let number = self.line_number(level, address);
        let cache = &mut self.caches[level];
        let is_here = cache.find(number).is_some();
        if cache.is_exclusive() {
            let dirty = cache.given_up_dirty.remove(&number) || dirty;
            if !is_here {
                self.fill(level, Line::new(number, dirty), below);
            } else if dirty {
                cache.make_dirty(number);
            }
        } else if dirty && is_here && cache.rules.write == Write::Back {
            cache.make_dirty(number);
        } else if dirty {
            below.push(Request::Victim { address, dirty });
        }
    }

    /// Puts a line into its set. The victim goes to the next level if it is dirty, or if that
    /// level is exclusive; one of an inclusive level leaves the levels above, too.
    fn fill(&mut self, level: usize, line: Line, below: &mut Vec<Request>) {
        let Some(victim) = self.caches[level].put(line) else { return };
        self.counts.levels[level].evictions += 1;
        let address = self.address(level, victim.number);
        let mut dirty = victim.dirty;
        let rules = &self.caches[level].rules;
        if rules.inclusion == Inclusion::Inclusive {
            let end = address + rules.line.0;
            (0..level).for_each(|above| dirty |= self.invalidate(above, address, end));
        }
        self.counts.levels[level].write_backs += u64::from(dirty);
        if dirty || self.caches.get(level + 1).is_some_and(Cache::is_exclusive) {
            below.push(Request::Victim { address, dirty });
        }
    }

    /// Removes all lines from `address` to `end`; whether one of them was dirty.
    fn invalidate(&mut self, level: usize, address: u64, end: u64) -> bool {
        let mut dirty = false;
        for part in (address..end).step_by(self.caches[level].rules.line.get()) {
            let number = self.line_number(level, part);
            let cache = &mut self.caches[level];
            dirty |= cache.given_up_dirty.remove(&number);
            dirty |= cache.remove(number).is_some_and(|line| line.dirty);
        }
        dirty
    }

    /// The number of the line at a virtual address, as `level` numbers lines.
    fn line_number(&mut self, level: usize, address: u64) -> u64 {
        let cache = &self.caches[level];
        let own = if cache.is_physical { self.pages.physical(address) } else { address };
        own / cache.rules.line.0
    }

    /// The virtual address at which that line begins.
    fn address(&self, level: usize, number: u64) -> u64 {
        let cache = &self.caches[level];
        let own = number * cache.rules.line.0;
        if cache.is_physical { self.pages.of_physical(own) } else { own }
    }
}

fn count(counts: &mut LoadsStores, store: bool) {
    *(if store { &mut counts.stores } else { &mut counts.loads }) += 1;
}

impl Memory for Reference {
    fn load<T: Word>(&mut self, cell: &Cell<T>) -> T {
        self.counts.loads += 1;
        self.access(cell.as_ptr() as usize, size_of::<T>(), false);
        cell.get()
    }

    fn store<T: Word>(&mut self, cell: &Cell<T>, value: T) {
        self.counts.stores += 1;
        self.access(cell.as_ptr() as usize, size_of::<T>(), true);
        cell.set(value);
    }

    fn load_vector<V: Vector>(&mut self, lanes: Lanes<'_, V>) -> V {
        self.counts.loads += 1;
        self.access(lanes.address(), size_of::<V>(), false);
        lanes.read()
    }

    fn store_vector<V: Vector>(&mut self, lanes: Lanes<'_, V>, value: V) {
        self.counts.stores += 1;
        self.access(lanes.address(), size_of::<V>(), true);
        lanes.write(value);
    }

    fn repeat(&mut self, times: u64, mut body: impl FnMut(&mut Self)) {
        for _ in 0..times {
            body(self);
            self.counts.passes += 1;
        }
    }
}

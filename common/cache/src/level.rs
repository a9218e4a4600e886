//! One level of the hierarchy: serves the requests of the level above, and passes its own
//! misses, evicted lines and written-through stores to the next level. And one level of cached
//! page translations.

use figures::units::Bytes;
use machine::{CacheLevel, Inclusion, Index, Machine, Replacement, TlbIndex, Write};

use crate::journal::Moves;
use crate::promoted::Promoted;
use crate::recent::Recent;
use crate::request::{Request, kind};
use crate::sets::{Layout, Sets};
use crate::tag::{DIRTY, Tag, line_of, tag_of};
use crate::tally::LevelTally;

/// Which set a line belongs to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SetIndex {
    sets: u64,
    is_power_of_two: bool,
}

impl SetIndex {
    pub(crate) fn new(sets: usize) -> SetIndex {
        SetIndex { sets: sets as u64, is_power_of_two: sets.is_power_of_two() }
    }

    /// Bits by which the page numbers of a TLB with that index are shifted and added (exclusive
    /// or) to themselves; a shift by 63 adds nothing.
    pub(crate) fn fold(index: TlbIndex, sets: usize) -> u32 {
        if index == TlbIndex::Xor && sets > 1 { sets.ilog2() } else { 63 }
    }

    #[inline(always)]
    pub(crate) fn of(self, line: u64) -> usize {
        (if self.is_power_of_two { line & (self.sets - 1) } else { line % self.sets }) as usize
    }
}

#[derive(Debug)]
pub(crate) struct Level {
    pub(crate) shift: u32,
    pub(crate) index: SetIndex,
    /// Whether physical addresses select its sets; then they do in all levels below it too.
    pub(crate) physical: bool,
    /// Whether a line that it evicts is also evicted from the levels above (inclusive).
    pub(crate) recalls: bool,
    pub(crate) store: Sets,
    pub(crate) promoted: Promoted,
    write_back: bool,
    allocate: bool,
    exclusive: bool,
    /// Whether evicted clean lines are passed on: to an exclusive level below, or for
    /// invalidation in the levels above.
    pub(crate) evicts_clean: bool,
}

impl Level {
    /// The level `cache` of `machine`. With `lines` it evicts nothing: each of so many
    /// lines has a set of its own.
    pub(crate) fn new(machine: &Machine, cache: &CacheLevel, lines: Option<usize>) -> Level {
        let shift = cache.line.0.trailing_zeros();
        let layout = match lines {
            Some(lines) => Layout { sets: lines, ways: 1, shift, resident: true },
            None => Layout { sets: cache.sets(), ways: cache.ways, shift, resident: false },
        };
        let below = machine.level(cache.level + 1).map(|cache| cache.inclusion);
        let recalls = cache.inclusion == Inclusion::Inclusive && cache.level > 1;
        Level {
            shift,
            index: SetIndex::new(layout.sets),
            physical: machine
                .levels
                .iter()
                .any(|above| above.level <= cache.level && above.index == Index::Physical),
            recalls,
            store: match layout.resident {
                true => Sets::new(Replacement::Lru, layout), // nothing is replaced
                false => Sets::new(cache.replacement, layout),
            },
            promoted: Promoted::default(),
            write_back: cache.write == Write::Back,
            allocate: cache.allocate,
            exclusive: cache.inclusion == Inclusion::Exclusive,
            evicts_clean: recalls || below == Some(Inclusion::Exclusive),
        }
    }

    /// Whether a load does nothing but use or fill its line.
    pub(crate) fn loads_plainly(&self) -> bool {
        !self.exclusive
    }

    /// Whether a store does nothing but use or fill its line and make it dirty.
    pub(crate) fn stores_plainly(&self) -> bool {
        self.loads_plainly() && self.write_back && self.allocate
    }

    /// Set and tag of the line at `address`.
    #[inline(always)]
    pub(crate) fn place(&self, address: u64) -> (usize, Tag) {
        let line = address >> self.shift;
        (self.index.of(line), tag_of(line))
    }

    /// Serves one request; requests to the next level are added to `output`.
    #[inline]
    pub(crate) fn serve(&mut self, request: Request, tally: &mut LevelTally, output: &mut Vec<Request>) {
        if request.is(kind::VICTIM) {
            self.accept_victim(request, tally, output);
        } else {
            self.demand(request, tally, output);
        }
    }

    /// A load or a store.
    fn demand(&mut self, request: Request, tally: &mut LevelTally, output: &mut Vec<Request>) {
        let (set, key) = self.place(request.address);
        let data = request.is(kind::DATA);
        let flags = if data && self.write_back { DIRTY } else { 0 };
        // A line that is not there, and that this level does not fill, evicts nothing.
        let unless = |hit: bool| (!hit).then_some(0);
        let victim = if self.exclusive {
            unless(if data { self.store.mark(set, key, flags) } else { self.promote(request.address) })
        } else if data && !self.allocate {
            unless(self.store.tag(set, key) != 0 && self.store.touch(set, key, flags).is_none())
        } else {
            self.store.touch(set, key, flags)
        };
        if let Some(victim) = victim {
            self.miss(request, victim, tally, output);
        } else if data && !self.write_back {
            tally.written_through += 1;
            output.push(request);
        }
    }

    /// Counts a miss; requests the line if it was filled in place of `victim`, and passes
    /// on the victim and a written-through store.
    pub(crate) fn miss(
        &mut self,
        request: Request,
        victim: Tag,
        tally: &mut LevelTally,
        output: &mut Vec<Request>,
    ) {
        let data = request.is(kind::DATA);
        tally.misses[usize::from(request.array)][usize::from(request.is(kind::STORE))] += 1;
        if self.exclusive {
            output.push(request);
        } else if data && !self.allocate {
            tally.written_through += 1;
            tally.not_allocated += 1;
            output.push(request);
        } else {
            output.push(request.without(kind::DATA));
            self.evict(victim, tally, output);
            if data && !self.write_back {
                tally.written_through += 1;
                output.push(request);
            }
        }
    }

    /// Counts `victim` if there is one, and passes it on if another level needs it.
    fn evict(&self, victim: Tag, tally: &mut LevelTally, output: &mut Vec<Request>) {
        let dirty = victim & DIRTY != 0;
        tally.evictions += u64::from(victim != 0);
        tally.write_backs += u64::from(dirty);
        if victim != 0 && (dirty || self.evicts_clean) {
            let data = if dirty { kind::DATA } else { 0 };
            output.push(self.request(line_of(victim), kind::VICTIM | kind::EVICTED | data));
        }
    }

    fn request(&self, line: u64, kind: u8) -> Request {
        let physical = if self.physical { kind::PHYSICAL } else { 0 };
        Request { address: line << self.shift, kind: kind | physical, array: 0 }
    }

    /// Moves a line from an exclusive level to the level above; returns whether it was there.
    fn promote(&mut self, address: u64) -> bool {
        let (set, key) = self.place(address);
        let tag = self.store.remove(set, key);
        if tag & DIRTY != 0 {
            self.promoted.insert(line_of(key));
        }
        tag != 0
    }

    /// A line that the level above evicted: a write-back, or a clean line for an exclusive
    /// level.
    fn accept_victim(&mut self, request: Request, tally: &mut LevelTally, output: &mut Vec<Request>) {
        let (set, key) = self.place(request.address);
        let data = request.is(kind::DATA);
        if self.exclusive {
            let dirty = if self.promoted.take(line_of(key)) || data { DIRTY } else { 0 };
            if !self.store.mark(set, key, dirty) {
                let victim = self.store.fill(set, key | dirty);
                self.evict(victim, tally, output);
            }
        } else if data && !(self.write_back && self.store.mark(set, key, DIRTY)) {
            output.push(request.without(kind::EVICTED));
        }
    }

    /// Invalidates every line in the `bytes` bytes from `address`; returns whether one of
    /// them was dirty.
    pub(crate) fn invalidate(&mut self, address: u64, bytes: u64) -> bool {
        let mut dirty = false;
        for line in address >> self.shift..(address + bytes) >> self.shift {
            let tag = self.store.remove(self.index.of(line), tag_of(line));
            dirty |= tag & DIRTY != 0 || self.promoted.take(line);
        }
        dirty
    }

    /// Counts a write-back of `victim`, which was clean in this level but dirty in one
    /// above.
    pub(crate) fn was_dirty_above(&self, victim: Request, tally: &mut LevelTally) -> Request {
        tally.write_backs += 1;
        victim.with(kind::DATA).without(kind::EVICTED)
    }
}

/// Address translation: one level of cached page translations, always LRU.
#[derive(Debug)]
pub(crate) struct Tlb {
    /// The pages, without the recent ones.
    pub(crate) store: Sets,
    /// Those used last, of one set of many ways.
    pub(crate) recent: Option<Recent>,
    index: SetIndex,
    /// See [`SetIndex::fold`].
    pub(crate) fold: u32,
}

impl Tlb {
    /// The TLB `tlb`; with `pages`, one that holds all of these pages.
    pub(crate) fn new(tlb: &machine::Tlb, page: Bytes, pages: Option<usize>) -> Tlb {
        let (sets, shift) = (tlb.entries / tlb.ways, page.0.trailing_zeros());
        let recent = (pages.is_none() && sets == 1 && tlb.ways >= 32).then(Recent::default);
        let ways = if recent.is_some() { tlb.ways - Recent::MOST } else { tlb.ways };
        let (layout, fold) = match pages {
            Some(sets) => (Layout { sets, ways: 1, shift, resident: true }, 63),
            None => (Layout { sets, ways, shift, resident: false }, SetIndex::fold(tlb.index, sets)),
        };
        Tlb { store: Sets::new(Replacement::Lru, layout), recent, index: SetIndex::new(layout.sets), fold }
    }

    /// The distance in bytes of pages that are in the same set.
    pub(crate) fn span(&self) -> u64 {
        let span = self.store.layout.span();
        if self.fold < 63 { span << self.fold } else { span }
    }

    /// Set and tag of `page`.
    #[inline(always)]
    fn place(&self, page: u64) -> (usize, Tag) {
        (self.index.of(page ^ page >> self.fold), tag_of(page))
    }

    /// Uses a page that is not the most recent one of its set, or fills it; returns whether it was there.
    #[inline]
    pub(crate) fn touch(&mut self, page: u64) -> bool {
        let (set, key) = self.place(page);
        let Some(recent) = &mut self.recent else { return self.store.touch(set, key, 0).is_none() };
        if recent.uses(key) {
            return true;
        }
        let was_there = self.store.remove(set, key) != 0;
        let last = recent.add(key, Recent::MOST);
        if last != 0 {
            self.store.fill(set, last);
        }
        was_there
    }

    /// Whether the page is there; this is no use of it.
    pub(crate) fn has(&self, page: u64) -> bool {
        let (set, key) = self.place(page);
        self.store.tag(set, key) != 0 || self.recent.is_some_and(|recent| recent.0.contains(&key))
    }

    /// Whether its state is that at the start of the last window, with those `recent` pages, moved by `moves`.
    pub(crate) fn recurs(&self, recent: Option<Recent>, moves: &Moves) -> bool {
        self.store.recurs(moves) && self.recent == recent.map(|recent| self.moved(recent, moves, 1))
    }

    /// As [`Sets::advance`].
    pub(crate) fn advance(&mut self, moves: &Moves, times: u64) {
        self.store.advance(moves, times);
        self.recent = self.recent.map(|recent| self.moved(recent, moves, times));
    }

    fn moved(&self, recent: Recent, moves: &Moves, times: u64) -> Recent {
        Recent(recent.0.map(|tag| self.store.moved_tag(tag, moves, times)))
    }
}

//! The exact simulator: TLBs, then caches, level by level. It leaves out no iteration; it offers
//! the shortcuts windows (see [`Journal`](crate::journal::Journal)), a test whether its state
//! recurs, and a jump over iterations that would count the same.

use machine::{CacheLevel, Machine, MachineError, TlbIndex};
use memory::Arena;

use crate::addresses::AddressMap;
use crate::journal::Moves;
use crate::level::{Level, SetIndex, Tlb};
use crate::loops::{Access, AccessKind, gcd};
use crate::pages::PageMap;
use crate::recent::Recent;
use crate::request::{Request, kind};
use crate::seen::Seen;
use crate::sets::Sets;
use crate::table::PageTable;
use crate::tag::{DIRTY, LINE, LINES, Tag, tag_of};
use crate::tally::{CoreTally, Tally};

/// A tag that no line has.
const NO_LINE: Tag = 0;

#[derive(Debug)]
pub(crate) struct Simulator {
    pub(crate) levels: Vec<Level>,
    pub(crate) tlbs: Vec<Tlb>,
    pub(crate) tally: Tally,
    pub(crate) page_shift: u32,
    pages: Option<PageMap>,
    /// What a miss of the last TLB reads, unless that is the first access to the page.
    table: Option<PageTable>,
    /// The pages that were accessed before: at the first access the system writes the entry (page
    /// fault), and neither its accesses nor this walk are modelled.
    seen: Seen,
    /// For each value of the lower bits of a set's number: the page, and the tag of the
    /// line, used last in these sets of the first TLB and the first level. Using it again
    /// changes nothing.
    last_pages: [u64; MAX_SLOTS],
    last_lines: [Tag; MAX_SLOTS],
    page_mask: usize,
    line_mask: usize,
    /// The first level's.
    pub(crate) line_shift: u32,
    /// Whether loads, and stores, do nothing but use or fill their line of the first level.
    plain_loads: bool,
    plain_stores: bool,
    /// Number of events other than hits in the first level and the first TLB.
    events: u64,
    /// The requests of a level to the next: two lists, used alternately.
    asks: [Vec<Request>; 2],
    windows: Vec<Window>,
}

/// Where an access missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missed {
    No,
    /// In so many levels from the first one on.
    Levels(usize),
    /// In the first level, and perhaps in others.
    More,
    /// Not in the first level, but perhaps in others.
    Below,
}

/// The number of lines in a level, or pages in a TLB, that never evicts one; `None` if it does.
pub(crate) struct Residents<'r> {
    lines: &'r dyn Fn(&CacheLevel) -> Option<usize>,
    pages: &'r dyn Fn(&machine::Tlb) -> Option<usize>,
}

/// The state at the start of a window, except for the sets.
#[derive(Debug)]
struct Window {
    counts: (CoreTally, Vec<u64>),
    seen: u64,
    /// Of each TLB.
    recent: Vec<Option<Recent>>,
}

impl Simulator {
    /// The hierarchy of `machine` with empty caches. With `resident`, a level that evicts
    /// nothing is simulated with one set for each line.
    pub(crate) fn new(
        machine: &Machine,
        addresses: &AddressMap,
        resident: bool,
    ) -> Result<Simulator, MachineError> {
        let arrays = addresses.names().len();
        // The number of pages, or of lines, in a level without evictions.
        let pages = |tlb: &machine::Tlb| {
            let (page, sets) = (machine.page_size.get(), tlb.entries / tlb.ways);
            let (fold, index) = (SetIndex::fold(tlb.index, sets), SetIndex::new(sets));
            let set = |page| index.of(page ^ page >> fold);
            let fits = resident && addresses.pages_per_set(page, sets, set) <= tlb.ways;
            fits.then(|| (addresses.end() as usize).div_ceil(page))
        };
        // If the last TLB evicts nothing, no page is walked for.
        let walks = machine.tlbs.last().is_some_and(|last| pages(last).is_none());
        let table = || PageTable::new(machine, 2 * addresses.outside(), arrays).filter(|_| walks);
        let all = table();
        let lines = |cache: &CacheLevel| {
            let (line, ways) = (cache.line.get(), cache.ways);
            let fits = resident && addresses.blocks_per_set(line, cache.sets() * line, all.as_ref()) <= ways;
            let end = all.as_ref().map_or(addresses.end(), PageTable::end);
            fits.then(|| end.div_ceil(cache.line.0) as usize)
        };
        let reach = addresses.outside() + Arena::ALIGNMENT as u64;
        let residents = Residents { lines: &lines, pages: &pages };
        Simulator::within(machine, addresses.outside(), reach, arrays, table(), Some(residents))
    }

    /// The hierarchy of `machine` for addresses below `reach` in `arrays` arrays, with the frames
    /// of the pages below `mapped`, and a page `table`.
    pub(crate) fn within(
        machine: &Machine,
        mapped: u64,
        reach: u64,
        arrays: usize,
        table: Option<PageTable>,
        residents: Option<Residents<'_>>,
    ) -> Result<Simulator, MachineError> {
        let end = table.as_ref().map_or(0, PageTable::end);
        let line = machine.levels.iter().map(|cache| cache.line.get()).min().unwrap_or(64);
        let pages = PageMap::new(machine, mapped.max(end), LINES * line as u64);
        let bytes = pages.as_ref().map_or(0, PageMap::reach).max(reach).max(end);
        if bytes / line as u64 >= LINES {
            let reach = (LINES as usize).saturating_mul(line);
            return Err(MachineError::Refused(match machine.sealed() {
                true => format!(
                    "the arrays need {bytes} bytes, more than the model of this machine reaches; choose a smaller size"
                ),
                false => format!(
                    "the cache model reaches {reach} bytes with lines of {line} bytes, the arrays need {bytes}; choose a smaller size or longer lines"
                ),
            }));
        }
        let levels = machine.levels.iter().map(|cache| {
            let may = cache.level > 1 && pages.is_none();
            let lines = residents.as_ref().filter(|_| may).and_then(|residents| (residents.lines)(cache));
            Level::new(machine, cache, lines)
        });
        let levels = levels.collect::<Vec<_>>();
        let tlb = |tlb: &machine::Tlb| {
            let pages = residents.as_ref().and_then(|residents| (residents.pages)(tlb));
            Tlb::new(tlb, machine.page_size, pages)
        };
        let first = &levels[0];
        Ok(Simulator {
            plain_loads: first.loads_plainly(),
            plain_stores: first.stores_plainly(),
            tally: Tally::new(levels.len(), machine.tlbs.len(), arrays + usize::from(machine.walks())),
            tlbs: machine.tlbs.iter().map(tlb).collect(),
            levels,
            page_shift: machine.page_size.0.trailing_zeros(),
            pages,
            table,
            seen: Seen::default(),
            last_pages: [u64::MAX; MAX_SLOTS],
            last_lines: [NO_LINE; MAX_SLOTS],
            page_mask: machine.tlbs.first().map_or(1, |tlb| match tlb.index {
                TlbIndex::Xor => 1,
                TlbIndex::Modulo => slots(tlb.entries / tlb.ways),
            }) - 1,
            line_mask: slots(machine.levels[0].sets()) - 1,
            line_shift: machine.levels[0].line.0.trailing_zeros(),
            events: 0,
            asks: [Vec::new(), Vec::new()],
            windows: Vec::new(),
        })
    }

    /// The mapping of pages; `None` if it is the identity.
    pub(crate) fn pages(&self) -> Option<&PageMap> {
        self.pages.as_ref()
    }

    /// Bytes of the shortest line of any level.
    pub(crate) fn smallest_line(&self) -> u64 {
        self.levels.iter().map(|level| 1 << level.shift).min().unwrap_or(1)
    }

    /// Bytes of the largest line, or of a page where there are TLBs.
    pub(crate) fn largest_block(&self) -> u64 {
        let page = if self.tlbs.is_empty() { 1 } else { 1 << self.page_shift };
        self.levels.iter().map(|level| 1 << level.shift).fold(page, u64::max)
    }

    /// The distance after which lines and pages are in the same sets again, in all levels;
    /// `None` if there is no such distance, or something else depends on addresses.
    pub(crate) fn span_of_sets(&self) -> Option<u64> {
        if self.table.is_some() || self.pages.is_some() {
            return None;
        }
        let spans = self.tlbs.iter().map(Tlb::span);
        spans
            .chain(self.levels.iter().map(|level| level.store.layout.span()))
            .try_fold(1, |all: u64, span| all.checked_mul(span / gcd(all, span)))
    }

    /// One access of the kernel.
    #[inline(always)]
    pub(crate) fn access(&mut self, access: &Access) {
        let store = access.kind == AccessKind::Store;
        if !store && access.kind != AccessKind::Load {
            return self.count_alone(access.kind);
        }
        self.tally.core.accesses[usize::from(store)] += 1;
        self.access_line(access.address, store, access.array);
        if access.bytes > 1 {
            self.access_next_lines(access, store);
        }
    }

    /// An access that reaches no level.
    #[cold]
    fn count_alone(&mut self, kind: AccessKind) {
        match kind {
            AccessKind::Pass => self.tally.core.passes += 1,
            AccessKind::Load | AccessKind::LoadElsewhere => self.tally.core.accesses[0] += 1,
            AccessKind::Store | AccessKind::StoreElsewhere => self.tally.core.accesses[1] += 1,
        }
    }

    /// The lines of a wide access after the first.
    #[inline(never)]
    fn access_next_lines(&mut self, access: &Access, store: bool) {
        let (shift, address) = (self.levels[0].shift, access.address);
        let (first, last) = (address >> shift, (address + u64::from(access.bytes) - 1) >> shift);
        for line in first + 1..=last {
            self.tally.core.splits[usize::from(store)] += 1;
            self.access_line(line << shift, store, access.array);
        }
    }

    /// Whether an access within one line changes nothing but the order of the pages that were used last:
    /// its line is the last one of its set. Only if [`knows_repeats`](Simulator::knows_repeats).
    #[inline(always)]
    pub(crate) fn repeats(&mut self, address: u64, store: bool) -> bool {
        let line = address >> self.line_shift;
        let last = self.last_lines[line as usize & self.line_mask & (MAX_SLOTS - 1)];
        last | Tag::from(!store) == tag_of(line) | DIRTY && self.page_repeats(address >> self.page_shift)
    }

    /// Whether the first TLB has `page`, and nothing changes but the order of those used last.
    #[inline(always)]
    fn page_repeats(&mut self, page: u64) -> bool {
        match self.tlbs.first_mut() {
            None => true,
            Some(Tlb { recent: Some(recent), .. }) => recent.uses(tag_of(page)),
            Some(_) => self.last_pages[page as usize & self.page_mask & (MAX_SLOTS - 1)] == page,
        }
    }

    /// Whether the first level is found by the addresses of the program.
    pub(crate) fn knows_repeats(&self) -> bool {
        self.pages.is_none() || !self.levels[0].physical
    }

    /// An access within one line.
    #[inline(always)]
    pub(crate) fn access_line(&mut self, address: u64, store: bool, array: u8) -> Missed {
        let page = address >> self.page_shift;
        if !self.page_repeats(page) {
            self.translate(page, array);
        }
        self.access_first(address, store, array)
    }

    /// An access of the first level.
    #[inline(always)]
    fn access_first(&mut self, address: u64, store: bool, array: u8) -> Missed {
        let plain = if store { self.plain_stores } else { self.plain_loads };
        if !plain {
            return self.access_by_rules(address, store, array);
        }
        let first = &mut self.levels[0];
        let own = match &self.pages {
            Some(pages) if first.physical => pages.physical(address),
            _ => address,
        };
        let (set, key) = first.place(own);
        let last = &mut self.last_lines[set & self.line_mask & (MAX_SLOTS - 1)];
        if *last & LINE == key && (!store || *last & DIRTY != 0) {
            return Missed::No;
        }
        *last = if *last & LINE == key { *last } else { key } | if store { DIRTY } else { 0 };
        let Some(victim) = first.store.touch(set, key, Tag::from(store)) else { return Missed::No };
        self.miss(own, store, array, victim)
    }

    /// Looks `page` up in the TLBs, level by level until one has it.
    fn translate(&mut self, page: u64, array: u8) {
        self.last_pages[page as usize & self.page_mask] = page;
        for (tlb, misses) in self.tlbs.iter_mut().zip(&mut self.tally.tlbs) {
            if tlb.touch(page) {
                return;
            }
            misses[usize::from(array)] += 1;
            self.events += 1;
        }
        self.walk(page);
    }

    /// Reads the entries of the page table for `page`, that of the last table at the end.
    #[inline(never)]
    fn walk(&mut self, page: u64) {
        let Some(table) = &self.table else { return };
        if self.seen.is_new(page) {
            return;
        }
        self.tally.walks += 1;
        let (first, array) = (table.level == 0, table.array);
        for level in (0..table.levels()).rev() {
            let Some(table) = &self.table else { return };
            let address = table.entry(level, page);
            if first {
                self.access_first(address, false, array);
            } else {
                self.events += 1;
                self.asks[0].push(request(address, false, array, false));
                self.serve_from(1);
            }
        }
    }

    /// Handles a miss in the first level, which filled the line in place of `victim`.
    #[inline(always)]
    fn miss(&mut self, address: u64, store: bool, array: u8, mut victim: Tag) -> Missed {
        self.events += 1;
        let mut request = request(address, store, array, self.levels[0].physical);
        // A clean line that a level does not pass on leaves nothing but the request to the next level.
        let mut at = 0;
        while victim & DIRTY == 0 && !self.levels[at].evicts_clean {
            if self.levels.get(at + 1).is_some_and(|below| !below.loads_plainly()) {
                break;
            }
            let tally = &mut self.tally.levels[at];
            tally.misses[usize::from(array)][usize::from(store)] += 1;
            tally.evictions += u64::from(victim != 0);
            at += 1;
            let Some(level) = self.levels.get_mut(at) else {
                self.tally.reads += 1;
                return Missed::Levels(at);
            };
            request = request.without(kind::DATA).within(level, self.pages.as_ref());
            let (set, key) = level.place(request.address);
            match level.store.touch(set, key, 0) {
                Some(below) => victim = below,
                None => return Missed::Levels(at),
            }
        }
        self.miss_by_rules(at, request, victim)
    }

    /// The same at a level where there is more to do.
    #[inline(never)]
    fn miss_by_rules(&mut self, at: usize, request: Request, victim: Tag) -> Missed {
        self.levels[at].miss(request, victim, &mut self.tally.levels[at], &mut self.asks[0]);
        self.recall(at);
        self.serve_from(at + 1);
        Missed::More
    }

    /// An access to a first level that does more than use or fill its line.
    fn access_by_rules(&mut self, address: u64, store: bool, array: u8) -> Missed {
        self.events += 1;
        let (first, tally) = (&mut self.levels[0], &mut self.tally.levels[0]);
        let request = request(address, store, array, false).within(first, self.pages.as_ref());
        let (set, _) = first.place(request.address);
        self.last_lines[set & self.line_mask] = NO_LINE;
        let before = tally.misses[usize::from(array)];
        first.serve(request, tally, &mut self.asks[0]);
        let missed = tally.misses[usize::from(array)] != before;
        self.serve_from(1);
        if missed { Missed::More } else { Missed::Below }
    }

    /// The levels from number `from` on, the first one being 0, serve the requests to them, one level
    /// after the other.
    fn serve_from(&mut self, from: usize) {
        for at in from..self.levels.len() {
            let [asks, asked] = &mut self.asks;
            if asks.is_empty() {
                return;
            }
            std::mem::swap(asks, asked);
            let (level, tally) = (&mut self.levels[at], &mut self.tally.levels[at]);
            for request in &*asked {
                level.serve(request.within(level, self.pages.as_ref()), tally, asks);
            }
            asked.clear();
            self.recall(at);
        }
        for request in &self.asks[0] {
            self.tally.writes += u64::from(request.is(kind::DATA));
            self.tally.reads += u64::from(!request.is(kind::DATA | kind::VICTIM));
        }
        self.asks[0].clear();
    }

    /// If that level is inclusive, the lines that it evicted leave the levels above, too.
    #[inline]
    fn recall(&mut self, at: usize) {
        let (above, below) = self.levels.split_at_mut(at);
        let level = &below[0];
        if !level.recalls {
            return;
        }
        let (bytes, pages) = (1 << level.shift, self.pages.as_ref());
        for request in self.asks[0].iter_mut().filter(|request| request.is(kind::EVICTED)) {
            let first = &above[0];
            let address = request.within(first, pages).address;
            for line in (address >> first.shift)..(address + bytes) >> first.shift {
                let (set, key) = first.place(line << first.shift);
                let last = &mut self.last_lines[set & self.line_mask];
                *last = if *last & LINE == key { NO_LINE } else { *last };
            }
            let mut is_dirty = false;
            for level in &mut *above {
                is_dirty |= level.invalidate(request.within(level, pages).address, bytes);
            }
            if is_dirty && !request.is(kind::DATA) {
                *request = level.was_dirty_above(*request, &mut self.tally.levels[at]);
            }
        }
    }

    /// Number of events so far other than hits in the first level and the first TLB.
    pub(crate) fn events(&self) -> u64 {
        self.events
    }

    /// Whether repeating `access` leaves everything as the first time left it, if it hits
    /// both times in the first level and the first TLB.
    pub(crate) fn hits_settle(&self, access: &Access) -> bool {
        match access.kind {
            AccessKind::Load => self.plain_loads,
            AccessKind::Store => self.plain_stores,
            AccessKind::LoadElsewhere | AccessKind::StoreElsewhere | AccessKind::Pass => true,
        }
    }

    /// Whether `access` would hit, and change nothing but the order of use.
    pub(crate) fn hits(&mut self, access: &Access) -> bool {
        let flags = match access.kind {
            AccessKind::Load => 0,
            AccessKind::Store => DIRTY,
            AccessKind::LoadElsewhere | AccessKind::StoreElsewhere | AccessKind::Pass => return true,
        };
        let line = 1 << self.levels[0].shift;
        let last = access.address + u64::from(access.bytes) - 1;
        let mut address = access.address;
        while address <= last {
            let first = &mut self.levels[0];
            let own = match &self.pages {
                Some(pages) if first.physical => pages.physical(address),
                _ => address,
            };
            let (set, key) = first.place(own);
            // What was used last is there.
            let last_line = self.last_lines[set & self.line_mask];
            if last_line & LINE != key || last_line & flags != flags {
                let tag = first.store.tag(set, key);
                if tag == 0 || tag & flags != flags {
                    return false;
                }
            }
            let page = address >> self.page_shift;
            if self.tlbs.first().is_some_and(|tlb| !tlb.has(page)) {
                return false;
            }
            address += line - address % line;
        }
        true
    }

    fn stores(&mut self) -> impl Iterator<Item = &mut Sets> {
        let tlbs = self.tlbs.iter_mut().map(|tlb| &mut tlb.store);
        tlbs.chain(self.levels.iter_mut().map(|level| &mut level.store))
    }

    /// Opens a window: saves the state from now on; windows nest.
    pub(crate) fn open_window(&mut self) {
        self.stores().for_each(Sets::open_window);
        self.levels.iter_mut().for_each(|level| level.promoted.open_window());
        let recent = self.tlbs.iter().map(|tlb| tlb.recent).collect();
        self.windows.push(Window { counts: self.tally.snapshot(), seen: self.seen.count(), recent });
    }

    /// Closes the last window.
    pub(crate) fn close_window(&mut self) {
        self.windows.pop();
        self.stores().for_each(Sets::close_window);
        self.levels.iter_mut().for_each(|level| level.promoted.close_window());
    }

    /// Whether the state is that at the start of the last window, moved by `moves`. Then
    /// the same accesses, moved, count the same and end in the same state, moved.
    pub(crate) fn recurs(&self, moves: &Moves) -> bool {
        let Some(window) = self.windows.last() else { return false };
        window.seen == self.seen.count()
            && self.tlbs.iter().zip(&window.recent).all(|(tlb, recent)| tlb.recurs(*recent, moves))
            && self
                .levels
                .iter()
                .all(|level| level.store.recurs(moves) && level.promoted.recurs(moves, level.shift))
    }

    /// Counts, and moves the state, as if the last window were repeated `times` times.
    pub(crate) fn jump(&mut self, moves: &Moves, times: u64) {
        if let Some(window) = self.windows.last() {
            self.tally.multiply(&window.counts, times);
        }
        self.tlbs.iter_mut().for_each(|tlb| tlb.advance(moves, times));
        for level in &mut self.levels {
            level.store.advance(moves, times);
            level.promoted.advance(moves, level.shift, times);
        }
        self.last_pages.fill(u64::MAX);
        self.last_lines.fill(NO_LINE);
    }
}

/// The number of entries for what was used last in a level of so many sets.
fn slots(sets: usize) -> usize {
    (1 << sets.trailing_zeros()).min(MAX_SLOTS)
}

const MAX_SLOTS: usize = 64;

/// The kernel's request to the first level.
#[inline(always)]
fn request(address: u64, store: bool, array: u8, physical: bool) -> Request {
    let kind = if store { kind::STORE | kind::DATA } else { 0 };
    Request { address, kind: kind | if physical { kind::PHYSICAL } else { 0 }, array }
}

impl Request {
    /// The request with a virtual or a physical address, whichever selects the sets of
    /// `level`.
    #[inline(always)]
    fn within(self, level: &Level, pages: Option<&PageMap>) -> Request {
        match pages {
            Some(pages) if level.physical && !self.is(kind::PHYSICAL) => {
                Request { address: pages.physical(self.address), ..self.with(kind::PHYSICAL) }
            }
            Some(pages) if !level.physical && self.is(kind::PHYSICAL) => {
                Request { address: pages.virtual_of(self.address), ..self.without(kind::PHYSICAL) }
            }
            _ => self,
        }
    }
}

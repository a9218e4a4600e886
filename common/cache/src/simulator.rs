//! The exact simulator: TLBs, then caches, level by level. It has no shortcuts; it offers
//! them windows (see [`Journal`](crate::journal::Journal)), a test whether its state
//! recurs, and a jump over iterations that would count the same.

use machine::{CacheLevel, Machine, MachineError};
use memory::Arena;

use crate::addresses::AddressMap;
use crate::journal::Moves;
use crate::level::{Level, SetIndex, Tlb};
use crate::loops::{Access, AccessKind, gcd};
use crate::pages::PageMap;
use crate::request::{Request, kind};
use crate::seen::Seen;
use crate::sets::Store;
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
    /// The fold of the first TLB's index.
    page_fold: u32,
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
    /// Whether the second level does nothing but use or fill the line that the first one asks
    /// for, and is found by the same address.
    is_plain_below: bool,
    /// Number of events other than hits in the first level and the first TLB.
    events: u64,
    /// The requests of a level to the next: two lists, used alternately.
    asks: [Vec<Request>; 2],
    windows: Vec<Window>,
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
            is_plain_below: levels.get(1).is_some_and(|below| below.loads_plainly() && !below.recalls)
                && (pages.is_none() || first.physical),
            tally: Tally::new(levels.len(), machine.tlbs.len(), arrays + usize::from(machine.walks())),
            tlbs: machine.tlbs.iter().map(tlb).collect(),
            levels,
            page_shift: machine.page_size.0.trailing_zeros(),
            page_fold: machine
                .tlbs
                .first()
                .map_or(63, |tlb| SetIndex::fold(tlb.index, tlb.entries / tlb.ways)),
            pages,
            table,
            seen: Seen::default(),
            last_pages: [u64::MAX; MAX_SLOTS],
            last_lines: [NO_LINE; MAX_SLOTS],
            page_mask: machine.tlbs.first().map_or(1, |tlb| slots(tlb.entries / tlb.ways)) - 1,
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
            .chain(self.levels.iter().map(|level| level.store.layout().span()))
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

    /// Whether an access of `bytes` bytes, 1 or more, is within one line and changes nothing: its page
    /// and its line are those that were used last in their sets. Only if
    /// [`knows_repeats`](Simulator::knows_repeats).
    #[inline(always)]
    pub(crate) fn repeats(&self, address: u64, bytes: u64, store: bool) -> bool {
        let shift = self.line_shift;
        let (line, page) = (address >> shift, address >> self.page_shift);
        let last = self.last_lines[line as usize & self.line_mask & (MAX_SLOTS - 1)];
        (address + bytes - 1) >> shift == line
            && last | Tag::from(!store) == tag_of(line) | DIRTY
            && (self.last_pages[self.slot_of(page)] == page || self.tlbs.is_empty())
    }

    /// Whether the first level is found by the addresses of the program.
    pub(crate) fn knows_repeats(&self) -> bool {
        self.pages.is_none() || !self.levels[0].physical
    }

    /// The place of `page` in `last_pages`.
    #[inline(always)]
    fn slot_of(&self, page: u64) -> usize {
        (page ^ page >> self.page_fold) as usize & self.page_mask & (MAX_SLOTS - 1)
    }

    /// An access within one line.
    #[inline(always)]
    pub(crate) fn access_line(&mut self, address: u64, store: bool, array: u8) {
        let page = address >> self.page_shift;
        let slot = self.slot_of(page);
        let last_page = &mut self.last_pages[slot];
        if *last_page != page && !self.tlbs.is_empty() {
            *last_page = page;
            self.translate(page, array);
        }
        self.access_first(address, store, array);
    }

    /// An access of the first level.
    #[inline(always)]
    fn access_first(&mut self, address: u64, store: bool, array: u8) {
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
            return;
        }
        *last = if *last & LINE == key { *last } else { key } | if store { DIRTY } else { 0 };
        if let Some(victim) = first.store.touch(set, key, Tag::from(store)) {
            self.miss(own, store, array, victim);
        }
    }

    /// Looks `page` up in the TLBs, level by level until one has it.
    fn translate(&mut self, page: u64, array: u8) {
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
                self.asks[0].push(request(address, false, array, false));
                self.serve_below();
            }
        }
    }

    /// Handles a miss in the first level, which filled the line in place of `victim`.
    fn miss(&mut self, address: u64, store: bool, array: u8, victim: Tag) {
        if self.is_plain_below
            && let [first, second, ..] = &mut self.levels[..]
            && let [tally, tally_below, ..] = &mut self.tally.levels[..]
        {
            // Most misses hit in the second level, and leave nothing for those below.
            let request = request(address, store, array, first.physical);
            let dirty = first.count_miss(request, victim, tally);
            let below = request.without(kind::DATA);
            let (set, key) = second.place(address);
            let victim_below = second.store.touch(set, key, 0);
            self.events += 1;
            if victim_below.is_none() && dirty.is_none() {
                return;
            }
            if let Some(victim) = victim_below {
                second.miss(below, victim, tally_below, &mut self.asks[0]);
            }
            if let Some(dirty) = dirty {
                second.serve(dirty, tally_below, &mut self.asks[0]);
            }
            return self.serve_from(2);
        }
        let first = &mut self.levels[0];
        let request = request(address, store, array, first.physical);
        first.miss(request, victim, &mut self.tally.levels[0], &mut self.asks[0]);
        self.serve_below();
    }

    /// An access to a first level that does more than use or fill its line.
    fn access_by_rules(&mut self, address: u64, store: bool, array: u8) {
        let first = &mut self.levels[0];
        let request = request(address, store, array, false).within(first, self.pages.as_ref());
        let (set, _) = first.place(request.address);
        self.last_lines[set & self.line_mask] = NO_LINE;
        first.serve(request, &mut self.tally.levels[0], &mut self.asks[0]);
        self.serve_below();
    }

    /// The levels below the first one serve its requests, one after the other.
    fn serve_below(&mut self) {
        self.events += 1;
        self.serve_from(1);
    }

    /// The levels from number `from` on, the first one being 0, serve the requests to them.
    fn serve_from(&mut self, from: usize) {
        let [asked, asks] = &mut self.asks;
        let (mut asked, mut asks) = (asked, asks);
        let mask = self.line_mask;
        for at in from..self.levels.len() {
            if asked.is_empty() {
                return;
            }
            let (above, below) = self.levels.split_at_mut(at);
            let (level, tally) = (&mut below[0], &mut self.tally.levels[at]);
            for request in &*asked {
                level.serve(request.within(level, self.pages.as_ref()), tally, asks);
            }
            asked.clear();
            if level.recalls {
                for request in asks.iter_mut().filter(|request| request.is(kind::EVICTED)) {
                    let first = &above[0];
                    let address = request.within(first, self.pages.as_ref()).address;
                    for line in (address >> first.shift)..(address + (1 << level.shift)) >> first.shift {
                        let (set, key) = first.place(line << first.shift);
                        let last = &mut self.last_lines[set & mask];
                        *last = if *last & LINE == key { NO_LINE } else { *last };
                    }
                    if recall(above, *request, 1 << level.shift, self.pages.as_ref())
                        && !request.is(kind::DATA)
                    {
                        *request = level.was_dirty_above(*request, tally);
                    }
                }
            }
            (asked, asks) = (asks, asked);
        }
        for request in &*asked {
            self.tally.writes += u64::from(request.is(kind::DATA));
            self.tally.reads += u64::from(!request.is(kind::DATA | kind::VICTIM));
        }
        asked.clear();
    }

    /// Number of events so far other than hits in the first level and the first TLB.
    pub(crate) fn events(&self) -> u64 {
        self.events
    }

    /// Whether loads and stores do nothing but use or fill their line of the first level.
    pub(crate) fn is_plain(&self) -> bool {
        self.plain_loads && self.plain_stores
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
            let slot = self.slot_of(page);
            if self.last_pages[slot] != page
                && let Some(tlb) = self.tlbs.first_mut()
                && !tlb.has(page)
            {
                return false;
            }
            address += line - address % line;
        }
        true
    }

    fn stores(&mut self) -> impl Iterator<Item = &mut Box<dyn Store>> {
        let tlbs = self.tlbs.iter_mut().map(|tlb| &mut tlb.store);
        tlbs.chain(self.levels.iter_mut().map(|level| &mut level.store))
    }

    /// Opens a window: saves the state from now on; windows nest.
    pub(crate) fn open_window(&mut self) {
        self.stores().for_each(|store| store.open_window());
        self.levels.iter_mut().for_each(|level| level.promoted.open_window());
        self.windows.push(Window { counts: self.tally.snapshot(), seen: self.seen.count() });
    }

    /// Closes the last window.
    pub(crate) fn close_window(&mut self) {
        self.windows.pop();
        self.stores().for_each(|store| store.close_window());
        self.levels.iter_mut().for_each(|level| level.promoted.close_window());
    }

    /// Whether the state is that at the start of the last window, moved by `moves`. Then
    /// the same accesses, moved, count the same and end in the same state, moved.
    pub(crate) fn recurs(&self, moves: &Moves) -> bool {
        let Some(window) = self.windows.last() else { return false };
        window.seen == self.seen.count()
            && self.tlbs.iter().all(|tlb| tlb.store.recurs(moves))
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
        self.stores().for_each(|store| store.advance(moves, times));
        for level in &mut self.levels {
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

/// Invalidates the `bytes` bytes of a `victim` in the levels `above`; returns whether one
/// of them had newer data.
fn recall(above: &mut [Level], victim: Request, bytes: u64, pages: Option<&PageMap>) -> bool {
    let mut dirty = false;
    for level in above {
        let address = victim.within(level, pages).address;
        dirty |= level.invalidate(address, bytes);
    }
    dirty
}

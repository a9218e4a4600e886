//! All levels together: batches of requests go down from one to the next.

use super::address_map::AddressMap;
use super::distances::Distances;
use super::level::{Asks, Level};
use super::page_map::PageMap;
use super::request::Request;
use super::stacks::Stacks;
use super::tag::LINES;
use super::tlb::Tlbs;
use machine::{CacheLevel, Index, Machine, MachineError};
use memory::Arena;

/// Accesses that go down the hierarchy together.
pub(super) const BATCH: usize = 1024;
/// Most levels of one that serves single accesses.
const MOST: usize = 4;

/// Lines read from and written to memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct MemoryTally {
    pub(super) reads: u64,
    pub(super) writes: u64,
}

impl MemoryTally {
    /// Counts what the last level asks for.
    #[inline(always)]
    fn serve(&mut self, requests: &[Request]) {
        for request in requests {
            self.writes += u64::from(request.is(Request::DATA));
            self.reads += u64::from(!request.is(Request::DATA | Request::VICTIM));
        }
    }
}

#[derive(Debug)]
pub(super) struct Hierarchy {
    pub(super) addresses: AddressMap,
    pub(super) page_map: Option<PageMap>,
    pub(super) page_shift: u32,
    pub(super) tlbs: Tlbs,
    pub(super) levels: Vec<Level>,
    /// Whether each level can serve one request at a time.
    one_by_one: bool,
    pub(super) memory: MemoryTally,
    /// Where every run is simulated: they see what the last level is asked for, as long
    /// as that is of use.
    pub(super) stacks: Option<Box<Stacks>>,
    /// The same of what sees every access.
    pub(super) distances: Option<Box<Distances>>,
    /// What the level at work is asked for: at first, accesses by pointer.
    pub(super) input: Vec<Request>,
    output: Vec<Request>,
}

impl Hierarchy {
    pub(super) fn new(
        machine: &Machine,
        arena: &Arena,
        alone: Option<&[&str]>,
    ) -> Result<Hierarchy, MachineError> {
        let addresses = AddressMap::new(arena, alone);
        let line = machine.levels.iter().map(|cache| cache.line.get()).min().unwrap_or(64);
        let page_map = PageMap::new(machine, addresses.outside(), LINES * line as u64);
        let bytes =
            page_map.as_ref().map_or(0, PageMap::reach).max(addresses.outside() + Arena::ALIGNMENT as u64);
        if bytes / line as u64 >= LINES {
            if machine.sealed() {
                let reason = format!(
                    "the arrays need {bytes} bytes, more than the model of this machine reaches; choose a smaller size"
                );
                return Err(MachineError::Undescribed { reason });
            }
            let reach = (LINES as usize).saturating_mul(line);
            return Err(MachineError::TooMuchMemory { bytes: bytes as usize, reach, line });
        }
        let level = |cache: &CacheLevel| {
            let apart = cache.sets() * cache.line.get();
            let lines = match &page_map {
                // Below a physically indexed level, all addresses are physical.
                Some(map)
                    if machine
                        .levels
                        .iter()
                        .any(|above| above.level <= cache.level && above.index == Index::Physical) =>
                {
                    map.crowd(addresses.used().into_iter().flat_map(|used| map.pages(used)), apart)
                }
                _ => addresses.pieces(cache.line.get(), apart),
            };
            let end = addresses.used().iter().map(|used| used.end).max().unwrap_or(0);
            let reach = page_map.is_none().then(|| end.div_ceil(cache.line.get()));
            Level::new(machine, cache, lines, reach)
        };
        let levels: Vec<Level> = machine.levels.iter().map(level).collect();
        Ok(Hierarchy {
            one_by_one: levels.len() <= MOST && levels.iter().all(|level| level.one.is_some()),
            levels,
            tlbs: Tlbs::new(machine, |apart| addresses.pieces(machine.page_size.get(), apart)),
            addresses,
            page_map,
            page_shift: machine.page_size.0.trailing_zeros(),
            memory: MemoryTally::default(),
            stacks: None,
            distances: None,
            input: Vec::with_capacity(BATCH),
            output: Vec::new(),
        })
    }

    /// Shows every counter to `visit`, always in the same order.
    pub(super) fn each_count(&mut self, mut visit: impl FnMut(&mut u64)) {
        self.each_cache_count(&mut visit);
        let arrays = self.addresses.names().len();
        self.tlbs.levels.iter_mut().flat_map(|tlb| &mut tlb.misses[..arrays]).for_each(&mut visit);
    }

    /// The same without those of TLBs.
    pub(super) fn each_cache_count(&mut self, mut visit: impl FnMut(&mut u64)) {
        let arrays = self.addresses.names().len();
        self.levels.iter_mut().for_each(|level| level.tally.each(arrays, &mut visit));
        visit(&mut self.memory.reads);
        visit(&mut self.memory.writes);
    }

    /// All counts at present, in that order.
    pub(super) fn counts(&mut self) -> Vec<u64> {
        let mut counts = Vec::new();
        self.each_count(|count| counts.push(*count));
        counts
    }

    /// What was counted since those.
    pub(super) fn counted_since(&mut self, mut counts: Vec<u64>) -> Vec<u64> {
        let mut before = counts.iter_mut();
        self.each_count(|count| before.next().into_iter().for_each(|before| *before = *count - *before));
        counts
    }

    /// Counts what was counted since those, `times` times more.
    pub(super) fn advance_counts(&mut self, since: &[u64], times: u64) {
        let mut since = since.iter();
        self.each_count(|count| *count += (*count - since.next().unwrap_or(count)) * times);
    }

    /// Whether every run is to be simulated.
    pub(super) fn is_watched(&self) -> bool {
        self.stacks.is_some() || self.distances.is_some()
    }

    /// Whether a level can invalidate lines of the levels above.
    pub(super) fn back_invalidates(&self) -> bool {
        self.levels.iter().any(|level| level.recalls)
    }

    /// The last level serves what is in `input`; none of the levels above has what it evicts.
    pub(super) fn ask_last(&mut self) {
        let Hierarchy { levels, memory, input, output, .. } = self;
        let Some(last) = levels.last_mut() else { return };
        last.run(None, input, output);
        input.clear();
        memory.serve(output);
        output.clear();
    }

    /// Serves one access, before which all others were, as [`drain`](Hierarchy::drain) does.
    #[inline]
    pub(super) fn serve(&mut self, access: Request) -> bool {
        if !self.one_by_one || self.is_watched() || !self.addresses.is_in_place(access.address()) {
            self.input.push(access);
            return self.drain();
        }
        let Hierarchy { addresses, page_map, levels, .. } = self;
        let Some(first) = levels.first_mut() else { return false };
        let Some(serve) = first.one else { return false };
        let access = match page_map {
            Some(page_map) if first.physical => access.moved_to(page_map.physical(access.address())),
            _ => access,
        };
        let asks = serve(first, Some(addresses), access);
        asks.fetch != Request::NONE && self.serve_below(asks)
    }

    /// Serves what the first level asks for; whether it lost a line then.
    #[inline(never)]
    fn serve_below(&mut self, Asks { mut fetch, victim }: Asks) -> bool {
        let Hierarchy { page_map, levels, memory, .. } = self;
        // What a level asks of the next: a line, and no more victims than there are levels.
        let (mut victims, mut count) = ([victim; MOST + 1], usize::from(victim != Request::NONE));
        for at in 1..levels.len() {
            if fetch == Request::NONE && count == 0 {
                break;
            }
            let (above, below) = levels.split_at_mut(at);
            let [level, ..] = below else { break };
            let Some(serve) = level.one else { break };
            if let Some(page_map) = page_map
                && becomes_physical(above, level)
            {
                let asked = victims[..count].iter_mut().chain([&mut fetch]);
                for request in asked.filter(|request| **request != Request::NONE) {
                    *request = request.moved_to(page_map.physical(request.address()));
                }
            }
            let mut evicted = Request::NONE;
            if fetch != Request::NONE {
                let asks = serve(level, None, fetch);
                (fetch, evicted) = (asks.fetch, asks.victim);
                if level.recalls && evicted != Request::NONE {
                    evicted = recall(above, level, page_map.as_ref(), evicted);
                }
            }
            for asked in 0..std::mem::take(&mut count) {
                let passed = serve(level, None, victims[asked]).victim;
                if passed != Request::NONE {
                    victims[count] = passed;
                    count += 1;
                }
            }
            if evicted != Request::NONE {
                victims.copy_within(..count, 1);
                victims[0] = evicted;
                count += 1;
            }
        }
        memory.reads += u64::from(fetch != Request::NONE);
        memory.serve(&victims[..count]);
        levels.first_mut().is_some_and(|first| std::mem::take(&mut first.disturbed))
    }

    /// Serves the accesses in `input`; whether the first level lost or gained
    /// a line that it did not ask for.
    pub(super) fn drain(&mut self) -> bool {
        let Hierarchy { addresses, page_map, levels, memory, stacks, distances, input, output, .. } = self;
        addresses.relocate(input);
        distances.take_if(|distances| !distances.see(input));
        // Two buffers take turns: what one level asks is what the next is asked.
        let (mut asked, mut asks) = (input, output);
        for at in 0..levels.len() {
            if asked.is_empty() {
                break;
            }
            let is_last = at + 1 == levels.len();
            let (above, below) = levels.split_at_mut(at);
            let [level, ..] = below else { break };
            if let Some(page_map) = page_map
                && becomes_physical(above, level)
            {
                for request in &mut *asked {
                    *request = request.moved_to(page_map.physical(request.address()));
                }
            }
            if is_last {
                stacks.take_if(|stacks| !stacks.see(asked));
            }
            level.run((at == 0).then_some(&*addresses), asked, asks);
            if level.recalls {
                for request in asks.iter_mut().filter(|request| request.is(Request::EVICTED)) {
                    *request = recall(above, level, page_map.as_ref(), *request);
                }
            }
            asked.clear();
            (asked, asks) = (asks, asked);
        }
        memory.serve(asked);
        asked.clear();
        levels.first_mut().is_some_and(|first| std::mem::take(&mut first.disturbed))
    }

    /// Looks a page of the array at `offset` up.
    pub(super) fn translate(&mut self, page: u64, offset: u64) {
        if self.addresses.serves(offset) {
            self.tlbs.translate(page, self.addresses.array(offset));
        }
    }

    /// Starts the journal of every level.
    pub(super) fn start_journal(&mut self) {
        self.tlbs.levels.iter_mut().for_each(|tlb| tlb.pages.start_journal());
        self.levels.iter_mut().for_each(Level::start_journal);
    }

    /// Begins the next part of the journal of every level.
    pub(super) fn begin_part(&mut self) {
        self.tlbs.levels.iter_mut().for_each(|tlb| tlb.pages.journal.begin_part());
        self.levels.iter_mut().for_each(Level::begin_part);
    }

    /// Makes every level as it was when that part began; whether it could.
    pub(super) fn undo(&mut self, part: usize) -> bool {
        let can = self.levels.iter().all(|level| level.prefetcher.is_none());
        if can {
            self.tlbs.levels.iter_mut().for_each(|tlb| tlb.pages.undo(part));
            self.levels.iter_mut().for_each(|level| level.undo(part));
        }
        can
    }

    /// Ends the journal of every level.
    pub(super) fn stop_journal(&mut self) {
        self.tlbs.levels.iter_mut().for_each(|tlb| tlb.pages.journal.on = false);
        self.levels.iter_mut().for_each(|level| level.lines.journal.on = false);
    }

    /// Whether every level surely is as it was at the start of the journal.
    pub(super) fn unchanged(&self) -> bool {
        self.tlbs.levels.iter().all(|tlb| tlb.pages.unchanged()) && self.levels.iter().all(Level::unchanged)
    }
}

/// Whether addresses become physical on their way to a `level`.
#[inline(always)]
fn becomes_physical(above: &[Level], level: &Level) -> bool {
    level.physical && above.last().is_none_or(|above| !above.physical)
}

/// Invalidates in the levels `above` the `victim` of an inclusive `level`, which is dirty
/// if one of them had newer data.
#[inline(always)]
fn recall(above: &mut [Level], level: &mut Level, page_map: Option<&PageMap>, victim: Request) -> Request {
    let mut dirty = false;
    for above in above {
        let address = match page_map {
            Some(map) if level.physical && !above.physical => map.virtual_of(victim.address()),
            _ => victim.address(),
        };
        dirty |= above.invalidate(address, 1 << level.shift);
    }
    if !dirty || victim.is(Request::DATA) {
        return victim;
    }
    level.tally.write_backs += 1;
    Request::new(victim.address(), Request::VICTIM | Request::DATA)
}

//! All levels together: batches of requests go down from one to the next.

use super::level::Level;
use super::pages::Pages;
use super::places::Places;
use super::request::Request;
use super::sets::LINES;
use super::tlb::Tlbs;
use machine::{CacheLevel, Inclusion, Index, Machine, MachineError};
use memory::Arena;

/// Accesses that go down the hierarchy together.
pub(super) const BATCH: usize = 1024;

/// Lines read from and written to memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct MemoryTally {
    pub(super) reads: u64,
    pub(super) writes: u64,
}

#[derive(Debug)]
pub(super) struct Hierarchy {
    pub(super) places: Places,
    pages: Option<Pages>,
    pub(super) tlbs: Tlbs,
    pub(super) levels: Vec<Level>,
    /// Which levels see physical addresses, and which include those above.
    physical: Vec<bool>,
    inclusive: Vec<bool>,
    pub(super) memory: MemoryTally,
    /// What the level at work is asked for: at first, accesses by pointer.
    pub(super) input: Vec<Request>,
    output: Vec<Request>,
}

impl Hierarchy {
    pub(super) fn new(machine: &Machine, arena: &Arena) -> Result<Hierarchy, MachineError> {
        let places = Places::new(arena);
        let pages = Pages::new(machine, places.outside());
        let line = machine.levels.iter().map(|cache| cache.line.get()).min().unwrap_or(64);
        let bytes = pages.as_ref().map_or(0, Pages::reach).max(places.outside() + Arena::ALIGNMENT as u64);
        if bytes / line as u64 >= LINES {
            let reach = LINES as usize * line;
            return Err(MachineError::TooMuchMemory { bytes: bytes as usize, reach, line });
        }
        let level = |cache: &CacheLevel| {
            // Ways that can never be filled cost memory and nothing else.
            let apart = cache.sets() * cache.line.get();
            let fillable = if pages.is_none() { places.pieces(apart) } else { cache.ways };
            Level::new(machine, cache, fillable.clamp(1, cache.ways))
        };
        Ok(Hierarchy {
            levels: machine.levels.iter().map(level).collect(),
            places,
            pages,
            tlbs: Tlbs::new(machine),
            physical: machine.levels.iter().map(|cache| cache.index == Index::Physical).collect(),
            inclusive: machine.levels.iter().map(|c| c.inclusion == Inclusion::Inclusive).collect(),
            memory: MemoryTally::default(),
            input: Vec::with_capacity(BATCH),
            output: Vec::new(),
        })
    }

    /// Shows every counter to `visit`, always in the same order.
    pub(super) fn each_count(&mut self, mut visit: impl FnMut(&mut u64)) {
        let regions = self.places.names().len();
        self.levels.iter_mut().for_each(|level| level.tally.each(regions, &mut visit));
        self.tlbs.levels.iter_mut().flat_map(|tlb| &mut tlb.misses[..regions]).for_each(&mut visit);
        visit(&mut self.memory.reads);
        visit(&mut self.memory.writes);
    }

    /// Whether a level can lose or gain lines behind the back of the one above.
    pub(super) fn feeds_back(machine: &Machine) -> bool {
        machine.levels.iter().any(|cache| cache.inclusion == Inclusion::Inclusive)
    }

    /// Serves the accesses in `input`; whether the first level lost or gained
    /// a line that was not asked for.
    pub(super) fn drain(&mut self) -> bool {
        self.places.settle(&mut self.input);
        for level in 0..self.levels.len() {
            if self.input.is_empty() {
                break;
            }
            self.serve(level);
        }
        for request in &self.input {
            match request.is(Request::DATA) {
                true => self.memory.writes += 1,
                false => self.memory.reads += 1,
            }
        }
        self.input.clear();
        self.levels.first_mut().is_some_and(|first| std::mem::take(&mut first.disturbed))
    }

    /// Looks a page of the array at `offset` up.
    pub(super) fn translate(&mut self, page: u64, offset: u64) {
        self.tlbs.translate(page, self.places.region(offset));
    }

    /// Starts the journal of every level.
    pub(super) fn start_journal(&mut self) {
        self.tlbs.levels.iter_mut().for_each(|tlb| tlb.pages.start_journal());
        self.levels.iter_mut().for_each(Level::start_journal);
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

    /// Lets one level serve the input; what it passes on is the new input.
    fn serve(&mut self, level: usize) {
        let becomes_physical = self.physical[level] && (level == 0 || !self.physical[level - 1]);
        if let (true, Some(pages)) = (becomes_physical, &self.pages) {
            for request in &mut self.input {
                *request = request.moved_to(pages.physical(request.address()));
            }
        }
        self.output.clear();
        let places = (level == 0).then_some(&self.places);
        self.levels[level].run(places, &self.input, &mut self.output);
        if self.inclusive[level] {
            self.recall(level);
        }
        std::mem::swap(&mut self.input, &mut self.output);
    }

    /// What left an inclusive level leaves the levels above.
    fn recall(&mut self, level: usize) {
        let bytes = 1 << self.levels[level].shift;
        for at in 0..self.output.len() {
            let request = self.output[at];
            if !request.is(Request::BACK) {
                continue;
            }
            let mut dirty = false;
            for above in 0..level {
                let address = match (&self.pages, self.physical[level] && !self.physical[above]) {
                    (Some(pages), true) => pages.virtual_of(request.address()),
                    _ => request.address(),
                };
                dirty |= self.levels[above].drop_lines(address, bytes);
            }
            if dirty && !request.is(Request::DATA) {
                self.levels[level].tally.write_backs += 1;
                self.output[at] = Request::new(request.address(), Request::BACK | Request::DATA);
            }
        }
        let below_is_told = self.levels[level].tells_below;
        self.output.retain(|r| !r.is(Request::BACK) || r.is(Request::DATA) || below_is_told);
    }
}

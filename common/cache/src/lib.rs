//! The modelled memory: the same kernel that runs on the machine feeds a cache
//! model, which counts what the machine's caches would do.
//!
//! What is modelled: data accesses of one core, in program order; a level
//! evicts its victim before it asks the next level for the line, and a
//! write-back does not change the recency of the line it updates. What is not:
//! instruction fetches, other cores, the store buffer and other out-of-order
//! effects, and anything the machine's description does not say.

#![forbid(unsafe_code)]

mod address_map;
mod alike;
mod classes;
mod content;
mod counts;
mod distances;
mod drifting;
mod drifting_all;
mod half;
mod hierarchy;
mod journal;
mod kept;
mod level;
mod line_set;
mod lru;
mod moving;
mod mru_filter;
mod page_map;
pub mod plru;
mod prefetch;
mod ranked;
mod request;
mod sets;
mod shifted;
mod stacks;
mod steady;
mod stride_runs;
mod tag;
mod tlb;
mod trace;
mod warp;
mod watch;
mod ways;
mod wide;

use std::cell::Cell;

use machine::{Machine, MachineError};
use memory::{Arena, Lanes, Memory, Turn, Turns, Vector, Word};

pub use content::Held;
pub use counts::{AccessTime, ArrayCounts, Counts, LevelCounts, LoadsStores, TlbCounts};
use half::Half;
use hierarchy::Hierarchy;
use mru_filter::{Mru, MruFilter, NONE, SLOTS};
use request::{Access, Request};
use stride_runs::RunDetector;
use trace::Trace;
use warp::Warp;
use watch::Watch;

/// Memory with a modelled cache hierarchy. It reads and writes the same cells
/// as `isa::Native` memory and counts on the way.
#[derive(Debug)]
pub struct Modelled {
    loads: u64,
    stores: u64,
    /// Loads and stores that cross the end of a line.
    splits: [u64; 2],
    passes: u64,
    shift: u32,
    mask: usize,
    /// Accesses are recorded, not looked up: they may begin a stride run.
    recording: bool,
    /// The most recently used line of each set of the first level.
    recent: Box<[Mru; SLOTS]>,
    /// The most recently used page of each set of the first TLB; none where no
    /// TLB is served.
    recent_pages: Box<[u64]>,
    half: Half,
    filter: Box<MruFilter>,
    runs: Box<RunDetector>,
    /// The outer loop at hand, and the trace of a turn that is only looked at.
    warp: Option<Box<Warp>>,
    trace: Option<Box<Trace>>,
    /// Whether the numbers in memory are wanted.
    computes: bool,
    watch: Watch,
    machine: Machine,
}

impl Modelled {
    /// The memory of `machine`, cold, for kernels on the arrays of `arena`.
    ///
    /// # Errors
    ///
    /// If the arrays are larger than the model reaches, or the machine's caches
    /// are unknown.
    pub fn new(machine: &Machine, arena: &Arena) -> Result<Modelled, MachineError> {
        Modelled::with(machine, arena, None)
    }

    /// The same for kernels that access nothing but arrays of `arena`, and of these
    /// all but the `idle` ones: a level that they just fit in then evicts nothing,
    /// and states recur sooner. An access elsewhere is counted as one that no level
    /// is asked for.
    ///
    /// # Errors
    ///
    /// As for [`new`](Modelled::new).
    pub fn of_arrays_alone(
        machine: &Machine,
        arena: &Arena,
        idle: &[&str],
    ) -> Result<Modelled, MachineError> {
        let mut names: Vec<&str> = arena.allocations().iter().map(|array| array.name).collect();
        names.retain(|name| !idle.contains(name));
        Modelled::with(machine, arena, Some(&names))
    }

    fn with(machine: &Machine, arena: &Arena, alone: Option<&[&str]>) -> Result<Modelled, MachineError> {
        if machine.levels.is_empty() {
            return Err(MachineError::Undescribed { reason: machine.unknown.join("; ") });
        }
        let hierarchy = Hierarchy::new(machine, arena, alone)?;
        let slots = MruFilter::slots(machine);
        let filter = Box::new(MruFilter::new(machine, hierarchy, slots));
        let runs = Box::new(RunDetector::new(machine, &filter));
        Ok(Modelled {
            loads: 0,
            stores: 0,
            splits: [0; 2],
            passes: 0,
            shift: filter.shift,
            mask: slots - 1,
            recording: false,
            recent: Box::new([NONE; SLOTS]),
            recent_pages: vec![u64::MAX; mru_filter::page_slots(machine)].into_boxed_slice(),
            half: Half::Both,
            filter,
            runs,
            warp: None,
            trace: None,
            computes: true,
            watch: Watch::default(),
            machine: machine.clone(),
        })
    }

    /// As [`new`](Modelled::new), but every access is simulated: the reference
    /// that tests hold the stride runs' short cuts against.
    ///
    /// # Errors
    ///
    /// As for [`new`](Modelled::new).
    pub fn exhaustive(machine: &Machine, arena: &Arena) -> Result<Modelled, MachineError> {
        let mut model = Modelled::new(machine, arena)?;
        model.runs.exhaustive = true;
        Ok(model)
    }

    /// The same without the numbers: stores leave the arrays as they are, but those of
    /// [counts](memory::Word::COUNTS), for kernels whose accesses do not depend on other
    /// numbers and whose result nobody reads.
    #[must_use]
    pub fn without_numbers(mut self) -> Modelled {
        self.computes = false;
        self
    }

    /// The same, which tells `watch` now and then the share (0 to 1) of the outer
    /// loop at hand that is done.
    #[must_use]
    pub fn watched(mut self, watch: impl FnMut(f64) + 'static) -> Modelled {
        self.watch = Watch::of_turns(watch);
        self
    }

    /// The same for kernels whose outer loops are not told: the share of so many `bytes`
    /// that inner loops have gone along.
    #[must_use]
    pub fn watched_along(mut self, bytes: f64, watch: impl FnMut(f64) + 'static) -> Modelled {
        self.watch = Watch::along(bytes, watch);
        self
    }

    /// The machine it models.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Counts from zero again; the caches keep their lines.
    pub fn reset_counts(&mut self) {
        self.flush();
        self.core_counts().into_iter().for_each(|count| *count = 0);
        self.filter.hierarchy.each_count(|count| *count = 0);
    }

    /// Everything counted since the start or the last reset.
    pub fn counts(&mut self) -> Counts {
        self.flush();
        let core = counts::CoreCounts {
            loads: self.loads,
            stores: self.stores,
            splits: self.splits,
            passes: self.passes,
        };
        counts::gather(core, &self.filter.hierarchy, &self.machine)
    }

    /// One access of a load (`kind` 0) or store to the line that `pointer`
    /// lies in.
    #[inline(always)]
    fn touch(&mut self, pointer: usize, kind: u64) {
        if self.recording {
            stride_runs::record(self, Access { pointer, kind });
        } else {
            self.look_up(pointer, kind);
        }
    }

    /// The same, looked up at once unless it repeats the most recent one of its
    /// set.
    #[inline(always)]
    fn look_up(&mut self, pointer: usize, kind: u64) {
        if !self.recent_pages.is_empty() {
            self.look_up_page(pointer);
        }
        if self.half.has_caches() {
            self.look_up_line(pointer, kind);
        }
    }

    /// The page, where a TLB is served.
    #[inline(always)]
    fn look_up_page(&mut self, pointer: usize) {
        let page = self.filter.page(pointer);
        let slot = page as usize & (self.recent_pages.len() - 1);
        if self.recent_pages[slot] != page {
            self.recent_pages[slot] = page;
            mru_filter::translate(&mut self.filter, page, pointer);
        }
    }

    /// The line, where caches are served; whether the first level lost or gained a
    /// line that it did not ask for.
    #[inline(always)]
    fn look_up_line(&mut self, pointer: usize, kind: u64) -> bool {
        let line = pointer >> self.shift;
        let slot = line & (self.mask % SLOTS); // known to be in bounds
        let recent = &mut self.recent[slot];
        let last = if kind == 0 { recent.load } else { recent.store };
        if last == line || !mru_filter::look(&mut self.filter, recent, slot, pointer, kind) {
            return false;
        }
        self.recent[..=self.mask].fill(NONE);
        true
    }

    /// As [`touch`](Modelled::touch) for `bytes` bytes, which may cross the end
    /// of a line.
    #[inline(always)]
    fn touch_all(&mut self, pointer: usize, bytes: usize, kind: u64) {
        let access = Access::wide(pointer, bytes, kind);
        self.splits[usize::from(kind != 0)] += access.lines(self.shift).count() as u64 - 1;
        if self.recording {
            stride_runs::record(self, access);
        } else {
            self.look_up_all(access);
        }
    }

    /// As [`look_up`](Modelled::look_up), line by line.
    #[inline(always)]
    fn look_up_all(&mut self, access: Access) {
        access.lines(self.shift).for_each(|line| self.look_up(line.pointer, line.kind));
    }

    /// The counters that are not the hierarchy's.
    fn core_counts(&mut self) -> [&mut u64; 5] {
        let [loads, stores] = &mut self.splits;
        [&mut self.loads, &mut self.stores, &mut self.passes, loads, stores]
    }

    /// Forgets which lines and pages were used most recently, without any
    /// access of them pending.
    fn forget_recent(&mut self) {
        self.recent[..=self.mask].fill(NONE);
        self.recent_pages.fill(u64::MAX);
        self.filter.forget();
    }

    /// Lets the hierarchy see everything up to now.
    fn flush(&mut self) {
        stride_runs::stop_recording(self);
        self.report_all();
    }

    /// Lets the hierarchy see all pending accesses.
    fn report_all(&mut self) {
        if self.filter.flush(&self.recent[..=self.mask]) {
            self.recent[..=self.mask].fill(NONE);
        }
    }
}

impl Memory for Modelled {
    #[inline(always)]
    fn load<T: Word>(&mut self, cell: &Cell<T>) -> T {
        self.loads += 1;
        self.touch(cell.as_ptr() as usize, 0);
        cell.get()
    }

    #[inline(always)]
    fn store<T: Word>(&mut self, cell: &Cell<T>, value: T) {
        self.stores += 1;
        self.touch(cell.as_ptr() as usize, Request::STORE | Request::DATA);
        if self.computes || T::COUNTS {
            cell.set(value);
        }
    }

    #[inline(always)]
    fn load_vector<V: Vector>(&mut self, lanes: Lanes<'_, V>) -> V {
        self.loads += 1;
        self.touch_all(lanes.address(), size_of::<V>(), 0);
        lanes.read()
    }

    #[inline(always)]
    fn store_vector<V: Vector>(&mut self, lanes: Lanes<'_, V>, value: V) {
        self.stores += 1;
        self.touch_all(lanes.address(), size_of::<V>(), Request::STORE | Request::DATA);
        if self.computes {
            lanes.write(value);
        }
    }

    /// Passes are simulated until the state of the whole hierarchy recurs; the
    /// remaining ones are then counted without simulating them.
    fn repeat(&mut self, times: u64, body: impl FnMut(&mut Self)) {
        steady::repeat(self, times, body);
    }

    fn foresees(&self) -> bool {
        true
    }

    fn observed_steps(&mut self, left: usize) -> usize {
        stride_runs::observed_steps(self, left)
    }

    fn predicts(&mut self, left: usize) -> bool {
        stride_runs::predicts(self, left)
    }

    fn computes(&self) -> bool {
        self.computes
    }

    fn next_turn(&mut self, turns: &mut Turns) -> Turn {
        warp::next_turn(self, turns)
    }
}

#[cfg(test)]
mod tests;

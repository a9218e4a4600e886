//! The memory with a modelled cache hierarchy.

use std::cell::Cell;
use std::ops::Range;
use std::sync::OnceLock;

use machine::{Machine, MachineError};
use memory::{Arena, IterationEnd, Lanes, Memory, Vector, Word};

use crate::addresses::AddressMap;
use crate::counts::{self, Counts, Estimate};
use crate::loops::Recorder;
use crate::shortcuts::{self, Shortcut};
use crate::simulator::Simulator;
use crate::tag::{DIRTY, line_of};
use crate::walk::{BUDGET, Estimated, Walker};

/// Names of shortcuts that are switched off in the whole process.
static SWITCHED_OFF: OnceLock<String> = OnceLock::new();

/// Switches off the shortcuts with these names, separated by commas, in every model that
/// this process makes from now on. Counts are the same, but take longer. Only the first
/// call has an effect.
pub fn switch_off_shortcuts(names: &str) {
    SWITCHED_OFF.get_or_init(|| names.to_owned());
}

/// A line in a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Address of the line, in bytes from the first array.
    pub address: u64,
    /// Whether the line is dirty.
    pub dirty: bool,
}

/// Memory with a modelled cache hierarchy. It reads and writes the same cells as
/// `isa::Native` memory, and counts the accesses.
#[derive(Debug)]
pub struct Modelled {
    recorder: Recorder,
    pub(crate) walker: Box<Walker>,
    /// Whether the numbers in memory are needed.
    computes: bool,
    /// The accesses are already described; only the numbers are computed.
    is_known: bool,
    machine: Machine,
}

impl Modelled {
    /// The memory of `machine` with empty caches, for kernels on the arrays of `arena`.
    ///
    /// # Errors
    ///
    /// If the arrays are too large for the model, or the machine's caches are unknown.
    pub fn new(machine: &Machine, arena: &Arena) -> Result<Modelled, MachineError> {
        Modelled::with(machine, AddressMap::new(arena, None), shortcuts::ALL.to_vec())
    }

    /// A model for kernels that access only arrays of `arena`, except the `idle` ones. A
    /// level in which all of these fit then evicts nothing, and states recur sooner. An
    /// access elsewhere is counted, but reaches no level.
    ///
    /// # Errors
    ///
    /// The same as for [`new`](Modelled::new).
    pub fn of_arrays_alone(
        machine: &Machine,
        arena: &Arena,
        idle: &[&str],
    ) -> Result<Modelled, MachineError> {
        let mut names: Vec<&str> = arena.allocations().iter().map(|array| array.name).collect();
        names.retain(|name| !idle.contains(name));
        Modelled::with(machine, AddressMap::new(arena, Some(&names)), shortcuts::ALL.to_vec())
    }

    /// The same as [`new`](Modelled::new), but every access is simulated, in levels with
    /// all their sets.
    ///
    /// # Errors
    ///
    /// The same as for [`new`](Modelled::new).
    pub fn exhaustive(machine: &Machine, arena: &Arena) -> Result<Modelled, MachineError> {
        Modelled::with(machine, AddressMap::new(arena, None), Vec::new())
    }

    fn with(
        machine: &Machine,
        addresses: AddressMap,
        shortcuts: Vec<Shortcut>,
    ) -> Result<Modelled, MachineError> {
        if machine.levels.is_empty() {
            return Err(MachineError::Refused(machine.unknown.join("; ")));
        }
        let sim = Simulator::new(machine, &addresses, !shortcuts.is_empty())?;
        let model = Modelled {
            recorder: Recorder::new(addresses),
            walker: Box::new(Walker::new(sim, shortcuts)),
            computes: true,
            is_known: false,
            machine: machine.clone(),
        };
        Ok(model.without_shortcuts(SWITCHED_OFF.get().map_or("", String::as_str)))
    }

    /// The model without the shortcuts of these names, separated by commas: counts are the
    /// same, but take longer.
    #[must_use]
    pub fn without_shortcuts(mut self, names: &str) -> Modelled {
        let is_off = |name| names.split(',').any(|off| off.trim() == name);
        self.walker.shortcuts.retain(|shortcut| !is_off(shortcut.name));
        self
    }

    /// The model without the numbers: stores change only elements that
    /// [count](memory::Word::COUNTS). For kernels whose accesses do not depend on other
    /// numbers and whose result nobody reads.
    #[must_use]
    pub fn without_numbers(mut self) -> Modelled {
        self.computes = false;
        self
    }

    /// The same, but of an outermost loop that would take about ten seconds or more, and in which no
    /// shortcut helps, two samples of iterations are simulated; see [`Counts::estimate`].
    #[must_use]
    pub fn estimating(mut self) -> Modelled {
        self.walker.budget = Some(BUDGET);
        self
    }

    /// The same, with regular calls of `progress` with the share (0 to 1) of the outermost
    /// loop that is done.
    #[must_use]
    pub fn reporting(mut self, progress: impl FnMut(f64) + 'static) -> Modelled {
        self.walker.progress.report = Some(Box::new(progress));
        self
    }

    /// The machine it models.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Resets all counts; the content of the caches stays.
    pub fn reset_counts(&mut self) {
        self.simulate();
        self.walker.sim.tally.reset();
        self.walker.estimate = Estimated::default();
    }

    /// All counts since the start or the last reset.
    pub fn counts(&mut self) -> Counts {
        self.simulate();
        let (names, tally) = (self.recorder.addresses().names(), &self.walker.sim.tally);
        let Estimated { iterations: [walked, iterations], differences } = &self.walker.estimate;
        let mut counts = counts::gather(tally, &names, &self.machine);
        counts.estimate = (*walked > 0).then(|| {
            let sample = |sign| counts::gather(&tally.changed(differences, sign), &names, &self.machine);
            Box::new(Estimate { walked: *walked, iterations: *iterations, samples: [sample(1), sample(-1)] })
        });
        counts
    }

    /// The lines in `set` of the cache at `level`, counted from 1; none if there
    /// is no such set.
    pub fn content(&mut self, level: u8, set: usize) -> Vec<Held> {
        self.simulate();
        let levels = &self.walker.sim.levels;
        let Some(level) = levels.get(usize::from(level).wrapping_sub(1)) else { return Vec::new() };
        if set >= level.store.layout.sets {
            return Vec::new();
        }
        let held = |tag| Held { address: line_of(tag) << level.shift, dirty: tag & DIRTY != 0 };
        level.store.content(set).filter(|tag| *tag != 0).map(held).collect()
    }

    /// Simulates everything that is recorded so far.
    pub(crate) fn simulate(&mut self) {
        let nodes = self.recorder.take();
        self.walker.walk(&nodes, self.recorder.addresses());
    }

    #[inline(always)]
    fn access(&mut self, pointer: usize, bytes: usize, store: bool) {
        if !self.is_known && self.recorder.access(pointer, bytes, store) {
            self.simulate();
        }
    }
}

impl Memory for Modelled {
    #[inline(always)]
    fn load<T: Word>(&mut self, cell: &Cell<T>) -> T {
        self.access(cell.as_ptr() as usize, 1, false);
        cell.get()
    }

    #[inline(always)]
    fn store<T: Word>(&mut self, cell: &Cell<T>, value: T) {
        self.access(cell.as_ptr() as usize, 1, true);
        if self.computes || T::COUNTS {
            cell.set(value);
        }
    }

    #[inline(always)]
    fn load_vector<V: Vector>(&mut self, lanes: Lanes<'_, V>) -> V {
        self.access(lanes.address(), size_of::<V>(), false);
        lanes.read()
    }

    #[inline(always)]
    fn store_vector<V: Vector>(&mut self, lanes: Lanes<'_, V>, value: V) {
        self.access(lanes.address(), size_of::<V>(), true);
        if self.computes {
            lanes.write(value);
        }
    }

    fn repeat(&mut self, times: u64, mut body: impl FnMut(&mut Self)) {
        let times = usize::try_from(times).unwrap_or(usize::MAX);
        self.run_loop(0..times, |mem, _| {
            if !mem.is_known {
                mem.recorder.pass();
            }
            body(mem);
            IterationEnd
        });
    }

    /// Runs the first two iterations and the last one, and the others only if their numbers
    /// are needed; their accesses are described.
    fn run_loop(&mut self, range: Range<usize>, mut body: impl FnMut(&mut Self, usize) -> IterationEnd) {
        let is_known = self.is_known;
        if !is_known {
            self.recorder.begin_loop();
        }
        let mut iteration = range.start;
        while iteration < range.end {
            let last = range.end - 1;
            if iteration == last {
                self.is_known = is_known;
            } else if !self.is_known && self.recorder.knows_next() {
                self.recorder.skip((last - iteration) as u64);
                if self.computes {
                    self.is_known = true;
                } else {
                    iteration = last;
                }
            }
            let IterationEnd = body(self, iteration);
            if !self.is_known {
                let differs = self.recorder.end_iteration();
                debug_assert!(
                    !differs || iteration == last,
                    "iteration {iteration} of a loop in steps! does not do what the two before it did, further on"
                );
            }
            iteration += 1;
        }
        if !is_known && self.recorder.end_loop() {
            self.simulate();
        }
    }

    fn skips_iterations(&self) -> bool {
        true
    }
}

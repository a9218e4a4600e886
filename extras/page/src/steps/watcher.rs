//! Watches each access of a kernel, and records its effect on the cache.

use std::cell::Cell;
use std::collections::HashSet;
use std::ops::Range;
use std::panic::Location;

use cache::{Classifier, Held, MissKind, Modelled, plru};
use machine::{Machine, Replacement};
use memory::{Arena, IterationEnd, Lanes, Memory, Vector, Word};
use serde::Serialize;

/// Number of accesses that are shown, from the first one on.
pub(super) const MAX_STEPS: usize = 20_000;

/// The outcome of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// A hit.
    Hit,
    /// A compulsory miss: the first use of the line.
    Compulsory,
    /// A capacity miss: a fully associative cache of the same size misses too.
    Capacity,
    /// A conflict miss: a fully associative cache of the same size would hit.
    Conflict,
}

/// A way with a line in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    /// Address of the line, in bytes from the first array.
    pub address: u64,
    /// Whether it is dirty.
    pub dirty: bool,
    /// The step that used it last.
    pub used: usize,
    /// The step that fetched it.
    pub arrived: usize,
}

/// One access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Bytes from the first array.
    pub address: u64,
    /// Whether it is a store.
    pub store: bool,
    /// Its set.
    pub set: usize,
    /// Its outcome.
    pub outcome: Outcome,
    /// The line that was evicted, and whether it was written back.
    pub evicted: Option<(u64, bool)>,
    /// The ways of the set that changed, with their content afterwards; a line stays in its way.
    pub changes: Vec<(usize, Option<Way>)>,
    /// The way whose line the next miss evicts, if the set is full and the policy is not
    /// random.
    pub next: Option<usize>,
    /// Line and column of the access in the kernel's file.
    pub place: (u32, u32),
}

/// An evicted line and whether it was dirty; ways and what is in them now.
type Update = (Option<(u64, bool)>, Vec<(usize, Option<Way>)>);

/// The model, with a record of the effect of each access.
pub(super) struct Watcher {
    model: Modelled,
    kinds: Classifier,
    origin: usize,
    line: u64,
    /// The present ways of every set.
    sets: Vec<Vec<Option<Way>>>,
    replacement: Replacement,
    /// The direction bits of every set, for tree-PLRU.
    trees: Vec<u64>,
    pub(super) steps: Vec<Step>,
    /// Whether the kernel makes more accesses than are shown.
    pub(super) is_cut: bool,
}

impl Watcher {
    pub(super) fn new(machine: &Machine, arena: &Arena) -> Result<Watcher, String> {
        let first = &machine.levels[0];
        Ok(Watcher {
            model: Modelled::new(machine, arena).map_err(|error| error.to_string())?,
            kinds: Classifier::new(first),
            origin: arena.origin(),
            line: first.line.0,
            sets: vec![vec![None; first.ways]; first.sets()],
            replacement: first.replacement,
            trees: vec![0; first.sets()],
            steps: Vec::new(),
            is_cut: false,
        })
    }

    /// Records the access that the model has just made.
    fn note(&mut self, pointer: usize, store: bool, place: (u32, u32)) {
        let address = (pointer - self.origin) as u64;
        let set = (address / self.line) as usize % self.sets.len();
        let line = address - address % self.line;
        let held = self.model.content(1, set);
        let was_there = self.sets[set].iter().flatten().any(|way| way.address == line);
        let outcome = match self.kinds.access(address, store, !was_there) {
            None => Outcome::Hit,
            Some(MissKind::Compulsory) => Outcome::Compulsory,
            Some(MissKind::Capacity) => Outcome::Capacity,
            Some(MissKind::Conflict) => Outcome::Conflict,
        };
        let (evicted, changes) = self.update_ways(set, line, &held);
        let next = self.next(set, line);
        self.steps.push(Step { address, store, set, outcome, evicted, changes, next, place });
    }

    /// Updates the shown ways of `set` to its present content after `line` was used; returns the evicted line, and
    /// whether it was dirty, and the way that changed.
    fn update_ways(&mut self, set: usize, line: u64, held: &[Held]) -> Update {
        let (now, ways) = (self.steps.len(), &mut self.sets[set]);
        // A store that misses may bring no line.
        let Some(new) = held.iter().find(|held| held.address == line) else { return Update::default() };
        let own = ways.iter().position(|way| way.is_some_and(|way| way.address == line));
        let place = own.or_else(|| ways.iter().position(Option::is_none)).or_else(|| {
            let there: HashSet<u64> = held.iter().map(|held| held.address).collect();
            ways.iter().position(|way| way.is_some_and(|way| !there.contains(&way.address)))
        });
        let Some(place) = place else { return Update::default() };
        let (old, same) = (ways[place], own.is_some());
        let arrived = old.filter(|_| same).map_or(now, |old| old.arrived);
        ways[place] = Some(Way { address: line, dirty: new.dirty, used: now, arrived });
        (old.filter(|_| !same).map(|old| (old.address, old.dirty)), vec![(place, ways[place])])
    }

    /// The way whose line the next miss in `set` evicts, after `line` was used.
    fn next(&mut self, set: usize, line: u64) -> Option<usize> {
        let ways = &self.sets[set];
        if self.replacement == Replacement::Plru
            && let Some(used) = ways.iter().position(|way| way.is_some_and(|way| way.address == line))
        {
            plru::touch(&mut self.trees[set], ways.len(), used);
        }
        let lines: Vec<Way> = ways.iter().copied().collect::<Option<_>>()?; // an empty way is filled first
        match self.replacement {
            Replacement::Lru => (0..lines.len()).min_by_key(|way| lines[*way].used),
            Replacement::Fifo => (0..lines.len()).min_by_key(|way| lines[*way].arrived),
            Replacement::Plru => Some(plru::victim(self.trees[set], lines.len())),
            Replacement::Random => None,
        }
    }

    /// An access that line and column `place` of a text describe.
    pub(super) fn access(&mut self, byte: &Cell<u8>, store: bool, place: (u32, u32)) {
        if self.watches() {
            if store {
                self.model.store(byte, 0);
            } else {
                self.model.load(byte);
            }
            self.note(byte.as_ptr() as usize, store, place);
        }
    }

    /// Whether this access is shown.
    fn watches(&mut self) -> bool {
        self.is_cut |= self.steps.len() == MAX_STEPS;
        !self.is_cut
    }
}

/// Line and column of the kernel's call.
#[track_caller]
fn caller() -> (u32, u32) {
    let caller = Location::caller();
    (caller.line(), caller.column())
}

impl Memory for Watcher {
    #[track_caller]
    fn load<T: Word>(&mut self, cell: &Cell<T>) -> T {
        if self.watches() {
            self.model.load(cell);
            self.note(cell.as_ptr() as usize, false, caller());
        }
        cell.get()
    }

    #[track_caller]
    fn store<T: Word>(&mut self, cell: &Cell<T>, value: T) {
        cell.set(value);
        if self.watches() {
            self.model.store(cell, value);
            self.note(cell.as_ptr() as usize, true, caller());
        }
    }

    fn load_vector<V: Vector>(&mut self, lanes: Lanes<'_, V>) -> V {
        lanes.read()
    }

    fn store_vector<V: Vector>(&mut self, lanes: Lanes<'_, V>, value: V) {
        lanes.write(value);
    }

    fn repeat(&mut self, times: u64, mut body: impl FnMut(&mut Self)) {
        let times = usize::try_from(times).unwrap_or(usize::MAX);
        self.run_loop(0..times, |mem, _| {
            body(mem);
            IterationEnd
        });
    }

    /// Ends as soon as accesses are no longer shown.
    fn run_loop(&mut self, range: Range<usize>, mut body: impl FnMut(&mut Self, usize) -> IterationEnd) {
        for iteration in range {
            if self.is_cut {
                break;
            }
            let IterationEnd = body(self, iteration);
        }
    }

    fn skips_iterations(&self) -> bool {
        true
    }
}

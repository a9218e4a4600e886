//! The modelled memory: the same kernel that runs on the machine feeds a cache
//! model, which counts what the machine's caches would do.
//!
//! What is modelled: data accesses of one core, one after the other; a level
//! makes room for a line before it asks the next level for it, and a written
//! back line is not thereby used again. What is not: instruction fetches, other cores, out-of-order effects, and anything
//! the machine's description does not say.

mod counts;
mod hierarchy;
mod level;
mod lru;
mod pages;
mod period;
mod places;
mod prefetch;
mod request;
mod sets;
mod shadow;
mod steady;
mod tlb;

use std::cell::Cell;

use crate::machine::{Index, Machine, MachineError, Prefetch, Write};
use crate::memory::{Arena, Lanes, Memory, Vector, Word};

pub use counts::{AccessTime, ArrayCounts, Counts, Kinds, LevelCounts, LoadsStores, TlbCounts};
use hierarchy::{BATCH, Hierarchy};
use request::Request;

/// A line of the first level that an access may repeat without changing
/// anything: it was the last one used in its set. One number for loads, one
/// for stores, which also need it to be dirty already.
#[derive(Debug, Clone, Copy)]
struct Repeatable {
    load: usize,
    store: usize,
}

/// No line.
const NONE: Repeatable = Repeatable { load: usize::MAX, store: usize::MAX };

/// Memory with a modelled cache hierarchy. It reads and writes the same cells
/// as [`Native`](crate::memory::Native) memory and counts on the way.
#[derive(Debug)]
pub struct Modelled {
    loads: u64,
    stores: u64,
    /// Loads and stores that reach over the end of a line.
    splits: [u64; 2],
    passes: u64,
    shift: u32,
    mask: usize,
    origin: usize,
    /// Bits of an address that can tell lines or arrays apart.
    grain: usize,
    filter: Box<[Repeatable]>,
    /// Set in stored line numbers when nothing may be taken as repeated.
    never: usize,
    /// Pending accesses, and how many may be.
    filled: usize,
    batch: usize,
    hierarchy: Box<Hierarchy>,
    machine: Machine,
}

impl Modelled {
    /// The memory of `machine`, cold, for kernels on the arrays of `arena`.
    ///
    /// # Errors
    ///
    /// If the arrays are larger than the model reaches.
    pub fn new(machine: &Machine, arena: &Arena) -> Result<Modelled, MachineError> {
        Modelled::build(machine, arena, false)
    }

    /// As [`new`](Modelled::new), and every miss is classified as compulsory,
    /// capacity or conflict miss; several times slower.
    ///
    /// # Errors
    ///
    /// As for [`new`](Modelled::new).
    pub fn classifying(machine: &Machine, arena: &Arena) -> Result<Modelled, MachineError> {
        Modelled::build(machine, arena, true)
    }

    fn build(machine: &Machine, arena: &Arena, classify: bool) -> Result<Modelled, MachineError> {
        let hierarchy = Box::new(Hierarchy::new(machine, arena, classify)?);
        let first = &machine.levels[0];
        let prefetches = first.prefetch != Prefetch::None;
        let at_once = prefetches || Hierarchy::feeds_back(machine);
        let plain_stores = first.write == Write::Back && first.allocate;
        // Only the last line of all is repeatable where order among sets counts.
        let in_order = classify || !machine.tlbs.is_empty() || first.index == Index::Physical;
        let slots = if in_order || !first.sets().is_power_of_two() { 1 } else { first.sets() };
        let reach = Arena::ALIGNMENT / first.line.get(); // the arena's alignment keeps these set bits
        let slots = slots.min(reach);
        Ok(Modelled {
            loads: 0,
            stores: 0,
            splits: [0; 2],
            passes: 0,
            shift: first.line.0.trailing_zeros(),
            mask: slots - 1,
            origin: hierarchy.places.origin(),
            grain: !(first.line.get().min(hierarchy.places.alignment()) - 1),
            filter: vec![NONE; slots].into_boxed_slice(),
            never: if prefetches || !plain_stores { 1 << (usize::BITS - 1) } else { 0 },
            filled: 0,
            batch: if at_once { 1 } else { BATCH },
            hierarchy,
            machine: machine.clone(),
        })
    }

    /// The machine it models.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Counts from zero again; the caches keep their lines.
    pub fn reset_counts(&mut self) {
        self.flush();
        self.own_counts().into_iter().for_each(|count| *count = 0);
        self.hierarchy.each_count(|count| *count = 0);
    }

    /// Everything counted since the start or the last reset.
    pub fn counts(&mut self) -> Counts {
        self.flush();
        let own =
            counts::Own { loads: self.loads, stores: self.stores, splits: self.splits, passes: self.passes };
        counts::gather(own, &self.hierarchy, &self.machine)
    }

    /// One access of a load (`kind` 0) or store to the line that `pointer`
    /// lies in, unless it repeats the last one of its set.
    #[inline(always)]
    fn touch(&mut self, pointer: usize, kind: u64) {
        let line = pointer >> self.shift;
        let slot = line & self.mask;
        debug_assert!(slot < self.filter.len());
        // SAFETY: the mask is one less than the filter's length.
        let repeatable = unsafe { self.filter.get_unchecked_mut(slot) };
        let last = if kind == 0 { repeatable.load } else { repeatable.store };
        if last == line {
            return;
        }
        let line = line | self.never;
        *repeatable = Repeatable { load: line, store: if kind == 0 { usize::MAX } else { line } };
        let offset = (pointer.wrapping_sub(self.origin) & self.grain) as u64;
        self.hierarchy.pending[self.filled] = Request::new(offset, kind);
        self.filled += 1;
        if self.filled >= self.batch {
            self.filled = 0;
            if drain(&mut self.hierarchy, self.batch) {
                self.filter.fill(NONE);
            }
        }
    }

    /// As [`touch`](Modelled::touch) for `bytes` bytes, which may reach over
    /// the end of a line.
    #[inline(always)]
    fn touch_all(&mut self, pointer: usize, bytes: usize, kind: u64) {
        let line = 1 << self.shift;
        let end = pointer + bytes;
        self.touch(pointer, kind);
        let mut next = (pointer & !(line - 1)) + line;
        while next < end {
            self.splits[usize::from(kind != 0)] += 1;
            self.touch(next, kind);
            next += line;
        }
    }

    /// The counters that are not the hierarchy's.
    fn own_counts(&mut self) -> [&mut u64; 5] {
        let [loads, stores] = &mut self.splits;
        [&mut self.loads, &mut self.stores, &mut self.passes, loads, stores]
    }

    /// Lets the hierarchy see all pending accesses.
    fn flush(&mut self) {
        let count = std::mem::take(&mut self.filled);
        if drain(&mut self.hierarchy, count) {
            self.filter.fill(NONE);
        }
    }
}

/// Outside [`Modelled`], and never unwinding, so that a kernel's loop can keep
/// the counters in registers across it.
#[cold]
#[inline(never)]
extern "C" fn drain(hierarchy: &mut Hierarchy, count: usize) -> bool {
    hierarchy.drain(count)
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
        cell.set(value);
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
        lanes.write(value);
    }

    /// Passes are walked until the state of the whole hierarchy is one it has
    /// been in before; the rest then is counted without walking it.
    fn repeat(&mut self, times: u64, body: impl FnMut(&mut Self)) {
        steady::repeat(self, times, body);
    }
}

#[cfg(test)]
mod tests;

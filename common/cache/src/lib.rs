//! The modelled memory: the same kernel that runs on the machine feeds a cache
//! model, which counts what the machine's caches would do.
//!
//! What is modelled: data accesses of one core, one after the other; a level
//! makes room for a line before it asks the next level for it, and a written
//! back line is not thereby used again. What is not: instruction fetches, other cores, out-of-order effects, and anything
//! the machine's description does not say.

mod counts;
mod front;
mod hierarchy;
mod journal;
mod level;
mod lru;
mod pages;
mod places;
mod prefetch;
mod request;
mod rows;
mod sets;
mod steady;
mod tlb;

use std::cell::Cell;

use machine::{Machine, MachineError};
use memory::{Arena, Lanes, Memory, Vector, Word};

pub use counts::{AccessTime, ArrayCounts, Counts, LevelCounts, LoadsStores, TlbCounts};
use front::{Front, NONE, Repeatable};
use hierarchy::Hierarchy;
use request::Request;
use rows::{Access, Rows};

/// Memory with a modelled cache hierarchy. It reads and writes the same cells
/// as [`Native`](memory::Native) memory and counts on the way.
#[derive(Debug)]
pub struct Modelled {
    loads: u64,
    stores: u64,
    /// Loads and stores that reach over the end of a line.
    splits: [u64; 2],
    passes: u64,
    shift: u32,
    mask: usize,
    /// Accesses are noted, not looked up: they may belong to a row.
    noting: bool,
    /// The last line of each set.
    recent: Box<[Repeatable]>,
    /// The last page of each set of the first TLB; none without a TLB.
    recent_pages: Box<[u64]>,
    front: Box<Front>,
    rows: Box<Rows>,
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
        if machine.levels.is_empty() {
            return Err(MachineError::Undescribed { reason: machine.unknown.join("; ") });
        }
        let hierarchy = Hierarchy::new(machine, arena)?;
        let slots = Front::slots(machine);
        let front = Box::new(Front::new(machine, hierarchy, slots));
        let rows = Box::new(Rows::new(machine, &front));
        Ok(Modelled {
            loads: 0,
            stores: 0,
            splits: [0; 2],
            passes: 0,
            shift: front.shift,
            mask: slots - 1,
            noting: false,
            recent: vec![NONE; slots].into_boxed_slice(),
            recent_pages: vec![u64::MAX; front::page_slots(machine)].into_boxed_slice(),
            front,
            rows,
            machine: machine.clone(),
        })
    }

    /// As [`new`](Modelled::new), and every access of every row is walked: the
    /// yardstick that tests hold the short cuts against.
    ///
    /// # Errors
    ///
    /// As for [`new`](Modelled::new).
    pub fn walking(machine: &Machine, arena: &Arena) -> Result<Modelled, MachineError> {
        let mut model = Modelled::new(machine, arena)?;
        model.rows.walks_all = true;
        Ok(model)
    }

    /// The machine it models.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Counts from zero again; the caches keep their lines.
    pub fn reset_counts(&mut self) {
        self.flush();
        self.own_counts().into_iter().for_each(|count| *count = 0);
        self.front.hierarchy.each_count(|count| *count = 0);
    }

    /// Everything counted since the start or the last reset.
    pub fn counts(&mut self) -> Counts {
        self.flush();
        let own =
            counts::Own { loads: self.loads, stores: self.stores, splits: self.splits, passes: self.passes };
        counts::gather(own, &self.front.hierarchy, &self.machine)
    }

    /// One access of a load (`kind` 0) or store to the line that `pointer`
    /// lies in.
    #[inline(always)]
    fn touch(&mut self, pointer: usize, kind: u64) {
        match self.noting {
            true => rows::note(self, Access { pointer, kind }),
            false => _ = self.look_up(pointer, kind),
        }
    }

    /// The same, looked up at once unless it repeats the last one of its set;
    /// whether the first level lost or gained a line that was not asked for.
    #[inline(always)]
    fn look_up(&mut self, pointer: usize, kind: u64) -> bool {
        if !self.recent_pages.is_empty() {
            let page = self.front.page(pointer);
            let slot = page as usize & (self.recent_pages.len() - 1);
            if self.recent_pages[slot] != page {
                self.recent_pages[slot] = page;
                front::translate(&mut self.front, page, pointer);
            }
        }
        let line = pointer >> self.shift;
        let slot = line & self.mask;
        debug_assert!(slot < self.recent.len());
        // SAFETY: the mask is one less than the number of slots.
        let recent = unsafe { self.recent.get_unchecked_mut(slot) };
        let last = if kind == 0 { recent.load } else { recent.store };
        if last == line || !front::look(&mut self.front, recent, slot, pointer, kind) {
            return false;
        }
        self.recent.fill(NONE);
        true
    }

    /// As [`touch`](Modelled::touch) for `bytes` bytes, which may reach over
    /// the end of a line.
    #[inline(always)]
    fn touch_all(&mut self, pointer: usize, bytes: usize, kind: u64) {
        rows::stop_noting(self);
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

    /// Lets the hierarchy see everything up to now.
    fn flush(&mut self) {
        rows::stop_noting(self);
        self.tell_all();
    }

    /// Lets the hierarchy see all pending accesses.
    fn tell_all(&mut self) {
        if self.front.flush(&self.recent) {
            self.recent.fill(NONE);
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

    fn watched(&mut self, left: usize) -> usize {
        rows::watched(self, left)
    }

    fn foresees(&mut self, left: usize) -> bool {
        rows::foresees(self, left)
    }
}

#[cfg(test)]
mod tests;

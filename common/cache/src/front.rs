//! What stands before the first level: most accesses repeat one of the last
//! two lines of their set, and need not be looked up to be counted.

use super::hierarchy::{BATCH, Hierarchy};
use super::request::Request;
use machine::{Index, Machine, Prefetch, Replacement, Write};
use memory::Arena;

/// A line of the first level that an access may repeat without changing
/// anything: it was the last one used in its set. One number for loads, one
/// for stores, which also need it to be dirty already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Repeatable {
    pub(super) load: usize,
    pub(super) store: usize,
}

/// No line.
pub(super) const NONE: Repeatable = Repeatable { load: usize::MAX, store: usize::MAX };

/// The line used before the last one. As long as only these two are used, the
/// level is not told in which order.
#[derive(Debug, Clone, Copy)]
struct Second {
    line: Repeatable,
    /// Which of the two the level takes for the last one.
    told: usize,
}

/// Everything behind the last lines.
#[derive(Debug)]
pub(super) struct Front {
    pub(super) shift: u32,
    pub(super) origin: usize,
    /// Offset from which on there are no arrays.
    outside: u64,
    page_shift: u32,
    /// Bits of an address that can tell lines or arrays apart.
    grain: usize,
    /// Nothing may be taken as repeated.
    never: bool,
    /// The last two lines of a set are sure to be there, not only the last.
    two: bool,
    seconds: Box<[Second]>,
    /// How many accesses may be pending.
    pub(super) batch: usize,
    pub(super) hierarchy: Hierarchy,
}

impl Front {
    pub(super) fn new(machine: &Machine, hierarchy: Hierarchy, slots: usize) -> Front {
        let first = &machine.levels[0];
        let prefetches = first.prefetch != Prefetch::None;
        let plain_stores = first.write == Write::Back && first.allocate;
        let at_once = prefetches || Hierarchy::feeds_back(machine);
        let keeps_two = matches!(first.replacement, Replacement::Lru | Replacement::Plru) && first.ways > 1;
        Front {
            shift: first.line.0.trailing_zeros(),
            origin: hierarchy.places.origin(),
            outside: hierarchy.places.outside(),
            page_shift: machine.page_size.0.trailing_zeros(),
            grain: !(first.line.get().min(hierarchy.places.alignment()) - 1),
            never: prefetches || !plain_stores,
            two: keeps_two && !at_once,
            seconds: vec![Second { line: NONE, told: usize::MAX }; slots].into_boxed_slice(),
            batch: if at_once { 1 } else { BATCH },
            hierarchy,
        }
    }

    /// How many sets the last lines are kept for.
    pub(super) fn slots(machine: &Machine) -> usize {
        let first = &machine.levels[0];
        // Only the last lines of all count where order among sets does.
        let in_order = first.index == Index::Physical;
        let reach = Arena::ALIGNMENT / first.line.get(); // the arena's alignment keeps these set bits
        if in_order || !first.sets().is_power_of_two() { 1 } else { first.sets().min(reach) }
    }

    /// Offset of `pointer` in the arena; all that lies outside is one place.
    #[inline(always)]
    pub(super) fn offset(&self, pointer: usize) -> u64 {
        self.outside.min(pointer.wrapping_sub(self.origin) as u64)
    }

    /// Number of the page that `pointer` lies on.
    #[inline(always)]
    pub(super) fn page(&self, pointer: usize) -> u64 {
        self.offset(pointer) >> self.page_shift
    }

    /// Bits of an address below which nothing tells lines or arrays apart.
    pub(super) fn grain_bits(&self) -> u32 {
        self.grain.trailing_zeros()
    }

    /// Whether `pointer` lies in an array.
    pub(super) fn is_inside(&self, pointer: usize) -> bool {
        self.offset(pointer) < self.outside
    }

    /// An access that does not repeat `recent`, the last line of its `slot`;
    /// whether all last lines are to be forgotten.
    fn look(&mut self, recent: &mut Repeatable, slot: usize, pointer: usize, kind: u64) -> bool {
        if self.never {
            return self.push(pointer, kind);
        }
        let line = pointer >> self.shift;
        let store = if kind == 0 { usize::MAX } else { line };
        let mut forget = false;
        if self.two {
            let second = self.seconds[slot];
            let last = if kind == 0 { second.line.load } else { second.line.store };
            if last == line {
                self.seconds[slot].line = std::mem::replace(recent, second.line);
                return false;
            }
            if line != recent.load && line != second.line.load {
                forget = self.tell(*recent, slot);
            }
            if line != recent.load {
                self.seconds[slot].line = *recent;
            }
            self.seconds[slot].told = line;
        }
        *recent = Repeatable { load: line, store };
        self.push(pointer, kind) | forget
    }

    /// Tells the level which line of `slot` was the last one.
    fn tell(&mut self, recent: Repeatable, slot: usize) -> bool {
        let known = recent == NONE || recent.load == self.seconds[slot].told;
        self.seconds[slot].told = recent.load;
        !known && self.push(recent.load << self.shift, 0)
    }

    fn push(&mut self, pointer: usize, kind: u64) -> bool {
        let offset = (pointer.wrapping_sub(self.origin) & self.grain) as u64;
        self.hierarchy.input.push(Request::new(offset, kind));
        self.hierarchy.input.len() >= self.batch && self.hierarchy.drain()
    }

    /// Lets the hierarchy see everything up to now.
    pub(super) fn flush(&mut self, recent: &[Repeatable]) -> bool {
        let mut forget = false;
        if self.two {
            for (slot, &recent) in recent.iter().enumerate() {
                forget |= self.tell(recent, slot);
            }
        }
        self.hierarchy.drain() | forget
    }
}

/// How many sets of the first TLB the last pages are kept for: a power of two.
pub(super) fn page_slots(machine: &Machine) -> usize {
    let sets = machine.tlbs.first().map_or(0, |tlb| tlb.entries / tlb.ways);
    if sets == 0 { 0 } else { 1 << sets.trailing_zeros() }
}

/// A page that is not the last one of its set.
#[inline(never)]
pub(super) extern "C" fn translate(front: &mut Front, page: u64, pointer: usize) {
    let offset = front.offset(pointer);
    front.hierarchy.translate(page, offset);
}

/// [`Front::look`], never unwinding, so that a kernel's loop can keep its
/// counters in registers across it.
#[inline(never)]
pub(super) extern "C" fn look(
    front: &mut Front,
    recent: &mut Repeatable,
    slot: usize,
    pointer: usize,
    kind: u64,
) -> bool {
    front.look(recent, slot, pointer, kind)
}

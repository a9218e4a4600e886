//! The MRU filter before the first level: most accesses repeat one of the two
//! most recently used lines of their set, hit there without changing its
//! recency order, and need not be simulated to be counted.

use super::half::Half;
use super::hierarchy::{BATCH, Hierarchy};
use super::request::Request;
use machine::{Index, Machine, Prefetch, Replacement, Write};
use memory::Arena;

/// The most recently used line of a set: an access that repeats it changes
/// nothing. One number for loads, one for stores, which also need the line to
/// be dirty already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mru {
    pub(super) load: usize,
    pub(super) store: usize,
}

/// Most sets that the filter tells apart.
pub(super) const SLOTS: usize = 1024;

/// No line.
pub(super) const NONE: Mru = Mru { load: usize::MAX, store: usize::MAX };

/// The line used before that one. As long as only these two are used, their
/// order of recency is not reported to the level.
#[derive(Debug, Clone, Copy)]
struct SecondMru {
    line: Mru,
    /// Which of the two the level takes for the most recently used one.
    reported: usize,
}

/// No line either.
const NO_SECOND: SecondMru = SecondMru { line: NONE, reported: usize::MAX };

/// The filter's state, and the hierarchy behind it.
#[derive(Debug)]
pub(super) struct MruFilter {
    pub(super) shift: u32,
    pub(super) origin: usize,
    /// Offset behind all arrays.
    outside: u64,
    page_shift: u32,
    /// Mask of the address bits that distinguish lines or arrays.
    grain: usize,
    /// Every access must be simulated.
    off: bool,
    /// The two most recently used lines of a set are surely present, not only
    /// the most recent one.
    two: bool,
    seconds: Box<[SecondMru]>,
    /// Whether a line was used since all were forgotten.
    used: bool,
    /// How many accesses may be pending.
    pub(super) batch: usize,
    pub(super) hierarchy: Hierarchy,
}

impl MruFilter {
    pub(super) fn new(machine: &Machine, hierarchy: Hierarchy, slots: usize) -> MruFilter {
        let first = &machine.levels[0];
        let prefetches = first.prefetch != Prefetch::None;
        let plain_stores = first.write == Write::Back && first.allocate;
        let at_once = prefetches || hierarchy.back_invalidates();
        let keeps_two = matches!(first.replacement, Replacement::Lru | Replacement::Plru) && first.ways > 1;
        MruFilter {
            shift: first.line.0.trailing_zeros(),
            origin: hierarchy.addresses.origin(),
            outside: hierarchy.addresses.outside(),
            page_shift: machine.page_size.0.trailing_zeros(),
            grain: !(first.line.get().min(hierarchy.addresses.alignment()) - 1),
            off: prefetches || !plain_stores,
            two: keeps_two && !at_once,
            seconds: vec![NO_SECOND; slots].into_boxed_slice(),
            used: true,
            batch: if at_once { 1 } else { BATCH },
            hierarchy,
        }
    }

    /// Passes on every access from here on, or, again, those that may change something; the
    /// caller forgets all lines.
    pub(super) fn pass_all(&mut self, all: bool) {
        self.off = all;
    }

    /// For how many sets most recently used lines are kept.
    pub(super) fn slots(machine: &Machine) -> usize {
        let first = &machine.levels[0];
        // The page map is applied in program order: one slot for all sets.
        let in_order = first.index == Index::Physical;
        let reach = Arena::ALIGNMENT / first.line.get(); // the arena's alignment keeps these set bits
        if in_order || !first.sets().is_power_of_two() { 1 } else { first.sets().min(reach).min(SLOTS) }
    }

    /// Offset of `pointer` in the arena; one offset for all that lies outside.
    #[inline(always)]
    pub(super) fn offset(&self, pointer: usize) -> u64 {
        self.outside.min(pointer.wrapping_sub(self.origin) as u64)
    }

    /// Number of the page that `pointer` lies on.
    #[inline(always)]
    pub(super) fn page(&self, pointer: usize) -> u64 {
        self.offset(pointer) >> self.page_shift
    }

    /// Number of low address bits that do not distinguish what `half` is asked for: lines
    /// of one array, or pages.
    pub(super) fn grain_bits(&self, half: Half) -> u32 {
        if half.has_caches() { self.grain.trailing_zeros() } else { self.page_shift }
    }

    /// Whether accesses that differ in those bits alone may be to different arrays.
    pub(super) fn mixes_arrays(&self, half: Half) -> bool {
        self.grain_bits(half) > self.hierarchy.addresses.alignment().trailing_zeros()
    }

    /// The array that `pointer` lies in.
    pub(super) fn array(&self, pointer: usize) -> u8 {
        self.hierarchy.addresses.array(self.offset(pointer))
    }

    /// Bytes that one entry of the first level of `half` covers.
    pub(super) fn block(&self, half: Half) -> usize {
        1 << if half.has_caches() { self.shift } else { self.page_shift }
    }

    /// Whether `pointer` lies in an array.
    pub(super) fn is_inside(&self, pointer: usize) -> bool {
        self.offset(pointer) < self.outside
    }

    /// An access that does not repeat `recent`, the most recently used line of
    /// its `slot`; whether the filter must forget all lines.
    fn look(&mut self, recent: &mut Mru, slot: usize, pointer: usize, kind: u64) -> bool {
        self.used = true;
        if self.off {
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
                forget = self.report(*recent, slot);
            }
            if line != recent.load {
                self.seconds[slot].line = *recent;
            }
            self.seconds[slot].reported = line;
        }
        *recent = Mru { load: line, store };
        self.push(pointer, kind) | forget
    }

    /// Reports to the level which line of `slot` was used most recently.
    fn report(&mut self, recent: Mru, slot: usize) -> bool {
        let known = recent == NONE || recent.load == self.seconds[slot].reported;
        self.seconds[slot].reported = recent.load;
        !known && self.push(recent.load << self.shift, 0)
    }

    fn push(&mut self, pointer: usize, kind: u64) -> bool {
        let offset = (pointer.wrapping_sub(self.origin) & self.grain) as u64;
        if self.batch == 1 {
            return self.hierarchy.serve(Request::new(offset, kind));
        }
        self.hierarchy.input.push(Request::new(offset, kind));
        self.hierarchy.input.len() >= self.batch && self.hierarchy.drain()
    }

    /// Forgets the lines used before the most recent ones, which the caller forgets.
    pub(super) fn forget(&mut self) {
        self.seconds.fill(NO_SECOND);
        self.used = false;
    }

    /// Whether nothing is pending, and all lines are forgotten.
    pub(super) fn knows_nothing(&self) -> bool {
        !self.used && self.hierarchy.input.is_empty()
    }

    /// Lets the hierarchy see everything up to now.
    pub(super) fn flush(&mut self, recent: &[Mru]) -> bool {
        let mut forget = false;
        if self.two {
            for (slot, &recent) in recent.iter().enumerate() {
                forget |= self.report(recent, slot);
            }
        }
        self.hierarchy.drain() | forget
    }
}

/// For how many sets of the first TLB most recently used pages are kept: a
/// power of two.
pub(super) fn page_slots(machine: &Machine) -> usize {
    let sets = machine.tlbs.first().map_or(0, |tlb| tlb.entries / tlb.ways);
    if sets == 0 { 0 } else { 1 << sets.trailing_zeros() }
}

/// Looks up a page that is not the most recently used one of its set.
#[inline(never)]
pub(super) extern "C" fn translate(filter: &mut MruFilter, page: u64, pointer: usize) {
    let offset = filter.offset(pointer);
    filter.hierarchy.translate(page, offset);
}

/// [`MruFilter::look`], never unwinding, so that a kernel's loop can keep its
/// counters in registers across it.
#[inline(never)]
pub(super) extern "C" fn look(
    filter: &mut MruFilter,
    recent: &mut Mru,
    slot: usize,
    pointer: usize,
    kind: u64,
) -> bool {
    filter.look(recent, slot, pointer, kind)
}

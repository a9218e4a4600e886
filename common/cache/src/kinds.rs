//! The three kinds of misses (M. D. Hill, 1987): the one definition for traces, for programs
//! and for the page.

use machine::CacheLevel;

/// Why an access missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissKind {
    /// The line was never accessed before.
    Compulsory,
    /// A fully associative LRU cache of the same size misses too.
    Capacity,
    /// A fully associative LRU cache of the same size would hit.
    Conflict,
}

/// Misses of the first level by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MissKinds {
    /// The line was never accessed before.
    pub compulsory: u64,
    /// A fully associative LRU cache of the same size misses too.
    pub capacity: u64,
    /// A fully associative LRU cache of the same size would hit.
    pub conflict: u64,
}

/// Decides why accesses missed, with a fully associative LRU cache of the same size: the lines
/// used last. A few are in a window; a line that leaves it is written into a log, and its stamp
/// is its place there. The cache holds the window and the lines whose stamps are not below
/// `oldest`.
#[derive(Debug)]
pub struct Classifier {
    shift: u32,
    /// Lines in the log, at most.
    lines: u32,
    /// Whether the window holds more than one line.
    has_window: bool,
    /// Whether a store that misses fetches its line.
    allocates: bool,
    /// A ring of line numbers in order of use.
    log: Vec<u32>,
    /// For each line the place of its last use; [`NEVER`] or [`OUTSIDE`].
    stamps: Vec<u32>,
    /// The first place of the log that may be of a line in the cache.
    oldest: u32,
    /// The next place of the log.
    next: u32,
    held: u32,
    /// The lines used last, the last one first; the log has the others.
    window: [u32; WINDOW],
    counts: MissKinds,
}

/// Lines that a loop uses again and again: they change places here, and not in the log.
const WINDOW: usize = 4;
/// A place of the window without a line.
const EMPTY: u32 = u32::MAX;
/// The stamp of a line that was never accessed.
const NEVER: u32 = 0;
/// The stamp of a line that was accessed and is not in the cache.
const OUTSIDE: u32 = 1;
/// The stamp of a line in the window; those in the log have larger ones.
const INSIDE: u32 = 2;

impl Classifier {
    /// For the misses of the cache `first`.
    pub fn new(first: &CacheLevel) -> Classifier {
        let lines = first.lines();
        let has_window = lines > WINDOW;
        Classifier {
            shift: first.line.0.trailing_zeros(),
            lines: (lines - if has_window { WINDOW } else { 1 }) as u32,
            has_window,
            allocates: first.allocate,
            log: vec![0; (8 * lines).next_power_of_two()],
            stamps: Vec::new(),
            oldest: INSIDE + 1,
            next: INSIDE + 1,
            held: 0,
            window: [EMPTY; WINDOW],
            counts: MissKinds::default(),
        }
    }

    /// Whether the line at `address` is one of those used last; if so, it is the last one now.
    #[inline(always)]
    pub(crate) fn repeats(&mut self, address: u64) -> bool {
        let line = (address >> self.shift) as u32;
        let [first, second, third, fourth] = self.window;
        self.window = if line == first {
            return true;
        } else if line == second {
            [second, first, third, fourth]
        } else if line == third {
            [third, first, second, fourth]
        } else if line == fourth {
            [fourth, first, second, third]
        } else {
            return false;
        };
        true
    }

    /// An access within one line, and why it `missed`, if it did. Memory is needed for all
    /// lines up to the largest address.
    #[inline]
    pub fn access(&mut self, address: u64, store: bool, missed: bool) -> Option<MissKind> {
        let (kind, count) = match (self.uses(address, store), missed) {
            (_, false) => return None,
            (NEVER, _) => (MissKind::Compulsory, &mut self.counts.compulsory),
            (OUTSIDE, _) => (MissKind::Capacity, &mut self.counts.capacity),
            (_, true) => (MissKind::Conflict, &mut self.counts.conflict),
        };
        *count += 1;
        Some(kind)
    }

    /// Uses a line; returns where it was: [`NEVER`], [`OUTSIDE`] or [`INSIDE`].
    #[inline]
    fn uses(&mut self, address: u64, store: bool) -> u32 {
        if self.repeats(address) {
            return INSIDE;
        }
        let at = (address >> self.shift) as usize;
        if at >= self.stamps.len() {
            self.stamps.resize((at + 1).next_power_of_two(), NEVER);
        }
        let stamp = self.stamps[at];
        let is_held = stamp >= self.oldest;
        if !is_held && store && !self.allocates {
            self.stamps[at] = OUTSIDE;
        } else {
            self.held -= u32::from(is_held);
            self.stamps[at] = INSIDE;
            let [first, second, third, fourth] = self.window;
            let last;
            (self.window, last) = match self.has_window {
                true => ([at as u32, first, second, third], fourth),
                false => ([at as u32, EMPTY, EMPTY, EMPTY], first),
            };
            if last != EMPTY {
                self.put_first(last);
            }
        }
        if is_held { INSIDE } else { stamp.min(OUTSIDE) }
    }

    /// The misses so far.
    pub fn counts(&self) -> MissKinds {
        self.counts
    }

    /// Adds the misses since `before` this many times.
    pub(crate) fn repeat(&mut self, before: MissKinds, times: u64) {
        let MissKinds { compulsory, capacity, conflict } = &mut self.counts;
        *compulsory += (*compulsory - before.compulsory) * times;
        *capacity += (*capacity - before.capacity) * times;
        *conflict += (*conflict - before.conflict) * times;
    }

    /// Puts a line that leaves the window into the log; one more than fit removes the oldest.
    #[inline]
    fn put_first(&mut self, line: u32) {
        let mask = self.log.len() - 1;
        self.log[self.next as usize & mask] = line;
        self.stamps[line as usize] = self.next;
        self.next += 1;
        self.held += 1;
        while self.held > self.lines {
            let line = self.log[self.oldest as usize & mask];
            self.held -= u32::from(self.stamps[line as usize] == self.oldest);
            self.oldest += 1;
        }
        if (self.next - self.oldest) as usize > mask {
            self.compact();
        }
    }

    /// Leaves the last use of each line in the log.
    #[cold]
    fn compact(&mut self) {
        let mask = self.log.len() - 1;
        let uses = self.oldest..self.next;
        let live: Vec<u32> = uses
            .filter_map(|place| {
                let line = self.log[place as usize & mask];
                (self.stamps[line as usize] == place).then_some(line)
            })
            .collect();
        if self.next > u32::MAX / 2 {
            // Begin anew, before the places become too large.
            self.stamps.iter_mut().for_each(|stamp| *stamp = if *stamp > INSIDE { OUTSIDE } else { *stamp });
            self.oldest = INSIDE + 1;
        }
        self.next = self.oldest;
        for line in live {
            self.log[self.next as usize & mask] = line;
            self.stamps[line as usize] = self.next;
            self.next += 1;
        }
    }
}

//! Parts of a trace that recur: accesses to the same lines in the same order. Once they leave
//! the state as they found it, the next ones need to be compared alone, not simulated.
//!
//! ```c
//! for (j ...) for (k ...) sum += a[k] * b[k][j];   /* eight j: the same lines of doubles */
//! ```

use std::ops::Range;

use crate::kinds::MissKinds;

/// Levels whose misses are given for each access.
pub const LEVELS: usize = 3;
/// Accesses that recur, at least: fewer are simulated as quickly.
pub(crate) const SHORTEST: usize = 2048;
/// Repetitions after each of which the state is compared with the one before the first of them. With
/// LRU one for each level and TLB is enough; an inclusive level that evicts may recur after as many
/// as it has ways.
pub(crate) const TRIES: [usize; 4] = [1, 1, 1, 16];
/// Accesses that are simulated after a search in vain, and twice as many after each further one.
const PART: Range<usize> = 2048..1 << 20;

/// One access of a trace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its first byte.
    pub address: u64,
    /// Its site; above it the number of bytes, and the topmost bit for a store.
    what: u64,
}

const BYTES: u32 = 56;
const STORE: u32 = 63;

impl Entry {
    /// An access of up to 127 bytes, made by `site`, a number below 2^56.
    #[inline(always)]
    pub fn new(address: u64, bytes: u64, store: bool, site: u64) -> Entry {
        Entry { address, what: site | bytes << BYTES | u64::from(store) << STORE }
    }

    /// What made the access.
    #[inline(always)]
    pub fn site(self) -> u64 {
        self.what & ((1 << BYTES) - 1)
    }

    /// Whether it is a store.
    #[inline(always)]
    pub fn is_store(self) -> bool {
        self.what >> STORE != 0
    }

    /// Its number of bytes.
    #[inline(always)]
    pub fn bytes(self) -> u64 {
        self.what >> BYTES & 127
    }

    /// Whether both are the same but for their place in a line of `1 << shift` bytes.
    #[inline(always)]
    pub(crate) fn recurs(self, other: Entry, shift: u32) -> bool {
        let ends = |entry: Entry| entry.address.wrapping_add(entry.bytes()).wrapping_sub(1);
        self.what == other.what && ((self.address ^ other.address) | (ends(self) ^ ends(other))) >> shift == 0
    }
}

/// Accesses that leave the state as they find it, in an open window of the simulator.
#[derive(Debug)]
pub(crate) struct Recurring {
    pub(crate) entries: Vec<Entry>,
    /// The misses of each.
    pub(crate) misses: Vec<[u64; LEVELS]>,
    /// Misses by kind before them.
    pub(crate) kinds: MissKinds,
    /// How often they recurred since, and how many of the next time have.
    pub(crate) times: u64,
    pub(crate) at: usize,
}

/// When to search next.
#[derive(Debug)]
pub(crate) struct Search {
    /// After how many accesses the last ones recurred.
    pub(crate) period: usize,
    /// Accesses to simulate before the next search, now and after one in vain.
    pub(crate) left: usize,
    part: usize,
}

impl Search {
    pub(crate) fn new() -> Search {
        Search { period: 1, left: 0, part: PART.start }
    }

    pub(crate) fn found(&mut self, found: bool) {
        (self.left, self.part) = match found {
            true => (0, PART.start),
            false => (self.part, (2 * self.part).min(PART.end)),
        };
    }
}

impl Recurring {
    /// Compares; returns how many of `next` go on as before.
    pub(crate) fn follow(&mut self, next: &[Entry], shift: u32) -> usize {
        let mut done = 0;
        loop {
            let (ahead, left) = (&self.entries[self.at..], &next[done..]);
            let same = ahead.iter().zip(left).take_while(|(one, other)| one.recurs(**other, shift)).count();
            done += same;
            self.at += same;
            if self.at < self.entries.len() {
                return done;
            }
            (self.at, self.times) = (0, self.times + 1);
        }
    }
}

/// After how many accesses the first ones of `entries` recur at least three times; `likely` is
/// tried first.
pub(crate) fn period(entries: &[Entry], likely: usize, shift: u32) -> Option<usize> {
    let first = entries.first()?;
    let mut comparisons = 2 * entries.len();
    let longest = entries.len() / 4;
    for lag in std::iter::once(likely.clamp(1, longest.max(1))).chain(1..=longest) {
        if entries.get(lag).is_some_and(|entry| first.recurs(*entry, shift)) {
            let pairs = entries.iter().zip(&entries[lag..]);
            let same = pairs.take_while(|(one, other)| one.recurs(**other, shift)).count();
            if same >= SHORTEST.max(3 * lag) {
                return Some(lag);
            }
            comparisons = comparisons.checked_sub(same)?;
        }
    }
    None
}

//! Parts of a trace that recur: accesses to the same lines in the same order. Once they leave
//! the state as they found it, the next ones need to be compared alone, not simulated.
//!
//! ```c
//! for (j ...) for (k ...) sum += a[k] * b[k][j];   /* eight j: the same lines of doubles */
//! ```

use std::ops::Range;

use crate::journal::Moves;
use crate::kinds::MissKinds;
use crate::replay::{Replay, TooFar};

/// Levels whose misses are told for each access.
pub const LEVELS: usize = 3;
/// Accesses that recur, at least: fewer are simulated as quickly.
const SHORTEST: usize = 2048;
/// Repetitions that are simulated until the state recurs, at most. With LRU one for each level and
/// TLB is enough.
const TRIES: usize = 6;
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
    fn recurs(self, other: Entry, shift: u32) -> bool {
        let ends = |entry: Entry| entry.address.wrapping_add(entry.bytes()).wrapping_sub(1);
        self.what == other.what && ((self.address ^ other.address) | (ends(self) ^ ends(other))) >> shift == 0
    }
}

/// Accesses that leave the state as they find it, in an open window of the simulator.
#[derive(Debug)]
pub(crate) struct Recurring {
    entries: Vec<Entry>,
    /// The misses of each.
    misses: Vec<[u64; LEVELS]>,
    /// Misses by kind before them.
    kinds: MissKinds,
    /// How often they recurred since, and how many of the next time have.
    times: u64,
    at: usize,
}

/// When to search next.
#[derive(Debug)]
pub(crate) struct Search {
    /// After how many accesses the last ones recurred.
    period: usize,
    /// Accesses to simulate before the next search, now and after one in vain.
    left: usize,
    part: usize,
}

impl Search {
    pub(crate) fn new() -> Search {
        Search { period: 1, left: 0, part: PART.start }
    }

    fn found(&mut self, found: bool) {
        (self.left, self.part) = match found {
            true => (0, PART.start),
            false => (self.part, (2 * self.part).min(PART.end)),
        };
    }
}

impl Recurring {
    /// Compares; returns how many of `next` go on as before.
    fn follow(&mut self, next: &[Entry], shift: u32) -> usize {
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
fn period(entries: &[Entry], likely: usize, shift: u32) -> Option<usize> {
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

impl Replay {
    /// Many accesses, in order. Calls `visit` with accesses, the misses of each in the first levels,
    /// and how often that happened; what recurs is visited when it ends, at [`settle`](Replay::settle)
    /// at the latest.
    ///
    /// # Errors
    ///
    /// If the trace uses too much memory; the access and those after it are not counted then.
    pub fn run(
        &mut self,
        entries: &[Entry],
        visit: &mut impl FnMut(Entry, [u64; LEVELS], u64),
    ) -> Result<(), TooFar> {
        let shift = self.shift_of_recurring();
        let mut at = 0;
        while at < entries.len() {
            let rest = &entries[at..];
            if let Some(recurring) = &mut self.recurring {
                at += recurring.follow(rest, shift);
                if at < entries.len() {
                    self.settle(visit)?;
                }
                continue;
            }
            let may_recur = self.may_recur() && rest.len() >= 2 * SHORTEST;
            if may_recur && self.search.left == 0 {
                if let Some(period) = period(rest, self.search.period, shift) {
                    self.search.period = period;
                    at += self.simulate_until_it_recurs(rest, period, visit)?;
                }
                self.search.found(self.recurring.is_some());
                continue;
            }
            let few = if may_recur { &rest[..rest.len().min(self.search.left)] } else { rest };
            few.iter().try_for_each(|entry| self.step(*entry, visit).map(|_| ()))?;
            self.search.left = self.search.left.saturating_sub(few.len());
            at += few.len();
        }
        Ok(())
    }

    /// Counts what recurred, so that all that was given to [`run`](Replay::run) is counted.
    ///
    /// # Errors
    ///
    /// As for [`run`](Replay::run).
    pub fn settle(&mut self, visit: &mut impl FnMut(Entry, [u64; LEVELS], u64)) -> Result<(), TooFar> {
        let Some(Recurring { entries, misses, kinds, times, at }) = self.recurring.take() else {
            return Ok(());
        };
        if times > 0 {
            self.repeat(kinds, times);
            entries.iter().zip(misses).for_each(|(entry, misses)| visit(*entry, misses, times));
        }
        self.sim.close_window();
        entries[..at].iter().try_for_each(|entry| self.step(*entry, visit).map(|_| ()))
    }

    /// Simulates the first accesses of `rest`, `period` at a time while they are the same; returns
    /// how many.
    fn simulate_until_it_recurs(
        &mut self,
        rest: &[Entry],
        period: usize,
        visit: &mut impl FnMut(Entry, [u64; LEVELS], u64),
    ) -> Result<usize, TooFar> {
        let shift = self.shift_of_recurring();
        let mut misses = Vec::with_capacity(period);
        let mut at = 0;
        for entries in rest.chunks_exact(period).take(TRIES) {
            if !entries.iter().zip(rest).all(|(one, other)| one.recurs(*other, shift)) {
                break;
            }
            let kinds = self.kinds();
            self.sim.open_window();
            misses.clear();
            for entry in entries {
                misses.push(self.step(*entry, visit)?);
            }
            at += period;
            // The fully associative cache recurs too then: with LRU and without stores that pass it
            // by, the last use of each line in the window decides the order of its lines, and the
            // others keep theirs.
            if self.sim.recurs(&Moves::NONE) {
                let entries = entries.to_vec();
                self.recurring = Some(Recurring { entries, misses, kinds, times: 0, at: 0 });
                break;
            }
            self.sim.close_window();
        }
        Ok(at)
    }

    /// Simulates one access; returns its misses.
    #[inline(always)]
    fn step(
        &mut self,
        entry: Entry,
        visit: &mut impl FnMut(Entry, [u64; LEVELS], u64),
    ) -> Result<[u64; LEVELS], TooFar> {
        let missed = self.access(entry.address, entry.bytes(), entry.is_store(), 0)?;
        // A store that is written through may miss below the level that it hits.
        let missed_none = missed == 0 && (self.sim.is_plain() || !entry.is_store());
        let misses = if missed_none { [0; LEVELS] } else { self.misses_since(missed) };
        visit(entry, misses, 1);
        Ok(misses)
    }

    /// Whether the simulator's state decides what happens, and nothing is counted that
    /// [`repeat`](Replay::repeat) does not multiply.
    fn may_recur(&self) -> bool {
        self.pages.is_none() && self.sim.is_plain()
    }

    /// The shortest line or page: what is in the same one does the same.
    fn shift_of_recurring(&self) -> u32 {
        self.sim.smallest_line().trailing_zeros().min(self.sim.page_shift)
    }

    /// Counts the accesses of the window `times` times more; there were the misses `before` it.
    fn repeat(&mut self, before: MissKinds, times: u64) {
        self.sim.jump(&Moves::NONE, times);
        self.kinds.repeat(before, times);
        self.below = std::array::from_fn(|level| self.misses(level + 1));
    }

    /// The misses of an access that `missed` in the first level.
    #[inline]
    fn misses_since(&mut self, missed: u64) -> [u64; LEVELS] {
        let mut misses = [missed; LEVELS];
        for (level, misses) in misses.iter_mut().enumerate().skip(1) {
            let now = self.misses(level + 1);
            *misses = now - std::mem::replace(&mut self.below[level], now);
        }
        misses
    }
}

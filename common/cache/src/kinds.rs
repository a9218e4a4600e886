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

/// Decides why accesses missed, with a fully associative LRU cache of the same size: the
/// `lines` lines used last. Each use is written into a log, and the line's stamp is its place
/// there; the cache holds the lines whose stamps are not below `oldest`.
#[derive(Debug)]
pub struct Classifier {
    shift: u32,
    lines: u32,
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
    /// The line used last, if using it again changes nothing.
    last: u64,
    counts: MissKinds,
}

/// The stamp of a line that was never accessed.
const NEVER: u32 = 0;
/// The stamp of a line that was accessed and is not in the cache; others have larger ones.
const OUTSIDE: u32 = 1;

impl Classifier {
    /// For the misses of the cache `first`.
    pub fn new(first: &CacheLevel) -> Classifier {
        let lines = first.lines();
        Classifier {
            shift: first.line.0.trailing_zeros(),
            lines: lines as u32,
            allocates: first.allocate,
            log: vec![0; (8 * lines).next_power_of_two()],
            stamps: Vec::new(),
            oldest: OUTSIDE + 1,
            next: OUTSIDE + 1,
            held: 0,
            last: u64::MAX,
            counts: MissKinds::default(),
        }
    }

    /// An access within one line, and why it `missed`, if it did. Memory is needed for all
    /// lines up to the largest address.
    #[inline]
    pub fn access(&mut self, address: u64, store: bool, missed: bool) -> Option<MissKind> {
        let line = address >> self.shift;
        if line == self.last && !missed {
            return None;
        }
        let at = line as usize;
        if at >= self.stamps.len() {
            self.stamps.resize((at + 1).next_power_of_two(), NEVER);
        }
        let stamp = self.stamps[at];
        let is_held = stamp >= self.oldest;
        if is_held || self.allocates || !store {
            self.last = line;
            self.put_first(line as u32);
            if !is_held {
                self.fill();
            }
        } else {
            self.last = u64::MAX;
            self.stamps[at] = OUTSIDE;
        }
        if !missed {
            return None;
        }
        let (kind, count) = match (stamp, is_held) {
            (NEVER, _) => (MissKind::Compulsory, &mut self.counts.compulsory),
            (_, false) => (MissKind::Capacity, &mut self.counts.capacity),
            (_, true) => (MissKind::Conflict, &mut self.counts.conflict),
        };
        *count += 1;
        Some(kind)
    }

    /// The misses so far.
    pub fn counts(&self) -> MissKinds {
        self.counts
    }

    #[inline]
    fn put_first(&mut self, line: u32) {
        let mask = self.log.len() - 1;
        self.log[self.next as usize & mask] = line;
        self.stamps[line as usize] = self.next;
        self.next += 1;
        if (self.next - self.oldest) as usize > mask {
            self.compact();
        }
    }

    /// Counts the line that was put first; one more than fit removes the oldest.
    #[inline]
    fn fill(&mut self) {
        self.held += 1;
        while self.held > self.lines {
            let line = self.log[self.oldest as usize & (self.log.len() - 1)];
            self.held -= u32::from(self.stamps[line as usize] == self.oldest);
            self.oldest += 1;
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
            self.stamps.iter_mut().for_each(|stamp| *stamp = (*stamp).min(OUTSIDE));
            self.oldest = OUTSIDE + 1;
        }
        self.next = self.oldest;
        for line in live {
            self.log[self.next as usize & mask] = line;
            self.stamps[line as usize] = self.next;
            self.next += 1;
        }
    }
}

//! All counters, and their multiplication by iterations.

/// Largest number of arrays that are counted separately, plus one for everything else.
pub(crate) const MAX_ARRAYS: usize = 255;

/// The counts of one level.
#[derive(Debug, Clone)]
pub(crate) struct LevelTally {
    /// Misses per array: of loads, of stores.
    pub(crate) misses: Vec<[u64; 2]>,
    /// Lines replaced by another one.
    pub(crate) evictions: u64,
    /// Of these, dirty ones.
    pub(crate) write_backs: u64,
    /// Stores passed on: written through, or missed and not allocated.
    pub(crate) written_through: u64,
    /// Of these, those that missed and were not allocated.
    pub(crate) not_allocated: u64,
}

/// The counts of the core itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CoreTally {
    /// Loads, stores.
    pub(crate) accesses: [u64; 2],
    /// Line boundaries that loads and stores cross.
    pub(crate) splits: [u64; 2],
    /// Passes of [`repeat`](memory::Memory::repeat).
    pub(crate) passes: u64,
}

#[derive(Debug, Clone)]
pub(crate) struct Tally {
    pub(crate) core: CoreTally,
    pub(crate) levels: Vec<LevelTally>,
    /// Misses of each TLB, per array.
    pub(crate) tlbs: Vec<Vec<u64>>,
    /// Page walks.
    pub(crate) walks: u64,
    /// Lines read from memory.
    pub(crate) reads: u64,
    /// Lines and stores written to memory.
    pub(crate) writes: u64,
}

impl CoreTally {
    fn each(&mut self) -> impl Iterator<Item = &mut u64> {
        let CoreTally { accesses, splits, passes } = self;
        accesses.iter_mut().chain(splits).chain([passes])
    }

    /// Adds the counts since `before` this many times.
    pub(crate) fn multiply(&mut self, before: CoreTally, times: u64) {
        for is_store in 0..2 {
            self.accesses[is_store] += (self.accesses[is_store] - before.accesses[is_store]) * times;
            self.splits[is_store] += (self.splits[is_store] - before.splits[is_store]) * times;
        }
        self.passes += (self.passes - before.passes) * times;
    }
}

impl LevelTally {
    fn each(&mut self) -> impl Iterator<Item = &mut u64> {
        let LevelTally { misses, evictions, write_backs, written_through, not_allocated } = self;
        let others = [evictions, write_backs, written_through, not_allocated];
        misses.as_flattened_mut().iter_mut().chain(others)
    }
}

impl Tally {
    pub(crate) fn new(levels: usize, tlbs: usize, arrays: usize) -> Tally {
        let level = LevelTally {
            misses: vec![[0; 2]; arrays],
            evictions: 0,
            write_backs: 0,
            written_through: 0,
            not_allocated: 0,
        };
        Tally {
            core: CoreTally::default(),
            levels: vec![level; levels],
            tlbs: vec![vec![0; arrays]; tlbs],
            walks: 0,
            reads: 0,
            writes: 0,
        }
    }

    fn each(&mut self) -> impl Iterator<Item = &mut u64> {
        let memory = [&mut self.walks, &mut self.reads, &mut self.writes];
        self.levels.iter_mut().flat_map(LevelTally::each).chain(self.tlbs.iter_mut().flatten()).chain(memory)
    }

    /// All counts at present.
    pub(crate) fn snapshot(&mut self) -> (CoreTally, Vec<u64>) {
        (self.core, self.each().map(|count| *count).collect())
    }

    /// Adds the counts since `before` this many times.
    pub(crate) fn multiply(&mut self, before: &(CoreTally, Vec<u64>), times: u64) {
        self.core.multiply(before.0, times);
        self.each().zip(&before.1).for_each(|(count, before)| *count += (*count - before) * times);
    }

    /// The counts since `before`.
    pub(crate) fn since(&mut self, before: &(CoreTally, Vec<u64>)) -> (CoreTally, Vec<u64>) {
        let mut core = CoreTally::default();
        core.each()
            .zip(self.core.each())
            .zip({ before.0 }.each())
            .for_each(|((since, now), then)| *since = *now - *then);
        (core, self.each().zip(&before.1).map(|(now, then)| *now - then).collect())
    }

    /// Sets all counts to those of a [`snapshot`](Tally::snapshot).
    pub(crate) fn restore(&mut self, to: &(CoreTally, Vec<u64>)) {
        self.core = to.0;
        self.each().zip(&to.1).for_each(|(count, before)| *count = *before);
    }

    /// Adds the counts of `left` iterations, estimated from two samples of `counted` iterations
    /// each. Returns, for each count but the core's, what the first sample alone would give more.
    pub(crate) fn extrapolate(
        &mut self,
        [first, second]: [&(CoreTally, Vec<u64>); 2],
        left: u64,
        counted: u64,
    ) -> Vec<i64> {
        let share = |sum: i128| (sum * i128::from(left) / i128::from(2 * counted)) as i64;
        let add = |count: &mut u64, one: u64, two: u64| {
            *count += share(i128::from(one) + i128::from(two)) as u64;
            share(i128::from(one) - i128::from(two))
        };
        for ((count, one), two) in self.core.each().zip({ first.0 }.each()).zip({ second.0 }.each()) {
            add(count, *one, *two);
        }
        let samples = first.1.iter().zip(&second.1);
        self.each().zip(samples).map(|(count, (one, two))| add(count, *one, *two)).collect()
    }

    /// The same counts, each changed by its difference times `sign`.
    pub(crate) fn changed(&self, differences: &[i64], sign: i64) -> Tally {
        let mut changed = self.clone();
        changed
            .each()
            .zip(differences)
            .for_each(|(count, by)| *count = count.saturating_add_signed(sign * by));
        changed
    }

    /// Resets all counts.
    pub(crate) fn reset(&mut self) {
        self.core = CoreTally::default();
        self.each().for_each(|count| *count = 0);
    }
}

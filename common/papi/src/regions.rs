//! Parts of a program between a start and a stop, each with its counts.

use std::collections::BTreeMap;

use cache::{Counts, LevelCounts, MissKinds};

/// The figures of a report in one list, so that they can be added and subtracted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Figures(pub(crate) Vec<u64>);

impl Figures {
    /// Loads, stores, compulsory, capacity and conflict misses, first-level misses of page walks;
    /// accesses and misses of each level; misses of each TLB.
    /// Of a machine with fewer levels than `levels` the others are 0.
    pub(crate) fn new(counts: &Counts, kinds: MissKinds, levels: usize) -> Figures {
        let walks = counts.level(1).and_then(LevelCounts::walk_misses).unwrap_or(0);
        let first = [counts.loads, counts.stores, kinds.compulsory, kinds.capacity, kinds.conflict, walks];
        let found = counts.levels.iter().map(|level| [level.accesses.total(), level.misses.total()]);
        let levels = found.chain(std::iter::repeat([0; 2])).take(levels).flatten();
        Figures(first.into_iter().chain(levels).chain(counts.tlbs.iter().map(|tlb| tlb.misses)).collect())
    }

    pub(crate) fn add(&mut self, now: &Figures, before: &Figures) {
        self.0.resize(self.0.len().max(now.0.len()), 0);
        self.0
            .iter_mut()
            .zip(now.0.iter().zip(&before.0))
            .for_each(|(sum, (now, before))| *sum += now - before);
    }
}

/// Where a region starts and where it stops: return addresses, or a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// The lines of its calls; no stop if the program ended within it.
    Lines(usize, Option<usize>),
    /// A name that the program gives.
    Named(String),
}

/// What was counted in a region, in all its passes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Region {
    pub(crate) passes: u64,
    pub(crate) figures: Figures,
}

/// All regions, by thread and place.
pub(crate) type Regions = BTreeMap<(usize, Place), Region>;

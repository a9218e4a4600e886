//! Parts of a program between a start and a stop, each with its counts.

use std::sync::Mutex;

use cache::{Counts, LevelCounts, MissKinds};
use machine::Machine;

use crate::locked;

/// The figures of a report, each with the name of its column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Figures(pub(crate) Vec<(String, u64)>);

/// Figures from which a sealed machine's first level could be found.
const SEALED: [&str; 4] = ["compulsory_misses", "capacity_misses", "conflict_misses", "page_walk_misses"];

/// Whether a table has a column for the figure: not for accesses, kinds of misses, and what is among others.
pub(crate) fn is_printed(name: &str) -> bool {
    !name.ends_with("accesses") && name != "updates" && !SEALED.contains(&name)
}

impl Figures {
    /// Of a machine with fewer levels than `machine` the others are 0; `kinds` is none where they are
    /// not counted.
    pub(crate) fn new(
        counts: &Counts,
        kinds: Option<MissKinds>,
        instructions: u64,
        machine: &Machine,
    ) -> Figures {
        let mut all = Figures::default();
        let mut add = |name: &str, figure: u64| all.0.push((name.to_owned(), figure));
        add("instructions", instructions);
        add("loads", counts.loads);
        add("stores", counts.stores);
        for (at, cache) in machine.levels.iter().enumerate() {
            let found = counts.levels.get(at).map_or([0; 2], |l| [l.accesses.total(), l.misses.total()]);
            add(&format!("l{}_accesses", cache.level), found[0]);
            add(&format!("l{}_misses", cache.level), found[1]);
        }
        if !machine.sealed() {
            let walks = counts.level(1).and_then(LevelCounts::walk_misses);
            if let Some(kinds) = kinds {
                let figures = [kinds.compulsory, kinds.capacity, kinds.conflict];
                SEALED.iter().zip(figures).for_each(|(name, figure)| add(name, figure));
            }
            if let Some(walks) = walks {
                add(SEALED[3], walks);
            }
        }
        for (tlb, counts) in machine.tlbs.iter().zip(&counts.tlbs) {
            add(&format!("tlb{}_misses", tlb.level), counts.misses);
        }
        all
    }

    pub(crate) fn get(&self, name: &str) -> Option<u64> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, figure)| *figure)
    }

    pub(crate) fn add(&mut self, now: &Figures, before: &Figures) {
        for (name, figure) in &now.0 {
            let more = figure.saturating_sub(before.get(name).unwrap_or(0));
            match self.0.iter_mut().find(|(known, _)| known == name) {
                Some((_, sum)) => *sum += more,
                None => self.0.push((name.clone(), more)),
            }
        }
    }
}

/// Where a region starts and where it stops: return addresses, or a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// The lines of its calls; no stop if the program ended within it.
    Lines(usize, Option<usize>),
    /// A name that the program gives.
    Named(String),
}

/// What was counted in a region, in all its passes.
#[derive(Debug, Clone)]
pub(crate) struct Region {
    pub(crate) thread: usize,
    pub(crate) place: Place,
    /// Instructions of the thread before its first pass.
    pub(crate) begun: u64,
    /// Its passes first.
    pub(crate) figures: Figures,
}

/// As they ended first.
static REGIONS: Mutex<Vec<Region>> = Mutex::new(Vec::new());

/// Adds a pass of a region in that thread.
pub(crate) fn add(thread: usize, place: Place, now: &Figures, before: &Figures) {
    let mut regions = locked(&REGIONS);
    let at = regions.iter().position(|region| region.thread == thread && region.place == place);
    let at = at.unwrap_or_else(|| {
        let begun = before.get("instructions").unwrap_or(0);
        let figures = Figures(vec![("passes".to_owned(), 0)]);
        regions.push(Region { thread, place, begun, figures });
        regions.len() - 1
    });
    regions[at].figures.0[0].1 += 1;
    regions[at].figures.add(now, before);
}

/// All regions, by thread, as they began first.
pub(crate) fn all() -> Vec<Region> {
    let mut regions = locked(&REGIONS).clone();
    regions.sort_by_key(|region| (region.thread, region.begun));
    regions
}

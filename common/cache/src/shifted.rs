//! States of the hierarchy that differ only in that every line has advanced with
//! its array.
//!
//! Why what follows is then known: a cache does not see addresses, only which are
//! equal and which share a set. An advance that keeps every line in its set, and
//! lines of different arrays apart, changes neither. So if the turns of a period
//! led from one state to the same one, advanced, as many more do so again, with
//! the same counts.
//!
//! A level that all arrays fit in evicts nothing: there, order does not matter,
//! nor do lines that lie behind all that is still to be accessed.

use super::Modelled;
use super::half::Half;
use super::hierarchy::Hierarchy;
use super::level::Level;
use super::sets::Sets;
use super::tag::{LINE, Tag, line_of, tag_of};
use super::tlb::Translations;
use super::trace::Advance;

/// What is needed to tell, and to make, an advanced state.
#[derive(Debug)]
pub(super) struct Shifted {
    half: Half,
    arrays: Vec<Moving>,
    /// Turns after which all is in the same sets again.
    period: usize,
    /// The last turn but one that advances like the others.
    limit: usize,
    saved: Option<Snapshot>,
    /// As [`Snapshot::behind`], at present, and how many turns lie between.
    behind: Vec<u64>,
    passed: usize,
}

/// An array that the loop accesses.
#[derive(Debug, Clone, Copy)]
struct Moving {
    /// Bytes by which the accesses advance from turn to turn.
    stride: u64,
    /// The lowest access of turn 0, and the highest of all turns.
    lowest: u64,
    highest: u64,
}

/// A state, and what had been counted.
#[derive(Debug)]
struct Snapshot {
    /// The turn before which it was.
    at: usize,
    levels: Vec<Level>,
    tlbs: Vec<Translations>,
    counts: Vec<u64>,
    core: [u64; 5],
    /// By array: nothing below it is accessed, or comes to another level, any more.
    behind: Vec<u64>,
}

impl Snapshot {
    /// Loads and stores up to then.
    fn accesses(&self) -> u64 {
        self.core[0] + self.core[1]
    }
}

/// A cache or TLB as a store of numbered blocks of `1 << shift` bytes.
#[derive(Clone, Copy)]
struct Store<'a> {
    sets: &'a Sets,
    shift: u32,
}

impl Shifted {
    /// For a loop of `limit` turns whose arrays advance like this; `None` if no
    /// advanced state can recur soon enough.
    pub(super) fn new(
        model: &Modelled,
        half: Half,
        advances: &[Option<Advance>],
        limit: usize,
    ) -> Option<Shifted> {
        let hierarchy = &model.filter.hierarchy;
        let prefetches = || hierarchy.levels.iter().any(|level| level.prefetcher.is_some());
        if half.has_caches() && (hierarchy.page_map.is_some() || prefetches()) {
            return None;
        }
        let moving = |&(stride, touched): &Advance| Moving {
            stride,
            lowest: touched.lowest,
            highest: touched.highest + stride * (limit - 1) as u64,
        };
        let arrays: Vec<Moving> = advances.iter().flatten().map(moving).collect();
        let mut period = 1;
        for (unit, shift) in units(hierarchy, half) {
            if !apart(&arrays, shift) {
                return None;
            }
            for array in &arrays {
                period = lcm(period, unit / gcd(unit, array.stride))?;
            }
        }
        let period = usize::try_from(period).ok().filter(|period| 2 * period < limit)?;
        Some(Shifted { half, arrays, period, limit, saved: None, behind: Vec::new(), passed: 1 })
    }

    /// How many turns from `at` on are known: all, once some periods led to the
    /// state before them, advanced.
    pub(super) fn known(&mut self, model: &mut Modelled, at: usize) -> usize {
        if at == 0 || at >= self.limit || !(self.limit - at).is_multiple_of(self.period) {
            return 0;
        }
        model.flush();
        self.behind = self.behind(&model.filter.hierarchy, at);
        if let Some(before) = &self.saved {
            self.passed = at - before.at;
            if self.recurs(before, &model.filter.hierarchy, self.passed) {
                return (self.limit - at) / self.passed * self.passed;
            }
        }
        let levels = self.half.levels(&model.filter.hierarchy);
        let size: usize = levels.iter().map(|level| level.lines.size()).sum();
        let accesses = model.loads + model.stores;
        let due = self.saved.as_ref().is_none_or(|before| accesses - before.accesses() > 16 * size as u64);
        if due && at + self.period < self.limit {
            let hierarchy = &mut model.filter.hierarchy;
            let mut counts = Vec::new();
            hierarchy.each_count(|count| counts.push(*count));
            self.saved = Some(Snapshot {
                at,
                levels: self.half.levels(hierarchy).to_vec(),
                tlbs: self.half.tlbs(hierarchy).to_vec(),
                counts,
                core: model.core_counts().map(|count| *count),
                behind: self.behind.clone(),
            });
        }
        0
    }

    /// The array that accesses the block, if one does.
    fn owner(&self, block: u64, shift: u32) -> Option<usize> {
        self.arrays.iter().position(|a| (a.lowest >> shift..=a.highest >> shift).contains(&block))
    }

    /// The tag of the same line `turns` later.
    fn later(&self, tag: Tag, shift: u32, turns: usize) -> Tag {
        let block = line_of(tag);
        let Some(owner) = self.owner(block, shift) else { return tag };
        let bytes = self.arrays[owner].stride * turns as u64;
        tag_of(block + (bytes >> shift)) | tag & !LINE
    }

    /// By array: the lowest address that is accessed from turn `at` on, or held
    /// where it may be evicted.
    fn behind(&self, hierarchy: &Hierarchy, at: usize) -> Vec<u64> {
        let mut behind: Vec<u64> = self.arrays.iter().map(|a| a.lowest + a.stride * at as u64).collect();
        let mut held = |block: u64, shift: u32| {
            if let Some(owner) = self.owner(block, shift) {
                behind[owner] = behind[owner].min(block << shift);
            }
        };
        let levels = self.half.levels(hierarchy);
        for level in levels.iter().filter(|level| level.lines.evicts) {
            let tags = level.lines.all();
            tags.iter().filter(|tag| **tag != 0).for_each(|tag| held(line_of(*tag), level.shift));
        }
        for level in levels {
            level.promoted_dirty.iter().for_each(|line| held(*line, level.shift));
        }
        behind
    }

    /// Whether the present state is the one `before`, `passed` turns later.
    fn recurs(&self, before: &Snapshot, now: &Hierarchy, passed: usize) -> bool {
        let mut levels = before.levels.iter().zip(self.half.levels(now));
        let old = stores(&before.levels, &before.tlbs, now.page_shift);
        let new = stores(self.half.levels(now), self.half.tlbs(now), now.page_shift);
        levels.all(|(old, new)| self.recurs_beside(old, new, passed))
            && old.into_iter().zip(new).all(|(old, new)| {
                if new.sets.evicts {
                    let later = |tag: &Tag| if *tag == 0 { 0 } else { self.later(*tag, old.shift, passed) };
                    old.sets.all().iter().map(later).eq(new.sets.all().iter().copied())
                } else {
                    let mut later = self.live(old, &before.behind);
                    later.iter_mut().for_each(|tag| *tag = self.later(*tag, old.shift, passed));
                    later.sort_unstable();
                    let mut tags = self.live(new, &self.behind);
                    tags.sort_unstable();
                    later == tags
                }
            })
    }

    /// The same of a level's state beside the tags.
    fn recurs_beside(&self, old: &Level, new: &Level, passed: usize) -> bool {
        let later = |line: &u64| line_of(self.later(tag_of(*line), old.shift, passed));
        (!new.lines.evicts || old.lines.policy_state() == new.lines.policy_state())
            && old.promoted_dirty.len() == new.promoted_dirty.len()
            && old.promoted_dirty.iter().all(|line| new.promoted_dirty.contains(&later(line)))
    }

    /// The lines that are not behind all that is accessed.
    fn live(&self, store: Store<'_>, behind: &[u64]) -> Vec<Tag> {
        let is_live = |tag: &Tag| {
            let block = line_of(*tag);
            self.owner(block, store.shift).is_none_or(|owner| block >= behind[owner] >> store.shift)
        };
        store.sets.all().iter().copied().filter(|tag| *tag != 0).filter(is_live).collect()
    }

    /// Makes the state, and the counts, of `turns` turns later: some times those
    /// since the saved state.
    pub(super) fn advance(&mut self, model: &mut Modelled, turns: usize) {
        let Some(before) = self.saved.take() else { return };
        let passed = self.passed;
        let times = (turns / passed) as u64;
        for (count, before) in model.core_counts().into_iter().zip(before.core) {
            *count += (*count - before) * times;
        }
        let hierarchy = &mut model.filter.hierarchy;
        let shift = hierarchy.page_shift;
        let mut counts = before.counts.iter();
        hierarchy.each_count(|count| {
            let before = counts.next().copied().unwrap_or(*count);
            *count += (*count - before) * times;
        });
        let (levels, tlbs) = self.half.of(hierarchy);
        for level in levels {
            level.uses += 1;
            let shift = level.shift;
            let line = |line: &u64| line_of(self.later(tag_of(*line), shift, turns));
            level.promoted_dirty = level.promoted_dirty.iter().map(line).collect();
            if level.lines.evicts {
                level.lines.map(|tag| self.later(tag, shift, turns));
            } else {
                let tags = self.spread(&level.lines.all(), shift, &before.behind, turns);
                level.refill(&tags);
            }
        }
        for tlb in tlbs {
            if tlb.pages.evicts {
                tlb.pages.map(|tag| self.later(tag, shift, turns));
            } else {
                let tags = self.spread(&tlb.pages.all(), shift, &before.behind, turns);
                tlb.refill(&tags);
            }
        }
        model.forget_recent();
    }

    /// The lines of a level without evictions, `turns` turns later: what those
    /// since the saved state left behind, each as many leave behind.
    fn spread(&self, tags: &[Tag], shift: u32, behind: &[u64], turns: usize) -> Vec<Tag> {
        let mut spread = Vec::new();
        for &tag in tags.iter().filter(|tag| **tag != 0) {
            let block = line_of(tag);
            let owner = self.owner(block, shift);
            let [from, to] = [behind, &self.behind].map(|b| owner.map_or(0, |owner| b[owner] >> shift));
            if owner.is_none() || block < from {
                spread.push(tag);
            } else if block >= to {
                spread.push(self.later(tag, shift, turns));
            } else {
                let steps = (0..=turns).step_by(self.passed);
                spread.extend(steps.map(|turns| self.later(tag, shift, turns)));
            }
        }
        spread
    }
}

/// All caches, then all TLBs.
fn stores<'a>(levels: &'a [Level], tlbs: &'a [Translations], page_shift: u32) -> Vec<Store<'a>> {
    let caches = levels.iter().map(|level| Store { sets: &level.lines, shift: level.shift });
    let tlbs = tlbs.iter().map(|tlb| Store { sets: &tlb.pages, shift: page_shift });
    caches.chain(tlbs).collect()
}

/// Of each store: after how many bytes addresses are in the same set again, or
/// only the next block where it cannot evict; and its shift.
fn units(hierarchy: &Hierarchy, half: Half) -> Vec<(u64, u32)> {
    let stores = stores(half.levels(hierarchy), half.tlbs(hierarchy), hierarchy.page_shift);
    let unit = |store: &Store<'_>| {
        let sets = if store.sets.evicts { store.sets.count() as u64 } else { 1 };
        (sets << store.shift, store.shift)
    };
    stores.iter().map(unit).collect()
}

/// Whether arrays that advance differently share no block.
fn apart(arrays: &[Moving], shift: u32) -> bool {
    arrays.iter().enumerate().all(|(at, a)| {
        arrays[..at].iter().all(|b| {
            let shared = a.lowest >> shift <= b.highest >> shift && b.lowest >> shift <= a.highest >> shift;
            a.stride == b.stride || !shared
        })
    })
}

pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn lcm(a: u64, b: u64) -> Option<u64> {
    a.checked_mul(b / gcd(a, b))
}

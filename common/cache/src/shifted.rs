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
use super::moving::{Advance, Moving};
use super::sets::Sets;
use super::tag::{LINE, Tag, line_of, tag_of};
use super::tlb::Translations;
use super::trace::TRACED;

/// Most states that are kept.
const MOST: usize = 8;

/// What is needed to tell, and to make, an advanced state.
#[derive(Debug)]
pub(super) struct Shifted {
    half: Half,
    arrays: Vec<Moving>,
    /// How many levels are compared: all, or those above the last.
    compared: usize,
    /// Turns after which all is in the same sets of these again.
    period: usize,
    /// The first turn that may be looked at, and the last but one that advances like the
    /// others.
    first: usize,
    limit: usize,
    /// States before earlier turns, the last one first.
    saved: Vec<Snapshot>,
    /// The place of the one that recurred, advanced, in the first of `saved`.
    recurred: Option<usize>,
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
    fn of(model: &mut Modelled, half: Half, at: usize, behind: Vec<u64>) -> Snapshot {
        let core = model.core_counts().map(|count| *count);
        let hierarchy = &mut model.filter.hierarchy;
        let counts = hierarchy.counts();
        let (levels, tlbs) = (half.levels(hierarchy).to_vec(), half.tlbs(hierarchy).to_vec());
        Snapshot { at, levels, tlbs, counts, core, behind }
    }

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
        Shifted::of_levels(model, half, usize::MAX, advances, limit)
    }

    /// The same of the caches above the last one, whatever the sets of that.
    pub(super) fn above_last(
        model: &Modelled,
        advances: &[Option<Advance>],
        limit: usize,
    ) -> Option<Shifted> {
        let above = model.filter.hierarchy.levels.len().checked_sub(1)?;
        Shifted::of_levels(model, Half::Caches, above, advances, limit)
    }

    /// The same of no caches: what turns may be known is told by others.
    pub(super) fn of_none(model: &Modelled, advances: &[Option<Advance>], limit: usize) -> Option<Shifted> {
        Shifted::of_levels(model, Half::Caches, 0, advances, limit)
    }

    fn of_levels(
        model: &Modelled,
        half: Half,
        compared: usize,
        advances: &[Option<Advance>],
        limit: usize,
    ) -> Option<Shifted> {
        let hierarchy = &model.filter.hierarchy;
        let prefetches = || hierarchy.levels.iter().any(|level| level.prefetcher.is_some());
        if half.has_caches() && (hierarchy.page_map.is_some() || prefetches()) {
            return None;
        }
        let units = units(hierarchy, half, compared);
        let shifts: Vec<u32> = units.iter().map(|(_, shift)| *shift).collect();
        let (first, arrays) = Moving::apart(advances, &shifts, limit)?;
        let mut period = 1;
        for (unit, _) in units {
            for array in &arrays {
                period = lcm(period, unit / gcd(unit, array.stride))?;
            }
        }
        let period = usize::try_from(period).ok().filter(|period| period + first.max(TRACED) < limit)?;
        Some(Shifted { half, arrays, compared, period, first, limit, saved: Vec::new(), recurred: None })
    }

    /// How many turns from `at` on are known: all, once some periods led to the
    /// state before them, advanced, and the state that the last one ends with is kept.
    pub(super) fn known(&mut self, model: &mut Modelled, at: usize) -> usize {
        if !(self.first..self.limit).contains(&at) {
            return 0;
        }
        let compares = self.saved.iter().any(|before| (at - before.at).is_multiple_of(self.period));
        let keeps = self.ends_like(at, self.period) || at.is_power_of_two() && at.ilog2() % 2 == 1;
        if !compares && !keeps {
            return 0;
        }
        model.flush();
        let hierarchy = &model.filter.hierarchy;
        let behind = self.behind(hierarchy, at);
        let recurred = self.saved.iter().position(|before| self.recurs(before, hierarchy, at, &behind));
        let levels = self.compared(hierarchy);
        let size: usize = levels.iter().map(|level| level.lines.size()).sum();
        let accesses = model.loads + model.stores;
        let due = self.saved.first().is_none_or(|last| accesses - last.accesses() > 16 * size as u64);
        if recurred.is_some() || keeps && due {
            self.saved.truncate(recurred.map_or(MOST - 1, |place| place + 1));
            self.saved.insert(0, Snapshot::of(model, self.half, at, behind));
        }
        let Some(recurred) = recurred.map(|place| place + 1) else { return 0 };
        self.recurred = Some(recurred);
        let [from, passed, times] = self.jump(recurred);
        self.saved[from].at + passed * times - at
    }

    pub(super) fn first(&self) -> usize {
        self.first
    }

    pub(super) fn period(&self) -> usize {
        self.period
    }

    pub(super) fn arrays(&self) -> &[Moving] {
        &self.arrays
    }

    /// Keeps the state before turn `at`, as that which the one kept last led to.
    pub(super) fn keep(&mut self, model: &mut Modelled, at: usize) {
        let behind = self.behind(&model.filter.hierarchy, at);
        self.saved.truncate(1);
        self.saved.insert(0, Snapshot::of(model, self.half, at, behind));
        self.recurred = Some(self.saved.len() - 1);
    }

    /// Turns from the state that recurred to the present one.
    pub(super) fn turns_kept(&self) -> usize {
        self.recurred.map_or(self.period, |recurred| self.jump(recurred)[1])
    }

    /// What `counts` shows of the levels, from the state that recurred to the present one.
    pub(super) fn between<const N: usize>(&self, counts: impl Fn(&[Level]) -> [u64; N]) -> [u64; N] {
        let Some(recurred) = self.recurred else { return [0; N] };
        let [before, now] = [recurred, 0].map(|at| counts(&self.saved[at].levels));
        std::array::from_fn(|at| now[at] - before[at])
    }

    fn compared<'a>(&self, hierarchy: &'a Hierarchy) -> &'a [Level] {
        let levels = self.half.levels(hierarchy);
        &levels[..self.compared.min(levels.len())]
    }

    /// Whether so many turns a number of times lead from turn `at` to the last one.
    fn ends_like(&self, at: usize, turns: usize) -> bool {
        (self.limit - at).is_multiple_of(turns)
    }

    /// From which of the saved states the known turns are made, and by advancing by how
    /// many turns how many times: from one that leads to the last turn, if there is one
    /// since that at `recurred`.
    fn jump(&self, recurred: usize) -> [usize; 3] {
        let passed = self.saved[0].at - self.saved[recurred].at;
        let to_the_end = self.saved[..=recurred].iter().position(|state| self.ends_like(state.at, passed));
        let from = to_the_end.unwrap_or(0);
        [from, passed, (self.limit - self.saved[from].at) / passed]
    }

    /// The array that accesses the block from there on, if one does.
    fn owner(&self, block: u64, shift: u32) -> Option<usize> {
        self.arrays.iter().position(|array| array.is_in(block, shift))
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
        let levels = self.compared(hierarchy);
        for level in levels.iter().filter(|level| level.lines.evicts) {
            let tags = level.lines.all();
            tags.iter().filter(|tag| **tag != 0).for_each(|tag| held(line_of(*tag), level.shift));
        }
        for level in levels {
            level.promoted_dirty.iter().for_each(|line| held(line, level.shift));
        }
        behind
    }

    /// Whether the present state, before turn `at`, is the one `before`, advanced.
    fn recurs(&self, before: &Snapshot, now: &Hierarchy, at: usize, behind: &[u64]) -> bool {
        let passed = at - before.at;
        let new = self.compared(now);
        let old = &before.levels[..new.len()];
        let mut levels = old.iter().zip(new);
        let old = stores(old, &before.tlbs, now.page_shift);
        let new = stores(new, self.half.tlbs(now), now.page_shift);
        passed.is_multiple_of(self.period)
            && levels.all(|(old, new)| self.recurs_beside(old, new, passed))
            && old.into_iter().zip(new).all(|(old, new)| {
                if new.sets.evicts {
                    let later = |tag: &Tag| if *tag == 0 { 0 } else { self.later(*tag, old.shift, passed) };
                    old.sets.all().iter().map(later).eq(new.sets.all().iter().copied())
                } else {
                    let mut later = self.live(old, &before.behind);
                    later.iter_mut().for_each(|tag| *tag = self.later(*tag, old.shift, passed));
                    later.sort_unstable();
                    let mut tags = self.live(new, behind);
                    tags.sort_unstable();
                    later == tags
                }
            })
    }

    /// The same of a level's state beside the tags.
    fn recurs_beside(&self, old: &Level, new: &Level, passed: usize) -> bool {
        let later = |line: u64| line_of(self.later(tag_of(line), old.shift, passed));
        (!new.lines.evicts || old.lines.policy_state() == new.lines.policy_state())
            && old.promoted_dirty.len() == new.promoted_dirty.len()
            && old.promoted_dirty.iter().all(|line| new.promoted_dirty.contains(later(line)))
    }

    /// The lines that are not behind all that is accessed.
    fn live(&self, store: Store<'_>, behind: &[u64]) -> Vec<Tag> {
        let is_live = |tag: &Tag| {
            let block = line_of(*tag);
            self.owner(block, store.shift).is_none_or(|owner| block >= behind[owner] >> store.shift)
        };
        store.sets.all().iter().copied().filter(|tag| *tag != 0).filter(is_live).collect()
    }

    /// Makes the state, and the counts, after the turns that are known.
    pub(super) fn advance(&mut self, model: &mut Modelled) {
        let Some(recurred) = self.recurred.take() else { return };
        let [from, passed, times] = self.jump(recurred);
        let saved = std::mem::take(&mut self.saved);
        let (now, before, from) = (&saved[0], &saved[recurred], &saved[from]);
        let behind = [&before.behind[..], &now.behind[..]];
        let counted = |[from, now, before]: [u64; 3]| from + (now - before) * times as u64;
        for (at, count) in model.core_counts().into_iter().enumerate() {
            *count = counted([from, now, before].map(|state| state.core[at]));
        }
        let hierarchy = &mut model.filter.hierarchy;
        let page_shift = hierarchy.page_shift;
        let mut at = 0..;
        hierarchy.each_count(|count| {
            let Some(at) = at.next() else { return };
            *count = counted([from, now, before].map(|state| state.counts[at]));
        });
        let turns = passed * times;
        let (levels, tlbs) = self.half.of(hierarchy);
        for (at, level) in levels.iter_mut().enumerate() {
            level.uses += 1;
            let (from, now, shift) = (&from.levels[at], &now.levels[at], level.shift);
            let line = |line: u64| line_of(self.later(tag_of(line), shift, turns));
            level.promoted_dirty = from.promoted_dirty.iter().map(line).collect();
            if level.lines.evicts {
                level.lines.clone_from(&from.lines);
                level.lines.map(|tag| self.later(tag, shift, turns));
            } else {
                level.refill(&self.spread([&from.lines, &now.lines], shift, behind, [turns, passed]));
            }
        }
        for (at, tlb) in tlbs.iter_mut().enumerate() {
            let (from, now) = (&from.tlbs[at].pages, &now.tlbs[at].pages);
            if tlb.pages.evicts {
                tlb.pages.clone_from(from);
                tlb.pages.map(|tag| self.later(tag, page_shift, turns));
            } else {
                tlb.refill(&self.spread([from, now], page_shift, behind, [turns, passed]));
            }
        }
        model.forget_recent();
    }

    /// The lines of a level without evictions, `turns` turns after it was as in `from`:
    /// what the last `passed` turns left behind, each as many leave behind, and what is
    /// still to be accessed.
    fn spread(
        &self,
        [from, now]: [&Sets; 2],
        shift: u32,
        behind: [&[u64]; 2],
        [turns, passed]: [usize; 2],
    ) -> Vec<Tag> {
        let place = |tag: Tag| {
            let owner = self.owner(line_of(tag), shift)?;
            Some(behind.map(|behind| line_of(tag) < behind[owner] >> shift))
        };
        let held = |sets: &Sets| sets.all().iter().copied().filter(|tag| *tag != 0).collect::<Vec<Tag>>();
        let mut spread = Vec::new();
        for tag in held(now) {
            match place(tag) {
                None | Some([true, _]) => spread.push(tag),
                Some([false, true]) => {
                    spread.extend((0..turns).step_by(passed).map(|turns| self.later(tag, shift, turns)));
                }
                Some([false, false]) => {}
            }
        }
        let later = |tag: &Tag| place(*tag).is_some_and(|[behind, _]| !behind);
        spread.extend(held(from).into_iter().filter(later).map(|tag| self.later(tag, shift, turns)));
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
/// only the next block where it cannot evict, or is not compared; and its shift.
fn units(hierarchy: &Hierarchy, half: Half, compared: usize) -> Vec<(u64, u32)> {
    let stores = stores(half.levels(hierarchy), half.tlbs(hierarchy), hierarchy.page_shift);
    let unit = |(at, store): (usize, &Store<'_>)| {
        let sets = if store.sets.evicts && at < compared { store.sets.count() as u64 } else { 1 };
        (sets << store.shift, store.shift)
    };
    stores.iter().enumerate().map(unit).collect()
}

pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn lcm(a: u64, b: u64) -> Option<u64> {
    a.checked_mul(b / gcd(a, b))
}

//! Warping: the turns of an outer loop written with [`turns!`](memory::turns) are
//! walked until the state of the hierarchy recurs; those left are counted, not
//! walked, and counts stay exact. After Morelli and Reineke, "Warping cache
//! simulation of polyhedral programs" (PLDI 2022).
//!
//! From turn to turn each array's accesses advance by a stride of its own, which
//! the traces of a few turns show. A state recurs in one of three ways:
//!
//! - *shifted*: every line has advanced with its array, and by so much that it is
//!   in the same set again ([`Shifted`]);
//! - *drifting*: the same in all levels but the last, where it is enough that each line
//!   asked for is there, or is not, wherever the arrays lie to each other ([`Drifting`]); or
//!   that is so in all levels ([`DriftingAll`]);
//! - *alike*: while the accesses advance within their lines, turns access the same
//!   lines, and the state after two of them is the same.
//!
//! Caches and TLBs do not see each other, and recur after different numbers of
//! turns: the loop is gone through for the caches alone, then for the TLBs alone,
//! to which all accesses of a page are the same. Where turns of neither can recur,
//! all but the first ones are gone through for both.

use super::Modelled;
use super::alike::Alike;
use super::drifting::Drifting;
use super::drifting_all::DriftingAll;
use super::half::Half;
use super::moving::{Advance, Touched};
use super::mru_filter;
use super::shifted::Shifted;
use super::stride_runs;
use super::trace::{TRACED, Trace};
use memory::{Turn, Turns};

/// Turns below which a loop is walked.
const FEWEST: usize = 8;

/// The outer loop at hand.
#[derive(Debug)]
pub(super) struct Warp {
    /// Its first turn.
    start: usize,
    /// How many turns may be alike: the last one, which may be shorter, is walked.
    limit: usize,
    /// What the first two turns accessed.
    walked: Vec<Trace>,
    phase: Phase,
    plan: Option<Plan>,
    /// So many turns are known if all are alike: they are looked at first.
    known: usize,
    looked_at: Vec<Trace>,
    /// Whether they are; unknown before they were looked at.
    all_alike: Option<bool>,
    /// What the core had counted, and whether numbers were computed, before.
    core: [u64; 5],
    computes: bool,
    /// Whether arrays may drift past each other in the last level, and in all.
    drifts: [bool; 2],
}

/// What the loop is gone through for.
#[derive(Debug, Clone, Copy)]
enum Phase {
    Both,
    /// For the caches, which come first where there are TLBs.
    Caches,
    /// For the TLBs, to the turn that the caches have come to; without counting or
    /// computing anything else: what the core had counted, and whether numbers were
    /// computed.
    Tlbs {
        until: usize,
        core: [u64; 5],
        computes: bool,
    },
}

#[derive(Debug)]
enum Plan {
    /// Every turn is walked.
    Walk,
    Shifted(Box<Shifted>),
    Drifting(Box<Drifting>),
    DriftingAll(Box<DriftingAll>),
    Alike(Alike),
}

/// What is to be done next of `turns`.
pub(super) fn next_turn(model: &mut Modelled, turns: &mut Turns) -> Turn {
    if turns.watched.is_none() {
        let busy = model.warp.is_some() || model.runs.exhaustive || turns.left.len() < FEWEST;
        turns.watched = Some(!busy);
        model.warp = if busy { model.warp.take() } else { Some(Box::new(Warp::new(model, turns))) };
    }
    if turns.watched != Some(true) {
        return turns.step();
    }
    let Some(mut warp) = model.warp.take() else { return turns.step() };
    let turn = warp.next(model, turns);
    model.warp = (!matches!(turn, Turn::End)).then_some(warp);
    turn
}

impl Warp {
    fn new(model: &mut Modelled, turns: &Turns) -> Warp {
        model.flush();
        let phase = if model.recent_pages.is_empty() { Phase::Both } else { Phase::Caches };
        if matches!(phase, Phase::Caches) {
            serve(model, Half::Caches);
        }
        Warp {
            start: turns.left.start,
            limit: turns.left.len() - 1,
            walked: Vec::new(),
            phase,
            plan: None,
            known: 0,
            looked_at: Vec::new(),
            all_alike: None,
            core: [0; 5],
            computes: model.computes,
            drifts: [true; 2],
        }
    }

    fn next(&mut self, model: &mut Modelled, turns: &mut Turns) -> Turn {
        self.end_trace(model);
        if self.plan.is_none() {
            if self.walked.len() < TRACED {
                self.trace(model, false);
                return turns.step();
            }
            self.plan_caches(model, turns);
        }
        if self.known == 0 {
            let given_up = match &self.plan {
                Some(Plan::Drifting(drifting)) if drifting.has_given_up() => Some(0),
                Some(Plan::DriftingAll(drifting)) if drifting.has_given_up() => Some(1),
                _ => None,
            };
            if let Some(given_up) = given_up {
                self.drifts[given_up] = false;
                self.plan_caches(model, turns);
            }
        }
        if turns.left.is_empty() {
            self.end_caches(model, turns);
        }
        self.end_tlbs(model, turns);
        let at = turns.left.start - self.start;
        model.watch.tell(self.share(at));
        if self.known == 0 {
            self.known = match &mut self.plan {
                Some(Plan::Shifted(shifted)) => shifted.known(model, at),
                Some(Plan::Alike(alike)) => alike.known(model, at),
                Some(Plan::Drifting(drifting)) => drifting.known(model, at),
                Some(Plan::DriftingAll(drifting)) => drifting.known(model, at),
                _ => 0,
            };
        }
        if self.known > 0 && self.all_alike.is_none() {
            if let Some(sample) = self.samples().get(self.looked_at.len()) {
                self.trace(model, true);
                return Turn::Observed(self.start + sample);
            }
            self.all_alike = Some(self.are_alike());
            if self.all_alike == Some(false) {
                (self.known, self.plan) = (0, Some(Plan::Walk));
                self.end_caches(model, turns);
            }
        }
        self.skip(model, turns)
    }

    /// How much of the loop is done before turn `at`: it may be gone through twice.
    fn share(&self, at: usize) -> f64 {
        let [done, times] = match self.phase {
            Phase::Both => [0, 1],
            Phase::Caches => [0, 2],
            Phase::Tlbs { until, .. } => [until, 2],
        };
        (done + at) as f64 / (times * (self.limit + 1)) as f64
    }

    /// Counts the turns that are known; if there are none, the next one is walked.
    fn skip(&mut self, model: &mut Modelled, turns: &mut Turns) -> Turn {
        let known = std::mem::take(&mut self.known);
        if known == 0 {
            return turns.step();
        }
        match &mut self.plan {
            Some(Plan::Shifted(shifted)) => shifted.advance(model),
            Some(Plan::Alike(alike)) => alike.advance(model, known),
            Some(Plan::Drifting(drifting)) => drifting.advance(model),
            Some(Plan::DriftingAll(drifting)) => drifting.advance(model),
            _ => {}
        }
        let from = turns.left.start;
        turns.left.start += known;
        if self.computes { Turn::Known(from..from + known) } else { self.next(model, turns) }
    }

    /// Traces the next turn, which is only looked at or walked.
    fn trace(&mut self, model: &mut Modelled, only_looks: bool) {
        let arrays = model.filter.hierarchy.addresses.names().len();
        model.trace = Some(Box::new(Trace::new(arrays, blocks(model), only_looks)));
        model.recording = true;
        model.computes &= !only_looks;
        self.core = model.core_counts().map(|count| *count);
    }

    fn end_trace(&mut self, model: &mut Modelled) {
        if model.trace.is_some() {
            stride_runs::stop_recording(model);
        }
        let Some(trace) = model.trace.take() else { return };
        (model.recording, model.computes) = (false, self.computes);
        if trace.only_looks {
            self.looked_at.push(*trace);
            for (count, before) in model.core_counts().into_iter().zip(self.core) {
                *count = before;
            }
        } else {
            self.walked.push(*trace);
        }
    }

    /// If the caches have gone on alone, the TLBs follow from the first turn on.
    fn end_caches(&mut self, model: &mut Modelled, turns: &mut Turns) {
        if matches!(self.phase, Phase::Caches) {
            let core = model.core_counts().map(|count| *count);
            let until = turns.left.start - self.start;
            self.phase = Phase::Tlbs { until, core, computes: self.computes };
            serve(model, Half::Tlbs);
            (self.computes, model.computes) = (false, false);
            self.plan = Some(self.plan(model, Half::Tlbs));
            turns.left.start = self.start;
        }
    }

    /// If the TLBs have followed, both go on together.
    fn end_tlbs(&mut self, model: &mut Modelled, turns: &Turns) {
        if let Phase::Tlbs { until, core, computes } = self.phase
            && turns.left.start - self.start == until
        {
            self.phase = Phase::Both;
            serve(model, Half::Both);
            model.core_counts().into_iter().zip(core).for_each(|(count, before)| *count = before);
            (self.computes, model.computes) = (computes, computes);
            self.plan = Some(Plan::Walk);
        }
    }

    /// Makes a plan for the caches; where neither they nor the TLBs have a better one than to
    /// walk, both go on together.
    fn plan_caches(&mut self, model: &mut Modelled, turns: &mut Turns) {
        self.plan = Some(self.plan(model, Half::Caches));
        if matches!(self.plan, Some(Plan::Walk)) && matches!(self.plan(model, Half::Tlbs), Plan::Walk) {
            self.end_caches(model, turns);
        }
    }

    fn plan(&self, model: &Modelled, half: Half) -> Plan {
        let Some(advances) = advances(&self.walked).filter(|_| self.all_alike != Some(false)) else {
            return Plan::Walk;
        };
        let shifted = Shifted::new(model, half, &advances, self.limit);
        if self.drifts[0]
            && half == Half::Caches
            && let Some(drifting) = Drifting::new(model, &advances, self.limit, shifted.as_ref())
        {
            return Plan::Drifting(Box::new(drifting));
        }
        if self.drifts[1]
            && half == Half::Caches
            && let Some(drifting) =
                DriftingAll::new(model, &advances, self.limit, shifted.as_ref(), self.walked[1].lines)
        {
            return Plan::DriftingAll(Box::new(drifting));
        }
        if let Some(shifted) = shifted {
            return Plan::Shifted(Box::new(shifted));
        }
        let advances: Vec<Advance> = advances.into_iter().flatten().collect();
        let block = blocks(model)[usize::from(!half.has_caches())];
        Alike::new(half, advances, block, self.limit).map_or(Plan::Walk, Plan::Alike)
    }

    /// Turns to be looked at before any is taken for known.
    fn samples(&self) -> [usize; 4] {
        [0, 1, self.limit / 2, self.limit - 1]
    }

    /// Whether those are alike, and the first two as they were when walked.
    fn are_alike(&self) -> bool {
        let Some(advances) = advances(&self.looked_at) else { return false };
        let follows = |(turn, trace): (usize, &Trace)| {
            let mut arrays = advances.iter().zip(&trace.arrays);
            trace.regular
                && trace.hash == self.looked_at[0].hash
                && arrays.all(|(advance, touched)| {
                    advance.map(|(stride, one)| one.first + stride * turn as u64) == touched.map(|t| t.first)
                })
        };
        let mut walked = self.walked.iter().zip(&self.looked_at);
        walked.all(|(walked, looked_at)| walked.arrays == looked_at.arrays)
            && self.samples().into_iter().zip(&self.looked_at).all(follows)
    }
}

/// Bytes of the smallest line, and of a page: what turns may advance within, by half.
fn blocks(model: &Modelled) -> [u64; 2] {
    let line = model.machine.levels.iter().map(|cache| cache.line.0).min().unwrap_or(64);
    [line, model.machine.page_size.0]
}

/// How each array advances from the first trace to the second; `None` if not all
/// advance.
fn advances(traces: &[Trace]) -> Option<Vec<Option<Advance>>> {
    let [first, second, ..] = traces else { return None };
    let one = |(one, next): (&Option<Touched>, &Option<Touched>)| match (one, next) {
        (Some(one), Some(next)) => Some(Some((next.first.checked_sub(one.first)?, *one))),
        (None, None) => Some(None),
        _ => None,
    };
    let regular = first.regular && second.regular;
    regular.then(|| first.arrays.iter().zip(&second.arrays).map(one).collect())?
}

/// Lets only `half` see the accesses from here on.
fn serve(model: &mut Modelled, half: Half) {
    model.flush();
    model.half = half;
    let pages = if half.has_tlbs() { mru_filter::page_slots(&model.machine) } else { 0 };
    model.recent_pages = vec![u64::MAX; pages].into_boxed_slice();
    model.forget_recent();
    model.runs.tell_apart(&model.filter, half);
}

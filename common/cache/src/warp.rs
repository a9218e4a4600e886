//! Warping: the turns of an outer loop written with [`turns!`](memory::turns) are
//! walked until the state of the hierarchy recurs; those left are counted, not
//! walked, and counts stay exact. After Morelli and Reineke, "Warping cache
//! simulation of polyhedral programs" (PLDI 2022).
//!
//! From turn to turn each array's accesses advance by a stride of its own, which
//! the traces of a few turns show. A state recurs in one of two ways:
//!
//! - *shifted*: every line has advanced with its array, and by so much that it is
//!   in the same set again ([`Shifted`]);
//! - *alike*: while the accesses advance within their lines, turns access the same
//!   lines, and the state after two of them is the same.

use super::Modelled;
use super::shifted::Shifted;
use super::steady::Saved;
use super::trace::{Advance, Touched, Trace};
use memory::{Turn, Turns};

/// Turns below which a loop is walked.
const FEWEST: usize = 8;

/// The outer loop at hand.
#[derive(Debug)]
pub(super) struct Warp {
    /// Its first turn, and how many there are.
    start: usize,
    count: usize,
    /// The turns to be traced, and their traces.
    samples: Vec<usize>,
    traces: Vec<Trace>,
    /// What the core had counted, and whether numbers were computed, before.
    core: [u64; 5],
    computes: bool,
    plan: Option<Plan>,
}

#[derive(Debug)]
enum Plan {
    /// Every turn is walked.
    Walk,
    Shifted(Box<Shifted>),
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
        let count = turns.left.len();
        Warp {
            start: turns.left.start,
            count,
            samples: vec![0, 1, count / 2, count - 2, count - 1],
            traces: Vec::new(),
            core: model.core_counts().map(|count| *count),
            computes: model.computes,
            plan: None,
        }
    }

    fn next(&mut self, model: &mut Modelled, turns: &mut Turns) -> Turn {
        if self.plan.is_none() {
            self.traces.extend(model.trace.take().map(|trace| *trace));
            if let Some(sample) = self.samples.get(self.traces.len()) {
                self.trace(model);
                return Turn::Observed(self.start + sample);
            }
            self.stop_tracing(model);
            self.plan = Some(self.plan(model));
        }
        let at = turns.left.start - self.start;
        let known = match &mut self.plan {
            Some(Plan::Shifted(shifted)) => shifted.known(model, at),
            Some(Plan::Alike(alike)) => alike.known(model, at),
            _ => 0,
        };
        if known == 0 {
            return turns.step();
        }
        let from = turns.left.start;
        turns.left.start += known;
        if self.computes { Turn::Known(from..from + known) } else { turns.step() }
    }

    /// Makes the model look at the next turn's accesses only.
    fn trace(&self, model: &mut Modelled) {
        let arrays = model.filter.hierarchy.addresses.names().len();
        let line = model.machine.levels.iter().map(|cache| cache.line.0).min().unwrap_or(64);
        model.trace = Some(Box::new(Trace::new(arrays, line)));
        (model.recording, model.computes) = (true, false);
    }

    fn stop_tracing(&self, model: &mut Modelled) {
        (model.recording, model.computes) = (false, self.computes);
        for (count, before) in model.core_counts().into_iter().zip(self.core) {
            *count = before;
        }
    }

    fn plan(&self, model: &Modelled) -> Plan {
        let Some((limit, advances)) = self.advances() else { return Plan::Walk };
        if let Some(shifted) = Shifted::new(model, &advances, limit) {
            return Plan::Shifted(Box::new(shifted));
        }
        let line = model.machine.levels.iter().map(|cache| cache.line.0).min().unwrap_or(64);
        Plan::Alike(Alike { advances: advances.into_iter().flatten().collect(), line, limit, saved: None })
    }

    /// How many turns are alike, all or all but the last, and how each array
    /// advances; `None` if they are not.
    fn advances(&self) -> Option<(usize, Vec<Option<Advance>>)> {
        let [first, second, ..] = &self.traces[..] else { return None };
        let one = |(one, next): (&Option<Touched>, &Option<Touched>)| match (one, next) {
            (Some(one), Some(next)) => Some(Some((next.first.checked_sub(one.first)?, *one))),
            (None, None) => Some(None),
            _ => None,
        };
        let advances: Vec<Option<Advance>> =
            first.arrays.iter().zip(&second.arrays).map(one).collect::<Option<_>>()?;
        let follows = |turn: usize, trace: &Trace| {
            let mut arrays = advances.iter().zip(&trace.arrays);
            trace.regular
                && trace.hash == first.hash
                && arrays.all(|(advance, touched)| {
                    advance.map(|(stride, one)| one.first + stride * turn as u64) == touched.map(|t| t.first)
                })
        };
        let alike = self.samples.iter().zip(&self.traces).map(|(turn, trace)| follows(*turn, trace));
        match alike.collect::<Vec<bool>>()[..] {
            [true, true, true, true, last] => Some((self.count - usize::from(!last), advances)),
            _ => None,
        }
    }
}

/// Turns that access the same lines as the turn before.
#[derive(Debug)]
struct Alike {
    advances: Vec<Advance>,
    line: u64,
    limit: usize,
    /// The state before a turn, and the core's counts.
    saved: Option<(usize, Saved, [u64; 5])>,
}

impl Alike {
    /// How many turns from `at` on are known to be like the one before.
    fn known(&mut self, model: &mut Modelled, at: usize) -> usize {
        let end = if at == 0 { 0 } else { self.end(at - 1) };
        if end <= at {
            self.saved = None;
            return 0;
        }
        model.flush();
        if let Some((turn, saved, core)) = self.saved.take()
            && turn + 1 == at
            && saved.is_state_of(&model.filter.hierarchy)
        {
            let times = (end - at) as u64;
            saved.advance_counts(&mut model.filter.hierarchy, times);
            for (count, before) in model.core_counts().into_iter().zip(core) {
                *count += (*count - before) * times;
            }
            return end - at;
        }
        if end > at + 1 {
            let state = Saved::of(&mut model.filter.hierarchy, usize::MAX);
            self.saved = Some((at, state, model.core_counts().map(|count| *count)));
        }
        0
    }

    /// The first turn after `turn` that accesses other lines.
    fn end(&self, turn: usize) -> usize {
        let end = |&(stride, touched): &Advance| {
            let (lowest, highest) = touched.in_line;
            let line = (lowest + stride * turn as u64) / self.line;
            let last = (line + 1) * self.line - 1; // no access may be beyond it
            match last.checked_sub(highest) {
                Some(room) if stride > 0 => (room / stride) as usize + 1,
                _ if stride == 0 => usize::MAX,
                _ => turn + 1,
            }
        };
        self.advances.iter().map(end).min().unwrap_or(usize::MAX).clamp(turn + 1, self.limit.max(turn + 1))
    }
}

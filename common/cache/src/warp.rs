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
use super::stride_runs;
use super::trace::{Advance, Touched, Trace};
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
    plan: Option<Plan>,
    /// So many turns are known if all are alike: they are looked at first.
    known: usize,
    looked_at: Vec<Trace>,
    all_alike: bool,
    /// What the core had counted, and whether numbers were computed, before.
    core: [u64; 5],
    computes: bool,
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
        Warp {
            start: turns.left.start,
            limit: turns.left.len() - 1,
            walked: Vec::new(),
            plan: None,
            known: 0,
            looked_at: Vec::new(),
            all_alike: false,
            core: [0; 5],
            computes: model.computes,
        }
    }

    fn next(&mut self, model: &mut Modelled, turns: &mut Turns) -> Turn {
        let at = turns.left.start - self.start;
        self.end_trace(model);
        if self.plan.is_none() {
            if self.walked.len() == at && at < 2 {
                self.trace(model, false);
                return turns.step();
            }
            self.plan = Some(self.plan(model));
        }
        if self.known == 0 {
            self.known = match &mut self.plan {
                Some(Plan::Shifted(shifted)) => shifted.known(model, at),
                Some(Plan::Alike(alike)) => alike.known(model, at),
                _ => 0,
            };
        }
        if self.known > 0 && !self.all_alike {
            if let Some(sample) = self.samples().get(self.looked_at.len()) {
                self.trace(model, true);
                return Turn::Observed(self.start + sample);
            }
            self.all_alike = self.are_alike();
            if !self.all_alike {
                (self.known, self.plan) = (0, Some(Plan::Walk));
            }
        }
        self.skip(model, turns)
    }

    /// Counts the turns that are known; if there are none, the next one is walked.
    fn skip(&mut self, model: &mut Modelled, turns: &mut Turns) -> Turn {
        let known = std::mem::take(&mut self.known);
        if known == 0 {
            return turns.step();
        }
        match &mut self.plan {
            Some(Plan::Shifted(shifted)) => shifted.advance(model, known),
            Some(Plan::Alike(alike)) => alike.advance(model, known),
            _ => {}
        }
        let from = turns.left.start;
        turns.left.start += known;
        if self.computes { Turn::Known(from..from + known) } else { turns.step() }
    }

    /// Traces the next turn, which is only looked at or walked.
    fn trace(&mut self, model: &mut Modelled, only_looks: bool) {
        let arrays = model.filter.hierarchy.addresses.names().len();
        model.trace = Some(Box::new(Trace::new(arrays, smallest_line(model), only_looks)));
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

    fn plan(&self, model: &Modelled) -> Plan {
        let Some(advances) = advances(&self.walked) else { return Plan::Walk };
        if let Some(shifted) = Shifted::new(model, &advances, self.limit) {
            return Plan::Shifted(Box::new(shifted));
        }
        let line = smallest_line(model);
        let advances: Vec<Advance> = advances.into_iter().flatten().collect();
        if advances.iter().any(|(stride, _)| 3 * stride > line) {
            return Plan::Walk;
        }
        Plan::Alike(Alike { advances, line, limit: self.limit, saved: None })
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

/// Bytes of the smallest line.
fn smallest_line(model: &Modelled) -> u64 {
    model.machine.levels.iter().map(|cache| cache.line.0).min().unwrap_or(64)
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
        if let Some((turn, saved, _)) = &self.saved
            && turn + 1 == at
            && saved.is_state_of(&model.filter.hierarchy)
        {
            return end - at;
        }
        if end > at + 1 {
            let state = Saved::of(&mut model.filter.hierarchy, usize::MAX);
            self.saved = Some((at, state, model.core_counts().map(|count| *count)));
        }
        0
    }

    /// Counts so many turns more.
    fn advance(&mut self, model: &mut Modelled, turns: usize) {
        let Some((_, saved, core)) = self.saved.take() else { return };
        saved.advance_counts(&mut model.filter.hierarchy, turns as u64);
        for (count, before) in model.core_counts().into_iter().zip(core) {
            *count += (*count - before) * turns as u64;
        }
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

//! Simulates the description of a kernel, and skips the iterations that shortcuts find.

use std::fmt;

use crate::addresses::AddressMap;
use crate::loops::{Access, Loop, Node};
use crate::shortcuts::{Answer, Plan, SAME_LINES, Shortcut};
use crate::simulator::Simulator;

/// Largest number of progress reports.
const REPORTS: f64 = 1000.0;

/// Reports the share (0 to 1) of the outermost loop that is done.
#[derive(Default)]
pub(crate) struct Progress {
    pub(crate) report: Option<Box<dyn FnMut(f64)>>,
    reported: f64,
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").finish_non_exhaustive()
    }
}

impl Progress {
    fn of_loop(&mut self, done: u64, of: u64) {
        let share = done as f64 / of as f64;
        if let Some(report) = &mut self.report
            && (share < self.reported || share - self.reported > 1.0 / REPORTS)
        {
            self.reported = share;
            report(share);
        }
    }
}

#[derive(Debug)]
pub(crate) struct Walker {
    pub(crate) sim: Simulator,
    pub(crate) shortcuts: Vec<Shortcut>,
    pub(crate) progress: Progress,
    /// An outermost loop that costs more is sampled.
    pub(crate) budget: Option<u64>,
    pub(crate) estimate: Estimated,
    /// Accesses and iterations simulated so far, by their cost.
    walked: u64,
}

/// What was sampled since the last reset.
#[derive(Debug, Default)]
pub(crate) struct Estimated {
    /// Iterations of sampled loops: simulated, and in total.
    pub(crate) iterations: [u64; 2],
    /// For each count, the estimate from the first sample alone minus that from both.
    pub(crate) differences: Vec<i64>,
}

/// Largest cost of a loop without samples, in accesses that hit: about ten seconds.
pub(crate) const BUDGET: u64 = 4_500_000_000;
/// The cost of an iteration besides its accesses, and of an event other than a hit.
const ITERATION: u64 = 20;
const EVENT: u64 = 15;
/// Iterations of each sample: first those that are not counted, then those that are.
const WARM_UP: u64 = 1;
const COUNTED: u64 = 3;
/// Iterations of an outermost loop before it is sampled: they fill the caches.
const BEFORE_SAMPLES: u64 = 2;

/// A search for a state that recurs: each state is compared with a saved one, which is
/// replaced after 1, 2, 4, 8 ... periods (Brent's algorithm).
#[derive(Debug)]
struct Search {
    plan: Plan,
    /// Periods after which the saved state is replaced.
    renew_after: u64,
    /// Iterations since it was saved.
    since: u64,
}

impl Walker {
    pub(crate) fn new(sim: Simulator, shortcuts: Vec<Shortcut>) -> Walker {
        let (progress, estimate) = (Progress::default(), Estimated::default());
        Walker { sim, shortcuts, progress, budget: None, estimate, walked: 0 }
    }

    /// The cost of everything simulated so far.
    fn cost(&self) -> u64 {
        self.walked + EVENT * self.sim.events()
    }

    /// Whether to sample the `left` iterations of an outermost loop, of which `done` cost `cost`;
    /// with a search, only those until it may have found something count.
    fn is_too_long(&self, done: u64, left: u64, cost: u64, search: Option<&Search>) -> bool {
        let Some(budget) = self.budget else { return false };
        let needed = search.map_or(left, |search| left.min(2 * search.plan.period));
        done >= BEFORE_SAMPLES
            && left > 8 * (WARM_UP + COUNTED)
            && u128::from(cost) * u128::from(needed) > u128::from(budget) * u128::from(done)
    }

    /// Estimates the counts of the `left` iterations whose first makes `accesses`, from two samples
    /// at a third and two thirds of them.
    fn sample(&mut self, of: &Loop, accesses: &mut [Access], map: &AddressMap, left: u64) {
        let before = self.sim.tally.snapshot();
        let mut at = 0;
        let [first, second] = [1, 2].map(|third| {
            let start = third * left / 3 - (WARM_UP + COUNTED) / 2;
            of.advance(accesses, start - at);
            let mut counted = self.sim.tally.snapshot();
            for iteration in 0..WARM_UP + COUNTED {
                if iteration == WARM_UP {
                    counted = self.sim.tally.snapshot();
                }
                self.walk_body(of, accesses, map);
                of.advance(accesses, 1);
            }
            at = start + WARM_UP + COUNTED;
            let sample = self.sim.tally.since(&counted);
            self.sim.tally.restore(&before);
            sample
        });
        of.advance(accesses, left - at);
        let differences = self.sim.tally.extrapolate([&first, &second], left, COUNTED);
        let estimate = &mut self.estimate;
        estimate.differences.resize(differences.len(), 0);
        estimate.differences.iter_mut().zip(differences).for_each(|(sum, difference)| *sum += difference);
        estimate.iterations[0] += of.iterations - left + 2 * (WARM_UP + COUNTED);
        estimate.iterations[1] += of.iterations;
    }

    /// Simulates `nodes`.
    pub(crate) fn walk(&mut self, nodes: &[Node], map: &AddressMap) {
        for node in nodes {
            match node {
                Node::Access(access) => self.sim.access(access),
                Node::Loop(of) => self.walk_loop(of, &mut of.accesses.clone(), map, true),
            }
        }
    }

    /// Simulates a loop whose first iteration makes `accesses`; restores these afterwards.
    fn walk_loop(&mut self, of: &Loop, accesses: &mut [Access], map: &AddressMap, is_outermost: bool) {
        if of.is_innermost() {
            return self.walk_innermost(of, accesses);
        }
        let mut asked = self.shortcuts.clone();
        let mut search: Option<Search> = None;
        let mut left = of.iterations;
        let cost = self.cost();
        while left > 0 {
            let done = of.iterations - left;
            if is_outermost && self.is_too_long(done, left, self.cost() - cost, search.as_ref()) {
                if search.take().is_some() {
                    self.sim.close_window();
                }
                self.sample(of, accesses, map, left);
                break;
            }
            self.walk_body(of, accesses, map);
            left -= 1;
            let mut skipped = 0;
            if let Some(running) = &mut search {
                skipped = self.skipped(running);
                if skipped > 0 || running.plan.iterations == 0 {
                    self.sim.close_window();
                    search = None;
                }
            } else if left > 1
                && let Some(plan) = self.plan(of, accesses, left, map, &mut asked)
            {
                self.sim.open_window();
                search = Some(Search { plan, renew_after: 1, since: 0 });
            }
            left -= skipped;
            of.advance(accesses, 1 + skipped);
            if is_outermost {
                self.progress.of_loop(of.iterations - left, of.iterations);
            }
        }
        if search.is_some() {
            self.sim.close_window();
        }
        of.advance(accesses, of.iterations.wrapping_neg());
    }

    /// What may recur after this iteration.
    fn plan(
        &self,
        of: &Loop,
        accesses: &[Access],
        left: u64,
        map: &AddressMap,
        asked: &mut Vec<Shortcut>,
    ) -> Option<Plan> {
        let mut found = None;
        asked.retain(|shortcut| {
            if found.is_some() {
                return true;
            }
            match (shortcut.ask)(of, accesses, left, &self.sim, map) {
                Answer::Plan(plan) => found = Some(plan),
                Answer::NotNow => {}
                Answer::Never => return false,
            }
            true
        });
        found
    }

    /// Called after each iteration: how many iterations can be skipped now.
    fn skipped(&mut self, search: &mut Search) -> u64 {
        let Search { plan, renew_after, since } = search;
        (plan.iterations, *since) = (plan.iterations - 1, *since + 1);
        if !since.is_multiple_of(plan.period) {
            return 0;
        }
        let periods = *since / plan.period;
        let moves = plan.moves.times(periods as i64);
        let times = plan.iterations / *since;
        if times > 0 && self.sim.recurs(&moves) {
            self.sim.jump(&moves, times);
            return times * *since;
        }
        if periods == *renew_after {
            self.sim.close_window();
            self.sim.open_window();
            (*renew_after, *since) = (2 * periods, 0);
        }
        0
    }

    fn walk_body(&mut self, of: &Loop, accesses: &mut [Access], map: &AddressMap) {
        let mut rest = accesses;
        for node in &of.body {
            let count = match node {
                Node::Access(_) => 1,
                Node::Loop(inner) => inner.accesses.len(),
            };
            let (own, others) = rest.split_at_mut(count);
            match node {
                Node::Access(_) => own.iter().for_each(|access| self.sim.access(access)),
                Node::Loop(inner) => self.walk_loop(inner, own, map, false),
            }
            rest = others;
        }
    }

    /// Walks a loop without inner loops. If iterations access the same lines, and
    /// these are all in the first level after the first iteration, the others only hit and
    /// leave everything as the first left it: no state needs to be compared.
    fn walk_innermost(&mut self, of: &Loop, accesses: &mut [Access]) {
        let line = self.sim.smallest_line();
        let shortcut = self.shortcuts.iter().any(|shortcut| shortcut.name == SAME_LINES);
        let may_stay = shortcut
            && of.moving.iter().all(|at| of.advances[*at].unsigned_abs() < line)
            && accesses.iter().all(|access| self.sim.hits_settle(access));
        let lines = if may_stay { of.accesses_to_find(accesses, line) } else { Vec::new() };
        let mut left = of.iterations;
        while left > 0 {
            self.walked += ITERATION + accesses.len() as u64;
            let same = match may_stay {
                true => of.iterations_on_the_same_lines(accesses, line).min(left - 1),
                false => 0,
            };
            let (events, core) = (self.sim.events(), self.sim.tally.core);
            accesses.iter().for_each(|access| self.sim.access(access));
            left -= 1;
            let hits = |sim: &mut Simulator| {
                events == sim.events() || lines.iter().all(|at| sim.hits(&accesses[*at]))
            };
            let skipped = if same > 0 && hits(&mut self.sim) { same } else { 0 };
            if skipped > 0 {
                self.sim.tally.core.multiply(core, skipped);
            }
            of.advance(accesses, 1 + skipped);
            left -= skipped;
        }
        of.advance(accesses, of.iterations.wrapping_neg());
    }
}

//! Walks what a kernel does through the simulator, and leaves out the iterations that
//! shortcuts find.

use std::fmt;

use crate::addresses::AddressMap;
use crate::loops::{Loop, Node};
use crate::shortcuts::{self, Answer, Plan, Shortcut};
use crate::simulator::Simulator;

/// How often progress is reported at most.
const REPORTS: f64 = 1000.0;

/// Reports the share (0 to 1) that is done: of the outermost loop, or of so many bytes that
/// loops advance by in all.
#[derive(Default)]
pub(crate) struct Progress {
    pub(crate) report: Option<Box<dyn FnMut(f64)>>,
    pub(crate) bytes: Option<f64>,
    done: f64,
    reported: f64,
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl Progress {
    fn reaches(&mut self, share: f64) {
        if let Some(report) = &mut self.report
            && (share < self.reported || share - self.reported > 1.0 / REPORTS)
        {
            self.reported = share;
            report(share.min(1.0));
        }
    }

    /// So much of the outermost loop is done.
    fn of_loop(&mut self, done: u64, of: u64) {
        if self.bytes.is_none() {
            self.reaches(done as f64 / of as f64);
        }
    }

    /// An outermost loop is done.
    fn after(&mut self, of: &Loop) {
        if let Some(bytes) = self.bytes {
            let longest = of.advances.iter().map(|advance| advance.unsigned_abs()).max();
            self.done += (longest.unwrap_or(0) * of.iterations) as f64;
            self.reaches(self.done / bytes);
        }
    }
}

#[derive(Debug)]
pub(crate) struct Walker {
    pub(crate) sim: Simulator,
    pub(crate) shortcuts: Vec<&'static dyn Shortcut>,
    pub(crate) progress: Progress,
}

/// A search for a state that recurs: each state is compared with one that is noted, which is
/// renewed after 1, 2, 4, 8 ... periods (Brent's algorithm).
#[derive(Debug)]
struct Search {
    plan: Plan,
    /// Periods after which the noted state is renewed.
    renew_after: u64,
    /// Iterations since it was noted.
    since: u64,
}

impl Walker {
    /// Simulates `nodes`.
    pub(crate) fn walk(&mut self, nodes: &[Node], map: &AddressMap) {
        for node in nodes {
            match node {
                Node::Access(access) => self.sim.access(access, access.address),
                Node::Loop(of) => {
                    let mut addresses: Vec<u64> = of.accesses.iter().map(|access| access.address).collect();
                    self.walk_loop(of, &mut addresses, map, true);
                    self.progress.after(of);
                }
            }
        }
    }

    /// Simulates a loop whose accesses begin at `addresses`, which are again the same afterwards.
    fn walk_loop(&mut self, of: &Loop, addresses: &mut [u64], map: &AddressMap, is_outermost: bool) {
        if of.is_innermost() {
            return self.walk_innermost(of, addresses);
        }
        let mut asked: Vec<&dyn Shortcut> = self.shortcuts.clone();
        let mut search: Option<Search> = None;
        let mut left = of.iterations;
        while left > 0 {
            self.walk_body(of, addresses, map);
            left -= 1;
            let mut skipped = 0;
            if let Some(running) = &mut search {
                skipped = self.skipped(running);
                if skipped > 0 || running.plan.iterations == 0 {
                    self.sim.close_window();
                    search = None;
                }
            } else if left > 1
                && let Some(plan) = self.plan(of, addresses, left, map, &mut asked)
            {
                self.sim.open_window();
                search = Some(Search { plan, renew_after: 1, since: 0 });
            }
            left -= skipped;
            advance(of, addresses, 1 + skipped);
            if is_outermost {
                self.progress.of_loop(of.iterations - left, of.iterations);
            }
        }
        if search.is_some() {
            self.sim.close_window();
        }
        advance(of, addresses, of.iterations.wrapping_neg());
    }

    /// What may recur after this iteration.
    fn plan(
        &self,
        of: &Loop,
        addresses: &[u64],
        left: u64,
        map: &AddressMap,
        asked: &mut Vec<&dyn Shortcut>,
    ) -> Option<Plan> {
        let mut found = None;
        asked.retain(|shortcut| {
            if found.is_some() {
                return true;
            }
            match shortcut.ask(of, addresses, left, &self.sim, map) {
                Answer::Plan(plan) => found = Some(plan),
                Answer::NotNow => {}
                Answer::Never => return false,
            }
            true
        });
        found
    }

    /// One more iteration has ended: how many are left out now.
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

    fn walk_body(&mut self, of: &Loop, addresses: &mut [u64], map: &AddressMap) {
        let mut rest = addresses;
        for node in &of.body {
            match node {
                Node::Access(access) => {
                    let Some((first, others)) = rest.split_first_mut() else { return };
                    self.sim.access(access, *first);
                    rest = others;
                }
                Node::Loop(inner) => {
                    let (own, others) = rest.split_at_mut(inner.accesses.len());
                    self.walk_loop(inner, own, map, false);
                    rest = others;
                }
            }
        }
    }

    /// The same for a loop of accesses alone. Where an iteration touches the lines of the one
    /// before it and finds all of them in the first level, the next ones on these lines do the
    /// same: no state needs to be compared.
    fn walk_innermost(&mut self, of: &Loop, addresses: &mut [u64]) {
        let line = self.sim.smallest_line();
        let stays = |advance: &i64| 2 * advance.unsigned_abs() < line;
        let may_stay = of.advances.iter().all(stays) && shortcuts::uses_same_lines(&self.shortcuts);
        let mut left = of.iterations;
        while left > 0 {
            let same = match may_stay {
                true => of.iterations_on_the_same_lines(addresses, line).min(left - 1),
                false => 0,
            };
            self.step(of, addresses);
            left -= 1;
            if same < 2 {
                continue;
            }
            let (before, core) = (self.sim.events(), self.sim.tally.core);
            self.step(of, addresses);
            left -= 1;
            if before.is_some() && before == self.sim.events() {
                self.sim.tally.core.multiply(core, same - 1);
                advance(of, addresses, same - 1);
                left -= same - 1;
            } else {
                (1..same).for_each(|_| self.step(of, addresses));
                left -= same - 1;
            }
        }
        advance(of, addresses, of.iterations.wrapping_neg());
    }

    /// One iteration of a loop of accesses alone.
    #[inline(always)]
    fn step(&mut self, of: &Loop, addresses: &mut [u64]) {
        let accesses = of.accesses.iter().zip(&of.advances);
        for ((access, advance), address) in accesses.zip(addresses) {
            self.sim.access(access, *address);
            *address = address.wrapping_add_signed(*advance);
        }
    }
}

/// Advances all accesses by so many iterations.
fn advance(of: &Loop, addresses: &mut [u64], iterations: u64) {
    for (address, advance) in addresses.iter_mut().zip(&of.advances) {
        *address = address.wrapping_add((*advance as u64).wrapping_mul(iterations));
    }
}

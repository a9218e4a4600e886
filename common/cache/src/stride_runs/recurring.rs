//! Runs that access the same lines as the run before: their journal tells when a state
//! recurs.
//!
//! States are compared behind the lead-ins: what the first run of a line does before its
//! loop, such as to store the last run's sum, the others do with another line. Each run's
//! body and each lead-in is a part of the journal, so that all can be made again as it was
//! where a run ended.

use super::simulate::{simulate_body, simulate_last, simulate_lead_in};
use super::{Known, RunDetector};
use crate::Modelled;

/// How many runs a journal may have, one journal after the other: most states recur at
/// once, some after as many runs as a set has ways, 16 at most as a rule; and a line of
/// 16-bit elements makes 32 runs.
const KEPT: [u64; 4] = [1, FEW, 16, 32];

/// From a longer period on, the one found last is tried first.
const FEW: u64 = 2;

impl RunDetector {
    /// For how many runs the journal after one of `most` runs is kept.
    fn longer(&mut self, most: u64) -> u64 {
        if self.at_once && most == 0 || !self.at_once && most == KEPT[0] && self.usual > 0 {
            return self.usual;
        }
        if std::mem::take(&mut self.at_once) {
            return KEPT[0]; // it was the usual period, in vain
        }
        KEPT.into_iter().find(|kept| *kept > most).unwrap_or(most)
    }
}

/// Simulates the current run, which a journal with `runs` runs is about, unless its
/// lead-in leads to the state that the journal began with, behind the lead-in of its first
/// run.
pub(super) fn observe(model: &mut Modelled, runs: u64, most: u64) -> Known {
    if runs > 0 {
        model.filter.hierarchy.begin_part();
    }
    simulate_lead_in(model);
    model.report_all();
    if runs > 0 && model.filter.hierarchy.unchanged() {
        return recur(model, runs);
    }
    let (runs, most) = if runs == most { (0, model.runs.longer(most)) } else { (runs, most) };
    if runs == 0 {
        model.filter.hierarchy.start_journal();
        model.runs.counts.clear();
        note_counts(model);
    } else {
        model.filter.hierarchy.begin_part();
    }
    simulate_body(model);
    model.report_all();
    note_counts(model);
    Known::Observed { runs: runs + 1, most }
}

/// Every `period` runs lead to the same state: goes back to where the last one ended, or
/// on to where the current one ends.
fn recur(model: &mut Modelled, period: u64) -> Known {
    note_counts(model);
    let Modelled { filter, runs, .. } = model;
    filter.hierarchy.stop_journal();
    if period > FEW && period != runs.usual {
        (runs.usual, runs.at_once) = (period, true);
    }
    if filter.hierarchy.undo(2 * period as usize - 1) {
        let each = runs.counts.len() / (period as usize + 2);
        let mut ended = runs.counts[(period as usize) * each..].iter();
        filter.hierarchy.each_count(|count| *count = ended.next().copied().unwrap_or(*count));
        runs.skipped = 1;
        model.forget_recent();
    } else {
        simulate_body(model);
    }
    Known::Steady { period }
}

fn note_counts(model: &mut Modelled) {
    let Modelled { filter, runs, .. } = model;
    filter.hierarchy.each_count(|count| runs.counts.push(*count));
}

/// Counts `skipped` runs, of which each `period` leave all as it was, and leaves all as
/// they do.
pub(super) fn pass_over(model: &mut Modelled, skipped: u64, period: usize) {
    let (times, rest) = (skipped / period as u64, (skipped % period as u64) as usize);
    let hierarchy = &mut model.filter.hierarchy;
    // Its part 2 n - 1 begins where its run number n ended.
    let undone = rest > 0 && hierarchy.undo(2 * rest - 1);
    let each = model.runs.counts.len() / (period + 2);
    let at = |place: usize| &model.runs.counts[place * each..][..each];
    let [start, ended, recurred] = [0, period, period + 1].map(at);
    let left = at(if undone { rest } else { 0 });
    let mut of_count = 0..each;
    hierarchy.each_count(|count| {
        let Some(of) = of_count.next() else { return };
        *count += times * (recurred[of] - start[of]);
        if undone {
            *count += recurred[of] - ended[of] + left[of] - start[of];
        }
    });
    if undone {
        model.forget_recent();
    } else {
        // Every run of the period is like the last one.
        (0..rest).for_each(|_| simulate_last(model));
    }
}

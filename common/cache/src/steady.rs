//! Repetition: once the hierarchy is in a state it has been in before, and the
//! accesses since then are made again, their counts are the same again.

use super::Modelled;
use super::classes;
use super::hierarchy::Hierarchy;
use super::stride_runs;
use super::tag::Tag;

/// Runs `body` `times` times, simulating no more passes than needed. Brent's
/// search for a cycle: each state is compared with one saved state, which is
/// renewed after 1, 2, 4, 8 ... passes.
pub(super) fn repeat(model: &mut Modelled, times: u64, mut body: impl FnMut(&mut Modelled)) {
    if let Some(trace) = &mut model.trace {
        trace.regular = false; // a repetition within a turn is walked
        if trace.only_looks {
            return;
        }
    }
    let mut left = times;
    let mut since = 0;
    let mut renew_after = 1;
    let mut saved: Option<(Saved, [u64; 5])> = None;
    model.flush();
    while left > 0 {
        let before = model.loads + model.stores;
        if left < times {
            pass(model, &mut body);
        } else if repeats_a_run(model, times, &mut body) {
            return;
        }
        left -= 1;
        since += 1;
        if let Some((saved, own)) = &saved
            && saved.is_state_of(&model.filter.hierarchy)
        {
            saved.advance_counts(&mut model.filter.hierarchy, left / since);
            for (count, before) in model.core_counts().into_iter().zip(own) {
                *count += (*count - before) * (left / since);
            }
            (0..left % since).for_each(|_| pass(model, &mut body));
            return;
        }
        let complete = saved.as_ref().is_some_and(|(saved, _)| saved.complete);
        if since == renew_after || !complete {
            renew_after *= if complete { 2 } else { 1 };
            // The first pass fills levels that later ones may leave alone: a
            // level much larger than a pass is then not worth a copy.
            let accesses = (model.loads + model.stores - before) as usize;
            let limit = if saved.is_none() { accesses.max(4096) } else { usize::MAX };
            let state = Saved::of(&mut model.filter.hierarchy, limit);
            saved = Some((state, model.core_counts().map(|count| *count)));
            since = 0;
        }
    }
}

/// Makes the first pass; if that is a single stride run, all `times` of them.
fn repeats_a_run(model: &mut Modelled, times: u64, body: &mut impl FnMut(&mut Modelled)) -> bool {
    let own = model.core_counts().map(|count| *count);
    stride_runs::put_off(model);
    body(model);
    model.passes += 1;
    let Some(run) = stride_runs::alone(model, own[0] + own[1]) else {
        model.flush();
        return false;
    };
    classes::repeat(model, &run, times);
    for (count, before) in model.core_counts().into_iter().zip(own) {
        *count += (*count - before) * (times - 1);
    }
    true
}

fn pass(model: &mut Modelled, body: &mut impl FnMut(&mut Modelled)) {
    body(model);
    model.passes += 1;
    model.flush();
}

/// A state of the hierarchy, and the counts at that time.
#[derive(Debug)]
pub(super) struct Saved {
    /// Every level was saved.
    pub(super) complete: bool,
    levels: Vec<SavedLevel>,
    tlbs: Vec<Vec<Tag>>,
    counts: Vec<u64>,
}

#[derive(Debug)]
struct SavedLevel {
    /// How often the level had been used.
    uses: u64,
    /// Tags and the rest; `None` if it was too large to save.
    state: Option<(Vec<Tag>, Vec<u64>)>,
}

impl Saved {
    /// The present state; of levels with more than `limit` tags only whether
    /// they are used again.
    pub(super) fn of(hierarchy: &mut Hierarchy, limit: usize) -> Saved {
        let levels: Vec<SavedLevel> = hierarchy
            .levels
            .iter()
            .map(|level| {
                let fits = level.lines.size() <= limit;
                let state = fits.then(|| (level.lines.all().into_owned(), level.other_state()));
                SavedLevel { uses: level.uses, state }
            })
            .collect();
        let tlbs = hierarchy.tlbs.levels.iter().map(|tlb| tlb.pages.all().into_owned()).collect();
        let complete = levels.iter().all(|level| level.state.is_some());
        Saved { complete, levels, tlbs, counts: hierarchy.counts() }
    }

    /// Whether the present state surely is the saved one.
    pub(super) fn is_state_of(&self, hierarchy: &Hierarchy) -> bool {
        let mut levels = hierarchy.levels.iter().zip(&self.levels);
        let mut tlbs = hierarchy.tlbs.levels.iter().zip(&self.tlbs);
        levels.all(|(level, saved)| match &saved.state {
            _ if level.uses == saved.uses => true,
            Some((tags, other)) => *tags == *level.lines.all() && *other == level.other_state(),
            None => false,
        }) && tlbs.all(|(tlb, saved)| *tlb.pages.all() == *saved)
    }

    /// Counts what was counted since, `times` times more.
    pub(super) fn advance_counts(&self, hierarchy: &mut Hierarchy, times: u64) {
        hierarchy.advance_counts(&self.counts, times);
    }
}

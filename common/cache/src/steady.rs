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
#[derive(Debug, Default)]
pub(super) struct Saved {
    /// Every level was saved.
    pub(super) complete: bool,
    levels: Vec<SavedLevel>,
    tlbs: Vec<Vec<Tag>>,
    counts: Vec<u64>,
}

#[derive(Debug, Default)]
struct SavedLevel {
    /// How often the level had been used.
    uses: u64,
    /// Whether it was not too large to save.
    fits: bool,
    tags: Vec<Tag>,
    /// The state beside the tags.
    other: Vec<u64>,
}

impl Saved {
    /// The present state; of levels with more than `limit` tags only whether
    /// they are used again.
    pub(super) fn of(hierarchy: &mut Hierarchy, limit: usize) -> Saved {
        let mut saved = Saved::default();
        saved.update(hierarchy, limit);
        saved
    }

    /// Becomes the present state, in the same memory.
    pub(super) fn update(&mut self, hierarchy: &mut Hierarchy, limit: usize) {
        self.levels.resize_with(hierarchy.levels.len(), SavedLevel::default);
        for (saved, level) in self.levels.iter_mut().zip(&hierarchy.levels) {
            (saved.uses, saved.fits) = (level.uses, level.lines.size() <= limit);
            saved.tags.clear();
            if saved.fits {
                saved.tags.extend_from_slice(&level.lines.all());
                saved.other = level.other_state();
            }
        }
        self.tlbs.resize_with(hierarchy.tlbs.levels.len(), Vec::new);
        for (saved, tlb) in self.tlbs.iter_mut().zip(&hierarchy.tlbs.levels) {
            saved.clear();
            saved.extend_from_slice(&tlb.pages.all());
        }
        self.complete = self.levels.iter().all(|level| level.fits);
        self.counts = hierarchy.counts();
    }

    /// Whether the present state surely is the saved one.
    pub(super) fn is_state_of(&self, hierarchy: &Hierarchy) -> bool {
        let mut levels = hierarchy.levels.iter().zip(&self.levels);
        let mut tlbs = hierarchy.tlbs.levels.iter().zip(&self.tlbs);
        levels.all(|(level, saved)| {
            let same = || saved.tags == *level.lines.all() && saved.other == level.other_state();
            level.uses == saved.uses || saved.fits && same()
        }) && tlbs.all(|(tlb, saved)| *tlb.pages.all() == *saved)
    }

    /// Counts what was counted since, `times` times more.
    pub(super) fn advance_counts(&self, hierarchy: &mut Hierarchy, times: u64) {
        hierarchy.advance_counts(&self.counts, times);
    }
}

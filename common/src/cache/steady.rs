//! Repeated passes: once the hierarchy is in a state it has been in before,
//! the passes in between repeat for ever, and so do their counts.

use super::Modelled;
use super::sets::Tag;

/// Runs `body` `times` times, walking no more passes than needed. Brent's
/// search for a cycle: each state is compared with one saved state, which is
/// renewed after 1, 2, 4, 8 ... passes.
pub(super) fn repeat(model: &mut Modelled, times: u64, mut body: impl FnMut(&mut Modelled)) {
    let mut left = times;
    let mut since = 0;
    let mut renew_after = 1;
    let mut saved = Saved::nothing();
    model.flush();
    model.hierarchy.forget_touched();
    while left > 0 {
        let before = model.loads + model.stores;
        pass(model, &mut body);
        left -= 1;
        since += 1;
        if saved.is_state_of(model) {
            saved.advance_counts(model, left / since);
            (0..left % since).for_each(|_| pass(model, &mut body));
            return;
        }
        if since == renew_after || !saved.complete {
            renew_after *= if saved.complete { 2 } else { 1 };
            let accesses = model.loads + model.stores - before;
            saved = Saved::of(model, if saved.first { accesses as usize } else { usize::MAX });
            since = 0;
        }
    }
}

fn pass(model: &mut Modelled, body: &mut impl FnMut(&mut Modelled)) {
    body(model);
    model.passes += 1;
    model.flush();
}

/// A state of the hierarchy, and the counts at that time.
struct Saved {
    /// Nothing was saved before.
    first: bool,
    /// Every level that was in use was saved.
    complete: bool,
    /// Per level: tags and the rest; `None` for a level not saved.
    levels: Vec<Option<(Vec<Tag>, Vec<u64>)>>,
    tlbs: Vec<Vec<Tag>>,
    counts: Vec<u64>,
}

impl Saved {
    fn nothing() -> Saved {
        Saved { first: true, complete: false, levels: Vec::new(), tlbs: Vec::new(), counts: Vec::new() }
    }

    /// The present state. A level that was not used since the last time is
    /// not copied: as long as it stays unused, it need not be compared. Nor is
    /// a level of more than `limit` tags, whose copy would cost more than
    /// another pass: it may well not be used again.
    fn of(model: &mut Modelled, limit: usize) -> Saved {
        let mut complete = true;
        let levels = model.hierarchy.levels.iter().map(|level| {
            let fits = level.lines.tags.len() <= limit.max(4096);
            complete &= fits || !level.touched;
            (level.touched && fits).then(|| (level.lines.tags.clone(), level.other_state()))
        });
        let levels = levels.collect();
        let tlbs = model.hierarchy.tlbs.levels.iter().map(|tlb| tlb.pages.tags.clone()).collect();
        let mut counts = Vec::new();
        model.each_count(|count| counts.push(*count));
        model.hierarchy.forget_touched();
        Saved { first: false, complete, levels, tlbs, counts }
    }

    /// Whether the present state is the saved one.
    fn is_state_of(&self, model: &Modelled) -> bool {
        if self.first {
            return false;
        }
        let mut levels = model.hierarchy.levels.iter().zip(&self.levels);
        let mut tlbs = model.hierarchy.tlbs.levels.iter().zip(&self.tlbs);
        levels.all(|(level, saved)| match saved {
            _ if !level.touched => true,
            Some((tags, other)) => *tags == level.lines.tags && *other == level.other_state(),
            None => false,
        }) && tlbs.all(|(tlb, saved)| tlb.pages.tags == *saved)
    }

    /// Counts what was counted since, `periods` times more.
    fn advance_counts(&self, model: &mut Modelled, periods: u64) {
        let mut saved = self.counts.iter();
        model.each_count(|count| {
            let before = saved.next().copied().unwrap_or(*count);
            *count += (*count - before) * periods;
        });
    }
}

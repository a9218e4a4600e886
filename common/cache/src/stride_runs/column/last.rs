//! Asks the last level for steps that are left out, in order or set by set.

use super::Column;
use super::asked::{Asked, Leaves};
use super::victims::Steps;
use crate::hierarchy::Hierarchy;
use crate::request::Request;
use crate::tag::{Tag, line_of, tag_of};

impl Column {
    /// Asks the last level.
    pub(super) fn ask_last(&self, hierarchy: &mut Hierarchy, asked: &Asked) {
        let line = |step: usize| asked.now + self.apart * step as u64;
        let (period, takes_victims) = match (&self.periods[..], hierarchy.levels.last()) {
            ([.., period, _], Some(last)) => (*period, last.is_exclusive()),
            _ => return,
        };
        let victim = |tag: Tag| {
            let kind = Request::VICTIM | Request::EVICTED;
            (takes_victims && tag != 0).then(|| Request::new(line_of(tag) << self.shift, kind))
        };
        let by_sets = Steps::of(self, hierarchy, asked);
        let (mut first, mut time) = (0, 0);
        for step in 0..by_sets.as_ref().map_or(asked.steps, |by| by.steps.start) {
            let input = &mut hierarchy.input;
            input.push(Request::new(line(step) << self.shift, 0).with_array(self.array));
            match (asked.leaves.get(first), asked.again) {
                (None, _) => {}
                (Some(Leaves::InTurn(held)), _) => {
                    input.extend(victim(match held.len().checked_sub(time + 1) {
                        Some(way) => held[way],
                        None => tag_of(line(step - held.len() * period)),
                    }))
                }
                (Some(Leaves::Each(evicted)), Some((again, requests)))
                    if evicted[time][0] == tag_of(again) =>
                {
                    input.extend(requests);
                    input.extend(victim(evicted[time][1]));
                }
                (Some(Leaves::Each(evicted)), _) => input.extend(victim(evicted[time][0])),
            }
            (first, time) = if first + 1 == period { (0, time + 1) } else { (first + 1, time) };
        }
        hierarchy.ask_last();
        if let Some(steps) = by_sets {
            self.ask_by_sets(hierarchy, &steps);
        }
    }
}

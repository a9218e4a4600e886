//! What steps that are left out leave behind in the levels above the last.

use super::asked::{Asked, Leaves};
use super::{Column, Refetched};
use crate::hierarchy::Hierarchy;
use crate::request::Request;
use crate::tag::{LINE, Tag, tag_of};

impl Column {
    /// Makes so many steps from that to line `now` on.
    pub(super) fn count(
        &self,
        hierarchy: &mut Hierarchy,
        now: u64,
        (stay, refetched): (&[u64], Option<Refetched>),
        steps: usize,
    ) {
        let line = |step: usize| now + self.apart * step as u64;
        let last = hierarchy.levels.len() - 1;
        let takes_victims = hierarchy.levels[last].is_exclusive();
        // By set of the level above the last, what leaves it, if that is of interest.
        let mut leaves: Vec<Leaves> = Vec::new();
        let mut again = 0;
        for (at, level) in hierarchy.levels[..last].iter_mut().enumerate() {
            level.uses += steps as u64;
            level.tally.misses[usize::from(self.array)][0] += steps as u64;
            let period = self.periods[at];
            for first in 0..period.min(steps) {
                let set = level.set(line(first));
                let shared = refetched.filter(|by| at == 1 && level.set(by.line) == set);
                let ways = level.lines.noted(set);
                let kept = if at == 0 { to_front(ways, stay) } else { 0 };
                let ways = &mut ways[kept..];
                let times = (steps - 1 - first) / period + 1;
                let new = |time: usize| tag_of(line(first + time * period));
                if let Some(by) = shared {
                    let mut ring = Ring { oldest: ways.len() - 1, ways };
                    let pushed = (0..times).map(|time| ring.push_both(new(time), tag_of(by.line)));
                    let evicted: Vec<[Tag; 2]> = pushed.collect();
                    ring.unroll();
                    again += evicted.iter().filter(|[tag, _]| *tag == tag_of(by.line)).count() as u64;
                    leaves.push(Leaves::Each(evicted));
                    continue;
                }
                if at + 1 == last && (takes_victims || refetched.is_some()) {
                    leaves.push(Leaves::InTurn(ways.to_vec()));
                }
                let fresh = times.min(ways.len());
                ways.copy_within(..ways.len() - fresh, fresh);
                for (way, time) in ways.iter_mut().zip((times - fresh..times).rev()) {
                    *way = new(time);
                }
            }
        }
        if let Some(by) = refetched {
            for level in &mut hierarchy.levels[..last] {
                let store = usize::from(by.kind & Request::STORE != 0);
                level.tally.misses[usize::from(by.array)][store] += again;
            }
            hierarchy.levels[1].tally.write_backs += again;
        }
        let again = refetched.map(|by| {
            let [back, fetch] = [Request::VICTIM | Request::DATA, by.kind & !Request::DATA];
            let address = by.line << self.shift;
            (by.line, [Request::new(address, back), Request::new(address, fetch).with_array(by.array)])
        });
        self.ask_last(hierarchy, &Asked { now, steps, leaves, again });
    }
}

/// The ways of a set, each behind the one that came after it, and the first behind the last.
struct Ring<'a> {
    ways: &'a mut [Tag],
    oldest: usize,
}

impl Ring<'_> {
    /// Puts `tag` to the front; what leaves.
    fn push(&mut self, tag: Tag) -> Tag {
        let leaves = std::mem::replace(&mut self.ways[self.oldest], tag);
        self.oldest = self.oldest.checked_sub(1).unwrap_or(self.ways.len() - 1);
        leaves
    }

    /// Puts `tag` to the front, and `again` if that leaves; what leaves with each.
    fn push_both(&mut self, tag: Tag, again: Tag) -> [Tag; 2] {
        let leaves = self.push(tag);
        [leaves, if leaves == again { self.push(again) } else { 0 }]
    }

    /// Leaves the ways in order, what came last first.
    fn unroll(self) {
        self.ways.rotate_left((self.oldest + 1) % self.ways.len());
    }
}

/// Moves those of `lines` that are there to the front; how many.
fn to_front(ways: &mut [Tag], lines: &[u64]) -> usize {
    let mut moved = 0;
    for way in 0..ways.len() {
        if lines.iter().any(|line| ways[way] & LINE == tag_of(*line)) {
            ways[moved..=way].rotate_right(1);
            moved += 1;
        }
    }
    moved
}

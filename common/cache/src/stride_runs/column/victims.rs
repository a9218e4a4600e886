//! What most steps down a column ask an exclusive last level, set by set.
//!
//! Sets do not see each other: each may serve all that it is asked for before the next one
//! does. Every so many steps it is asked for a line of the column, and gets each of them back
//! once that has left the level above. If it has all of them, one behind the other, as after
//! an earlier run down the same column, what it has then is written down.

use std::ops::Range;

use super::Column;
use super::asked::{Asked, Leaves};
use crate::hierarchy::Hierarchy;
use crate::level::Level;
use crate::request::Request;
use crate::tag::{Tag, line_of, tag_of};

/// Steps before which only lines of the column leave the level above the last, but for the
/// one that is fetched again.
pub(super) struct Steps {
    /// The line of step 0.
    now: u64,
    pub(super) steps: Range<usize>,
    /// After how many steps a line leaves the level above, by its set there.
    lags: Vec<usize>,
    /// Those with which the other one does, and what is asked then.
    again: Vec<usize>,
    requests: [Request; 2],
}

/// What one set is asked for and given, of all the column's lines that come to it.
struct Visits {
    fetched: Range<usize>,
    given: Range<usize>,
}

/// The tags of the lines that come to the set of the first one, the last one first.
struct Tags(Vec<Tag>);

/// Most ways of a set.
const WIDEST: usize = 16;

/// Zeros, then all ones: the tags from number `WIDEST - n` on mask the ways from number
/// `n` on.
static BEHIND: [Tag; 2 * WIDEST] = {
    let mut mask = [0; 2 * WIDEST];
    let mut way = WIDEST;
    while way < mask.len() {
        mask[way] = Tag::MAX;
        way += 1;
    }
    mask
};

impl Column {
    /// Makes these steps for the last level.
    pub(super) fn ask_by_sets(&self, hierarchy: &mut Hierarchy, steps: &Steps) {
        let Hierarchy { levels, input, .. } = hierarchy;
        let (Some(level), Some(&period)) = (levels.last_mut(), self.periods.last()) else { return };
        let again = level.set(steps.requests[0].address() >> self.shift);
        let mut again = (!steps.again.is_empty()).then_some(again);
        let tags = Tags::new(steps.now, self.apart * period as u64, steps.steps.end.div_ceil(period));
        // How many steps before each of these come to the set of step 0, and how many to others.
        let ends = steps.lags.iter().map(|lag| {
            let Range { start, end } = steps.steps;
            (*lag, [start, end, start - lag, end - lag].map(|end| [end / period, end % period]))
        });
        let ends: Vec<_> = ends.collect();
        for (place, (lag, ends)) in (0..period.min(steps.steps.end)).zip(ends.iter().cycle()) {
            let [start, end, given, gives] = ends.map(|[times, rest]| times + usize::from(place < rest));
            let visits = Visits { fetched: start..end, given: given..gives };
            let line = steps.now + self.apart * place as u64;
            let set = level.set(line);
            if again != Some(set) && tags.are_last_in(level, set, &visits, line - steps.now) {
                continue;
            }
            let twice = again.take_if(|again| *again == set).is_some();
            self.ask(input, steps, (place, *lag), if twice { &steps.again } else { &[] });
        }
        if again.is_some() {
            input.extend(steps.again.iter().flat_map(|_| steps.requests));
        }
        hierarchy.ask_last();
    }

    /// Asks the set that step number `place` comes to first for all, in order of steps.
    fn ask(&self, input: &mut Vec<Request>, steps: &Steps, (place, lag): (usize, usize), again: &[usize]) {
        let period = self.periods[self.periods.len() - 1];
        let address = |step: usize| (steps.now + self.apart * step as u64) << self.shift;
        let mut again = again.iter().peekable();
        let from = |first: usize| place + first.saturating_sub(place).div_ceil(period) * period;
        let [mut fetched, mut given] = [from(steps.steps.start), from(steps.steps.start - lag)];
        loop {
            let next = fetched.min(given + lag).min(again.peek().map_or(usize::MAX, |step| **step));
            if next >= steps.steps.end {
                return;
            }
            if next == fetched {
                input.push(Request::new(address(fetched), 0).with_array(self.array));
                fetched += period;
            }
            if again.next_if(|step| **step == next).is_some() {
                input.extend(steps.requests);
            }
            if next == given + lag {
                input.push(Request::new(address(given), Request::VICTIM | Request::EVICTED));
                given += period;
            }
        }
    }
}

impl Steps {
    /// The last ones of those that are `asked` for; `None` if the last level is not of victims,
    /// or hardly has the column.
    pub(super) fn of(column: &Column, hierarchy: &Hierarchy, asked: &Asked) -> Option<Steps> {
        let ([.., above, last], [.., period, last_period]) = (&hierarchy.levels[..], &column.periods[..])
        else {
            return None;
        };
        let Asked { now, steps, ref leaves, again } = *asked;
        let lag = |leaves: &Leaves| match leaves {
            Leaves::InTurn(held) => held.len() * period,
            // The other line always has a way of its own.
            Leaves::Each(_) => (above.lines.ways - 1) * period,
        };
        let lags: Vec<usize> = leaves.iter().map(lag).collect();
        let first = lags.iter().copied().max()?;
        let line = now + column.apart * first as u64;
        let longest = |tags: &[Tag]| tags.iter().rfind(|tag| **tag != 0) == Some(&tag_of(line));
        let fits = last.promotes() && last.lines.is_in_order() && lags.len() == *period;
        if !fits || first + 2 * last_period > steps || !longest(&last.lines.content(last.set(line))) {
            return None;
        }
        let leaves_with = |(place, leaves): (usize, &Leaves)| -> Vec<usize> {
            let (Leaves::Each(evicted), Some((line, _))) = (leaves, again) else { return Vec::new() };
            let times = (0..evicted.len()).filter(|time| evicted[*time][0] == tag_of(line));
            times.map(|time| place + time * period).filter(|step| *step >= first).collect()
        };
        let requests = again.map_or([Request::NONE; 2], |(_, requests)| requests);
        let again = leaves.iter().enumerate().flat_map(leaves_with).collect();
        Some(Steps { now, steps: first..steps, lags, again, requests })
    }
}

impl Tags {
    /// Those of lines up to the number `times`, from line `now` on, each `apart` lines from the
    /// one before.
    fn new(now: u64, apart: u64, times: usize) -> Tags {
        let behind = times + 2 * WIDEST;
        Tags((0..behind as u64).rev().map(|time| tag_of(now + time * apart)).collect())
    }

    /// `W` of them, the last one that of line number `from`.
    fn from<const W: usize>(&self, from: usize) -> Option<&[Tag; W]> {
        self.0[..self.0.len() - from].last_chunk()
    }

    /// Makes the visits of `set` of `level`, whose first line lies `by` behind that of the
    /// first set, if it has all lines that are fetched, one behind the other and longest of
    /// all, and room for those that it gets before; whether it has.
    #[inline]
    fn are_last_in(&self, level: &mut Level, set: usize, visits: &Visits, by: u64) -> bool {
        let by = (by as Tag) << 2;
        let Visits { fetched, given } = visits;
        let earlier = self.0[..self.0.len() - given.start].iter().rev();
        let mut earlier = earlier.take(fetched.start.min(given.end) - given.start);
        let dirty = |tag: &Tag| level.promoted_dirty.contains(line_of(tag.wrapping_add(by)));
        if !level.promoted_dirty.is_empty() && earlier.any(dirty) {
            return false;
        }
        let ways = level.lines.noted(set);
        let known = match ways.len() {
            8 => self.are_last::<8>(ways, visits, by),
            12 => self.are_last::<12>(ways, visits, by),
            16 => self.are_last::<16>(ways, visits, by),
            _ => false,
        };
        level.uses += if known { (fetched.len() + given.len()) as u64 } else { 0 };
        known
    }

    fn are_last<const W: usize>(&self, ways: &mut [Tag], visits: &Visits, by: Tag) -> bool {
        const { assert!(W <= WIDEST) };
        let Some(set) = ways.first_chunk_mut::<W>() else { return false };
        let Visits { fetched, given } = visits;
        let [fetches, gives] = [fetched, given].map(Range::len);
        let empty = fetched.start.min(given.end) - given.start;
        let (Some(all), Some(new)) = (self.from::<W>(fetched.start - empty), self.from::<W>(given.start))
        else {
            return false;
        };
        if fetches == 0 || fetches + empty > W {
            return false;
        }
        let behind = |ways: usize| &BEHIND[WIDEST - ways..][..W];
        let (from, full) = (behind(W - fetches - empty), behind(W - empty));
        let differs = |at: usize| (set[at] ^ all[at].wrapping_add(by) & !full[at]) & from[at];
        if (0..W).fold(0, |all, at| all | differs(at)) != 0 {
            return false;
        }
        let mut held = [0; 2 * WIDEST];
        for at in 0..W {
            held[WIDEST - W + at] = new[at].wrapping_add(by);
        }
        held[WIDEST..][..W].copy_from_slice(set);
        let (held, left) = (&held[WIDEST - gives..][..W], behind(W + gives - fetches - empty));
        for at in 0..W {
            set[at] = held[at] & !left[at];
        }
        true
    }
}

//! Turns whose arrays drift past each other in the last level: lines that share a set in
//! one turn do not in the next, and no advanced state recurs soon.
//!
//! Why turns may be known all the same: once the state of the levels above recurs, the
//! last one is asked for the same in every period, advanced. If in one of them all that
//! it is asked for is there, or is not, wherever the arrays lie to each other
//! ([`Stacks`]), so it is in all others. When a dirty line is written back does depend on
//! that; but each line that became dirty has been written back, or is still there.
//!
//! Of an exclusive level that is known only if it never has what it is asked for: then it
//! holds what came last, as any other.

use super::Modelled;
use super::hierarchy::Hierarchy;
use super::level::Level;
use super::moving::Advance;
use super::shifted::Shifted;
use super::stacks::{Certain, Stacks};
use super::tag::{DIRTY, Tag};

/// Most lines that the last level may have: 24 bytes each, by stride of arrays.
const MOST_LINES: usize = 1 << 20;
/// Of a larger level than this, little is certain unless each turn comes to so many times as
/// many lines as it has: then none is there.
const LARGE: usize = 1 << 16;
const SWEEP: usize = 2;
/// From how many times as many turns on a recurrence of all levels is not worth waiting for;
/// the same of a large level.
const FAR: [usize; 2] = [32, 8];
/// How many times as many requests as are looked at must be saved for it to be tried: it may
/// be in vain, and a request is dearer to look at than to walk.
const GAIN: u64 = 8;

#[derive(Debug)]
pub(super) struct Drifting {
    /// For the levels above the last.
    above: Shifted,
    limit: usize,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    /// Those levels have not recurred yet.
    Above,
    /// The stacks are being filled; how many turns a period has.
    Fills {
        turns: usize,
    },
    /// They show whether all is certain in the period that ends before turn `end`.
    Looks {
        turns: usize,
        end: usize,
    },
    /// What each of so many periods does, and what the sets hold after them.
    Known {
        certain: Certain,
        sets: Vec<Vec<Tag>>,
        times: u64,
    },
    GivenUp,
}

impl Drifting {
    /// For a loop of `limit` turns whose arrays advance like this; `None` if stack distances
    /// do not decide all that the last level does, or if the state of `all` levels recurs
    /// within not many times as many turns as that of those above.
    pub(super) fn new(
        model: &Modelled,
        advances: &[Option<Advance>],
        limit: usize,
        all: Option<&Shifted>,
    ) -> Option<Drifting> {
        let (last, levels) = model.filter.hierarchy.levels.split_last()?;
        let size = last.lines.size();
        let fits = last.lines.evicts && (last.is_plain_lru() || last.is_of_victims()) && size <= MOST_LINES;
        let spans = advances.iter().flatten().map(|(_, touched)| touched.highest - touched.lowest);
        let sweeps = spans.sum::<u64>() >> last.shift > (SWEEP * size) as u64;
        if levels.is_empty() || !fits || size > LARGE && !sweeps {
            return None;
        }
        let above = Shifted::above_last(model, advances, limit)?;
        let far = FAR[usize::from(size > LARGE)];
        let pays = all.is_none_or(|all| all.period() > far * above.period());
        pays.then_some(Drifting { above, limit, stage: Stage::Above })
    }

    /// How many turns from `at` on are known.
    pub(super) fn known(&mut self, model: &mut Modelled, at: usize) -> usize {
        if let Stage::Fills { .. } | Stage::Looks { .. } = self.stage {
            model.flush();
            if model.filter.hierarchy.stacks.is_none() {
                self.stage = Stage::GivenUp;
            }
        }
        match self.stage {
            Stage::Above if at > self.limit / 2 => self.stage = Stage::GivenUp,
            Stage::Above if self.above.known(model, at) > 0 => self.fill(model, at),
            Stage::Fills { turns } => self.begin(model, turns, at),
            Stage::Looks { turns, end } if at == end => return self.end(model, turns, at),
            _ => {}
        }
        0
    }

    /// Begins to fill the stacks, if that pays: they are filled in one period, or as slowly
    /// as the level, and looked at in another.
    fn fill(&mut self, model: &mut Modelled, at: usize) {
        self.stage = Stage::GivenUp;
        let turns = self.above.turns_kept();
        let [simulated, asked] = self.above.between(|levels| {
            let [last, above] = [0, 1].map(|up| levels.iter().rev().nth(up));
            [last.map_or(0, |last| last.uses), above.map_or(0, |above| above.tally.all_misses())]
        });
        let hierarchy = &mut model.filter.hierarchy;
        let Some(last) = hierarchy.levels.last() else { return };
        let (periods, lines) = (((self.limit - at) / turns) as u64, last.lines.size());
        // Every run is simulated then.
        let all_were = lines <= LARGE || simulated >= asked;
        if all_were && simulated * periods > GAIN * (asked + lines as u64) {
            hierarchy.stacks = Some(Box::new(Stacks::new(last, self.above.arrays())));
            self.stage = Stage::Fills { turns };
        }
    }

    /// Begins to look, once the stacks are full, if a period is left.
    fn begin(&mut self, model: &mut Modelled, turns: usize, at: usize) {
        let end = at + turns;
        let Hierarchy { stacks, levels, .. } = &mut model.filter.hierarchy;
        let promoted = levels.last().is_none_or(|last| !last.promoted_dirty.is_empty());
        if end >= self.limit || promoted {
            *stacks = None;
        } else if let Some(stacks) = stacks.as_mut().filter(|stacks| stacks.are_full()) {
            stacks.begin();
            self.above.keep(model, at);
            self.stage = Stage::Looks { turns, end };
        }
    }

    /// How many turns from `at` on do what was seen to be certain.
    fn end(&mut self, model: &mut Modelled, turns: usize, at: usize) -> usize {
        self.stage = Stage::GivenUp;
        self.above.keep(model, at);
        let times = (self.limit - at) / turns;
        let Some(stacks) = model.filter.hierarchy.stacks.take().filter(|_| times > 0) else { return 0 };
        let (Some(certain), Some(sets)) = (stacks.certain(), stacks.after(times * turns)) else { return 0 };
        let misses = |levels: &[Level]| [levels.last().map_or(0, |last| last.tally.all_misses())];
        debug_assert_eq!(self.above.between(misses), [certain.misses]);
        self.stage = Stage::Known { certain, sets, times: times as u64 };
        times * turns
    }

    /// Whether no turn will be known like this.
    pub(super) fn has_given_up(&self) -> bool {
        matches!(self.stage, Stage::GivenUp)
    }

    /// Makes the state, and the counts, after the turns that are known.
    pub(super) fn advance(&mut self, model: &mut Modelled) {
        let Stage::Known { certain, sets, times } = std::mem::replace(&mut self.stage, Stage::GivenUp) else {
            return;
        };
        let hierarchy = &model.filter.hierarchy;
        let Some(last) = hierarchy.levels.last() else { return };
        let [before, write_backs, writes] = [dirty(last), last.tally.write_backs, hierarchy.memory.writes];
        self.above.advance(model);
        let hierarchy = &mut model.filter.hierarchy;
        let Some(last) = hierarchy.levels.last_mut() else { return };
        for (set, tags) in sets.into_iter().enumerate() {
            last.lines.put(set, tags.into_iter(), 0);
        }
        let more = before + certain.dirtied * times - dirty(last);
        last.tally.write_backs = write_backs + more;
        hierarchy.memory.writes = writes + more + certain.passed_on * times;
    }
}

/// How many dirty lines the level has.
fn dirty(level: &Level) -> u64 {
    level.lines.all().iter().map(|tag| u64::from(tag & DIRTY)).sum()
}

//! Turns whose arrays drift past each other in all levels.
//!
//! Each period of turns makes the same accesses, advanced. If in one of them every level
//! certainly has what it is asked for, or has not, wherever the arrays lie to each other
//! ([`Distances`]), so it does in all others.

use super::Modelled;
use super::distances::{Contents, Distances, Done, State};
use super::hierarchy::Hierarchy;
use super::moving::Advance;
use super::shifted::Shifted;

/// From how many times as many turns as a period has on a recurrence of all levels is not
/// worth waiting for. (Tests, which are short, look at all that they can.)
const FAR: usize = if cfg!(test) { 0 } else { 32 };
/// How many times as many requests must be saved as lines are looked at: a line is dearer to
/// look at than a request is to walk, and it may be in vain.
const GAIN: u64 = if cfg!(test) { 0 } else { 32 };
/// Turns within which a level must be full.
const FULL: usize = 4;
/// Turns within which a period that is certain must begin.
const CERTAIN: usize = 16;

#[derive(Debug)]
pub(super) struct DriftingAll {
    /// Every period of whole lines recurs.
    periods: Shifted,
    limit: usize,
    /// To about how many lines a turn comes.
    lines: u64,
    /// The first turn that was looked at.
    first: usize,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    /// Nothing was seen yet; how many requests levels had served a turn ago.
    Begins {
        served: Option<u64>,
    },
    /// Levels are filled; so many are since turn `since`.
    Fills {
        full: usize,
        since: usize,
    },
    /// All is looked at in the period that ends before turn `end`.
    Looks {
        end: usize,
        before: State,
    },
    /// What each of so many periods writes back, and what is there after them; what is still
    /// written back before the first and until the last of them ends.
    Known {
        done: Done,
        times: u64,
        held: Vec<Contents>,
        left: [Done; 2],
    },
    GivenUp,
}

impl DriftingAll {
    /// For a loop of `limit` turns whose arrays advance like this; `None` if stack distances
    /// do not decide what the levels do, or if the state of `all` of them recurs soon.
    pub(super) fn new(
        model: &Modelled,
        advances: &[Option<Advance>],
        limit: usize,
        all: Option<&Shifted>,
        lines: u64,
    ) -> Option<DriftingAll> {
        let periods = Shifted::of_none(model, advances, limit)?;
        let pays = all.is_none_or(|all| all.period() > FAR * periods.period());
        // Else, what stands still stays where it is.
        let still = advances.iter().flatten().filter(|(stride, _)| *stride == 0);
        let bytes: u64 = still.map(|(_, touched)| touched.highest - touched.lowest).sum();
        let mut evicting = model.filter.hierarchy.levels.iter().filter(|level| level.lines.evicts);
        let sweeps = evicting.all(|level| bytes >> level.shift > level.lines.size() as u64);
        let decides = Distances::decide(&model.filter.hierarchy.levels, periods.arrays());
        (pays && sweeps && decides).then_some(DriftingAll {
            periods,
            limit,
            lines,
            first: 0,
            stage: Stage::Begins { served: None },
        })
    }

    /// How many turns from `at` on are known.
    pub(super) fn known(&mut self, model: &mut Modelled, at: usize) -> usize {
        let period = self.periods.period();
        if let Stage::Begins { served } = self.stage
            && at >= self.periods.first()
        {
            self.begin(model, at, served);
            return 0;
        }
        if let Stage::Fills { .. } | Stage::Looks { .. } = self.stage {
            model.flush();
            if model.filter.hierarchy.distances.is_none() || at + period > self.limit {
                self.give_up(model);
            }
        }
        match &self.stage {
            &Stage::Fills { full, since } => self.fill(model, at, [full, since]),
            Stage::Looks { end, .. } if *end == at => return self.end(model, at),
            _ => {}
        }
        0
    }

    /// Begins to look at all accesses if that pays, by what the last turn was served.
    fn begin(&mut self, model: &mut Modelled, at: usize, before: Option<u64>) {
        model.flush();
        let hierarchy = &mut model.filter.hierarchy;
        let served = hierarchy.levels.iter().map(|level| level.uses).sum();
        let Some(before) = before else { return self.stage = Stage::Begins { served: Some(served) } };
        self.stage = Stage::GivenUp;
        let turns = (self.periods.period() + FULL) as u64;
        let left = self.limit.saturating_sub(at) as u64;
        if (served - before) * left >= GAIN * self.lines * turns {
            hierarchy.distances = Some(Box::new(Distances::new(&hierarchy.levels, self.periods.arrays())));
            model.filter.pass_all(true);
            model.forget_recent();
            self.first = at;
            self.stage = Stage::Fills { full: 0, since: at };
        }
    }

    fn give_up(&mut self, model: &mut Modelled) {
        model.filter.hierarchy.distances = None;
        model.filter.pass_all(false);
        self.stage = Stage::GivenUp;
    }

    /// Begins to look once all levels are full.
    fn fill(&mut self, model: &mut Modelled, at: usize, [full, since]: [usize; 2]) {
        let Hierarchy { distances, levels, .. } = &mut model.filter.hierarchy;
        let Some(distances) = distances else { return };
        let [now, all] = distances.end_turn(levels);
        if now == all {
            let before = distances.begin();
            self.periods.keep(model, at);
            self.stage = Stage::Looks { end: at + self.periods.period(), before };
        } else if now > full {
            self.stage = Stage::Fills { full: now, since: at };
        } else if at - since >= FULL {
            self.give_up(model);
        }
    }

    /// How many turns from `at` on do what was seen to be certain; if it was not, as lines are
    /// still there of which nothing is known, the next period is looked at.
    fn end(&mut self, model: &mut Modelled, at: usize) -> usize {
        let turns = self.periods.period();
        let times = (self.limit - at) / turns;
        self.periods.keep(model, at);
        let Hierarchy { distances, levels, .. } = &mut model.filter.hierarchy;
        let (Some(distances), Stage::Looks { before, .. }) = (distances, &self.stage) else { return 0 };
        debug_assert!(self.has_missed_as(distances));
        let now = distances.state();
        let done = distances.recurring([before, &now], [turns, times]);
        let after = done.and_then(|_| distances.after(levels, [turns, times]));
        if let (Some(done), Some((held, left))) = (done, after) {
            self.give_up(model);
            self.stage = Stage::Known { done, times: times as u64, held, left };
            return turns * times;
        }
        if at - self.first < CERTAIN {
            self.stage = Stage::Looks { end: at + turns, before: distances.begin() };
        } else {
            self.give_up(model);
        }
        0
    }

    /// Whether each level has missed in that period what it certainly should have.
    fn has_missed_as(&self, distances: &Distances) -> bool {
        distances.misses().enumerate().all(|(at, misses)| {
            misses.is_none_or(|misses| {
                self.periods.between(|levels| [levels[at].tally.all_misses()]) == [misses]
            })
        })
    }

    /// Whether no turn will be known like this.
    pub(super) fn has_given_up(&self) -> bool {
        matches!(self.stage, Stage::GivenUp)
    }

    /// Makes the state, and the counts, after the turns that are known.
    pub(super) fn advance(&mut self, model: &mut Modelled) {
        let Stage::Known { done, times, held, left } = std::mem::replace(&mut self.stage, Stage::GivenUp)
        else {
            return;
        };
        let hierarchy = &model.filter.hierarchy;
        let before: Vec<u64> = hierarchy.levels.iter().map(|level| level.tally.write_backs).collect();
        let writes = hierarchy.memory.writes;
        self.periods.advance(model);
        let hierarchy = &mut model.filter.hierarchy;
        let counted =
            |before: u64, of: &dyn Fn(&Done) -> u64| before + of(&done) * times + of(&left[1]) - of(&left[0]);
        hierarchy.memory.writes = counted(writes, &|done| done.writes);
        for (at, (level, held)) in hierarchy.levels.iter_mut().zip(held).enumerate() {
            level.tally.write_backs = counted(before[at], &|done| done.write_backs[at]);
            match held {
                Contents::Lines(tags) => level.refill(&tags),
                Contents::Sets(sets) => {
                    for (set, tags) in sets.into_iter().enumerate() {
                        level.lines.put(set, tags.into_iter(), 0);
                    }
                }
            }
        }
    }
}

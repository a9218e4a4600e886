//! What all levels do wherever the arrays lie to each other, by the program's accesses alone.
//!
//! The stacks of a level ([`Stacks`](super::stacks::Stacks)) show whether it has a line. Where
//! that is certain, so is what the next level is asked for; from then on its own stacks are
//! filled, and so on down.
//!
//! When a dirty line is written back does depend on how the arrays lie: at some time between
//! its last use and when it is certainly gone. If the next level has it all that time, it is
//! dirty there afterwards; if that had lost it before its last use, the data go by: it cannot
//! come back while the level above has it. Until then, the line is *pending*.

use super::kept::Kept;
use super::level::Level;
use super::line_set::LineSet;
use super::moving::Moving;
use super::ranked::{Fetched, Ranked};
use super::request::Request;
use super::stacks::{Data, Entry, Presence};
use super::tag::{DIRTY, Tag, tag_of};

/// Most ways of a level.
const MOST_WAYS: usize = 16;
/// Most bytes of all stacks.
const MOST_BYTES: usize = 64 << 20;
/// Most levels.
const MOST: usize = 4;

#[derive(Debug)]
pub(super) struct Distances {
    shift: u32,
    arrays: Vec<Moving>,
    levels: Vec<Watched>,
    /// So many levels are certain; the next one is filled, those below it are not asked.
    certain: usize,
    /// Whether the data of all lines written back in the period at hand were known, and the
    /// next level certainly had or had lost these lines.
    all_known: bool,
    all_taken: bool,
    done: Done,
}

#[derive(Debug)]
enum Watched {
    Ranked(Ranked),
    /// A level that evicts nothing.
    Kept(Kept),
}

/// Write-backs of each level, and lines written to memory.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Done {
    pub(super) write_backs: [u64; MOST],
    pub(super) writes: u64,
}

/// A line of a level and a group that may be dirty.
#[derive(Debug, Clone, Copy)]
struct Owed {
    level: usize,
    group: usize,
    entry: Entry,
}

/// What is pending at some time, and how often each level was asked up to then.
#[derive(Debug)]
pub(super) struct State {
    owed: Vec<Owed>,
    asked: Vec<u64>,
}

/// What a level holds.
#[derive(Debug)]
pub(super) enum Contents {
    /// By set, the line used last first.
    Sets(Vec<Vec<Tag>>),
    /// In no order.
    Lines(Vec<Tag>),
}

/// What is still written back if levels hold certain lines, and which lines of each level are
/// dirty by that.
struct Settled {
    done: Done,
    dirty: Vec<LineSet>,
}

impl Distances {
    /// Whether stack distances decide what such levels do.
    pub(super) fn decide(levels: &[Level], arrays: &[Moving]) -> bool {
        let Some(first) = levels.first().filter(|first| first.lines.evicts) else { return false };
        let fits = |level: &Level| {
            level.shift == first.shift && level.is_plain_lru() && level.lines.ways <= MOST_WAYS
        };
        let evicting = levels.iter().filter(|level| level.lines.evicts);
        let lines: usize = evicting.map(|level| level.lines.size()).sum();
        let evicts_below = levels.windows(2).any(|pair| !pair[0].lines.evicts && pair[1].lines.evicts);
        let is_small = lines * size_of::<Entry>() * arrays.len() <= MOST_BYTES;
        levels.len() <= MOST && levels.iter().all(fits) && !evicts_below && is_small
    }

    /// Of `levels` that nothing was asked of yet.
    pub(super) fn new(levels: &[Level], arrays: &[Moving]) -> Distances {
        let watched = |level: &Level| match level.lines.evicts {
            true => Watched::Ranked(Ranked::new(level, arrays)),
            false => Watched::Kept(Kept::of(level, arrays)),
        };
        Distances {
            shift: levels.first().map_or(0, |first| first.shift),
            arrays: arrays.to_vec(),
            levels: levels.iter().map(watched).collect(),
            certain: 0,
            all_known: true,
            all_taken: true,
            done: Done::default(),
        }
    }

    /// Takes note of accesses; whether all that should be certain is.
    pub(super) fn see(&mut self, accesses: &[Request]) -> bool {
        accesses.iter().all(|access| self.access(access.address() >> self.shift, access.is(Request::DATA)))
    }

    fn access(&mut self, line: u64, stores: bool) -> bool {
        let Some(Watched::Ranked(first)) = self.levels.first() else { return false };
        let Some(group) = first.stacks.group_of(line) else { return false };
        let mut left = [None; MOST];
        let asked = self.asked();
        for (level, left) in left.iter_mut().enumerate().take(asked) {
            let ranked = match &mut self.levels[level] {
                Watched::Kept(kept) => match kept.fetch(line) {
                    true => break,
                    false => continue,
                },
                Watched::Ranked(ranked) => ranked,
            };
            let Fetched { presence, before, left: leaves } = ranked.fetch(group, line, stores && level == 0);
            *left = leaves;
            if let Some(entry) = before {
                self.write_back(Owed { level, group, entry });
            }
            match presence {
                Presence::There => break,
                Presence::Unknown if level < self.certain => return false,
                _ => {}
            }
        }
        for (level, left) in left.into_iter().enumerate() {
            left.into_iter().for_each(|entry| self.write_back(Owed { level, group, entry }));
        }
        (0..asked).for_each(|level| self.look_at_pending(level));
        if let Some(Watched::Ranked(ranked)) = self.levels.get(self.certain) {
            self.certain += usize::from(ranked.is_full(false));
            self.all_taken = true;
        }
        self.all_taken
    }

    /// How many levels are asked.
    fn asked(&self) -> usize {
        self.certain + usize::from(matches!(self.levels.get(self.certain), Some(Watched::Ranked(_))))
    }

    /// The line is certainly gone from its level.
    fn write_back(&mut self, Owed { level, group, entry }: Owed) {
        if level >= self.certain {
            return;
        }
        self.all_known &= entry.data == Data::Dirty;
        self.done.write_backs[level] += 1;
        for below in level + 1..self.asked() {
            match &mut self.levels[below] {
                Watched::Kept(kept) => return kept.take(entry.line),
                Watched::Ranked(_) if below - level <= usize::from(entry.lost) => {}
                Watched::Ranked(ranked) => {
                    self.all_taken &= ranked.take(group, entry.line, entry.data);
                    return;
                }
            }
        }
        self.done.writes += 1;
    }

    /// Looks whether the line of a level that is pending longest is gone.
    fn look_at_pending(&mut self, level: usize) {
        let Watched::Ranked(ranked) = &mut self.levels[level] else { return };
        let Some((group, entry, presence)) = ranked.oldest() else { return };
        if presence == Presence::Gone {
            return self.write_back(Owed { level, group, entry });
        }
        let below = level + 1..self.asked();
        let (above, below) = self.levels[..below.end].split_at_mut(below.start.min(below.end));
        let lost = |below: &mut Watched| match below {
            Watched::Ranked(ranked) => ranked.stacks.presence(group, entry.line).0 == Presence::Gone,
            Watched::Kept(_) => false,
        };
        let lost = below.iter_mut().map(lost).take_while(|lost| *lost).count() as u8;
        if let Some(Watched::Ranked(ranked)) = above.last_mut() {
            ranked.entry(group, entry.line).into_iter().for_each(|entry| entry.lost_since = lost);
        }
    }

    /// A turn has ended, and these are the levels `now`: goes on to the next one if the last one
    /// asked is full; how many are certain then, of all.
    pub(super) fn end_turn(&mut self, now: &[Level]) -> [usize; 2] {
        if let Some(Watched::Ranked(ranked)) = self.levels.get(self.certain) {
            self.certain += usize::from(ranked.is_full(true));
        }
        while let Some(Watched::Kept(kept)) = self.levels.get_mut(self.certain) {
            *kept = Kept::of(&now[self.certain], &self.arrays);
            self.certain += 1;
        }
        [self.certain, self.levels.len()]
    }

    /// Begins a period.
    pub(super) fn begin(&mut self) -> State {
        let state = self.state();
        (self.all_known, self.all_taken) = (true, true);
        self.done = Done::default();
        for level in &mut self.levels {
            match level {
                Watched::Ranked(ranked) => ranked.misses = 0,
                Watched::Kept(kept) => kept.begin(),
            }
        }
        state
    }

    /// What is pending once all lines that are certainly gone are written back.
    pub(super) fn state(&mut self) -> State {
        let mut owed = Vec::new();
        for level in 0..self.levels.len() {
            let Watched::Ranked(ranked) = &mut self.levels[level] else { continue };
            let [gone, others] = ranked.sweep();
            gone.into_iter().for_each(|(group, entry)| self.write_back(Owed { level, group, entry }));
            owed.extend(others.into_iter().map(|(group, entry)| Owed { level, group, entry }));
        }
        let asked = |level: &Watched| match level {
            Watched::Ranked(ranked) => ranked.stacks.now,
            Watched::Kept(_) => 0,
        };
        State { owed, asked: self.levels.iter().map(asked).collect() }
    }

    /// What was done between these states, if so many more periods of so many turns do it again.
    pub(super) fn recurring(&self, [before, now]: [&State; 2], [turns, times]: [usize; 2]) -> Option<Done> {
        let by = |line: u64| self.by(line, turns);
        let sorted = |state: &State, by: &dyn Fn(u64) -> u64, asked: &dyn Fn(usize) -> u64| {
            let all = state.owed.iter().map(|&Owed { level, group, entry }| {
                let Entry { line, at, data, .. } = entry;
                (level, group, line + by(line), at + asked(level), data == Data::Dirty)
            });
            let mut all: Vec<_> = all.collect();
            all.sort_unstable();
            all
        };
        let later = sorted(before, &by, &|level| now.asked[level] - before.asked[level]);
        let pending_recurs = later == sorted(now, &|_| 0, &|_| 0);
        let mut kept = self.levels.iter().filter_map(|level| match level {
            Watched::Kept(kept) => Some(kept),
            Watched::Ranked(_) => None,
        });
        let recurs = self.all_known && pending_recurs && kept.all(|kept| kept.recurs(by, times as u64));
        recurs.then_some(self.done)
    }

    /// What the levels hold after so many more periods of so many turns; what is still written
    /// back until `now`, whose levels these are, and until then.
    pub(super) fn after(
        &self,
        now: &[Level],
        [turns, times]: [usize; 2],
    ) -> Option<(Vec<Contents>, [Done; 2])> {
        let settled = self.settle(|level, _, line| now[level].has_all([line << self.shift].into_iter()))?;
        debug_assert!(self.agrees_with(now, &settled));
        let sets = |level: &Watched| match level {
            Watched::Ranked(ranked) => ranked.after(turns * times),
            Watched::Kept(_) => Some(Vec::new()),
        };
        let sets: Vec<Vec<Vec<(usize, Entry)>>> = self.levels.iter().map(sets).collect::<Option<_>>()?;
        let later = self.settle(|level, group, line| match &self.levels[level] {
            Watched::Kept(_) => true,
            Watched::Ranked(ranked) => {
                let set = (line + ranked.stacks.advance(group, turns * times)) % ranked.stacks.sets;
                sets[level][set as usize].iter().any(|(_, entry)| entry.line == line)
            }
        })?;
        let held = (self.levels.iter().zip(sets)).enumerate().map(|(level, (watched, sets))| match watched {
            Watched::Ranked(ranked) => {
                let tag = |(group, entry): (usize, Entry)| {
                    let by = ranked.stacks.advance(group, turns * times);
                    let dirty = match entry.data {
                        _ if later.dirty[level].contains(entry.line) => DIRTY,
                        Data::Dirty => DIRTY,
                        Data::Clean => 0,
                        // It stays where it is.
                        Data::Unknown if by == 0 => tag(&now[level], entry.line)? & DIRTY,
                        Data::Unknown => return None,
                    };
                    Some(tag_of(entry.line + by) | dirty)
                };
                let set = |set: Vec<(usize, Entry)>| set.into_iter().map(tag).collect::<Option<Vec<Tag>>>();
                Some(Contents::Sets(sets.into_iter().map(set).collect::<Option<_>>()?))
            }
            Watched::Kept(kept) => {
                let by = |line: u64, turns: usize| self.by(line, turns);
                let dirty = later.dirty[level].iter().map(|line| line + by(line, turns * times));
                Some(Contents::Lines(kept.after(&now[level], |line| by(line, turns), times as u64, dirty)))
            }
        });
        Some((held.collect::<Option<_>>()?, [settled.done, later.done]))
    }

    /// By how many lines that one advances in so many turns.
    fn by(&self, line: u64, turns: usize) -> u64 {
        let owner = self.arrays.iter().find(|array| array.is_in(line, self.shift));
        owner.map_or(0, |array| (array.stride * turns as u64) >> self.shift)
    }

    /// How many lines of each level were not there in the period at hand, of those that it was
    /// asked for; unknown where nothing is evicted.
    pub(super) fn misses(&self) -> impl Iterator<Item = Option<u64>> {
        self.levels.iter().map(|level| match level {
            Watched::Ranked(ranked) => Some(ranked.misses),
            Watched::Kept(_) => None,
        })
    }

    /// Whether the lines of these levels are dirty that should be.
    fn agrees_with(&self, now: &[Level], settled: &Settled) -> bool {
        self.levels.iter().zip(now).zip(&settled.dirty).all(|((watched, now), dirty)| {
            let Watched::Ranked(ranked) = watched else { return true };
            let mut groups = ranked.stacks.groups.iter();
            groups.all(|group| {
                group.stacks.iter().flatten().filter(|entry| entry.data != Data::Unknown).all(|entry| {
                    let should = entry.data == Data::Dirty || dirty.contains(entry.line);
                    tag(now, entry.line).is_none_or(|tag| (tag & DIRTY != 0) == should)
                })
            })
        })
    }

    /// Writes back what is pending and not held; `None` if it is not certain where to.
    fn settle(&self, holds: impl Fn(usize, usize, u64) -> bool) -> Option<Settled> {
        let levels = self.levels.len();
        let mut settled = Settled { done: Done::default(), dirty: vec![LineSet::default(); levels] };
        for (level, watched) in self.levels.iter().enumerate() {
            let Watched::Ranked(ranked) = watched else { continue };
            for (group, entry) in ranked.dirty() {
                if holds(level, group, entry.line) {
                    continue;
                }
                let to = (level + 1..levels).find(|below| holds(*below, group, entry.line));
                let passed = to.unwrap_or(levels) - level - 1;
                if entry.data == Data::Unknown || passed > usize::from(entry.lost) {
                    return None;
                }
                settled.done.write_backs[level] += 1;
                match to {
                    Some(to) => _ = settled.dirty[to].insert(entry.line),
                    None => settled.done.writes += 1,
                }
            }
        }
        Some(settled)
    }
}

/// The tag of the line, if the level has it.
fn tag(level: &Level, line: u64) -> Option<Tag> {
    let way = level.lines.find(level.set(line), tag_of(line))?;
    level.lines.content(level.set(line)).get(way).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Modelled;
    use machine::Machine;
    use memory::Arena;

    /// Line 0 is stored to, and those lines follow; whether it is certain then where its data
    /// went behind two levels of such sets and ways: to the second one, and to memory.
    fn stored_before(lines: &[u64], levels: [(u64, u64); 2]) -> Option<[bool; 2]> {
        let level = |level: usize| {
            let (sets, ways) = levels[level - 1];
            let size = 64 * sets * ways;
            format!("[[cache]]\nlevel = {level}\nsize = {size}\nline = 64\nways = {ways}\n")
        };
        let text = format!("name = \"test\"\n{}{}", level(1), level(2));
        let machine = Machine::from_toml(&text, "test").unwrap();
        let arena = Arena::with_capacity(1 << 13).unwrap();
        arena.array::<u8>("x", 1 << 13).unwrap();
        let model = Modelled::new(&machine, &arena).unwrap();
        let array = |stride, from| Moving { stride, lowest: from, from, to: from + 4095 };
        let mut distances = Distances::new(&model.filter.hierarchy.levels, &[array(0, 0), array(64, 4096)]);
        for certain in 0..2 {
            distances.certain = certain;
            assert!((16..48).chain(64..80).all(|line| distances.access(line, false)));
        }
        distances.certain = 2;
        distances.done = Done::default();
        assert!(distances.access(0, true));
        let certain = lines.iter().all(|line| distances.access(*line, false));
        let Watched::Ranked(second) = &mut distances.levels[1] else { panic!("nothing is evicted") };
        let dirty = second.entry(0, 0).is_some_and(|line| line.data == Data::Dirty);
        certain.then_some([dirty, distances.done.writes > 0])
    }

    #[test]
    fn data_go_to_the_next_level_that_has_the_line_all_the_time() {
        let others = [80, 81, 82, 83];
        assert_eq!(stored_before(&others, [(1, 4), (2, 8)]), Some([true, false]));
        // The second level has lost it by then, but when?
        assert_eq!(stored_before(&others, [(1, 4), (2, 2)]), None);
        // Before its last use
        let used = [80, 0, 81, 0, 82, 0, 83, 0, 84, 0, 85, 86, 87, 88];
        assert_eq!(stored_before(&used, [(1, 4), (2, 2)]), Some([false, true]));
        assert_eq!(stored_before(&used[..10], [(1, 4), (2, 2)]), Some([false, false]));
        // Behind its last use, at some time
        let lost = [81, 83, 85, 87, 89, 91, 93, 95, 97, 96, 98, 100, 102];
        assert_eq!(stored_before(&lost, [(2, 4), (1, 8)]), None);
    }
}

//! A run is simulated while journals are kept, and what they tell is written down.

use super::kept::Kept;
use super::owned::Owned;
use super::{AtLevel, Memo, NOBODY};
use crate::Modelled;
use crate::hierarchy::Hierarchy;
use crate::level::Level;
use crate::mru_filter::MruFilter;
use crate::stride_runs::{Stream, StrideRun, simulate};
use crate::tag::{Tag, line_of};

impl Memo {
    /// Simulates the current run, and keeps what it does.
    pub(super) fn learn(model: &mut Modelled) -> Option<Memo> {
        let before = model.filter.hierarchy.counts();
        model.filter.hierarchy.start_journal();
        simulate(model);
        model.report_all();
        let counts = model.filter.hierarchy.counted_since(before);
        let memo = Memo::of(&model.runs.current, &model.filter, counts);
        model.filter.hierarchy.stop_journal();
        memo
    }

    /// What the journals tell of a run.
    fn of(run: &StrideRun, filter: &MruFilter, counts: Vec<u64>) -> Option<Memo> {
        let hierarchy = &filter.hierarchy;
        let blocks = Blocks::of(run, filter);
        let mut meet = Vec::new();
        let levels = hierarchy.levels.iter().map(|level| {
            let owners = blocks.owners(level);
            let owner_of = |tag: Tag| match tag {
                0 => NOBODY,
                tag => hierarchy.addresses.array(line_of(tag) << level.shift),
            };
            let mut at = AtLevel::default();
            let kept = Kept::of(run, filter, level);
            for (set, tags, tree) in level.lines.journal.saved(level.lines.ways) {
                if kept.has(set) {
                    continue;
                }
                let from = owners.partition_point(|(of, _)| *of < set);
                let mut here = owners[from..].iter().take_while(|(of, _)| *of == set);
                let owner = here.next()?.1;
                meet.extend(here.map(|(_, other)| (level.span() as i64, owner, *other)));
                at.before.push((set, owner, tree), tags, owner_of);
                let (now, tree_now) = level.lines.in_set(set);
                if *now != *tags || tree_now != tree {
                    at.after.push((set, owner, tree_now), &now, owner_of);
                }
            }
            let mut lines: Vec<(u64, u8)> = blocks.at(level).filter(|_| level.promotes()).collect();
            lines.dedup();
            for (line, owner) in lines {
                let [before, after] = level.promoted(line);
                at.promoted[usize::from(before)][usize::from(after)].push(line, owner);
            }
            at.promoted.as_flattened_mut().iter_mut().for_each(Owned::shrink);
            at.before.shrink();
            at.after.shrink();
            at.kept = kept.streams;
            Some(at)
        });
        let levels = levels.collect::<Option<Vec<_>>>()?;
        meet.sort_unstable();
        meet.dedup();
        let run = StrideRun { lead_in: run.lead_in.clone(), streams: run.streams.clone(), steps: run.steps };
        let array = |pointer| hierarchy.addresses.array(filter.offset(pointer));
        let owner = |(at, one): (usize, &Stream)| {
            let mut last = *one;
            last.advance(if at < run.lead_in.len() { 0 } else { run.steps - 1 });
            let owner = array(one.pointer);
            (owner == array(last.pointer)).then_some(owner)
        };
        let owners = run.accesses().enumerate().map(owner).collect::<Option<_>>()?;
        Some(Memo { run, owners, room: blocks.room(hierarchy), meet, levels, counts })
    }
}

/// All lines that a run may have to do with: those that it accesses, and the former
/// ones of the sets that it came to, which may have left them.
struct Blocks {
    numbers: Vec<u64>,
    shift: u32,
    owner: Vec<u8>,
}

impl Blocks {
    fn of(run: &StrideRun, filter: &MruFilter) -> Blocks {
        let hierarchy = &filter.hierarchy;
        let shift = hierarchy.levels.iter().map(|level| level.shift).min().unwrap_or(0);
        let mut numbers = Vec::new();
        for (at, one) in run.accesses().enumerate() {
            let mut stream = *one;
            for _ in 0..if at < run.lead_in.len() { 1 } else { run.steps } {
                numbers.push(filter.offset(stream.pointer) >> shift);
                stream.advance(1);
            }
            numbers.dedup();
        }
        for level in &hierarchy.levels {
            let longer = level.shift - shift;
            for (_, tags, _) in level.lines.journal.saved(level.lines.ways) {
                let held = tags.iter().filter(|tag| **tag != 0);
                numbers.extend(held.flat_map(|tag| line_of(*tag) << longer..(line_of(*tag) + 1) << longer));
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        let owner = numbers.iter().map(|number| hierarchy.addresses.array(number << shift)).collect();
        Blocks { numbers, shift, owner }
    }

    /// The same as lines of `level`, each with its array.
    fn at(&self, level: &Level) -> impl Iterator<Item = (u64, u8)> {
        let line = move |number: &u64| number << self.shift >> level.shift;
        self.numbers.iter().map(line).zip(self.owner.iter().copied())
    }

    /// The sets of `level` that were come to, each with the arrays of these lines.
    fn owners(&self, level: &Level) -> Vec<(usize, u8)> {
        let all = self.at(level).map(|(line, owner)| (level.set(line), owner));
        let mut owners: Vec<_> = all.filter(|(set, _)| !level.lines.journal.lacks(*set)).collect();
        owners.sort_unstable();
        owners.dedup();
        owners
    }

    /// How far down and up each array may move before one of its lines leaves it.
    fn room(&self, hierarchy: &Hierarchy) -> Vec<(u8, [i64; 2])> {
        let mut room: Vec<(u8, [i64; 2])> = Vec::new();
        for (number, &owner) in self.numbers.iter().zip(&self.owner) {
            let bytes = hierarchy.addresses.bytes(owner);
            let [from, to] = [number << self.shift, (number + 1) << self.shift].map(|at| at as i64);
            let [down, up] = [from.saturating_sub(bytes.start), bytes.end.saturating_sub(to)];
            match room.iter_mut().find(|(of, _)| *of == owner) {
                Some((_, least)) => *least = [least[0].min(down), least[1].min(up)],
                None => room.push((owner, [down, up])),
            }
        }
        room
    }
}

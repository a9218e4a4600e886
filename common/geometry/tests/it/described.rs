//! Machines as they are described: what a timed sweep, counted sweeps and the experiments say of them.

use std::collections::BTreeMap;

use cache::Modelled;
use figures::value::Source;
use geometry::{Answer, Confidence, Exploration, explore};
use machine::{CacheLevel, Machine};
use memory::{Arena, Memory};
use records::saved::{Saved, SavedCell};

use crate::machines::{all, machine, named};
use crate::model::OnModel;

/// The sweep of a machine; misses are those of `level`, and without one there are times alone.
struct Sweep<'a> {
    machine: &'a Machine,
    level: Option<u8>,
    saved: Saved,
}

impl Sweep<'_> {
    fn over(machine: &Machine, level: Option<u8>, (from, to): (u64, u64)) -> Sweep<'_> {
        let event = level.map(|level| format!("PAPI_L{level}_DCM"));
        let saved = Saved { event, source: Some(Source::Model), ..Saved::default() };
        let mut sweep = Sweep { machine, level, saved };
        for size in (0..40).map(|power| 1 << power).filter(|size| (from..=to).contains(size)) {
            let strides = (0..40).map(|power| 1 << power).filter(|stride| (4..=size / 2).contains(stride));
            strides.for_each(|stride| sweep.add(size, stride));
        }
        sweep
    }

    fn add(&mut self, size: u64, stride: u64) {
        let arena = Arena::with_capacity(size.next_multiple_of(4096) as usize).unwrap();
        let array = arena.array::<u32>("walked", size as usize / 4).unwrap();
        let mut model = Modelled::new(self.machine, &arena).unwrap();
        for pass in 0..6 {
            // the first four fill the caches
            if pass == 4 {
                model.reset_counts();
            }
            for at in (0..size / 4).step_by(stride as usize / 4) {
                model.load(array.at(at as usize));
            }
        }
        let counts = model.counts();
        let accesses = counts.loads as f64;
        let misses = self.level.map(|level| counts.level(level).unwrap().misses.total() as f64 / accesses);
        let nanos =
            Some(counts.time(self.machine).unwrap().average_load.nanos()).filter(|_| misses.is_none());
        self.saved.cells.push(SavedCell { size, stride, misses, nanos });
    }

    /// The answer, after the cells that decide.
    fn decided(mut self) -> Answer {
        loop {
            let answer = geometry::read(&self.saved);
            match &answer.verdict {
                Ok(found) if !found.decide.is_empty() => {
                    found.decide.iter().for_each(|&(size, stride)| self.add(size, stride));
                }
                _ => return answer,
            }
        }
    }
}

/// What became of a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Right(Confidence),
    Interval,
    Refused,
    Wrong(Confidence),
}

fn judge(what: &str, level: &CacheLevel, answer: &Answer) -> Outcome {
    let Ok(found) = &answer.verdict else { return Outcome::Refused };
    let ways = found.ways.as_ref().map_or((0, u64::MAX), |ways| *ways);
    let holds = (found.size..=found.most).contains(&level.size)
        && found.line == Ok(level.line)
        && (ways.0..=ways.1).contains(&(level.ways as u64));
    let is_exact = found.size == found.most && found.exact_ways().is_some();
    match (holds, is_exact) {
        (true, true) => Outcome::Right(found.confidence),
        (true, false) => Outcome::Interval,
        (false, _) => {
            println!("{what}: {level:?}: {}, {:?}, {:?}", found.size_text(), found.line, found.ways);
            Outcome::Wrong(found.confidence)
        }
    }
}

/// What the experiments say of each level; a level that is not there is wrong.
pub(crate) fn judge_levels(machine: &Machine, found: &Exploration) -> Vec<Outcome> {
    let judged = |(at, found): (usize, &geometry::LevelFound)| {
        let holds = machine.levels.get(at).is_some_and(|level| {
            (found.range.0..=found.range.1).contains(&level.size.0)
                && found.ways.as_ref().map_or(true, |ways| *ways == level.ways as u64)
                && found.line.is_none_or(|line| line == level.line.0)
                // one verdict: no line without its reason, and none of another level
                && (found.line.is_none() || found.level == 1)
                && !found.why.line.is_empty()
        });
        match (holds, found.ways.is_ok()) {
            (true, true) => Outcome::Right(found.confidence),
            (true, false) => Outcome::Interval,
            (false, _) => {
                println!(
                    "{}: L{}: {} {:?} {:?}",
                    machine.name,
                    at + 1,
                    found.size_text(),
                    found.ways,
                    found.line
                );
                Outcome::Wrong(found.confidence)
            }
        }
    };
    let mut outcomes: Vec<Outcome> = found.levels.iter().enumerate().map(judged).collect();
    outcomes.resize(outcomes.len().max(machine.levels.len()), Outcome::Refused);
    outcomes
}

#[test]
fn no_reading_of_a_described_machine_is_wrong() {
    let mut tally: BTreeMap<(String, Outcome), usize> = BTreeMap::new();
    let mut add = |reading: &str, outcome| *tally.entry((reading.to_owned(), outcome)).or_default() += 1;
    for machine in all() {
        let first = &machine.levels[0];
        let range = (1024.max(first.size.0 / 8), (8 * first.size.0).next_power_of_two());
        if first.replacement != machine::Replacement::Random {
            let timed = Sweep::over(&machine, None, range);
            add("spark, L1", judge(&machine.name, first, &geometry::read(&timed.saved)));
            add("cm1, L1", judge(&machine.name, first, &Sweep::over(&machine, Some(1), range).decided()));
        }
        let arena = OnModel::arena(&machine);
        let found = explore(&mut OnModel::new(&machine, &arena), 3).unwrap();
        // a third level within a factor of 4 of the second, behind scattered pages: no plateau of the cost shows it
        if found.levels.len() == 2 && machine.levels.len() == 3 {
            let said = found.levels[1].why.size.iter().any(|why| why.contains("another level may end in it"));
            let memory = machine.memory_latency.unwrap().nanos();
            let reached = found.beyond.is_some_and(|beyond| beyond.cost > memory / 2.0);
            assert!(said || !reached, "{:?}", found.levels[1]);
        }
        for (level, outcome) in (1..).zip(judge_levels(&machine, &found)) {
            add(&format!("experiments, L{level}"), outcome);
        }
    }
    tally.iter().for_each(|((reading, outcome), count)| println!("{reading}: {outcome:?} {count}"));
    let count = |of: &str, keep: fn(Outcome) -> bool| -> usize {
        tally.iter().filter(|((reading, outcome), _)| reading == of && keep(*outcome)).map(|one| one.1).sum()
    };
    for reading in ["spark, L1", "cm1, L1", "experiments, L1", "experiments, L2", "experiments, L3"] {
        assert_eq!(count(reading, |outcome| matches!(outcome, Outcome::Wrong(_))), 0, "{reading}");
    }
    assert!(count("cm1, L1", |outcome| outcome == Outcome::Right(Confidence::High)) >= 37);
    assert!(count("experiments, L1", |outcome| matches!(outcome, Outcome::Right(_))) >= 39);
    assert!(count("experiments, L2", |outcome| outcome == Outcome::Interval) >= 34);
}

/// At large strides the translations of few pages conflict, and their lines need not.
#[test]
fn a_tlb_of_few_ways_is_not_taken_for_the_ways_of_the_first_level() {
    for tlb in ["32/2", "64/4", "96/6", "16/4", "256/4"] {
        let machine = machine(&format!("m\tidentity\t32/64/8/4 1024/64/8/14\t80\t{tlb}"));
        let answer = geometry::read(&Sweep::over(&machine, None, (4 << 10, 4 << 20)).saved);
        assert_eq!(
            judge("spark", &machine.levels[0], &answer),
            Outcome::Interval,
            "{tlb}: {:?}",
            answer.verdict
        );
        assert!(answer.why.iter().any(|why| why.text.contains("the TLB may miss")), "{:?}", answer.why);
    }
}

/// An L2 of 512 KiB behind scattered pages: each sweep leaves it open, and no headline contradicts its argument.
#[test]
fn a_second_level_behind_scattered_pages_stays_inside_its_argument() {
    let machine = named("pi5");
    let sweep = || Sweep::over(&machine, Some(2), (8 << 10, 2 << 20));
    for answer in [geometry::read(&sweep().saved), sweep().decided()] {
        assert_eq!(judge("cm1", &machine.levels[1], &answer), Outcome::Interval, "{:?}", answer.verdict);
        let found = answer.verdict.unwrap();
        let argued = format!("So the cache has {} or more, but less than {}.", found.size, found.below);
        assert!(answer.why.iter().any(|why| why.text.ends_with(&argued)), "{argued} {:?}", answer.why);
    }
}

//! Random machines with TLBs of few ways, other replacements and scattered pages: what a timed sweep, counted sweeps
//! and the experiments say of them.

use std::collections::BTreeMap;

use cache::Modelled;
use discover::{Confidence, OnModel, explore_repeatedly};
use figures::random::Random;
use figures::units::Bytes;
use figures::value::Source;
use infer::Answer;
use machine::{CacheLevel, Machine};
use memory::{Arena, Memory};
use records::saved::{Saved, SavedCell};

/// Passes before those that are counted, and those.
const WARM: usize = 4;
const COUNTED: usize = 2;

fn one_of<T: Copy>(random: &mut Random, choice: &[T]) -> T {
    choice[random.below(choice.len())]
}

/// A machine of one to three levels.
fn described(seed: u64) -> Machine {
    let random = &mut Random::new(seed);
    let line = one_of(random, &[64, 64, 64, 64, 32, 128]);
    let mut text = format!(
        "name = \"random {seed}\"\nclock = \"2.5 GHz\"\n[memory]\nlatency = \"{} ns\"\n[pages]\nsize = \"4K\"\n{}\n",
        one_of(random, &[70, 90, 120, 150]),
        one_of(
            random,
            &["mapping = \"identity\"", "mapping = \"identity\"", "mapping = \"random\"\nseed = 7"]
        ),
    );
    let mut size = one_of(random, &[8_u64, 12, 16, 24, 32, 32, 48, 64, 96]);
    let mut latency = one_of(random, &[2, 3, 4, 5]);
    for level in 1..=one_of(random, &[1, 2, 2, 3, 3]) {
        let odd = size >> size.trailing_zeros();
        let ways = odd * one_of(random, if level == 1 { &[2, 4, 8] } else { &[4, 8, 16] });
        let policy = one_of(random, &["lru", "lru", "fifo", if odd == 1 { "plru" } else { "lru" }]);
        text += &format!(
            "[[cache]]\nlevel = {level}\nsize = \"{size}K\"\nline = {line}\nways = {ways}\nlatency = \"{latency} cycles\"\n\
             replacement = \"{policy}\"\n"
        );
        size = (size * one_of(random, &[8, 16, 32])).min(2048 * one_of(random, &[1, 1, 3]));
        if level == 2 {
            size = text_size(&text) * one_of(random, &[3, 4, 8]);
        }
        latency *= one_of(random, &[3, 4]);
    }
    if random.below(4) > 0 {
        let ways = one_of(random, &[2, 4, 6, 8]);
        let entries = ways * one_of(random, &[4, 8, 16, 32]);
        let penalty = one_of(random, &[2, 5, 9]);
        text += &format!(
            "[[tlb]]\nlevel = 1\nentries = {entries}\nways = {ways}\npenalty = \"{penalty} cycles\"\n"
        );
        text += "[[tlb]]\nlevel = 2\nentries = 1024\nways = 4\npenalty = \"20 cycles\"\n";
    }
    Machine::from_toml(&text, "readings").unwrap()
}

/// KiB of the last level of a description.
fn text_size(text: &str) -> u64 {
    let last = text.rsplit("size = \"").next().and_then(|rest| rest.split('K').next());
    last.and_then(|kib| kib.parse().ok()).unwrap()
}

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
        for pass in 0..WARM + COUNTED {
            if pass == WARM {
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
    fn decided(mut self, above: Option<infer::Sets>) -> Answer {
        for _ in 0..20 {
            let answer = infer::read_behind(&self.saved, above);
            let cells = answer.verdict.as_ref().map_or(&[][..], |found| &found.decide);
            if cells.is_empty() {
                return answer;
            }
            cells.iter().for_each(|&(size, stride)| self.add(size, stride));
        }
        infer::read_behind(&self.saved, above)
    }
}

/// What became of a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Right(Confidence),
    Interval,
    Refused,
    Wrong(Confidence),
}

fn judge(what: &str, level: &CacheLevel, answer: &Answer) -> Outcome {
    let Ok(found) = &answer.verdict else { return Outcome::Refused };
    let ways = found.ways.as_ref().map_or((0, u64::MAX), |ways| *ways);
    let holds = (found.size..=found.most).contains(&level.size)
        && found.line == level.line
        && (ways.0..=ways.1).contains(&(level.ways as u64));
    let is_exact = found.size == found.most && found.exact_ways().is_some();
    match (holds, is_exact) {
        (true, true) => Outcome::Right(found.confidence),
        (true, false) => Outcome::Interval,
        (false, _) => {
            println!("{what}: {level:?}: {}, {}, {:?}", found.size_text(), found.line, found.ways);
            Outcome::Wrong(found.confidence)
        }
    }
}

/// What the experiments say of each level; a level more is wrong, and one less is refused if the argument of the level
/// above it says that there may be one.
fn experiments(machine: &Machine) -> Vec<Outcome> {
    let arena = OnModel::arena(machine).unwrap();
    let found = explore_repeatedly(&mut OnModel::new(machine, &arena).unwrap(), 3).unwrap();
    let judged = |(at, level): (usize, &CacheLevel)| {
        let Some(found) = found.levels.get(at) else { return Outcome::Refused };
        let ways = found.ways.as_ref().is_ok_and(|ways| *ways != level.ways as u64);
        let holds = (found.range.0..=found.range.1).contains(&level.size.0) && !ways;
        match (holds && found.line.is_none_or(|line| line == level.line.0), found.ways.is_ok()) {
            (true, true) => Outcome::Right(found.confidence),
            (true, false) => Outcome::Interval,
            (false, _) => {
                println!(
                    "{}: {level:?}: {}, {:?} ways, {:?}",
                    machine.name,
                    found.size_text(),
                    found.ways,
                    found.line
                );
                Outcome::Wrong(found.confidence)
            }
        }
    };
    let mut outcomes: Vec<Outcome> = machine.levels.iter().enumerate().map(judged).collect();
    outcomes.extend(found.levels.iter().skip(machine.levels.len()).map(|more| {
        println!("{}: a level that is not there: {}", machine.name, more.size_text());
        Outcome::Wrong(more.confidence)
    }));
    outcomes
}

#[test]
fn no_reading_of_a_random_machine_is_wrong_and_sure() {
    let count = std::env::var("MACHINES").ok().and_then(|count| count.parse().ok()).unwrap_or(8);
    let mut tally: BTreeMap<(&str, Outcome), usize> = BTreeMap::new();
    for seed in 0..count {
        let machine = described(seed);
        let mut add = |reading, outcome| *tally.entry((reading, outcome)).or_default() += 1;
        let first = &machine.levels[0];
        let range = (1024.max(first.size.0 / 8), (8 * first.size.0).next_power_of_two());
        let name = |reading: &str| format!("{}, {reading}", machine.name);
        let timed = Sweep::over(&machine, None, range);
        add("spark, L1", judge(&name("spark"), first, &infer::read(&timed.saved)));
        let l1 = Sweep::over(&machine, Some(1), range).decided(None);
        add("cm1, L1", judge(&name("cm1"), first, &l1));
        let above = l1.verdict.as_ref().ok().and_then(infer::Sets::of);
        if let Some(second) = machine.levels.get(1).filter(|second| second.size <= Bytes::mib(2)) {
            let range = (first.size.0 / 2, (4 * second.size.0).next_power_of_two());
            let sweep = Sweep::over(&machine, Some(2), range);
            let doubling = infer::read_behind(&sweep.saved, above);
            add("cm1, L2 doubling", judge(&name("cm1 L2 doubling"), second, &doubling));
            add("cm1, L2", judge(&name("cm1 L2"), second, &sweep.decided(above)));
        }
        for (at, outcome) in experiments(&machine).into_iter().enumerate() {
            add(
                ["discover, L1", "discover, L2", "discover, L3"].get(at).unwrap_or(&"discover, more"),
                outcome,
            );
        }
    }
    tally.iter().for_each(|((reading, outcome), count)| println!("{reading}: {outcome:?} {count}"));
    let wrong =
        |sure| tally.iter().filter(|(of, _)| of.1 == Outcome::Wrong(sure)).map(|of| of.1).sum::<usize>();
    assert_eq!((wrong(Confidence::High), wrong(Confidence::Medium)), (0, 0), "wrong and sure");
}

/// A machine with one more level, or TLB.
fn with(text: &str, more: &str) -> Machine {
    let text = format!("name = \"m\"\nclock = \"2.4 GHz\"\n[memory]\nlatency = \"80 ns\"\n{text}{more}");
    Machine::from_toml(&text, "readings").unwrap()
}

fn cache(level: u8, kib: u64, ways: u64, cycles: u64) -> String {
    format!(
        "[[cache]]\nlevel = {level}\nsize = \"{kib}K\"\nline = 64\nways = {ways}\nlatency = \"{cycles} cycles\"\n"
    )
}

fn tlb(entries: u64, ways: u64, penalty: u64) -> String {
    format!("[[tlb]]\nlevel = 1\nentries = {entries}\nways = {ways}\npenalty = \"{penalty} cycles\"\n")
}

/// At large strides the translations of few pages conflict, and their lines need not.
#[test]
fn a_tlb_of_few_ways_is_not_taken_for_the_ways_of_the_first_level() {
    let pages = "[pages]\nsize = \"4K\"\nmapping = \"identity\"\n";
    for (entries, tlb_ways, penalty) in [(32, 2, 9), (64, 4, 9), (96, 6, 7), (16, 4, 2), (256, 4, 9)] {
        let text = format!("{pages}{}{}", cache(1, 32, 8, 4), cache(2, 1024, 8, 14));
        let machine = with(&text, &tlb(entries, tlb_ways, penalty));
        let answer = infer::read(&Sweep::over(&machine, None, (4 << 10, 4 << 20)).saved);
        let outcome = judge("spark", &machine.levels[0], &answer);
        assert_eq!(outcome, Outcome::Interval, "{entries} x {tlb_ways}: {:?}", answer.verdict);
        if entries / tlb_ways < 24 && penalty > 5 {
            assert!(
                answer.why.iter().any(|why| why.text.contains("the TLB may miss")),
                "{entries} x {tlb_ways}"
            );
        }
    }
}

/// An L2 of 512 KiB behind scattered pages: each sweep leaves it open, and no headline contradicts its argument.
#[test]
fn a_second_level_behind_scattered_pages_stays_inside_its_argument() {
    let pages = "[pages]\nsize = \"4K\"\nmapping = \"random\"\nseed = 7\n";
    let text = format!("{pages}{}{}", cache(1, 64, 4, 4), cache(2, 512, 8, 11));
    let machine = with(&text, &cache(3, 2048, 16, 32));
    let first = Sweep::over(&machine, Some(1), (8 << 10, 512 << 10)).decided(None);
    let above = first.verdict.as_ref().ok().and_then(infer::Sets::of);
    assert!(above.is_some());
    for above in [None, above] {
        let sweep = Sweep::over(&machine, Some(2), (8 << 10, 2 << 20));
        let doubling = infer::read_behind(&sweep.saved, above);
        for answer in [doubling, sweep.decided(above)] {
            let outcome = judge("cm1", &machine.levels[1], &answer);
            assert_eq!(outcome, Outcome::Interval, "{:?}", answer.verdict);
            let found = answer.verdict.unwrap();
            let argued = format!(
                "So the cache has {} or more, but less than {}.",
                found.size,
                Bytes(found.most.0 + 1)
            );
            assert!(answer.why.iter().any(|why| why.text.ends_with(&argued)), "{argued} {:?}", answer.why);
        }
    }
}

/// A third level within a factor of 4 of the second, behind scattered pages: no plateau of the cost shows it.
#[test]
fn a_level_that_soon_ends_is_found_as_an_interval() {
    let pages = "[pages]\nsize = \"4K\"\nmapping = \"random\"\nseed = 7\n";
    let cases = [
        (
            with(
                &format!("{pages}{}{}", cache(1, 32, 8, 3), cache(2, 1536, 12, 17)),
                &cache(3, 4096, 16, 40),
            ),
            9.6,
        ),
        (
            with(&format!("{pages}{}{}", cache(1, 64, 4, 4), cache(2, 512, 8, 11)), &cache(3, 2048, 16, 32)),
            8.75,
        ),
    ];
    for (machine, step) in cases {
        let arena = OnModel::arena(&machine).unwrap();
        let found = explore_repeatedly(&mut OnModel::new(&machine, &arena).unwrap(), 3).unwrap();
        let [_, second, third] = &found.levels[..] else { panic!("{:?}", found.levels) };
        for (level, found) in machine.levels[1..].iter().zip([second, third]) {
            assert!(
                (found.range.0..=found.range.1).contains(&level.size.0),
                "{level:?}: {}",
                found.size_text()
            );
            assert!(found.range.1 < 4 * found.range.0, "{}", found.size_text());
        }
        assert!(
            (0.7..1.4).contains(&(second.penalty / step)),
            "a miss costs {} ns, not {step}",
            second.penalty
        );
        assert!(third.latencies.0 <= second.latency + step && second.latency + step <= third.latencies.1);
    }
    // and none where there is none
    let machine = with(&format!("{pages}{}", cache(1, 64, 4, 4)), &cache(2, 512, 8, 11));
    let arena = OnModel::arena(&machine).unwrap();
    assert_eq!(explore_repeatedly(&mut OnModel::new(&machine, &arena).unwrap(), 3).unwrap().levels.len(), 2);
}

//! A test bench as hard as the world: the modelled machine, its latencies, TLBs
//! and pages as described, timed by an imperfect clock on a core that is not
//! alone. Every claim about confidence is made here, with seeds.

use std::collections::{BTreeMap, HashMap};

use super::*;
use crate::Confidence;
use figures::random::{Random, mix};
use figures::units::Bytes;
use machine::{Index, Machine, Mapping};
use memory::Arena;

/// A batch of accesses, as `latency` times them, and how many it takes.
const BATCH: f64 = 25e-6;
const BATCHES: f64 = 21.0;
/// Time for all experiments, in seconds of the simulated clock.
const BUDGET: f64 = 5.0;

/// What disturbs the measurements.
#[derive(Debug, Clone, Copy, Default)]
struct Condition {
    name: &'static str,
    /// Share of the time in which a neighbour takes ways of the private levels.
    neighbour: f64,
    /// Milliseconds of its shortest bursts; the longest are 16 times as long.
    burst: f64,
    /// Share of the time in which it takes those of the last level.
    shared: f64,
    /// Bytes of a page that lies anywhere, if they do.
    pages: Option<u64>,
    /// The clock's step as a share of a batch.
    step: f64,
    /// How far the core's clock wanders, and by how much it jumps.
    drift: f64,
    jump: f64,
    /// Share of the measurements that an interrupt reaches in every batch.
    interrupts: f64,
}

const QUIET: Condition = Condition {
    name: "quiet",
    neighbour: 0.0,
    burst: 2.0,
    shared: 0.0,
    pages: None,
    step: 0.0,
    drift: 0.0,
    jump: 0.0,
    interrupts: 0.0,
};

fn conditions() -> Vec<Condition> {
    vec![
        QUIET,
        Condition { name: "clock of 41 ns", step: 41e-9 / BATCH, ..QUIET },
        // batches grow to 200 steps of a coarse clock
        Condition { name: "clock of 100 us", step: 1.0 / 200.0, ..QUIET },
        Condition { name: "frequency drifts 5 %", drift: 0.05, ..QUIET },
        Condition { name: "frequency jumps 25 %", jump: 0.25, ..QUIET },
        Condition { name: "interrupts", interrupts: 0.05, ..QUIET },
        Condition { name: "SMT neighbour 10 %", neighbour: 0.1, ..QUIET },
        Condition { name: "SMT neighbour 40 %", neighbour: 0.4, ..QUIET },
        Condition { name: "SMT neighbour, long bursts", neighbour: 0.3, burst: 20.0, ..QUIET },
        Condition { name: "core on the last level", shared: 0.7, ..QUIET },
        Condition { name: "split or 4 KiB pages", pages: Some(4096), ..QUIET },
        Condition { name: "16 KiB pages", pages: Some(16384), ..QUIET },
        Condition {
            name: "all at once",
            neighbour: 0.15,
            burst: 5.0,
            shared: 0.5,
            pages: Some(4096),
            step: 41e-9 / BATCH,
            drift: 0.03,
            jump: 0.0,
            interrupts: 0.02,
        },
    ]
}

/// The machine disturbed.
struct Noisy<'a> {
    /// Alone; beside a neighbour on its private levels; beside one on the last.
    models: [OnModel<'a>; 3],
    known: HashMap<(usize, u64), f64>,
    condition: Condition,
    random: Random,
    seed: u64,
    now: f64,
}

impl Noisy<'_> {
    fn modelled(&mut self, which: usize, offsets: &[u64]) -> f64 {
        let key = offsets.iter().fold(offsets.len() as u64, |key, offset| mix(key ^ offset));
        if let Some(cost) = self.known.get(&(which, key)) {
            return *cost;
        }
        let cost = self.models[which].cost(offsets);
        self.known.insert((which, key), cost);
        cost
    }

    /// Whether a neighbour who is there for `share` of the time is so from `now`
    /// to `now + lasts`: bursts of one to 16 times the shortest, drawn from where the clock stands.
    fn beset(&self, share: f64, salt: u64, lasts: f64) -> bool {
        let burst = |slot: u64| (mix(mix(slot ^ salt) ^ self.seed) >> 11) as f64 / (1u64 << 53) as f64;
        let length = 1e-3 * self.condition.burst * (1 << (self.seed % 5)) as f64;
        let slots = (self.now / length) as u64..=((self.now + lasts) / length) as u64;
        slots.into_iter().all(|slot| burst(slot) < share)
    }

    fn frequency(&mut self) -> f64 {
        let Condition { drift, jump, .. } = self.condition;
        let slow = 1.0 + drift * (self.now * 2.0).sin();
        let low = mix((self.now / 0.3) as u64).is_multiple_of(2);
        slow * if low { 1.0 + jump } else { 1.0 }
    }
}

impl Probe for Noisy<'_> {
    fn cost(&mut self, offsets: &[u64]) -> f64 {
        let alone = self.modelled(0, offsets);
        let lasts = (BATCH * BATCHES).max(4.0 * offsets.len() as f64 * alone * 1e-9);
        let which = match self.condition {
            c if self.beset(c.neighbour, 1, lasts) => 1,
            c if self.beset(c.shared, 2, lasts) => 2,
            _ => 0,
        };
        let mut cost = self.modelled(which, offsets) * self.frequency();
        self.now += lasts;
        // the least of a score of batches is near the truth, and may be a step of the clock below
        cost *= 1.0 + 0.004 * self.random.unit() - self.condition.step * self.random.unit();
        if self.random.unit() < self.condition.interrupts {
            cost *= 1.05 + 0.5 * self.random.unit();
        }
        cost
    }

    fn reach(&self) -> u64 {
        self.models[0].reach()
    }

    fn contiguous(&self) -> u64 {
        self.condition.pages.unwrap_or(2 << 20)
    }

    fn real(&self) -> bool {
        true
    }

    fn finest(&self) -> u64 {
        4 << 20
    }

    fn noise(&self, level: usize) -> f64 {
        if level == 1 { 0.2 } else { 0.35 }
    }

    fn spent(&self) -> f64 {
        self.now / BUDGET
    }
}

/// A machine like those one meets: levels, latencies and TLBs of real ones.
fn realistic(random: &mut Random, largest: u64) -> Machine {
    let mut one_of = |choice: &[(u64, u64)]| choice[random.below(choice.len())];
    let (first, ways) =
        one_of(&[(32, 8), (48, 12), (32, 4), (64, 4), (64, 8), (24, 6), (16, 4), (128, 8), (32, 2)]);
    let (second, second_ways) =
        one_of(&[(256, 4), (256, 8), (512, 8), (512, 16), (1024, 16), (1280, 10), (2048, 16), (1024, 8)]);
    let second = second.clamp(4 * first, largest.max(4 * first)).next_multiple_of(second_ways);
    let (hit, behind) = one_of(&[(4, 14), (5, 16), (4, 12), (3, 14), (5, 15)]);
    let (line, _) = one_of(&[(64, 0), (64, 0), (64, 0), (128, 0), (32, 0)]);
    let (entries, penalty) = one_of(&[(64, 7), (96, 7), (48, 9), (128, 7)]);
    let text = format!(
        "name = \"m\"\nclock = \"4 GHz\"\n[memory]\nlatency = \"80 ns\"\n\
         [[cache]]\nlevel = 1\nsize = \"{first}K\"\nline = {line}\nways = {ways}\nlatency = \"{hit} cycles\"\n\
         [[cache]]\nlevel = 2\nsize = \"{second}K\"\nline = {line}\nways = {second_ways}\nlatency = \"{behind} cycles\"\n\
         [[tlb]]\nlevel = 1\nentries = {entries}\nways = \"full\"\npenalty = \"{penalty} cycles\"\n\
         [[tlb]]\nlevel = 2\nentries = 1536\nways = 12\npenalty = \"20 cycles\"\n"
    );
    Machine::from_toml(&text, "bench").unwrap()
}

/// The machine with `taken` of a quarter of its ways taken at the levels that `of` names.
fn beside(machine: &Machine, of: impl Fn(u8) -> bool) -> Machine {
    let mut less = machine.clone();
    for level in less.levels.iter_mut().filter(|l| of(l.level)) {
        let sets = level.sets() as u64;
        level.ways = (level.ways * 3 / 4).max(1);
        level.size = Bytes(sets * level.ways as u64 * level.line.0);
    }
    less
}

/// What an answer about a level turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Right,
    Interval,
    Refused,
    Wrong(Confidence),
}

fn judge(level: &machine::CacheLevel, found: Option<&SettledLevel>) -> Outcome {
    let Some(SettledLevel { found, .. }) = found else { return Outcome::Refused };
    let (low, high) = found.range;
    let line = found.line.is_none_or(|line| line == level.line.0);
    match &found.ways {
        Ok(ways) if line && (*ways, found.size) == (level.ways as u64, level.size.0) => Outcome::Right,
        Err(_) if line && (low..=high).contains(&level.size.0) => Outcome::Interval,
        _ => Outcome::Wrong(found.confidence),
    }
}

/// One machine under one condition: what became of L1 and of L2.
fn case(seed: u64, condition: Condition, largest: u64) -> [Outcome; 2] {
    let mut random = Random::new(seed);
    let mut machine = realistic(&mut random, largest);
    machine.page_size = Bytes(condition.pages.unwrap_or(2 << 20));
    if condition.pages.is_some() {
        machine.mapping = Mapping::Random { seed: random.bits() >> 1 };
    }
    machine.levels[1].index = Index::Physical;
    let machines = [machine.clone(), beside(&machine, |_| true), beside(&machine, |level| level > 1)];
    let arenas = machines.each_ref().map(|_| OnModel::arena(&machine).unwrap());
    let models: Vec<OnModel> = machines
        .iter()
        .zip(&arenas)
        .map(|(machine, arena): (&Machine, &Arena)| OnModel::new(machine, arena).unwrap())
        .collect();
    let Ok(models) = <[OnModel; 3]>::try_from(models) else { unreachable!("three machines") };
    let mut probe = Noisy { models, known: HashMap::new(), condition, random, seed, now: 0.0 };
    let found = settle(&mut probe, 2);
    let levels = found.as_ref().map_or(&[][..], |f| &f.levels);
    let outcomes = [0, 1].map(|i| judge(&machine.levels[i], levels.get(i)));
    if outcomes.iter().any(|o| matches!(o, Outcome::Wrong(_))) {
        println!("seed {seed}, {}: {outcomes:?} of {}", condition.name, machine.summary());
        levels.iter().for_each(|l| {
            println!("    {} {:?} {:?} {:?}", l.found.size, l.found.ways, l.found.line, l.found.range)
        });
    }
    outcomes
}

type Tally = BTreeMap<(&'static str, usize, Outcome), usize>;

fn run(cases: u64, largest: u64) -> Tally {
    let conditions = conditions();
    let mut tally = Tally::new();
    for number in 0..cases {
        let condition = conditions[number as usize % conditions.len()];
        for (level, outcome) in case(1000 + number, condition, largest).into_iter().enumerate() {
            *tally.entry((condition.name, level + 1, outcome)).or_default() += 1;
        }
    }
    tally
}

fn print(tally: &Tally) {
    println!("| condition | level | right | interval | refused | wrong: low | medium | high |");
    println!("|---|---|---|---|---|---|---|---|");
    for condition in conditions() {
        for level in [1, 2] {
            let count = |outcome| tally.get(&(condition.name, level, outcome)).copied().unwrap_or(0);
            println!(
                "| {} | L{level} | {} | {} | {} | {} | {} | {} |",
                condition.name,
                count(Outcome::Right),
                count(Outcome::Interval),
                count(Outcome::Refused),
                count(Outcome::Wrong(Confidence::Low)),
                count(Outcome::Wrong(Confidence::Medium)),
                count(Outcome::Wrong(Confidence::High))
            );
        }
    }
}

/// Share of a condition's cases at a level with such an outcome.
fn share(tally: &Tally, name: &str, level: usize, of: impl Fn(Outcome) -> bool) -> f64 {
    let all = tally.iter().filter(|((n, l, _), _)| (n.is_empty() || *n == name) && *l == level);
    let counts = |keep: &dyn Fn(Outcome) -> bool| {
        all.clone().filter(|((n, _, o), _)| *n == name && keep(*o)).map(|(_, count)| count).sum::<usize>()
            as f64
    };
    counts(&of) / counts(&|_| true).max(1.0)
}

fn holds_its_promises(tally: &Tally) {
    print(tally);
    let sum = |keep: &dyn Fn(Outcome) -> bool| {
        tally.iter().filter(|((_, _, o), _)| keep(*o)).map(|(_, count)| count).sum::<usize>()
    };
    assert_eq!(sum(&|o| o == Outcome::Wrong(Confidence::High)), 0, "wrong and sure");
    let medium = sum(&|o| o == Outcome::Wrong(Confidence::Medium));
    let answers = sum(&|o| o == Outcome::Right);
    assert!(50 * medium <= answers, "{medium} wrong with confidence medium");
    let exact = |name| share(tally, name, 1, |o| o == Outcome::Right);
    for (name, least) in [("quiet", 0.95), ("SMT neighbour 10 %", 0.8), ("split or 4 KiB pages", 0.9)] {
        assert!(exact(name) >= least, "L1 {name}: {}", exact(name));
    }
    for condition in conditions() {
        let told = share(tally, condition.name, 2, |o| !matches!(o, Outcome::Wrong(_)));
        assert!(told >= 0.95, "L2 {}: {told}", condition.name);
    }
}

#[test]
fn disturbed_machines_are_never_wrong_and_sure() {
    holds_its_promises(&run(260, 128));
}

#[test]
#[ignore = "10,000 machines take long"]
fn ten_thousand_disturbed_machines_are_never_wrong_and_sure() {
    holds_its_promises(&run(10_010, 1024));
}

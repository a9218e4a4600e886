//! Twelve machines timed by an imperfect clock on a core that is not alone: every claim about confidence is tested here.

use std::collections::BTreeMap;

use figures::random::{Random, mix};
use figures::units::Bytes;
use geometry::{Confidence, Probe, explore_repeatedly};
use machine::{Machine, Replacement};

use crate::described::{Outcome, judge_levels};
use crate::machines::{machine, named};
use crate::model::OnModel;

/// Of the table, or in its form.
const MACHINES: [&str; 12] = [
    "pi3",
    "pi5",
    "power9",
    "u74",
    "plru",
    "fifo",
    "k8",
    "alpha21064",
    "tlb below L1's reach\tidentity\t64/64/8/4 512/64/8/14\t80\t8/2",
    "of 12 ways\tidentity\t48/64/12/5 512/64/8/15\t90\t96/6",
    "of 24 KiB\trandom\t24/64/6/4 768/64/6/14\t80\t64/4",
    "of a large way\tidentity\t64/64/1/4 256/64/8/14\t80\t-",
];

/// Conditions under which nearly all first levels must be read exactly.
const HARMLESS: [&str; 3] = ["quiet", "a line of its own", "SMT neighbour 10 %"];

/// A batch of accesses in seconds, as crate `latency` times them, and how many it takes.
const BATCH_S: f64 = 25e-6;
const BATCHES: f64 = 15.0;
/// Time for all experiments, in seconds of the simulated clock.
const BUDGET_S: f64 = 5.0;

/// What disturbs the measurements.
#[derive(Debug, Clone, Copy)]
struct Condition {
    name: &'static str,
    /// Share of the time in which another hardware thread fills ways of the private levels.
    neighbour: f64,
    /// Milliseconds of its shortest bursts; the longest are 16 times as long.
    burst: f64,
    /// The clock's step as a share of a batch.
    step: f64,
    /// How far the core's clock wanders.
    drift: f64,
    /// Share of the measurements that an interrupt reaches in every batch.
    interrupts: f64,
    /// How many times longer than alone everything takes, as under a quota.
    quota: f64,
    /// Whether each step goes to a line of this program's own too, as where the walk has a variable on the stack.
    own_line: bool,
    /// Whether a hash of the address picks the sets behind the first level.
    hashed: bool,
    /// Heading of the recorded disturbances that are replayed.
    recorded: Option<&'static str>,
}

/// Batches as others on a real machine stretched them.
const TRACES: &str = include_str!("traces.txt");

/// How many times longer than the fastest each batch of the recordings under this heading took.
fn recordings(heading: &str) -> Vec<f64> {
    let lines = TRACES.lines().skip_while(|line| line.strip_prefix("## ") != Some(heading)).skip(1);
    let batches = lines.take_while(|line| !line.starts_with('#')).flat_map(str::chars);
    batches.filter_map(|c| c.to_digit(36)).map(|step| (f64::from(step) / 20.0).exp2()).collect()
}

fn conditions() -> [Condition; 13] {
    const QUIET: Condition = Condition {
        name: "quiet",
        neighbour: 0.0,
        burst: 2.0,
        step: 0.0,
        drift: 0.0,
        interrupts: 0.0,
        quota: 1.0,
        own_line: false,
        hashed: false,
        recorded: None,
    };
    let recorded = |name| Condition { name, recorded: Some(name), ..QUIET };
    [
        QUIET,
        // batches grow to 200 steps of a coarse clock
        Condition { name: "clock of 100 us", step: 1.0 / 200.0, ..QUIET },
        Condition { name: "frequency drifts 5 %", drift: 0.05, ..QUIET },
        Condition { name: "interrupts", interrupts: 0.05, ..QUIET },
        Condition { name: "SMT neighbour 10 %", neighbour: 0.1, ..QUIET },
        Condition { name: "SMT neighbour 40 %", neighbour: 0.4, ..QUIET },
        Condition { name: "SMT neighbour, long bursts", neighbour: 0.3, burst: 20.0, ..QUIET },
        Condition { name: "a line of its own", own_line: true, ..QUIET },
        Condition { name: "a quota of 3 %", quota: 33.0, ..QUIET },
        Condition { name: "hashed index", hashed: true, ..QUIET },
        recorded("a copying process on the same processor"),
        recorded("four processes with timers of 50 us on the same processor"),
        Condition {
            name: "all at once",
            neighbour: 0.15,
            burst: 5.0,
            step: 41e-9 / BATCH_S,
            drift: 0.03,
            interrupts: 0.02,
            quota: 2.0,
            ..QUIET
        },
    ]
}

/// The machine with a quarter of its ways taken.
fn ways_taken(machine: &Machine) -> Machine {
    let mut less = machine.clone();
    for level in &mut less.levels {
        let way = level.sets() as u64 * level.line.0;
        level.ways = (level.ways * 3 / 4).max(1);
        level.size = Bytes(way * level.ways as u64);
        if level.replacement == Replacement::Plru {
            level.replacement = Replacement::Lru;
        }
    }
    less
}

/// A machine alone, and with another program on its caches; disturbed.
struct Noisy<'a, 'b> {
    models: &'b mut [OnModel<'a>; 2],
    page: u64,
    condition: Condition,
    random: Random,
    seed: u64,
    /// Seconds.
    now: f64,
    stretched: Vec<f64>,
}

impl Noisy<'_, '_> {
    /// Whether a program that runs for `share` of the time does so from `now` to
    /// `now + lasts`: bursts of one to 16 times the shortest, drawn by the time.
    fn beset(&self, share: f64, lasts: f64) -> bool {
        let burst = |slot: u64| (mix(mix(slot) ^ self.seed) >> 11) as f64 / (1u64 << 53) as f64;
        let length = 1e-3 * self.condition.burst * (1 << (self.seed % 5)) as f64;
        let slots = (self.now / length) as u64..=((self.now + lasts) / length) as u64;
        slots.into_iter().all(|slot| burst(slot) < share)
    }

    /// How much the recordings stretch the least disturbed batch between `now`
    /// and `now + lasts`; where in them a run begins is drawn from its seed.
    fn recorded(&self, lasts: f64) -> f64 {
        let Some(count) = Some(self.stretched.len() as u64).filter(|count| *count > 0) else { return 1.0 };
        let first = mix(self.seed) % count + (self.now / BATCH_S) as u64;
        let batches = first..first + (lasts / BATCH_S) as u64;
        batches.map(|at| self.stretched[(at % count) as usize]).fold(f64::INFINITY, f64::min)
    }
}

impl Probe for Noisy<'_, '_> {
    fn cost(&mut self, offsets: &[u64]) -> f64 {
        // address bits into which a hash mixes higher ones: above the first level's index
        let hash = |at: u64| [3, 5, 7].into_iter().fold(at, |mixed, bits| mixed ^ (at >> bits & 3 << 14));
        let hashed: Vec<u64> =
            offsets.iter().map(|at| if self.condition.hashed { hash(*at) } else { *at }).collect();
        let alone = self.models[0].cost(&hashed);
        let lasts = (BATCH_S * BATCHES).max(4.0 * offsets.len() as f64 * alone * 1e-9);
        let Condition { neighbour, step, drift, interrupts, quota, .. } = self.condition;
        let which = usize::from(self.beset(neighbour, lasts));
        let frequency = 1.0 + drift * (self.now * 2.0).sin();
        let mut cost = self.models[which].cost(&hashed);
        if self.condition.own_line {
            // in set 0, behind all that may be used
            let both: Vec<u64> = hashed.iter().flat_map(|at| [*at, self.reach()]).collect();
            cost = 2.0 * self.models[which].cost(&both) - self.models[which].cost(&[self.reach()]);
        }
        cost *= frequency * self.recorded(lasts);
        self.now += quota * lasts;
        // the least of a score of batches is near the truth, and may be a step of the clock below
        cost *= 1.0 + 0.004 * self.random.unit() - step * self.random.unit();
        if self.random.unit() < interrupts {
            cost *= 1.05 + 0.5 * self.random.unit();
        }
        cost
    }

    fn reach(&self) -> u64 {
        // whole blocks, within which the hash moves lines
        (self.models[0].reach() - 1) >> 16 << 16
    }

    fn contiguous(&self) -> u64 {
        self.page
    }

    fn spent(&self) -> f64 {
        self.now / BUDGET_S
    }
}

#[test]
fn a_disturbed_machine_is_never_read_wrong_and_sure() {
    let mut tally: BTreeMap<(&str, usize, Outcome), usize> = BTreeMap::new();
    for (seed, line) in (0..).zip(MACHINES) {
        let machine = if line.contains('\t') { machine(line) } else { named(line) };
        let changed = [machine.clone(), ways_taken(&machine)];
        let arenas = changed.each_ref().map(|_| OnModel::arena(&machine));
        let mut models = [0, 1].map(|at| OnModel::new(&changed[at], &arenas[at]));
        // each machine meets a third of them, and those that must do no harm
        let meets =
            |(at, condition): &(u64, Condition)| at % 3 == seed % 3 || HARMLESS.contains(&condition.name);
        for (_, condition) in (0..).zip(conditions()).filter(meets) {
            let mut noisy = Noisy {
                page: models[0].contiguous().min(2 << 20),
                models: &mut models,
                condition,
                random: Random::new(seed),
                seed,
                now: 0.0,
                stretched: condition.recorded.map_or(Vec::new(), recordings),
            };
            let found = explore_repeatedly(&mut noisy, 2).unwrap_or_default();
            let outcomes = judge_levels(&machine, &found);
            if outcomes.iter().any(|outcome| matches!(outcome, Outcome::Wrong(_))) {
                println!("    {}: {outcomes:?}", condition.name);
            }
            for (level, outcome) in (1..).zip(outcomes.into_iter().take(2)) {
                *tally.entry((condition.name, level, outcome)).or_default() += 1;
            }
        }
    }
    tally
        .iter()
        .for_each(|((name, level, outcome), count)| println!("{name}, L{level}: {outcome:?} {count}"));
    let sum = |keep: &dyn Fn(&str, usize, Outcome) -> bool| -> usize {
        tally.iter().filter(|((name, level, outcome), _)| keep(name, *level, *outcome)).map(|one| one.1).sum()
    };
    assert_eq!(sum(&|_, _, outcome| outcome == Outcome::Wrong(Confidence::High)), 0, "wrong and sure");
    assert_eq!(sum(&|_, _, outcome| outcome == Outcome::Wrong(Confidence::Medium)), 0, "wrong");
    let right = |condition: &str| {
        sum(&|name, level, outcome| name == condition && level == 1 && matches!(outcome, Outcome::Right(_)))
    };
    assert!(HARMLESS.iter().all(|condition| right(condition) >= 10), "few first levels are read");
    let wrong = sum(&|_, level, outcome| level == 2 && matches!(outcome, Outcome::Wrong(_)));
    assert!(100 * wrong <= sum(&|_, level, _| level == 2), "{wrong} wrong in L2");
}

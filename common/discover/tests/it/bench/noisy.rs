//! The machine timed by an imperfect clock on a core that is not alone.

use discover::{OnModel, Probe};
use figures::random::{Random, mix};

use super::machines::{Build, PLAIN};

/// A batch of accesses, as `latency` times them, and how many it takes.
const BATCH: f64 = 25e-6;
const BATCHES: f64 = 15.0;
/// Time for all experiments, in seconds of the simulated clock.
const BUDGET: f64 = 5.0;

/// What disturbs the measurements.
#[derive(Debug, Clone, Copy)]
pub(super) struct Condition {
    pub(super) name: &'static str,
    /// What of it is the machine's own.
    pub(super) build: Build,
    /// Share of the time in which another hardware thread fills ways of the private levels.
    neighbour: f64,
    /// Milliseconds of its shortest bursts; the longest are 16 times as long.
    burst: f64,
    /// Share of the time in which it takes those of the last level.
    shared: f64,
    /// The clock's step as a share of a batch.
    step: f64,
    /// How far the core's clock wanders, and by how much it jumps.
    drift: f64,
    jump: f64,
    /// Share of the measurements that an interrupt reaches in every batch.
    interrupts: f64,
    /// How many times longer than alone everything takes, as under a quota.
    quota: f64,
    /// Heading of the recorded disturbances that are replayed.
    recorded: Option<&'static str>,
}

impl Condition {
    /// The same on a machine that is built otherwise.
    pub(super) fn built(self, build: Build) -> Condition {
        Condition { build, ..self }
    }
}

/// Batches as others on a real machine stretched them.
const TRACES: &str = include_str!("traces.txt");

/// How many times longer than the fastest each batch of the recordings under
/// this heading took.
fn recordings(heading: &str) -> Vec<f64> {
    let lines = TRACES.lines().skip_while(|line| line.strip_prefix("## ") != Some(heading)).skip(1);
    let batches = lines.take_while(|line| !line.starts_with('#')).flat_map(str::chars);
    batches.filter_map(|c| c.to_digit(36)).map(|step| (f64::from(step) / 20.0).exp2()).collect()
}

const QUIET: Condition = Condition {
    name: "quiet",
    build: PLAIN,
    neighbour: 0.0,
    burst: 2.0,
    shared: 0.0,
    step: 0.0,
    drift: 0.0,
    jump: 0.0,
    interrupts: 0.0,
    quota: 1.0,
    recorded: None,
};

pub(super) fn conditions() -> Vec<Condition> {
    let build = |name, build| Condition { name, build, ..QUIET };
    let recorded = |name| Condition { name, recorded: Some(name), ..QUIET };
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
        Condition { name: "a quota of 50 %", quota: 2.0, ..QUIET },
        Condition { name: "a quota of 3 %", quota: 33.0, ..QUIET },
        Condition { name: "core on the last level", shared: 0.7, ..QUIET },
        recorded("others on the machine"),
        recorded("a copying process on the other processor"),
        recorded("a copying process on the same processor"),
        recorded("four processes with timers of 50 us on the same processor"),
        build("split or 4 KiB pages", Build { pages: Some(4096), ..PLAIN }),
        build("16 KiB pages", Build { pages: Some(16384), ..PLAIN }),
        build("hashed index in L2", Build { hashed: true, ..PLAIN }),
        Condition {
            name: "all at once",
            build: Build { pages: Some(4096), ..PLAIN },
            neighbour: 0.15,
            burst: 5.0,
            shared: 0.5,
            step: 41e-9 / BATCH,
            drift: 0.03,
            jump: 0.0,
            interrupts: 0.02,
            quota: 2.0,
            recorded: None,
        },
    ]
}

/// A machine alone, with another program on its private levels, and with one on the last.
pub(super) struct Walked<'a> {
    pub(super) models: [OnModel<'a>; 3],
    pub(super) build: Build,
}

impl Walked<'_> {
    fn cost(&mut self, which: usize, offsets: &[u64]) -> f64 {
        let addresses: Vec<u64> = offsets.iter().map(|offset| self.build.address(*offset)).collect();
        self.models[which].cost(&addresses)
    }
}

/// The machine disturbed.
pub(super) struct Noisy<'a, 'b> {
    pub(super) walked: &'b mut Walked<'a>,
    pub(super) condition: Condition,
    pub(super) random: Random,
    pub(super) seed: u64,
    pub(super) now: f64,
    stretched: Vec<f64>,
}

impl<'a, 'b> Noisy<'a, 'b> {
    pub(super) fn new(walked: &'b mut Walked<'a>, condition: Condition, seed: u64) -> Noisy<'a, 'b> {
        let stretched = condition.recorded.map_or(Vec::new(), recordings);
        Noisy { walked, condition, random: Random::new(seed), seed, now: 0.0, stretched }
    }
}

impl Noisy<'_, '_> {
    /// Whether a program that runs for `share` of the time does so from `now` to
    /// `now + lasts`: bursts of one to 16 times the shortest, drawn by the time.
    fn beset(&self, share: f64, salt: u64, lasts: f64) -> bool {
        let burst = |slot: u64| (mix(mix(slot ^ salt) ^ self.seed) >> 11) as f64 / (1u64 << 53) as f64;
        let length = 1e-3 * self.condition.burst * (1 << (self.seed % 5)) as f64;
        let slots = (self.now / length) as u64..=((self.now + lasts) / length) as u64;
        slots.into_iter().all(|slot| burst(slot) < share)
    }

    /// How much the recordings stretch the least disturbed batch between `now`
    /// and `now + lasts`; where in them a run begins is drawn from its seed.
    fn recorded(&self, lasts: f64) -> f64 {
        let Some(count) = Some(self.stretched.len() as u64).filter(|count| *count > 0) else { return 1.0 };
        let first = mix(self.seed) % count + (self.now / BATCH) as u64;
        let batches = first..first + (lasts / BATCH) as u64;
        batches.map(|at| self.stretched[(at % count) as usize]).fold(f64::INFINITY, f64::min)
    }

    fn frequency(&mut self) -> f64 {
        let Condition { drift, jump, .. } = self.condition;
        let slow = 1.0 + drift * (self.now * 2.0).sin();
        let low = mix((self.now / 0.3) as u64).is_multiple_of(2);
        slow * if low { 1.0 + jump } else { 1.0 }
    }
}

impl Probe for Noisy<'_, '_> {
    fn cost(&mut self, offsets: &[u64]) -> f64 {
        let alone = self.walked.cost(0, offsets);
        let lasts = (BATCH * BATCHES).max(4.0 * offsets.len() as f64 * alone * 1e-9);
        let which = match self.condition {
            c if self.beset(c.neighbour, 1, lasts) => 1,
            c if self.beset(c.shared, 2, lasts) => 2,
            _ => 0,
        };
        let mut cost = self.walked.cost(which, offsets) * self.frequency();
        cost *= self.recorded(lasts);
        self.now += self.condition.quota * lasts;
        // the least of a score of batches is near the truth, and may be a step of the clock below
        cost *= 1.0 + 0.004 * self.random.unit() - self.condition.step * self.random.unit();
        if self.random.unit() < self.condition.interrupts {
            cost *= 1.05 + 0.5 * self.random.unit();
        }
        cost
    }

    fn reach(&self) -> u64 {
        // whole blocks, within which the hash moves lines
        self.walked.models[0].reach() >> 16 << 16
    }

    fn contiguous(&self) -> u64 {
        self.condition.build.pages.unwrap_or(2 << 20)
    }

    fn real(&self) -> bool {
        true
    }

    fn spent(&self) -> f64 {
        self.now / BUDGET
    }
}

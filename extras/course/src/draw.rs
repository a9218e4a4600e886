//! Machines drawn for a class: no two are the same, and the documented procedure identifies
//! each of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use common::machine::quoted;
use common::random::Random;
use serde::{Deserialize, Serialize};

/// Draws one machine after the other.
#[derive(Debug)]
pub(crate) struct Draw {
    random: Random,
    taken: BTreeSet<usize>,
}

/// One machine of two cache levels, level 1 first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Drawn {
    pub(crate) levels: [Level; 2],
    pub(crate) memory_ns: f64,
}

/// One level, and the time of a hit in it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Level {
    #[serde(flatten)]
    pub(crate) geometry: Geometry,
    pub(crate) hit_ns: f64,
}

/// What a student must find about one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Geometry {
    pub(crate) size_bytes: u64,
    pub(crate) line_bytes: u64,
    pub(crate) ways: u64,
}

/// Clock period of a drawn machine in nanoseconds: 2 GHz.
const CYCLE: f64 = 0.5;

impl Draw {
    /// Draws from these numbers; none of the `earlier` machines again.
    pub(crate) fn new<'d>(random: Random, earlier: impl Iterator<Item = &'d Drawn>) -> Draw {
        let place = |drawn: &Drawn| {
            let levels = drawn.levels.map(|level| level.geometry);
            EVERY.iter().position(|known| *known == levels)
        };
        Draw { random, taken: earlier.filter_map(place).collect() }
    }

    /// One more machine; `None` if all are drawn.
    pub(crate) fn machine(&mut self) -> Option<Drawn> {
        let Draw { random, taken } = self;
        let mut drawn = || {
            let at = random.unit() * SUMS[SUMS.len() - 1];
            SUMS.partition_point(|sum| *sum <= at).min(SUMS.len() - 1)
        };
        let is_free = |place: &usize| !taken.contains(place);
        let place = (0..DRAWS).map(|_| drawn()).find(is_free).or_else(|| (0..EVERY.len()).find(is_free))?;
        taken.insert(place);
        let cycles = [2 + random.below(4), 10 + random.below(9)];
        let level = |at: usize| Level { geometry: EVERY[place][at], hit_ns: cycles[at] as f64 * CYCLE };
        Some(Drawn { levels: [level(0), level(1)], memory_ns: (60 + random.below(60)) as f64 })
    }
}

impl Drawn {
    /// The machine called `name` as a description.
    pub(crate) fn toml(&self, name: &str) -> String {
        let mut text = format!(
            "name = {}\ndescription = \"to be found out\"\nclock = \"2 GHz\"\n\n[memory]\nlatency = \"{} ns\"\n",
            quoted(name),
            self.memory_ns
        );
        for (number, Level { geometry, hit_ns }) in (1..).zip(&self.levels) {
            let Geometry { size_bytes, line_bytes, ways } = geometry;
            text += &format!(
                "\n[[cache]]\nlevel = {number}\nsize = {size_bytes}\nline = {line_bytes}\nways = {ways}\n\
                 replacement = \"lru\"\nindex = \"virtual\"\nlatency = \"{} cycles\"\n",
                (hit_ns / CYCLE).round()
            );
        }
        text
    }
}

/// So often a machine is drawn before the first free one is taken.
const DRAWS: usize = 100;
/// After so many rounds the shares of values hardly change.
const ROUNDS: usize = 10;

/// The sums of the weights of the machines up to each: with these weights each size, line
/// and number of ways is about as frequent as the others, as far as the choices allow, so
/// that no guess is right for many (iterative proportional fitting, by half steps).
static SUMS: LazyLock<Vec<f64>> = LazyLock::new(|| {
    let values =
        |[one, two]: &[Geometry; 2]| [one.line_bytes, one.size_bytes, one.ways, two.size_bytes, two.ways];
    let mut weights = vec![1.0; EVERY.len()];
    for value in (0..ROUNDS).flat_map(|_| 0..5) {
        let mut shares = BTreeMap::<u64, f64>::new();
        for (machine, weight) in EVERY.iter().zip(&weights) {
            *shares.entry(values(machine)[value]).or_default() += weight;
        }
        for (machine, weight) in EVERY.iter().zip(&mut weights) {
            *weight /= shares[&values(machine)[value]].sqrt();
        }
    }
    let sum = |sum: &mut f64, weight: f64| {
        *sum += weight;
        Some(*sum)
    };
    weights.into_iter().scan(0.0, sum).collect()
});

/// Every pair of levels that sweeps up to 256 KiB and 4 MiB identify: a power of two of
/// sets at each level, and L2 at least four times L1. L2 has more ways than L1, and more
/// bytes in one way: otherwise L1 would hold the lines that must compete for a set of L2.
static EVERY: LazyLock<Vec<[Geometry; 2]>> = LazyLock::new(|| {
    let mut every = Vec::new();
    for line in [16, 32, 64, 128, 256] {
        for first in levels(line, &FIRST_WAYS, 10..15, 8..=64) {
            let way = |level: &Geometry| level.size_bytes / level.ways;
            let is_distinguishable = |second: &Geometry| {
                second.ways > first.ways
                    && way(second) > way(&first)
                    && second.size_bytes >= 4 * first.size_bytes
            };
            let second = levels(line, &SECOND_WAYS, 13..19, 128..=1024);
            every.extend(second.filter(is_distinguishable).map(|second| [first, second]));
        }
    }
    every
});

const FIRST_WAYS: [u64; 13] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16];
const SECOND_WAYS: [u64; 16] = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 24];

/// Levels of these `ways`, each with a power of two of bytes, and so many KiB.
fn levels(
    line_bytes: u64,
    ways: &[u64],
    powers: std::ops::Range<u32>,
    kib: std::ops::RangeInclusive<u64>,
) -> impl Iterator<Item = Geometry> {
    let level = move |ways, power: u32| Geometry { size_bytes: ways << power, line_bytes, ways };
    let all = ways.iter().flat_map(move |&ways| powers.clone().map(move |power| level(ways, power)));
    all.filter(move |level| (kib.start() << 10..=kib.end() << 10).contains(&level.size_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_machines_are_the_same() {
        let mut draw = Draw::new(Random::new(1), std::iter::empty());
        let first = draw.machine().unwrap();
        let mut draw = Draw::new(Random::new(1), [&first].into_iter());
        let mut seen = BTreeSet::from([first.levels.map(|level| level.geometry)]);
        while let Some(drawn) = draw.machine() {
            assert!(seen.insert(drawn.levels.map(|level| level.geometry)), "{drawn:?} again");
        }
        assert_eq!(seen.len(), 6380);
    }

    /// A sheet that is the same for all gets little: no value is frequent.
    #[test]
    fn no_value_is_right_for_many() {
        let mut counts = BTreeMap::<(usize, u64), usize>::new();
        for class in 0..10 {
            let mut draw = Draw::new(Random::new(class), std::iter::empty());
            for _ in 0..300 {
                let levels = draw.machine().unwrap().levels.map(|level| level.geometry);
                let values = levels.map(|level| [level.size_bytes, level.line_bytes, level.ways]);
                (0..).zip(values.concat()).for_each(|value| *counts.entry(value).or_default() += 1);
            }
        }
        for ((asked, value), number) in counts {
            let limit = [250, 680, 330, 200, 680, 280][asked];
            assert!(number < limit, "{value} is right for {number} of 3000");
        }
    }
}

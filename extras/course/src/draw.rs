//! Machines drawn for a class: no two are the same, and the documented procedure identifies
//! each of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use common::random::Random;
use common::units::Bytes;

use common::machine::quoted;

/// Draws one machine after the other.
#[derive(Debug)]
pub(crate) struct Draw {
    random: Random,
    taken: BTreeSet<usize>,
}

/// One machine of two cache levels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Drawn {
    /// The two levels, level 1 first.
    pub(crate) levels: [Geometry; 2],
    /// Cycles of a hit in each level.
    pub(crate) cycles: [usize; 2],
    /// Nanoseconds to memory.
    pub(crate) memory_ns: usize,
}

/// What a student must find about one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// Capacity.
    pub(crate) size: Bytes,
    /// Bytes per line.
    pub(crate) line: Bytes,
    /// Lines per set.
    pub(crate) ways: u64,
}

impl Geometry {
    pub(crate) fn new(size: u64, line: u64, ways: u64) -> Geometry {
        Geometry { size: Bytes(size), line: Bytes(line), ways }
    }
}

impl Draw {
    /// Draws from these numbers; none of the `earlier` machines again.
    pub(crate) fn new(random: Random, earlier: impl Iterator<Item = Drawn>) -> Draw {
        let place = |drawn: Drawn| every().iter().position(|levels| *levels == drawn.levels);
        Draw { random, taken: earlier.filter_map(place).collect() }
    }

    /// How many different machines can still be drawn.
    pub(crate) fn left(&self) -> usize {
        every().len() - self.taken.len()
    }

    /// One more machine, if one is [left](Draw::left).
    pub(crate) fn machine(&mut self) -> Drawn {
        let (choices, likely) = (every(), cumulative());
        let most = choices.len();
        let Draw { random, taken } = self;
        let mut drawn = || {
            let at = random.unit() * likely[most - 1];
            likely.partition_point(|sum| *sum <= at).min(most - 1)
        };
        let is_free = |place: &usize| !taken.contains(place);
        let place = (0..DRAWS).map(|_| drawn()).find(is_free).or_else(|| (0..most).find(is_free));
        let place = place.unwrap_or_default();
        taken.insert(place);
        Drawn {
            levels: choices[place],
            cycles: [2 + random.below(4), 10 + random.below(9)],
            memory_ns: 60 + random.below(60),
        }
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
        for (level, (g, cycles)) in (1..).zip(self.levels.iter().zip(self.cycles)) {
            let (size, line, ways) = (g.size.0, g.line.0, g.ways);
            text += &format!(
                "\n[[cache]]\nlevel = {level}\nsize = {size}\nline = {line}\nways = {ways}\n\
                 replacement = \"lru\"\nindex = \"virtual\"\nlatency = \"{cycles} cycles\"\n"
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
fn cumulative() -> &'static [f64] {
    static SUMS: OnceLock<Vec<f64>> = OnceLock::new();
    SUMS.get_or_init(|| {
        let values = |[one, two]: &[Geometry; 2]| [one.line.0, one.size.0, one.ways, two.size.0, two.ways];
        let mut weights = vec![1.0; every().len()];
        for value in (0..ROUNDS).flat_map(|_| 0..5) {
            let mut shares = BTreeMap::<u64, f64>::new();
            for (machine, weight) in every().iter().zip(&weights) {
                *shares.entry(values(machine)[value]).or_default() += weight;
            }
            for (machine, weight) in every().iter().zip(&mut weights) {
                *weight /= shares[&values(machine)[value]].sqrt();
            }
        }
        let mut sum = 0.0;
        weights.iter_mut().for_each(|weight| {
            sum += *weight;
            *weight = sum;
        });
        weights
    })
}

/// Every pair of levels that sweeps up to 256 KiB and 4 MiB identify: a power of two of
/// sets at each level, and L2 at least four times L1. L2 has more ways than L1, and more
/// bytes in one way: otherwise L1 would hold the lines that must compete for a set of L2.
fn every() -> &'static [[Geometry; 2]] {
    static EVERY: OnceLock<Vec<[Geometry; 2]>> = OnceLock::new();
    EVERY.get_or_init(|| {
        let lines = [16, 32, 64, 128, 256];
        let of = |line, ways: &'static [u64], bytes: std::ops::Range<u32>| {
            let level = move |ways, way: u32| Geometry { size: Bytes(ways << way), line: Bytes(line), ways };
            ways.iter().flat_map(move |&ways| bytes.clone().map(move |way| level(ways, way)))
        };
        let within = |g: &Geometry, least, most| (Bytes::kib(least)..=Bytes::kib(most)).contains(&g.size);
        let pairs = |line| {
            let first = of(line, &FIRST_WAYS, 10..15)
                .filter(move |g| within(g, 8, 64) && g.size.0 / g.ways >= 4 * line);
            first.flat_map(move |first| {
                let second = of(line, &SECOND_WAYS, 13..19).filter(move |g| within(g, 128, 1024));
                second
                    .filter(move |second| distinguishable(&first, second))
                    .map(move |second| [first, second])
            })
        };
        lines.into_iter().flat_map(pairs).collect()
    })
}

const FIRST_WAYS: [u64; 13] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16];
const SECOND_WAYS: [u64; 16] = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 24];

fn distinguishable(first: &Geometry, second: &Geometry) -> bool {
    second.ways > first.ways
        && second.size.0 / second.ways > first.size.0 / first.ways
        && second.size.0 >= 4 * first.size.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Answers;

    #[test]
    fn no_two_machines_are_the_same() {
        let mut draw = Draw::new(Random::new(1), std::iter::empty());
        let first = draw.machine();
        let mut draw = Draw::new(Random::new(1), [first.clone()].into_iter());
        let mut seen = BTreeSet::from([first.levels.map(|g| (g.size.0, g.line.0, g.ways))]);
        assert!(draw.left() > 5000);
        while draw.left() > 0 {
            let levels = draw.machine().levels.map(|g| (g.size.0, g.line.0, g.ways));
            assert!(seen.insert(levels), "{levels:?} again");
        }
    }

    #[test]
    fn a_key_says_what_was_drawn() {
        let mut draw = Draw::new(Random::new(2), std::iter::empty());
        for _ in 0..100 {
            let drawn = draw.machine();
            assert_eq!(Answers::of("a", String::new(), String::new(), &drawn).drawn(), drawn);
        }
    }

    /// A sheet that is the same for all gets little: no value is frequent.
    #[test]
    fn no_value_is_right_for_many() {
        let (mut counts, mut draw) = (BTreeMap::<(usize, u64), usize>::new(), None);
        for number in 0..3000 {
            let fresh = || Draw::new(Random::new(number / 300), std::iter::empty());
            let draw = if number % 300 == 0 { draw.insert(fresh()) } else { draw.get_or_insert_with(fresh) };
            let [one, two] = draw.machine().levels;
            let values = [one.size.0, one.line.0, one.ways, two.size.0, two.line.0, two.ways];
            (0..).zip(values).for_each(|value| *counts.entry(value).or_default() += 1);
        }
        let most =
            |asked: usize| counts.iter().filter(|((of, _), _)| *of == asked).map(|(_, number)| *number).max();
        let most: Vec<usize> = (0..6).filter_map(most).collect();
        assert!(
            most.iter().zip([250, 680, 330, 200, 680, 280]).all(|(most, limit)| *most < limit),
            "{most:?}"
        );
    }
}

//! Machines drawn for a class, and the key with their caches: no two are the same, and the
//! documented procedure identifies each of them.

use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};
use std::path::Path;

use common::failure::Failure;
use common::input;
use common::machine::quoted;
use common::random::Random;
use serde::{Deserialize, Serialize};

/// The schema of the file with the key.
pub(crate) const SCHEMA: &str = "cache-lab-kit/key/2";

/// The machines of a class with their caches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Key {
    pub(crate) schema: String,
    /// The header of the roster's column that names the students.
    pub(crate) column: String,
    pub(crate) machines: Vec<Answers>,
}

/// One machine and its student.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Answers {
    /// The student.
    pub(crate) name: String,
    /// The file that was handed out.
    pub(crate) file: String,
    /// The tag of its seal, which is also in the records made on it.
    pub(crate) seal: String,
    #[serde(flatten)]
    pub(crate) drawn: Drawn,
}

impl Key {
    /// Reads `FILE-key.json`.
    /// Fails if the file is not a key.
    pub(crate) fn read(path: &Path) -> Result<Key, Failure> {
        let read: Result<Key, _> = serde_json::from_str(&input::text(path)?);
        read.ok().filter(|key| key.schema == SCHEMA).ok_or_else(|| {
            let name = input::name(path);
            Failure::usage(format!(
                "{name} is not a key; give the JSON file that course mystery wrote next to its folder"
            ))
        })
    }
}

/// Draws one machine after the other.
#[derive(Debug)]
pub(crate) struct Draw {
    random: Random,
    /// Those that nobody has, in random order.
    free: Vec<[Geometry; 2]>,
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
    pub(crate) fn new<'d>(mut random: Random, earlier: impl Iterator<Item = &'d Drawn>) -> Draw {
        let taken: BTreeSet<_> = earlier.map(|drawn| drawn.levels.map(|level| level.geometry)).collect();
        let mut free = every();
        free.retain(|levels| !taken.contains(levels));
        random.shuffle(&mut free);
        Draw { random, free }
    }

    /// One more machine; `None` if all are drawn.
    pub(crate) fn machine(&mut self) -> Option<Drawn> {
        let [one, two] = self.free.pop()?;
        let mut number = |from, to| (from + self.random.below(to - from)) as f64;
        let one = Level { geometry: one, hit_ns: number(2, 6) * CYCLE };
        let two = Level { geometry: two, hit_ns: number(10, 19) * CYCLE };
        Some(Drawn { levels: [one, two], memory_ns: number(60, 120) })
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

const LINES: [u64; 5] = [16, 32, 64, 128, 256];
const FIRST_WAYS: [u64; 13] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16];
const SECOND_WAYS: [u64; 16] = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 24];

/// Every pair of levels that sweeps up to 256 KiB and 4 MiB identify: a power of two of
/// bytes in each way, and L2 at least four times L1. L2 has more ways than L1, and more
/// bytes in one way: otherwise L1 would hold the lines that must compete for a set of L2.
fn every() -> Vec<[Geometry; 2]> {
    let levels = |line_bytes, ways: &[u64], powers: Range<u32>, kib: RangeInclusive<u64>| {
        let level = |ways: &u64, power| Geometry { size_bytes: ways << power, line_bytes, ways: *ways };
        let all = ways.iter().flat_map(|ways| powers.clone().map(move |power| level(ways, power)));
        all.filter(|level| kib.contains(&level.size_bytes.div_ceil(1024))).collect::<Vec<_>>()
    };
    let mut every = Vec::new();
    for line in LINES {
        let second = levels(line, &SECOND_WAYS, 13..19, 128..=1024);
        for one in levels(line, &FIRST_WAYS, 10..15, 8..=64) {
            let is_distinguishable = |two: &&Geometry| {
                two.ways > one.ways
                    && two.size_bytes / two.ways > one.size_bytes / one.ways
                    && two.size_bytes >= 4 * one.size_bytes
            };
            every.extend(second.iter().filter(is_distinguishable).map(|two| [one, *two]));
        }
    }
    every
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// No two machines are the same, and a sheet that is the same for all gets little: no value
    /// is right for many.
    #[test]
    fn no_machine_is_drawn_twice_and_no_value_is_frequent() {
        let first = Draw::new(Random::new(1), std::iter::empty()).machine().unwrap();
        let mut draw = Draw::new(Random::new(1), [&first].into_iter());
        let (mut seen, mut counts) = (vec![first.clone()], BTreeMap::<(usize, u64), usize>::new());
        seen.extend(std::iter::from_fn(|| draw.machine()));
        let geometry = |drawn: &Drawn| drawn.levels.map(|level| level.geometry);
        assert_eq!((seen.len(), seen.iter().map(geometry).collect::<BTreeSet<_>>().len()), (6380, 6380));
        for drawn in &seen[..3000] {
            let values = geometry(drawn).map(|level| [level.size_bytes, level.line_bytes, level.ways]);
            (0..).zip(values.concat()).for_each(|value| *counts.entry(value).or_default() += 1);
        }
        for ((asked, value), number) in counts {
            let limit = [350, 680, 430, 250, 680, 380][asked];
            assert!(number < limit, "{value} is right for {number} of 3000");
        }
    }
}

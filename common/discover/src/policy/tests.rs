use std::collections::HashMap;

use super::*;
use crate::probe::key;
use crate::{OnModel, Scan, explore};
use machine::{Machine, Replacement, catalogue};

/// One set under a policy, timed with noise.
struct OneSet {
    policy: Policy,
    ways: usize,
    way: u64,
    noise: f64,
    random: Random,
    known: HashMap<u64, f64>,
}

const HIT: f64 = 1.25;
const MISS: f64 = 4.0;

impl Probe for OneSet {
    fn cost(&mut self, offsets: &[u64]) -> f64 {
        let key = key(offsets);
        let share = *self.known.entry(key).or_insert_with(|| {
            let mut set = Set::new(self.policy, self.ways);
            let mut pass = || offsets.iter().filter(|o| !set.access((**o / self.way) as u16)).count();
            let misses: usize = (0..400).map(|_| pass()).skip(40).sum();
            misses as f64 / (360 * offsets.len()) as f64
        });
        (HIT + share * (MISS - HIT)) * (1.0 + self.noise * self.random.unit())
    }

    fn reach(&self) -> u64 {
        1 << 20
    }

    fn contiguous(&self) -> u64 {
        4096
    }

    fn real(&self) -> bool {
        true
    }

    fn finest(&self) -> u64 {
        1 << 20
    }

    fn noise(&self, _level: usize) -> f64 {
        0.2
    }
}

fn level(ways: u64) -> LevelFound {
    LevelFound {
        level: 1,
        size: ways * 4096,
        range: (ways * 4096, ways * 4096),
        knee_range: (0, 0),
        line: Some(64),
        ways: Ok(ways),
        latency: HIT,
        penalty: MISS - HIT,
        confidence: Confidence::High,
        knee: Scan::new(),
        why: Vec::new(),
    }
}

fn one_set(policy: Policy, ways: usize, noise: f64) -> OneSet {
    OneSet { policy, ways, way: 4096, noise, random: Random::new(5), known: HashMap::new() }
}

#[test]
fn every_policy_is_told_or_left_open() {
    for ways in [8, 12] {
        let tried = known(ways);
        let mut right = 0;
        for &truth in &tried {
            match policy(&mut one_set(truth, ways, 0.02), &level(ways as u64)) {
                Ok(found) => {
                    assert!(found.names.contains(&truth.to_string()), "{ways} ways, {truth}: {found:?}");
                    right += 1;
                }
                Err(reason) => println!("{ways} ways, {truth}: {reason}"),
            }
        }
        assert!(10 * right >= 8 * tried.len(), "{right} of {}", tried.len());
    }
}

#[test]
fn a_policy_that_is_not_known_is_never_named_for_sure() {
    for ways in [8, 12] {
        for truth in known(ways) {
            let others: Vec<Policy> = known(ways).into_iter().filter(|policy| *policy != truth).collect();
            let found = among(others, &mut one_set(truth, ways, 0.02), &level(ways as u64), ways as u64);
            let sure = found.as_ref().is_ok_and(|found| found.confidence == Confidence::High);
            assert!(!sure, "{ways} ways, {truth}: {found:?}");
        }
    }
}

#[test]
fn the_catalogues_policies_are_found() {
    let (mut right, mut all) = (0, 0);
    for entry in catalogue() {
        let mut machine = Machine::named(entry.name).unwrap();
        // a scan of a large third level takes long
        machine.levels.truncate(2);
        let first = &machine.levels[0];
        let arena = OnModel::arena(&machine).unwrap();
        let mut probe = OnModel::new(&machine, &arena).unwrap();
        let Ok(found) = explore(&mut probe, 1) else { continue };
        let Some(level) = found.levels.first().filter(|level| level.ways.is_ok()) else { continue };
        if first.ways == 1 {
            continue;
        }
        if first.ways > 64 {
            // fully associative: refused, with the reason
            assert!(policy(&mut probe, level).unwrap_err().contains("too long"), "{}", entry.name);
            continue;
        }
        all += 1;
        let truth = match first.replacement {
            Replacement::Lru => Policy::Lru,
            Replacement::Plru => Policy::Plru,
            Replacement::Fifo => Policy::Fifo,
            Replacement::Random { .. } => Policy::Random,
        };
        match policy(&mut probe, level) {
            Ok(found) => {
                assert!(found.names.contains(&truth.to_string()), "{}: {found:?}", entry.name);
                right += 1;
            }
            Err(reason) => println!("{}: {reason}", entry.name),
        }
    }
    assert!(100 * right >= 95 * all && all > 0, "{right} of {all}");
}

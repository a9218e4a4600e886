use std::collections::HashMap;

use super::*;
use discover::Scan;

/// One set under a policy, timed with noise.
struct OneSet {
    policy: Policy,
    ways: usize,
    random: Random,
    known: HashMap<Vec<u64>, f64>,
}

const HIT: f64 = 1.25;
const MISS: f64 = 4.0;
const WAY: u64 = 4096;
const NOISE: f64 = 0.02;

impl Probe for OneSet {
    fn cost(&mut self, offsets: &[u64]) -> f64 {
        let share = *self.known.entry(offsets.to_vec()).or_insert_with(|| {
            let mut set = Set::new(self.policy, self.ways);
            let mut pass = || offsets.iter().filter(|o| !set.access((**o / WAY) as u16)).count();
            let misses: usize = (0..400).map(|_| pass()).skip(40).sum();
            misses as f64 / (360 * offsets.len()) as f64
        });
        (HIT + share * (MISS - HIT)) * (1.0 + NOISE * self.random.unit())
    }

    fn reach(&self) -> u64 {
        1 << 20
    }

    fn contiguous(&self) -> u64 {
        WAY
    }

    fn real(&self) -> bool {
        true
    }
}

/// What is said of a set under `truth`, if all that is known are these policies.
fn said(truth: Policy, ways: usize, all: &[Policy]) -> Result<PolicyFound, String> {
    let size = ways as u64 * WAY;
    let level = LevelFound {
        level: 1,
        size,
        range: (size, size),
        knee_range: (0, 0),
        line: Some(64),
        ways: Ok(ways as u64),
        latency: HIT,
        latencies: (HIT, HIT),
        penalty: MISS - HIT,
        confidence: Confidence::High,
        agree: 1,
        knee: Scan::new(),
        why: Vec::new(),
    };
    let mut probe = OneSet { policy: truth, ways, random: Random::new(5), known: HashMap::new() };
    among(all, &mut probe, &level, level.sets().unwrap())
}

#[test]
fn every_policy_is_found_or_left_open_and_one_that_is_not_known_is_never_sure() {
    for ways in [8, 12] {
        let mut right = 0;
        for truth in known(ways) {
            if let Ok(found) = said(truth, ways, &known(ways)) {
                assert!(found.names.contains(&truth.to_string()), "{ways} ways, {truth}: {found:?}");
                right += 1;
            }
            let others: Vec<Policy> = known(ways).into_iter().filter(|policy| *policy != truth).collect();
            let found = said(truth, ways, &others);
            let sure = found.as_ref().is_ok_and(|found| found.confidence == Confidence::High);
            assert!(!sure, "{ways} ways, {truth}: {found:?}");
        }
        assert!(10 * right >= 8 * known(ways).len(), "{ways} ways: {right}");
    }
}

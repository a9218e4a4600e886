//! The least cost of each pattern over all times it was walked.

use std::collections::HashMap;

use super::{Probe, key};

/// Patterns of more lines than this are walked twice, and then known: they take
/// long, and lie in caches that others use all the time.
const LONG: usize = 1 << 14;

/// A probe that remembers. Disturbances only add to a cost, so the least of
/// measurements at different times is the nearest to the truth; repeated runs
/// of the same experiments make them.
#[derive(Debug)]
pub(super) struct Steady<'a, P> {
    probe: &'a mut P,
    least: HashMap<u64, (f64, usize)>,
    /// Bytes that are used at present.
    pub(super) reach: u64,
}

impl<'a, P: Probe> Steady<'a, P> {
    pub(super) fn new(probe: &'a mut P) -> Steady<'a, P> {
        Steady { reach: probe.reach(), probe, least: HashMap::new() }
    }
}

impl<P: Probe> Probe for Steady<'_, P> {
    fn cost(&mut self, offsets: &[u64]) -> f64 {
        let key = key(offsets);
        let known = self.least.get(&key).copied();
        if let Some((cost, times)) = known
            && (offsets.len() > LONG && times > 1 || self.probe.spent() >= 1.0)
        {
            return cost;
        }
        if self.probe.spent() >= 1.0 {
            return f64::NAN;
        }
        let cost = self.probe.cost(offsets);
        let (least, times) = known.unwrap_or((cost, 0));
        let least = least.min(cost);
        self.least.insert(key, (least, times + 1));
        least
    }

    fn reach(&self) -> u64 {
        self.reach
    }

    fn contiguous(&self) -> u64 {
        self.probe.contiguous()
    }

    fn real(&self) -> bool {
        self.probe.real()
    }

    fn finest(&self) -> u64 {
        self.probe.finest()
    }

    fn noise(&self, level: usize) -> f64 {
        self.probe.noise(level)
    }

    fn point(&mut self, size: u64, nanos: f64) {
        self.probe.point(size, nanos);
    }

    fn spent(&self) -> f64 {
        self.probe.spent()
    }
}

//! The ways, by the number of lines of one set. Lines at a distance of one
//! way's size (or a multiple) fall into the same set: as many as there are
//! ways fit, one more does not.

use std::collections::BTreeMap;

use super::{Probe, shuffled, usual_sizes};
use figures::numbers::greatest_common_divisor;

/// More lines are not tried.
const MOST: u64 = 40;

/// Ways times their size may be below where the cost rises by this share.
pub(super) const AGREE: f64 = 0.13;

/// The costs that tell a fit from a miss.
#[derive(Debug, Clone, Copy)]
pub(super) struct Threshold {
    pub(super) fits_below: f64,
}

/// What was found: lines of one set that fit, and their distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OneSet {
    pub(super) ways: u64,
    /// Bytes of one way: sets times line.
    pub(super) way: u64,
}

impl OneSet {
    /// Whether ways times their size is where the cost rises.
    pub(super) fn agrees(self, low: u64, most: f64) -> bool {
        (low as f64 * (1.0 - AGREE)..=most).contains(&((self.ways * self.way) as f64))
    }
}

/// A search for the lines of one set.
#[derive(Debug)]
pub(super) struct Search {
    threshold: Threshold,
    /// Lines walked along with those of the set, which keep the level above
    /// full, so that it cannot hold the set's lines itself: they share its set
    /// and lie in other sets of the cache that is looked at.
    evictors: Vec<u64>,
    /// Bytes per line; a way has a multiple of them.
    line: u64,
    /// Distances are multiples of this.
    unit: u64,
}

impl Search {
    /// In the first level.
    pub(super) fn first(threshold: Threshold, line: u64) -> Search {
        Search { threshold, evictors: Vec::new(), line, unit: line }
    }

    /// In the level behind one with `ways` ways of `way` bytes each.
    pub(super) fn behind(threshold: Threshold, line: u64, ways: u64, way: u64) -> Search {
        // odd multiples of the way are in no set that even multiples are in
        Search { threshold, evictors: (0..ways).map(|i| (2 * i + 1) * way).collect(), line, unit: 2 * way }
    }

    fn fits(&self, probe: &mut impl Probe, lines: u64, distance: u64) -> bool {
        let evictors = self.evictors.len() as u64;
        let at = |i: u64| if i < evictors { self.evictors[i as usize] } else { (i - evictors) * distance };
        let pattern = shuffled(lines + evictors, at);
        // a disturbed measurement looks like a miss: believe the best of three
        (0..3).any(|_| probe.cost(&pattern) < self.threshold.fits_below)
    }

    /// The most lines at `distance` that fit, if they are at most [`MOST`].
    fn most(&self, probe: &mut impl Probe, distance: u64) -> Option<u64> {
        let room = (probe.reach() / distance).min(MOST + 1);
        if !self.fits(probe, 1, distance) {
            return None;
        }
        let (mut fit, mut too_many) = (1, room + 1);
        while too_many - fit > 1 {
            let middle = (fit + too_many) / 2;
            if self.fits(probe, middle, distance) { fit = middle } else { too_many = middle }
        }
        (fit < room).then_some(fit)
    }

    /// The smallest way at whose multiples always as many lines fit. The cache
    /// has between `low` and `high` bytes, as far as known.
    pub(super) fn run(&self, probe: &mut impl Probe, low: u64, high: u64) -> Result<OneSet, String> {
        let reach = probe.reach();
        let mut tried = BTreeMap::new();
        let candidates = usual_sizes((low / MOST).max(self.line), 2 * high, 5);
        for way in candidates.into_iter().filter(|way| way.is_multiple_of(self.line)) {
            // lines of one set in the level above too
            let distance = way / greatest_common_divisor(way, self.unit) * self.unit;
            let fixed = *tried.entry(distance).or_insert_with(|| {
                let ways = self.most(probe, distance)?;
                let always = 5 * ways * distance <= reach
                    && [2, 3, 5].into_iter().all(|m| self.fits(probe, ways, m * distance));
                always.then_some(ways)
            });
            let Some(set) = fixed.map(|ways| OneSet { ways, way }) else { continue };
            // other ways have this distance as a multiple too
            if distance == way || set.agrees(low, high as f64 * (1.0 + AGREE)) {
                return Ok(set);
            }
        }
        Err(format!(
            "no distance was found at which a fixed number of lines (at most {MOST}) fits: the sets are not picked \
             by the address bits alone, or pages or others on the cache hide them"
        ))
    }
}

//! The ways of the first level, by the number of lines of one set. Lines at a distance of one
//! way's size (or a multiple) fall into the same set: as many as there are
//! ways fit, one more does not.
//!
//! Others on the cache only ever make lines not fit. So that lines fit is
//! believed at once, that they do not only after many tries; and no distance is
//! taken for the way without a certificate: half of it must hold twice as
//! many lines. At half of a multiple of the way those lines still share a set,
//! and cannot fit.

use super::probe::{Probe, in_order};
use super::translation::translation;

/// Real caches have no more ways (XScale has 32), but for those of one set.
pub(crate) const MOST_WAYS: u64 = 32;

/// Multiples of a way at which as many lines must fit. A distance that is a
/// part of the way meets several sets, but one of these multiples does not.
const MULTIPLES: [u64; 4] = [2, 3, 5, 7];

/// Times that lines are tried before it is believed that they do not fit: one
/// disturbed batch passes within three; that one line more does not fit decides
/// the number of ways, and takes longer than most bursts of another program.
const TRIES: usize = 3;
const TRIES_ONE_MORE: usize = 12;
/// Orders in which they are tried: what a prefetcher makes of one, it seldom
/// makes of another.
const ORDERS: u64 = 2;
/// Lines by which each order is moved on: if this program, or another on the
/// core, occupies a way of one set, it does not in the next.
const ASIDE: u64 = 20;

/// The sets of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sets {
    /// Lines per set.
    pub(super) ways: u64,
    /// Bytes of one way: sets times line.
    pub(super) way: u64,
}

impl Sets {
    /// The size of the level in bytes.
    pub(super) fn size(self) -> u64 {
        self.ways * self.way
    }
}

/// A search for the lines of one set.
#[derive(Debug)]
pub(super) struct Search {
    /// Accesses that cost less hit.
    pub(super) fits_below: f64,
    /// Bytes per line; a way has a multiple of them.
    pub(super) line: u64,
}

impl Search {
    /// Whether that many lines fit, at this distance from one to the next.
    fn fits(&self, probe: &mut impl Probe, lines: u64, distance: u64, tries: usize) -> bool {
        self.cheap(probe, tries, |order| in_order(order, lines, |i| i * distance))
    }

    /// The most lines at `distance` that fit, if `fit` do and `too_many` do not.
    fn most_between(&self, probe: &mut impl Probe, mut fit: u64, mut too_many: u64, distance: u64) -> u64 {
        while too_many - fit > 1 {
            let middle = (fit + too_many) / 2;
            if self.fits(probe, middle, distance, TRIES) { fit = middle } else { too_many = middle }
        }
        fit
    }

    /// Whether any of the tries of a pattern, in one order and set or another, costs no
    /// more than hits, or than hits whose translations miss. A pattern larger than the memory does not fit.
    fn cheap(&self, probe: &mut impl Probe, tries: usize, pattern: impl Fn(u64) -> Vec<u64>) -> bool {
        let reach = probe.reach();
        // in other sets, as far as memory reaches
        let aside = |order: u64| {
            let (by, pattern) = ((order - 1) * ASIDE * self.line, pattern(order));
            let room = pattern.iter().all(|at| at + by < reach);
            pattern.into_iter().map(|at| if room { at + by } else { at }).collect()
        };
        let patterns: Vec<Vec<u64>> = (1..=ORDERS).map(aside).collect();
        if patterns.iter().flatten().any(|at| *at >= reach) {
            return false;
        }
        let fits_below = self.fits_below;
        patterns.iter().cycle().take(tries).any(|pattern| probe.cost(pattern) < fits_below)
            || patterns.iter().any(|pattern| {
                let cost = probe.cost(pattern);
                // others make pages cost more, too, but not each time
                (0..tries).all(|_| cost - translation(probe, pattern) < fits_below)
            })
    }

    /// The most lines at `distance` that fit, if they are at most [`MOST_WAYS`].
    fn most(&self, probe: &mut impl Probe, distance: u64) -> Option<u64> {
        let room = (probe.reach() / distance).min(MOST_WAYS + 1);
        if !self.fits(probe, 1, distance, TRIES) {
            return None;
        }
        let mut fit = self.most_between(probe, 1, room + 1, distance);
        while fit < room && self.fits(probe, fit + 1, distance, TRIES_ONE_MORE) {
            fit += 1;
        }
        (fit < room).then_some(fit)
    }

    /// Whether `ways` lines fit at the multiples of a distance, and twice as many at half of it.
    fn certified(&self, probe: &mut impl Probe, ways: u64, distance: u64) -> bool {
        let reach = probe.reach();
        let half = distance / 2;
        5 * ways * distance <= reach
            && MULTIPLES
                .into_iter()
                .filter(|m| *m <= 5 || m * ways * distance <= reach)
                .all(|m| self.fits(probe, ways, m * distance, TRIES))
            && (half < self.line || self.fits(probe, 2 * ways, half, TRIES_ONE_MORE))
    }

    /// The way: the smallest distance with a certificate. Address bits pick the set, so a way has a power
    /// of two of lines. The cache has from `low` to less than `high` bytes, as far as known.
    pub(super) fn run(&self, probe: &mut impl Probe, low: u64, high: u64) -> Result<Sets, String> {
        let smallest = (low / MOST_WAYS).max(self.line).next_power_of_two();
        for way in
            std::iter::successors(Some(smallest), |way| Some(2 * way)).take_while(|way| *way <= 2 * high)
        {
            if let Some(ways) = self.most(probe, way)
                && self.certified(probe, ways, way)
            {
                return Ok(Sets { ways, way });
            }
        }
        Err(format!(
            "no distance was found at which a fixed number of lines (at most {MOST_WAYS}) fits: the sets are not picked \
             by the address bits alone, or pages or other programs hide them"
        ))
    }

    /// The longest line that conflicts allow: walked with all lines of a set, one more
    /// conflicts as long as it begins in that set's line; from the first distance
    /// at which it fits, it does not. What is fetched ahead of need takes no part.
    pub(super) fn line_of(&self, probe: &mut impl Probe, set: Sets, distances: &[u64]) -> Option<u64> {
        let mut fits = |distance: u64| {
            let at = |i: u64| if i < set.ways { i * set.way } else { i * set.way + distance };
            self.cheap(probe, TRIES_ONE_MORE, |order| in_order(order, set.ways + 1, at))
        };
        let found = distances.iter().copied().filter(|d| *d < set.way).find(|d| fits(*d));
        // the line may be shorter than the first distance
        found.filter(|distance| *distance > distances[0])
    }
}

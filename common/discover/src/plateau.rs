//! The levels: plateaus of the cost over the size of the working set.

use super::translation::untranslated;
use super::{Probe, shuffled, usual_sizes};
use figures::stats;

/// Bytes between accesses, so that no two share a line of 512 bytes or
/// less; the set a line falls into is still spread evenly.
pub(super) const LINE_DISTANCE: u64 = 512;

/// From one size to the next the cost may grow by this factor on a plateau.
const FLAT: f64 = 1.1;

/// Two sizes alone are a plateau if their costs are this close; three or more
/// may scatter as real memory does.
const SAME: f64 = 1.02;

/// A new level costs at least this factor more.
const STEP: f64 = 1.2;

/// The same behind pages that lie anywhere: few of their sets have too many lines of many working sets.
const STEP_BEHIND_PAGES: f64 = 1.5;

/// Cost by size of the working set.
pub type Scan = Vec<(u64, f64)>;

/// Sizes that one level serves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plateau {
    /// Smallest size on it.
    pub from: u64,
    /// Largest size on it.
    pub to: u64,
    /// Nanoseconds per access.
    pub cost: f64,
}

/// A working set this many times as large as the largest level is memory's.
const EXCEEDED: u64 = 2;
/// ... or, if the system reports no levels, a plateau this many times as long as where it begins.
const LONG: u64 = 4;

impl Plateau {
    /// Whether these working sets are memory's, and not those of a level that is larger than all arrays
    /// measured: they exceed the `largest` level that the system reports.
    pub fn is_memory(&self, largest: Option<u64>) -> bool {
        self.to >= largest.map_or(LONG * self.from, |largest| EXCEEDED * largest)
    }
}

/// Costs of working sets from 1 KiB to the probe's reach, two per doubling, without translation; `apart` bytes
/// from one access to the next.
pub(super) fn scan(probe: &mut impl Probe, apart: u64) -> Scan {
    let sizes = usual_sizes(1024, probe.reach(), 3);
    let cost = |size: u64| {
        let cost = untranslated(probe, &shuffled(size / apart, |i| i * apart));
        probe.point(size, cost);
        (size, cost)
    };
    sizes.into_iter().map(cost).collect()
}

/// The plateaus of a scan in pages of `page` bytes, fastest first.
pub(super) fn plateaus(scan: &[(u64, f64)], page: u64) -> Vec<Plateau> {
    let mut found: Vec<Plateau> = Vec::new();
    let mut start = 0;
    while start < scan.len() {
        let mut end = start;
        while end + 1 < scan.len() && scan[end + 1].1 < FLAT * level(&scan[start..=end]) {
            end += 1;
        }
        let cost = level(&scan[start..=end]);
        let sizes = end - start + 1;
        let flat = sizes > 2 || (sizes == 2 && scan[end].1 < SAME * scan[start].1) || end + 1 == scan.len();
        // the first ends within few pages, whatever they are
        let behind_pages = |last: &Plateau| found.len() > 1 && last.to > page;
        let step = |last: &Plateau| if behind_pages(last) { STEP_BEHIND_PAGES } else { STEP };
        let higher = found.last().is_none_or(|last| cost > step(last) * last.cost);
        if flat && higher {
            found.push(Plateau { from: scan[start].0, to: scan[end].0, cost });
        } else if flat && let Some(last) = found.last_mut() {
            last.to = scan[end].0;
        }
        start = end + 1;
    }
    found
}

fn level(part: &[(u64, f64)]) -> f64 {
    let costs: Vec<f64> = part.iter().map(|p| p.1).collect();
    stats::median(&costs).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_where_the_cost_stays() {
        let costs = [1.0, 1.0, 1.02, 2.0, 3.5, 3.5, 3.6, 9.0, 12.0, 12.5, 13.0, 40.0, 80.0, 82.0];
        let scan: Scan = costs.into_iter().enumerate().map(|(i, c)| (1 << i, c)).collect();
        let found: Vec<(u64, u64, f64)> =
            plateaus(&scan, u64::MAX).iter().map(|p| (p.from, p.to, p.cost)).collect();
        assert_eq!(found, [(1, 4, 1.0), (16, 64, 3.5), (256, 1024, 12.5), (4096, 8192, 81.0)]);
        assert!(plateaus(&[], 4096).is_empty());
    }
}

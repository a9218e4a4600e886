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

/// Costs of working sets from 1 KiB to the probe's reach, two per doubling, without translation.
pub(super) fn scan(probe: &mut impl Probe) -> Scan {
    let sizes = usual_sizes(1024, probe.reach(), 3);
    let cost = |size: u64| {
        let cost = untranslated(probe, &shuffled(size / LINE_DISTANCE, |i| i * LINE_DISTANCE));
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

//! The levels: plateaus of the cost over the size of the working set.

use super::{Probe, shuffled, usual_sizes};
use figures::stats;

/// Accesses are this far apart, so that no two share a line of 512 bytes or
/// less; the set a line falls into is still spread evenly.
pub(super) const APART: u64 = 512;

/// From one size to the next the cost may grow by this factor on a plateau.
const FLAT: f64 = 1.1;

/// Two sizes alone are a plateau if their costs are this close; three or more
/// may scatter as real memory does.
const SAME: f64 = 1.02;

/// A new level costs at least this factor more.
const STEP: f64 = 1.2;

/// Base page.
const PAGE: u64 = 4096;

/// Every TLB has more entries than this; what costs more in fewer pages is a
/// cache.
const ENTRIES: u64 = 8;

/// Lines of one page are taken this far apart.
const LINE: u64 = 64;

/// A step is the TLB's when it makes this share of it.
const TRANSLATED: f64 = 0.5;

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
    /// Nanoseconds per access at its end, where the TLB may be part of them.
    pub top: f64,
}

/// Costs of working sets from 1 KiB to the probe's reach, two per doubling.
pub(super) fn scan(probe: &mut impl Probe) -> Scan {
    let sizes = usual_sizes(1024, probe.reach(), 3);
    sizes.into_iter().map(|size| (size, probe.cost(&shuffled(size / APART, |i| i * APART)))).collect()
}

/// The plateaus of a scan, fastest first.
pub(super) fn plateaus(scan: &[(u64, f64)]) -> Vec<Plateau> {
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
        let higher = found.last().is_none_or(|last| cost > STEP * last.cost);
        if flat && higher {
            found.push(Plateau { from: scan[start].0, to: scan[end].0, cost, top: cost });
        } else if flat && let Some(last) = found.last_mut() {
            last.to = scan[end].0;
        }
        start = end + 1;
    }
    found
}

/// Joins plateaus between which there is no cache: where one line in each page
/// of the working set costs most of the step too, the TLB made it.
pub(super) fn without_translation(probe: &mut impl Probe, all: Vec<Plateau>) -> Vec<Plateau> {
    let mut found: Vec<Plateau> = Vec::new();
    for plateau in all {
        match found.last_mut() {
            Some(last) if translated(probe, last, &plateau) => {
                (last.to, last.top) = (plateau.to, plateau.cost)
            }
            _ => found.push(plateau),
        }
    }
    found
}

/// Whether most of the step between two plateaus is the work of the TLB.
fn translated(probe: &mut impl Probe, fast: &Plateau, slow: &Plateau) -> bool {
    let step = slow.cost - fast.top;
    fast.to >= ENTRIES * PAGE
        && translation(probe, slow.from) - translation(probe, fast.to) > TRANSLATED * step
}

/// Nanoseconds by which an access to one line in each base page of `size` bytes
/// costs more than one to as many lines side by side.
pub(super) fn translation(probe: &mut impl Probe, size: u64) -> f64 {
    let pages = (size / PAGE).max(1);
    // each page's line in another set, so that a cache holds as many of them
    let apart = probe.cost(&shuffled(pages, |i| i * PAGE + i * LINE % PAGE));
    apart - probe.cost(&shuffled(pages, |i| i * LINE))
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
        let found: Vec<(u64, u64, f64)> = plateaus(&scan).iter().map(|p| (p.from, p.to, p.cost)).collect();
        assert_eq!(found, [(1, 4, 1.0), (16, 64, 3.5), (256, 1024, 12.5), (4096, 8192, 81.0)]);
        assert!(plateaus(&[]).is_empty());
    }
}

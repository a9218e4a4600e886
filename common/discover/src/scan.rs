//! What the cost of working sets shows: the levels (plateaus), where each ends, and its line.

use super::probe::{Probe, roundest, shuffled, translation, untranslated, usual_sizes};
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

/// The factor behind pages that lie anywhere: few of their sets have too many lines of many working sets.
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
/// If the system reports no levels, a plateau that ends at this many times the size where it
/// begins is memory's.
const LONG: u64 = 4;

impl Plateau {
    /// Whether these working sets are memory's, and not those of a level that is larger than all arrays
    /// measured: they exceed the `largest` level that the system reports.
    pub fn is_memory(&self, largest: Option<u64>) -> bool {
        self.to >= largest.map_or(LONG * self.from, |largest| EXCEEDED * largest)
    }
}

/// Costs of working sets from 1 KiB to the probe's reach, two per doubling.
pub(super) fn scan(probe: &mut impl Probe, spacing: u64) -> Scan {
    let sizes = usual_sizes(1024, probe.reach(), 3);
    sizes.into_iter().map(|size| (size, walk(probe, size, spacing))).collect()
}

/// Cost of a working set without translation; `spacing` bytes from one access to the next.
fn walk(probe: &mut impl Probe, size: u64, spacing: u64) -> f64 {
    let cost = untranslated(probe, &shuffled(size / spacing, |i| i * spacing));
    probe.point(size, cost);
    cost
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

/// Share of the step to the next level from which a working set misses.
const HALF: f64 = 0.5;
/// Share below which all of it fits.
const FITS: f64 = 0.1;
/// Nor does it all fit if it costs this factor more.
const SLOWER: f64 = 1.15;
/// A rise from all to most misses within this factor is one cache's own.
const SHARP: f64 = 1.3;
/// Share from which nothing of it is left in the cache.
const NONE_FITS: f64 = 0.9;

/// Walks up in fine steps from where everything fits to where nothing does.
pub(super) fn fine_knee(probe: &mut impl Probe, step: [Plateau; 2], spacing: u64) -> Scan {
    let [fast, slow] = step;
    let most = (2 * slow.from.max(fast.to)).min(probe.reach());
    // a scan of few lines fits longer where they may lie anywhere (fully associative)
    let mut from = (fast.to / 8).max(8 * spacing);
    let mut fits = |size: u64| {
        let cost = walk(probe, size, spacing);
        share(cost, step) <= FITS && cost <= SLOWER * fast.cost
    };
    while from > 8 * spacing && !fits(from) {
        from = (from / 8).max(8 * spacing);
    }
    knee(probe, usual_sizes(from, most, 15).into_iter(), spacing, step)
}

/// Costs of working sets of these sizes, up to the first that nothing of fits.
/// Levels that pick sets by a hash are filled only by all their lines.
pub(super) fn knee(
    probe: &mut impl Probe,
    sizes: impl Iterator<Item = u64>,
    spacing: u64,
    step: [Plateau; 2],
) -> Scan {
    let mut knee = Scan::new();
    for size in sizes {
        let cost = walk(probe, size, spacing);
        knee.push((size, cost));
        if share(cost, step) > NONE_FITS {
            break;
        }
    }
    knee
}

/// How far a cost is from the fast plateau to the slow one.
fn share(cost: f64, [fast, slow]: [Plateau; 2]) -> f64 {
    (cost - fast.cost) / (slow.cost - fast.cost)
}

/// Where the cost rises.
pub(super) struct Knee {
    /// The most probable size.
    pub(super) size: u64,
    /// The largest working set that fits.
    pub(super) low: u64,
    /// The smallest of which most misses, or nothing is left if the rise is slow.
    pub(super) high: u64,
    /// Whether it rises within a few sizes: a slow rise is the work of pages that
    /// share sets or of others on the cache, who make it look smaller.
    pub(super) sharp: bool,
}

pub(super) fn size_of(knee: &[(u64, f64)], step: [Plateau; 2]) -> Knee {
    let [fast, slow] = step;
    let above = |level: f64| knee.iter().position(|(_, cost)| share(*cost, step) > level);
    let last = knee.len().saturating_sub(1);
    let half = above(HALF).unwrap_or(last);
    // a small step may be one of two that lie close together
    let slower = knee.iter().position(|(_, cost)| *cost > SLOWER * fast.cost);
    let fits = above(FITS).into_iter().chain(slower).min().unwrap_or(half).min(half).saturating_sub(1);
    let Some(between) = knee.get(fits..half.max(fits + 1)) else {
        return Knee { size: fast.to, low: fast.to, high: slow.from, sharp: false };
    };
    let roundest = |part: &[(u64, f64)]| roundest(part.iter().map(|point| point.0));
    let (low, high) = (knee[fits].0, knee[half].0);
    if high as f64 <= SHARP * low as f64 {
        return Knee { size: roundest(between).unwrap_or(fast.to), low, high, sharp: true };
    }
    let full = above(NONE_FITS).unwrap_or(last);
    // half of the accesses miss when array and cache are equal behind such pages
    let near = knee.get(half.saturating_sub(2)..(half + 3).min(knee.len())).and_then(roundest);
    Knee { size: near.unwrap_or(high), low, high: knee[full].0.max(slow.from), sharp: false }
}

/// Distances tried, in bytes.
pub(super) const DISTANCES: [u64; 6] = [8, 16, 32, 64, 128, 256];

/// Share of a full miss from which the partner counts as missing.
const PARTNER_MISSES: f64 = 0.6;

/// Share of a miss that a partner at each distance costs.
pub(super) type Partners = Vec<(u64, f64)>;

/// Bytes per line of the cache that misses on the plateau `slow`, and the
/// evidence; `None` if the partner's cost shows no clear step. `hit` is the
/// cost of a hit in the first level, where a partner in the same line is.
pub(super) fn line(probe: &mut impl Probe, hit: f64, slow: Plateau) -> (Option<u64>, Partners) {
    // a working set in the middle of the slow plateau
    let size = ((slow.from as f64 * slow.to as f64).sqrt() as u64).next_multiple_of(LINE_DISTANCE);
    let blocks = shuffled(size / LINE_DISTANCE, |i| i * LINE_DISTANCE);
    let alone: Vec<u64> = blocks.iter().map(|b| b + LINE_DISTANCE / 2).collect();
    // which the first of two accesses pays alone
    let (translated, alone) = (translation(probe, &alone), untranslated(probe, &alone));
    let step = alone - hit;
    let mut partners = Partners::new();
    for distance in DISTANCES {
        let mut share = |first: u64, second: u64| {
            let pairs: Vec<u64> = blocks.iter().flat_map(|b| [b + first, b + second]).collect();
            (2.0 * probe.cost(&pairs) - translated - alone - hit) / step
        };
        // upward from a line's first word, downward from its last: what is
        // prefetched in one direction does not help in the other
        let (up, down) = (share(0, distance), share(LINE_DISTANCE - 8, LINE_DISTANCE - 8 - distance));
        partners.push((distance, up.max(down)));
    }
    let line =
        partners.iter().rposition(|(_, share)| *share < PARTNER_MISSES).map_or(0, |i| 2 * partners[i].0);
    let clear = line > DISTANCES[0]
        && line <= DISTANCES[DISTANCES.len() - 1]
        && partners
            .iter()
            .all(|(d, share)| if *d < line { *share < PARTNER_MISSES } else { *share >= PARTNER_MISSES });
    (clear.then_some(line), partners)
}

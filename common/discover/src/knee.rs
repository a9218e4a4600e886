//! Where the cost of working sets rises from hits to misses.

use super::plateau::{Plateau, Scan};
use super::translation::untranslated;
use super::{Probe, shuffled, usual_sizes};

/// Share of the step to the next level from which a working set misses.
const MISSES: f64 = 0.5;
/// Share below which all of it fits.
const FITS: f64 = 0.1;
/// Nor does it all fit if it costs this factor more.
const SLOWER: f64 = 1.15;
/// A rise from all to most misses within this factor is one cache's own.
const SHARP: f64 = 1.3;
/// Share from which nothing of it is left in the cache.
const NONE_FITS: f64 = 0.9;

/// Walks up in fine steps from where everything fits to where nothing does. If
/// neighbouring lines are fetched along, every second line is left out: the
/// sets of the others fill at the same size.
pub(super) fn fine_knee(probe: &mut impl Probe, fast: Plateau, slow: Plateau, line: u64) -> Scan {
    let mut missing = |apart: u64| probe.cost(&shuffled(slow.to / apart, |i| i * apart)) - fast.cost;
    let apart = if missing(line) < 0.8 * missing(2 * line) { 2 * line } else { line };
    let most = (2 * slow.from.max(fast.to)).min(probe.reach());
    // a scan of few lines fits longer where they may lie anywhere (fully associative)
    let mut from = (fast.to / 8).max(8 * apart);
    let mut fits = |size: u64| {
        let cost = untranslated(probe, &shuffled(size / apart, |i| i * apart));
        share(cost, fast, slow) <= FITS && cost <= SLOWER * fast.cost
    };
    while from > 8 * apart && !fits(from) {
        from = (from / 8).max(8 * apart);
    }
    knee(probe, usual_sizes(from, most, 15).into_iter(), apart, fast, slow)
}

/// Costs of working sets of these sizes, up to the first that nothing of fits.
/// Levels that pick sets by a hash are filled only by all their lines.
pub(super) fn knee(
    probe: &mut impl Probe,
    sizes: impl Iterator<Item = u64>,
    apart: u64,
    fast: Plateau,
    slow: Plateau,
) -> Scan {
    let mut knee = Scan::new();
    for size in sizes {
        let cost = untranslated(probe, &shuffled(size / apart, |i| i * apart));
        probe.point(size, cost);
        knee.push((size, cost));
        if share(cost, fast, slow) > NONE_FITS {
            break;
        }
    }
    knee
}

/// How far a cost is from the fast plateau to the slow one.
fn share(cost: f64, fast: Plateau, slow: Plateau) -> f64 {
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

pub(super) fn size_of(knee: &[(u64, f64)], fast: Plateau, slow: Plateau) -> Knee {
    let above = |level: f64| knee.iter().position(|(_, cost)| share(*cost, fast, slow) > level);
    let last = knee.len().saturating_sub(1);
    let half = above(MISSES).unwrap_or(last);
    // a small step may be one of two that lie close together
    let slower = knee.iter().position(|(_, cost)| *cost > SLOWER * fast.cost);
    let fits = above(FITS).into_iter().chain(slower).min().unwrap_or(half).min(half).saturating_sub(1);
    let Some(between) = knee.get(fits..half.max(fits + 1)) else {
        return Knee { size: fast.to, low: fast.to, high: slow.from, sharp: false };
    };
    let roundest = |part: &[(u64, f64)]| {
        part.iter().map(|k| k.0).min_by_key(|size| (size >> size.trailing_zeros(), u64::MAX - size))
    };
    let (low, high) = (knee[fits].0, knee[half].0);
    if high as f64 <= SHARP * low as f64 {
        return Knee { size: roundest(between).unwrap_or(fast.to), low, high, sharp: true };
    }
    let full = above(NONE_FITS).unwrap_or(last);
    // half of the accesses miss when array and cache are equal behind such pages
    let near = knee.get(half.saturating_sub(2)..(half + 3).min(knee.len())).and_then(roundest);
    Knee { size: near.unwrap_or(high), low, high: knee[full].0.max(slow.from), sharp: false }
}

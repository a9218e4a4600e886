//! What working sets cost: a scan over all sizes, fine steps where a level ends, and the line by partners of accesses
//! that miss.

use super::probe::{Probe, shuffled, usual_sizes};
use super::rise::{FITS, GONE, Plateau, Rise, rise};
use super::translation::{translation, untranslated};

/// Bytes between accesses, so that no two share a line of 512 bytes or
/// less; the set a line falls into is still spread evenly.
const LINE_DISTANCE: u64 = 512;

/// Cost by size of the working set.
pub(super) type Curve = Vec<(u64, f64)>;

/// Costs of working sets from 1 KiB to `to` bytes, two per doubling.
pub(super) fn scan(probe: &mut impl Probe, to: u64) -> Curve {
    usual_sizes(1024, to, 3).into_iter().map(|size| (size, walk(probe, size, LINE_DISTANCE))).collect()
}

/// Cost of a working set without translation; `spacing` bytes from one access to the next.
fn walk(probe: &mut impl Probe, size: u64, spacing: u64) -> f64 {
    let cost = untranslated(probe, &shuffled(size / spacing, |i| i * spacing));
    probe.point(size, cost);
    cost
}

/// The cost of a hit in a level, and of a miss in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) hit: f64,
    pub(super) miss: f64,
}

impl Step {
    pub(super) fn between([fast, slow]: [Plateau; 2]) -> Step {
        Step { hit: fast.cost, miss: slow.cost }
    }

    /// What fits costs no more, for a `share` of the misses. A large step may be two that lie close together, so a hit is the measure too.
    pub(super) fn fits_below(self, share: f64) -> f64 {
        self.hit + share * (self.miss - self.hit).min(self.hit)
    }

    fn gone_from(self) -> f64 {
        self.hit + GONE * (self.miss - self.hit)
    }

    /// Where a curve of working sets rises by this step. Other programs only add to a cost, so none is above that of a
    /// larger working set.
    pub(super) fn rise(self, curve: &[(u64, f64)], fits: f64) -> Rise {
        let mut rising = curve.to_vec();
        for at in (1..rising.len()).rev() {
            rising[at - 1].1 = rising[at - 1].1.min(rising[at].1);
        }
        rise(&rising, self.fits_below(fits), (self.hit + self.miss) / 2.0, self.gone_from())
    }
}

/// Walks all lines of growing working sets, with sizes of odd factors up to `odd`: from one that fits, at most `from`
/// bytes, to one of which nothing is left. Levels that pick sets by a hash are filled only by all their lines.
pub(super) fn end_of_level(
    probe: &mut impl Probe,
    [fast, slow]: [Plateau; 2],
    line: u64,
    from: u64,
    odd: u64,
) -> Curve {
    let step = Step::between([fast, slow]);
    // a scan of few lines fits longer where they may lie anywhere (fully associative)
    let least = 8 * line;
    let mut from = from.max(least);
    while from > least && walk(probe, from, line) > step.fits_below(FITS) {
        from = (from / 8).max(least);
    }
    let mut curve = Curve::new();
    for size in usual_sizes(from, (2 * slow.from.max(fast.to)).min(probe.reach()), odd) {
        let cost = walk(probe, size, line);
        curve.push((size, cost));
        if cost >= step.gone_from() {
            break;
        }
    }
    curve
}

/// Distances tried, in bytes: the lines of machines have 4 to 256 (z15).
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

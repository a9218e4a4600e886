//! The line, by partner accesses: right after an access that misses, one at
//! some distance hits if it is in the same line.

use super::plateau::{LINE_DISTANCE, Plateau};
use super::translation::{translation, untranslated};
use super::{Probe, shuffled};

/// Distances tried, in bytes.
pub(super) const DISTANCES: [u64; 6] = [8, 16, 32, 64, 128, 256];

/// Share of a full miss from which the partner counts as missing.
const MISSES: f64 = 0.6;

/// Share of a miss that a partner at each distance costs.
pub type Partners = Vec<(u64, f64)>;

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
    let line = partners.iter().rposition(|(_, share)| *share < MISSES).map_or(0, |i| 2 * partners[i].0);
    let clear = line > DISTANCES[0]
        && line <= DISTANCES[DISTANCES.len() - 1]
        && partners.iter().all(|(d, share)| if *d < line { *share < MISSES } else { *share >= MISSES });
    (clear.then_some(line), partners)
}

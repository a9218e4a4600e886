//! The size of a level behind pages that lie anywhere, by walks over all lines of pages
//! that are drawn anew each time: none of them tells it, all together do.

use super::found::{Exploration, LevelFound};
use super::translation::untranslated;
use super::why::Why;
use super::{Probe, usual_sizes};
use crate::likelihood::{Point, Scale, Sizes, sizes};
use figures::random::Random;
use figures::stats;
use figures::units::Bytes;

/// Times that pages are drawn for each working set.
const DRAWS: u64 = 4;
/// A cost is off by this share of it at the least.
const NOISE: f64 = 0.04;
/// Share of the time after which no working set is walked.
const LATEST: f64 = 0.9;
/// Working sets below which the curve tells nothing.
const LEAST: usize = 6;

/// Larger working sets take long, if the level is not that large itself.
const LARGEST: u64 = 6 << 20;

/// What the walks tell of a level.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Walks {
    level: usize,
    points: usize,
    sizes: Option<Sizes>,
}

/// Walks through working sets round the end of the level behind the first `above`, if its pages lie anywhere.
pub(super) fn walks(probe: &mut impl Probe, run: &Exploration, level: usize) -> Option<Walks> {
    let (above, found) = (run.levels.get(level.checked_sub(2)?)?, run.levels.get(level - 1)?);
    let (page, line) = (probe.contiguous(), found.line.or(above.line).unwrap_or(64));
    let (low, high) = found.knee_range;
    if found.ways.is_ok() || page >= high {
        return None;
    }
    // far enough to show whether the rise that is seen is the next level's
    let to = (8 * high).min(probe.reach() / 2).min(LARGEST.max(2 * high));
    let mut points = Vec::new();
    for bytes in usual_sizes((low / 2).max(2 * above.size), to, 7) {
        let mut costs = Vec::new();
        for draw in (0..DRAWS).filter(|_| bytes >= page) {
            let offsets = walk(probe, bytes, line, draw);
            costs.push(if probe.spent() < LATEST {
                untranslated(probe, &offsets, found.latency)
            } else {
                f64::NAN
            });
        }
        if costs.iter().any(|cost| !cost.is_finite()) {
            break;
        }
        let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
        let Some(median) = stats::median(&costs) else { continue };
        let noise = (NOISE * least).max(median - least);
        points.push(Point { bytes, value: least, noise, draws: costs.len() });
    }
    let enough = points.len() >= LEAST;
    let sizes = enough
        .then(|| sizes(&points, (low / 2, 8 * high), page, line, Scale::Cost { hit: found.latency }))
        .flatten();
    // others may have held ways of each set in all walks
    let open =
        |sizes: Sizes| Sizes { high: if probe.real() { sizes.high / 3 * 4 } else { sizes.high }, ..sizes };
    let sizes = sizes.map(open);
    Some(Walks { level, points: points.len(), sizes })
}

/// All lines of `bytes` in pages drawn from all there are, in random order.
fn walk(probe: &impl Probe, bytes: u64, line: u64, draw: u64) -> Vec<u64> {
    let page = probe.contiguous();
    let mut random = Random::new(bytes ^ draw << 40);
    let mut pages: Vec<u64> = (0..probe.reach() / page).collect();
    random.shuffle(&mut pages);
    pages.truncate((bytes / page) as usize);
    let mut offsets: Vec<u64> =
        pages.iter().flat_map(|at| (0..page / line).map(move |i| at * page + i * line)).collect();
    random.shuffle(&mut offsets);
    offsets
}

impl Walks {
    /// Takes what they tell into what was found of the level below one of `above` bytes.
    pub(super) fn take_in(&self, found: &mut LevelFound, above: u64) {
        let Some(sizes) = self.sizes.filter(|_| found.level == self.level && found.ways.is_err()) else {
            return;
        };
        let (low, high) = (sizes.low.saturating_sub(above), sizes.high);
        found.range = (low, high);
        found.size = usual_sizes(low, high, 7)
            .into_iter()
            .min_by_key(|size| (size >> size.trailing_zeros(), u64::MAX - size))
            .unwrap_or(high);
        found.why.retain(|why| !matches!(why, Why::Open(_)));
        found.why.push(Why::Open(format!(
            "behind pages that lie anywhere, some sets have too many lines of a working set that would fit. Of all sizes, \
             only those from {} to {} explain the costs of {} working sets, each in {DRAWS} draws of pages, within odds of 1000 \
             to 1{}; {} less if it holds none of the lines of the level above (exclusive).",
            Bytes(sizes.low),
            Bytes(high),
            self.points,
            if sizes.hashed { ", and only if a hash of the address picks the set" } else { "" },
            Bytes(above)
        )));
    }
}

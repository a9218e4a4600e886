//! The size of a level behind scattered pages, by walks over all lines of randomly chosen
//! pages, new ones each time: no single walk shows it, all together do.

use std::collections::BTreeMap;

use super::found::{Exploration, LevelFound, Why};
use super::probe::{Probe, roundest, untranslated, usual_sizes};
use figures::random::Random;
use figures::stats;
use figures::units::Bytes;
use infer::Confidence;
use infer::likelihood::{Point, Sizes, sizes};

/// Times that pages are drawn for each working set.
const DRAWS: u64 = 4;
/// A cost is off by this share of it at the least.
const NOISE: f64 = 0.04;
/// A level of which others hold a quarter is so much larger than it looks.
const OTHERS: f64 = 4.0 / 3.0;
/// Pages of memory N times as large as a level of eight ways are spread unevenly over its sets, by this
/// over the root of N (two standard deviations).
const UNEVEN: f64 = 0.71;
/// The sizes of a next level that are compared are so far from each other, and the truth may lie between.
const NEXT_STEP: f64 = 1.2;
/// Its sizes are given in multiples of this.
const ROUNDED: u64 = 64 << 10;
const NO_PLATEAU: &str = "no plateau of the cost shows this level";
/// Share of the time that the walks get at most.
const SHARE: f64 = 0.3;
/// Share of the time after which no working set is walked.
const LATEST: f64 = 0.9;
/// Working sets below which the curve shows nothing.
const LEAST: usize = 6;

/// Larger working sets take long, if the level is not that large itself.
const LARGEST: u64 = 6 << 20;

/// What the walks show of a level.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Walks {
    points: usize,
    largest: u64,
    sizes: Option<Sizes>,
}

/// Walks through working sets round the end of the second level, if its pages lie anywhere.
pub(super) fn walks(probe: &mut impl Probe, run: &Exploration) -> Option<Walks> {
    let [above, found, ..] = &run.levels[..] else { return None };
    let (page, line) = (probe.contiguous(), found.line.or(above.line).unwrap_or(64));
    let high = found.knee_range.1;
    if found.ways.is_ok() || page >= high {
        return None;
    }
    // far enough to show whether the rise that is seen is the next level's
    let to = (8 * high).min(probe.reach() / 2).min(LARGEST.max(2 * high));
    // others can make the level look like a part of the next, so it may have any size below
    let from = 2 * above.size;
    let mut costs: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    let until = (probe.spent() + SHARE).min(LATEST);
    for draw in 0..DRAWS {
        for bytes in usual_sizes(from.max(page), to, 7) {
            let drawn = draw < independent(bytes, probe.reach());
            if drawn && bytes.is_multiple_of(page) && probe.spent() < until {
                let walk = walk(probe, bytes, line, draw);
                costs.entry(bytes).or_default().push(untranslated(probe, &walk));
            }
        }
    }
    let point = |(&bytes, costs): (&u64, &Vec<f64>)| {
        let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
        let value = stats::median(costs).filter(|value| value.is_finite())?;
        let draws = costs.len().min(independent(bytes, probe.reach()) as usize);
        // others only add to a cost
        Some(Point { bytes, value, noise: (NOISE * value).max(value - least), draws })
    };
    let mut points: Vec<Point> = costs.iter().filter_map(point).collect();
    // what costs more than a larger working set was disturbed
    for at in (1..points.len()).rev() {
        points[at - 1].value = points[at - 1].value.min(points[at].value);
    }
    let enough = points.len() >= LEAST;
    let range = (above.size, 2 * high);
    let read = enough.then(|| sizes(&points, range, (page, line), Some(found.latency)));
    let open = |sizes: Sizes| Sizes { high: open(sizes.high, probe.reach(), probe.real()), ..sizes };
    let sizes = read.flatten().map(open);
    let largest = points.last().map_or(0, |point| point.bytes);
    Some(Walks { points: points.len(), largest, sizes })
}

/// Up to which size a level must be left open that looks no larger than `high`: others may have held ways
/// of each set in all walks, and all draws are from pages that lie unevenly.
fn open(high: u64, reach: u64, real: bool) -> u64 {
    let uneven = 1.0 + UNEVEN * (high as f64 / reach as f64).sqrt();
    let factor = if real { uneven.max(OTHERS) } else { uneven };
    usual_sizes((high as f64 * factor) as u64, 2 * high, 7).first().copied().unwrap_or(2 * high)
}

/// Draws of `bytes` from `reach` bytes that have few pages in common.
fn independent(bytes: u64, reach: u64) -> u64 {
    (reach / bytes / 4).max(1)
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
    /// Adds it to what was found of the level below one of `above` bytes.
    pub(super) fn take_in(&self, found: &mut LevelFound, above: u64) {
        let Some(sizes) = self.sizes.filter(|_| found.ways.is_err()) else { return };
        let (low, high) = (sizes.low.saturating_sub(above), sizes.high);
        found.range = (low, high);
        found.size = roundest(usual_sizes(low, high, 7).into_iter()).unwrap_or(high);
        found.why.retain(|why| !matches!(why, Why::Open(_)));
        found.why.push(Why::Open(format!(
            "behind pages that lie anywhere, some sets have too many lines of a working set that would fit. Of all sizes, \
             only those from {} to {} explain the costs of {} working sets, in up to {DRAWS} draws of pages each, within odds of 1000 \
             to 1{}; {}.",
            Bytes(sizes.low),
            Bytes(high),
            self.points,
            if sizes.hashed { ", and only if a hash of the address picks the set" } else { "" },
            infer::exclusive::less(above)
        )));
    }

    /// Whether the walks exceed a level that a plateau of the cost seemed to show, and are explained without it: few
    /// pages of one working set made the plateau.
    pub(super) fn refute(&self, level: &LevelFound) -> bool {
        level.ways.is_err()
            && level.knee_range.1 <= self.largest
            && self.sizes.is_some_and(|sizes| sizes.next.is_none())
    }

    /// The level behind `found` that ends in the walks too, so that no plateau shows it; `beyond` is what memory costs.
    pub(super) fn next_level(&self, found: &mut LevelFound, beyond: f64, real: bool) -> Option<LevelFound> {
        let sizes = self.sizes?;
        let Some(next) = sizes.next else {
            if sizes.may_have_next && found.ways.is_err() {
                found.why.push(Why::Open(
                    "between it and memory there may be another level; a miss may then cost less.".to_owned(),
                ));
            }
            return None;
        };
        let low = (next.sizes.0 / NEXT_STEP) as u64 / ROUNDED * ROUNDED;
        let high = ((next.sizes.1 * NEXT_STEP) as u64).next_multiple_of(ROUNDED);
        let hit = |step: f64| found.latency + step;
        let (latency, latencies) = (hit(next.step), (hit(next.steps.0), hit(next.steps.1)));
        found.penalty = next.step;
        let why = vec![
            Why::Size(format!(
                "it ends so soon after the level above that the cost rises without a step between. Of all sizes of both, \
                 only those with a level of {} to {} explain the costs of the walks; a miss in the level above then costs \
                 {:.1} to {:.1} ns.",
                Bytes(low),
                Bytes(high),
                next.steps.0,
                next.steps.1,
            )),
            Why::NoWays(NO_PLATEAU.to_owned()),
        ];
        Some(LevelFound {
            level: found.level + 1,
            size: roundest(usual_sizes(low, high, 7).into_iter()).unwrap_or(high),
            // others use it too
            range: (low, if real { u64::MAX } else { high }),
            knee_range: (low, high),
            ways: Err(NO_PLATEAU.to_owned()),
            latency,
            latencies,
            penalty: beyond - latency,
            confidence: Confidence::Low,
            agree: 1,
            knee: Vec::new(),
            why,
            ..found.clone()
        })
    }
}

//! Saturation and size.

use super::curve::Curve;
use super::likelihood::{Point, next_size, sizes};
use super::sentence::{Hint, Sentence};
use figures::stats;
use figures::units::Bytes;

/// Largest distance from one miss per access, where every access misses and misses are counted.
const ONE: f64 = 0.05;
/// Largest distance from one miss per access where they are derived from times.
const ONE_TIMED: f64 = 0.12;
/// Two rows that differ by at most this have reached the same level.
const AGREE: f64 = 0.12;
/// An array fits while it has at most this share of the misses. An L2 behind
/// 4 KiB pages misses by half when array and cache are equal.
const FITS: f64 = 0.75;
/// First levels are smaller: a larger cache that misses in part may be the second, behind pages that lie anywhere.
const SECOND: u64 = 64 << 10;
/// From this share on nothing is left of the array when it comes round again.
const FULL: f64 = 0.85;
/// Below this share an array may be no larger than a measured cache, and other programs evict some of it:
/// they only ever add misses.
pub(super) const ALL: f64 = 0.95;
/// Below this share a row has no misses but those of chance.
pub(super) const QUIET: f64 = 0.1;
/// A share of the misses may be off by so much.
pub(super) const OFF: f64 = 0.04;
/// Base page.
const PAGE: u64 = 4096;
/// Misses per access lower than this in all rows are no curve of a cache that
/// is walked cyclically, whatever their shape.
const LEAST: f64 = 0.3;

/// The line, and the misses per access when nothing is in the cache.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    pub(super) line: u64,
    pub(super) misses: f64,
}

/// Where the array stops fitting.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) fits: u64,
    pub(super) too_large: u64,
    /// The first array of which nothing is left. Behind pages that share sets
    /// the cache may be as large as that.
    pub(super) full: u64,
    /// Share of the misses in the row that still fits.
    pub(super) at_size: f64,
}

/// The misses of an array that exceeds the cache, or why no array of the sweep does.
pub(super) fn saturation(curve: &Curve, line: u64, why: &mut Vec<Sentence>) -> Result<Level, Sentence> {
    let largest = curve.largest();
    // sizes between, measured later, are close together
    let before = curve.sizes().rev().find(|s| 3 * s <= 2 * largest).unwrap_or(largest);
    let advice = |what: String| {
        let text = format!(
            "{what}, so the sweep does not show a cache that is exceeded. Extend the range to 4 times the cache, \
             and check that the event belongs to this level."
        );
        Sentence::with(text, Hint::LargerArrays)
    };
    let Some(misses) = curve.at(largest, line) else {
        return Err(advice(format!("The cell at stride {line} of the largest array is missing")));
    };
    let one = if curve.timed { ONE_TIMED } else { ONE };
    if misses < LEAST {
        let most = curve.row(largest).iter().map(|cell| cell.1).fold(0.0, f64::max);
        return Err(Sentence::with(
            format!(
                "Even the largest array ({}) misses at most {most:.3} times per access, where one that exceeds the cache \
             misses about once per line. Either the range ends before the cache does (extend it to 4 times the \
             cache), or the event counts only a part of these misses, as an event of another level does.",
                Bytes(largest)
            ),
            Hint::LargerArrays,
        ));
    }
    // timed, the line's own stride is still eased by what is fetched along
    let beyond = (1..7).filter_map(|doublings| curve.at(largest, line << doublings));
    let plateau = stats::median(&beyond.filter(|beyond| *beyond >= misses).collect::<Vec<f64>>());
    let misses = plateau.filter(|_| curve.timed).unwrap_or(misses);
    if (misses - 1.0).abs() <= one {
        why.push(format!(
            "Saturation: in the largest array ({}) every access to a new line misses ({misses:.3} per access), and \
             that stays so for larger strides: no line survives until the next pass.",
            Bytes(largest)
        ).into());
        return Ok(Level { line, misses });
    }
    let share = curve.share(before, largest, line).unwrap_or(0.0);
    if (share - 1.0).abs() > AGREE {
        return Err(advice(format!(
            "The misses are still growing between the two largest arrays ({} has {:.0} % of those of {})",
            Bytes(before),
            100.0 * share,
            Bytes(largest)
        )));
    }
    let mut sentence = format!(
        "Saturation: the two largest arrays ({} and {}) have the same misses at the line's stride ({misses:.3} per \
         access), so the cache does not help any more.",
        Bytes(before),
        Bytes(largest)
    );
    if misses > 1.0 + ONE {
        sentence.push_str(
            " More than one miss per access does not mean more misses than accesses: the event also counts the \
             lines that the prefetchers fetch (PAPI_L2_DCM on Intel Sandy Bridge to Kaby Lake), so it is used as a \
             scale only.",
        );
    }
    why.push(sentence.into());
    Ok(Level { line, misses })
}

/// The largest array that still fits.
pub(super) fn read(
    curve: &Curve,
    level: Level,
    modelled: bool,
    why: &mut Vec<Sentence>,
) -> Result<Size, Sentence> {
    let largest = curve.largest();
    let shares: Vec<(u64, f64)> =
        curve.sizes().filter_map(|s| Some((s, curve.share(s, largest, level.line)?))).collect();
    let Some(at) = shares.iter().rposition(|(_, share)| *share <= FITS) else {
        return Err(Sentence::with(
            format!(
                "Even the smallest array ({}) misses as the largest does: the cache is smaller. Start lower.",
                Bytes(shares.first().map_or(0, |s| s.0))
            ),
            Hint::SmallerArrays,
        ));
    };
    let (size, share) = shares[at];
    let too_large = shares.get(at + 1).map_or(size, |row| row.0);
    if too_large > 2 * size {
        return Err(Sentence::with(
            format!(
                "Between {}, which fits, and {}, which does not, there is no usable row, so the size may be anything \
             between. Measure those sizes too.",
                Bytes(size),
                Bytes(too_large)
            ),
            Hint::SizesBetween(size, too_large),
        ));
    }
    // pages that lie anywhere make rows miss in part that are as large as the cache, or somewhat smaller
    let physical = !curve.timed && !modelled && (curve.behind || size >= SECOND);
    let point = |&(bytes, value): &(u64, f64)| Point { bytes, value, noise: OFF, draws: 1 };
    let points: Vec<Point> = shares.iter().map(point).collect();
    let allowed = physical.then(|| sizes(&points, (size / 4, 4 * size), (PAGE, level.line), None)).flatten();
    match allowed {
        Some(allowed) if share > QUIET && too_large == 2 * size => {
            let below = next_size(allowed.high);
            why.push(format!(
                "Size: the array of {} has {:.0} % of the misses of the largest. Behind small pages a cache misses in \
                 part already when the array is somewhat smaller than itself, because pages share some sets and leave \
                 others empty. Of all sizes, those from {} to less than {} explain the misses of all rows, within odds \
                 of 1000 to 1.",
                Bytes(size),
                100.0 * share,
                Bytes(allowed.low),
                Bytes(below)
            ).into());
            Ok(Size { fits: allowed.low, too_large: below, full: below, at_size: share })
        }
        _ => {
            let most = allowed.filter(|_| curve.behind).map_or(0, |allowed| next_size(allowed.high));
            knee(&shares, modelled || curve.behind, most, why)
        }
    }
}

/// The size where misses begin: the last row without them. It may be up to `most` bytes. If this program was not
/// `alone`, a row that misses in part may fit, because other programs add misses.
fn knee(shares: &[(u64, f64)], alone: bool, most: u64, why: &mut Vec<Sentence>) -> Result<Size, Sentence> {
    let Some(quiet) = shares.iter().rposition(|(_, share)| *share <= QUIET) else {
        return Err(Sentence::with(
            "No array is clearly inside the cache. Start lower.",
            Hint::SmallerArrays,
        ));
    };
    let (size, share) = shares[quiet];
    let Some(&(too_large, its_share)) = shares.get(quiet + 1) else {
        return Err(Sentence::with(
            "No array is clearly outside the cache. Extend the range.",
            Hint::LargerArrays,
        ));
    };
    let slow = alone && shares.iter().any(|(s, share)| *s >= 2 * size && *share < FITS);
    if slow {
        return Err(Sentence::with(
            format!(
                "The misses begin at {} but grow slowly over more than a doubling of the array: it mixes several caches, \
             or pages that share sets. Repeat it with huge pages.",
                Bytes(too_large)
            ),
            Hint::Experiments,
        ));
    }
    // the first array that has this share of the misses of the largest
    let full = |least: f64| shares[quiet + 1..].iter().find(|s| s.1 >= least).map_or(too_large, |s| s.0);
    let (too_large, full) = match alone {
        true => (too_large, full(FULL).max(most)),
        false => [full(ALL); 2].into(),
    };
    let next = shares[quiet + 1].0;
    let because = if too_large > next {
        ". Other programs can only add misses, so an array that misses in part may fit"
    } else if full > too_large {
        ". With scattered pages an array that would fit can miss"
    } else {
        ": the first fits into the cache, the second does not"
    };
    why.push(format!(
        "Size: the array of {} has {:.1} % of the misses of the largest, the one of {} has {:.0} %{because}. So the \
         cache has {} or more, but less than {}.",
        Bytes(size),
        100.0 * share,
        Bytes(next),
        100.0 * its_share,
        Bytes(size),
        Bytes(full.max(too_large))
    ).into());
    Ok(Size { fits: size, too_large, full, at_size: share })
}

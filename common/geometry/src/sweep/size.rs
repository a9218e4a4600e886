//! Saturation and size.

use super::grid::Curve;
use super::sentence::{Hint, Sentence};
use crate::rise::{FITS, FITS_BEHIND_PAGES, GONE, rise};
use figures::stats;
use figures::units::Bytes;

/// Two rows that differ by at most this have reached the same level, and one that is as near to one miss per access misses
/// always: recorded rows of the i5-7500's L2 differ by 0.10 there.
pub(super) const AGREE: f64 = 0.12;
/// From this share of the misses of the largest on an array exceeds the cache, whatever the policy of replacement.
pub(super) const HALF: f64 = 0.5;
/// First levels are smaller: a larger cache that misses in part may be the second, behind pages that lie anywhere.
const SECOND: u64 = 64 << 10;
/// A model counts no misses but those of the walk, and of its first pass: of 33
/// passes at the least, if lines have 16 bytes.
pub(super) const MISSES_MODELLED: f64 = 0.04;
/// Below this share an array may be no larger than a measured first level, and other programs evict some of it:
/// they only ever add misses.
pub(super) const ALL: f64 = 0.95;

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
    /// Whether pages that share sets may be why the misses grow slowly.
    pub(super) may_be_scattered: bool,
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
    if misses < HALF {
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
    if (misses - 1.0).abs() <= AGREE {
        why.push(format!(
            "Saturation: in the largest array ({}) every access to a new line misses ({misses:.3} per access), and \
             that stays so for larger strides: no line survives until the next pass.",
            Bytes(largest)
        ).into());
        return Ok(Level { line, misses });
    }
    let share = curve.share(before, largest, line).unwrap_or(0.0);
    // an array between the last that fits and the largest misses too: the range is no reason
    if curve.timed && (HALF..1.0 - AGREE).contains(&share) {
        return Err(Sentence::with(
            format!(
                "The largest array ({}) misses only {misses:.2} times per access where each access is in a new line, and \
                 one of {} has {:.0} % of that: other programs, or a prefetcher, change these misses. Repeat the sweep.",
                Bytes(largest),
                Bytes(before),
                100.0 * share
            ),
            Hint::MoreRuns,
        ));
    }
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
    if !curve.timed && misses > 1.0 + AGREE {
        sentence.push_str(
            " The event also counts the lines that the prefetchers fetch (PAPI_L2_DCM on Intel Sandy Bridge to Kaby \
             Lake), so it is used as a scale only.",
        );
    }
    why.push(sentence.into());
    Ok(Level { line, misses })
}

/// The largest array that still fits, and the first that does not. Other programs add misses to a measured first level:
/// a row that misses in part may then fit.
pub(super) fn read(
    curve: &Curve,
    level: Level,
    modelled: bool,
    why: &mut Vec<Sentence>,
) -> Result<Size, Sentence> {
    let largest = curve.largest();
    // fewer passes over a modelled array, as at small strides, count more of the first one's misses
    let share = |size| match modelled && !curve.behind {
        true => Some(curve.at(size, level.line)? / level.misses),
        false => curve.share(size, largest, level.line),
    };
    let shares: Vec<(u64, f64)> = curve.sizes().filter_map(|size| Some((size, share(size)?))).collect();
    let is_large =
        !curve.timed && shares.iter().any(|share| share.0 >= SECOND && share.1 <= FITS_BEHIND_PAGES);
    let alone = modelled || curve.behind || is_large;
    let first = if modelled { MISSES_MODELLED } else { FITS };
    let fits = if curve.behind || is_large && !modelled { FITS_BEHIND_PAGES } else { first };
    let rise = rise(&shares, fits, HALF, if alone { GONE } else { ALL });
    let Some(fits) = rise.fits else {
        return Err(Sentence::with(
            format!(
                "Even the smallest array ({}) has {:.0} % of the misses of the largest, so no array is clearly inside the \
                 cache. Start lower.",
                Bytes(shares.first().map_or(0, |s| s.0)),
                100.0 * shares.first().map_or(f64::NAN, |s| s.1)
            ),
            Hint::SmallerArrays,
        ));
    };
    let (Some(next), Some(full)) = (rise.next, rise.gone) else {
        return Err(Sentence::with(
            "No array is clearly outside the cache. Extend the range.",
            Hint::LargerArrays,
        ));
    };
    if next > 2 * fits {
        return Err(Sentence::with(
            format!(
                "Between {}, which fits, and {}, which does not, there is no usable row, so the size may be anything \
                 between. Measure those sizes too.",
                Bytes(fits),
                Bytes(next)
            ),
            Hint::SizesBetween,
        ));
    }
    let may_be_scattered = (curve.behind || !modelled && is_large) && full > next;
    let because = if may_be_scattered {
        ". Behind small pages an array that would fit misses in part, because pages share some sets and leave others empty"
    } else if full == next {
        ": the first fits into the cache, the second does not"
    } else {
        ". Other programs can only add misses, so an array that misses in part may fit"
    };
    let percent = |size: u64| 100.0 * shares.iter().find(|s| s.0 == size).map_or(f64::NAN, |s| s.1);
    why.push(
        format!(
            "Size: the array of {} has {:.1} % of the misses of the largest, the one of {} has {:.0} %{because}. So the \
             cache has {} or more, but less than {}.",
            Bytes(fits),
            percent(fits),
            Bytes(next),
            percent(next),
            Bytes(fits),
            Bytes(full)
        )
        .into(),
    );
    Ok(Size { fits, too_large: if alone && !may_be_scattered { next } else { full }, full, may_be_scattered })
}

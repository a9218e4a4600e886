//! The line: up to it, doubling the stride doubles the misses.

use super::sentence::{Hint, Sentence};
use std::collections::BTreeMap;

use super::curve::Curve;
use figures::stats;
use figures::units::Bytes;

/// Misses "double" when the factor per doubled stride is at least this. Real
/// counters give 1.88 to 2.2 on the ramp and at most 1.68 beyond the line,
/// where prefetchers inflate the count.
const DOUBLING: f64 = 1.7;

/// A row takes part when its ramp ends this high compared to the highest.
const PART: f64 = 0.2;

/// No cache has longer lines; a prefetcher that follows strides inside a page
/// leaves one miss per page, which looks like a line as long.
const LONGEST: u64 = 512;

/// Where the ramp of one row ends.
#[derive(Debug, Clone, Copy)]
struct Ramp {
    end: u64,
    height: f64,
    /// Whether the row continues beyond the end without a jump or a hole, so
    /// that the end is seen and not guessed.
    seen: bool,
}

fn ramp(curve: &Curve, size: u64) -> Option<Ramp> {
    let row = curve.row(size);
    let top = row.iter().map(|c| c.1).fold(0.0, f64::max);
    // per doubling of the stride, also across a hole in the row
    let factor = |a: (u64, f64), b: (u64, f64)| {
        (a.1 > 0.0).then(|| (b.1 / a.1).powf(1.0 / (b.0 as f64 / a.0 as f64).log2()))
    };
    let run = |start: usize| {
        let doubles = |i: &usize| {
            let pair = row.get(*i).zip(row.get(i + 1));
            pair.is_some_and(|(a, b)| factor(*a, *b).is_some_and(|f| f >= DOUBLING))
        };
        start + (start..).take_while(doubles).count()
    };
    // counted, the ramp begins with the first stride; timed, small ratios are
    // noise and one of them may hide its foot
    let starts: Vec<usize> = if curve.timed {
        (0..row.len()).filter(|&i| (0.08 * top..0.5 * top).contains(&row[i].1)).collect()
    } else {
        vec![0]
    };
    let start = starts.into_iter().max_by_key(|&start| (run(start) - start, start))?;
    let i = run(start);
    let doublings = i - start;
    if doublings < 2 {
        return None;
    }
    let (end, height) = row[i];
    let seen = row.get(i + 1).is_some_and(|&next| {
        next.0 == 2 * end
            && end <= 2 * row[i - 1].0
            && factor(row[i], next).is_some_and(|f| (0.6..DOUBLING).contains(&f))
            && row.get(i + 2).is_none_or(|&later| factor(row[i], later).is_none_or(|f| f < DOUBLING))
    });
    Some(Ramp { end, height, seen })
}

/// The line, voted by the rows that miss.
pub(super) fn read(curve: &Curve, why: &mut Vec<Sentence>) -> Result<u64, Sentence> {
    let ramps: Vec<(u64, Ramp)> = curve.sizes().filter_map(|s| Some((s, ramp(curve, s)?))).collect();
    // timed, shares of a miss: a slow rise of the time of hits is no ramp
    let least = if curve.timed { 1.0 } else { 0.0 };
    let highest = ramps.iter().map(|(_, r)| r.height).fold(least, f64::max);
    let part: Vec<(u64, Ramp)> = ramps.into_iter().filter(|(_, r)| r.height >= PART * highest).collect();
    let mut votes: BTreeMap<u64, usize> = BTreeMap::new();
    for (_, ramp) in part.iter().filter(|(_, r)| r.seen) {
        *votes.entry(ramp.end).or_default() += 1;
    }
    let Some((&line, &most)) = votes.iter().max_by_key(|(_, count)| **count) else {
        return Err(nothing_doubles(curve, part.is_empty()));
    };
    let cast: usize = votes.values().sum();
    if 3 * most < 2 * cast || 2 * cast < part.len() {
        let ends: Vec<String> = votes.keys().map(|&e| Bytes(e).to_string()).collect();
        return Err(Sentence::with(
            format!(
                "The rows disagree on where the misses stop doubling ({}), so no line size can be read. Repeat the \
             sweep on an idle machine, several times.",
                ends.join(", ")
            ),
            Hint::MoreRuns,
        ));
    }
    if !ends_there(curve, &part, line) {
        return Err(Sentence::with(
            format!(
                "The misses seem to stop doubling at a stride of {line} bytes, but the rows that miss do not \
             agree on it. Repeat the sweep on an idle machine, several times."
            ),
            Hint::MoreRuns,
        ));
    }
    if line > LONGEST {
        return Err(Sentence::with(
            format!(
                "The misses double up to a stride of {line} bytes, and no cache has lines that long: a prefetcher follows \
             the strides and leaves one miss per page. Time dependent accesses."
            ),
            Hint::TimeDependent,
        ));
    }
    let (shown, _) = part.iter().rev().find(|(_, r)| r.seen && r.end == line).copied().unwrap_or(part[0]);
    let figure = |stride| curve.at(shown, stride).map_or_else(|| "-".to_owned(), |m| format!("{m:.3}"));
    why.push(format!(
        "Line: in the array of {} each doubling of the stride doubles the misses per access up to {} bytes ({} at \
         {}, {} at {line}), and no longer beyond ({} at {}): from there on every access is in a line of its own. \
         So a line has {line} bytes ({most} of {cast} rows that miss agree).",
        Bytes(shown),
        line,
        figure(line / 2),
        line / 2,
        figure(line),
        figure(2 * line),
        2 * line,
    ).into());
    Ok(line)
}

/// Whether, over all rows that miss, the misses are proportional to the stride
/// up to `line` and clearly less at twice of it.
fn ends_there(curve: &Curve, part: &[(u64, Ramp)], line: u64) -> bool {
    let proportion = |stride: u64| {
        let of_rows: Vec<f64> = part
            .iter()
            .filter_map(|(size, _)| {
                let row = curve.row(*size);
                let below: Vec<f64> = row
                    .iter()
                    .filter(|c| c.0 < line)
                    .map(|c| c.1 / c.0 as f64)
                    .filter(|m| *m > 0.0)
                    .collect();
                Some(curve.at(*size, stride)? / stride as f64 / stats::median(&below)?)
            })
            .collect();
        stats::median(&of_rows)
    };
    let timed = if curve.timed { 0.2 } else { 0.0 };
    proportion(line).is_some_and(|p| p >= 0.86 - timed)
        && proportion(2 * line).is_some_and(|p| p <= 0.75 + timed)
}

fn nothing_doubles(curve: &Curve, no_ramp: bool) -> Sentence {
    let top = curve.sizes().flat_map(|s| curve.row(s)).map(|c| c.1).fold(0.0, f64::max);
    if top < 0.1 {
        let text = format!(
            "Nothing misses: the highest value is {top:.4} per access up to arrays of {}. Either the range ends \
             before the cache does (go to 4 times the expected size), or the event belongs to another level \
             than the range (one of L2 needs arrays of 8 MiB).",
            Bytes(curve.largest())
        );
        return Sentence::with(text, Hint::LargerArrays);
    }
    if no_ramp {
        let text = "In no row do the misses double with the stride, as they must while several accesses share a \
                line: the event counts something else than the misses of one cache, or prefetchers hide them \
                (independent accesses in order). Use an event of demand misses, or measure times.";
        return Sentence::with(text, Hint::TimeDependent);
    }
    "The misses double with the stride, but where that ends is not in the data (a hole, a jump, or the rows stop \
     there). Run the sweep again with all strides up to half the array size."
        .to_owned()
        .into()
}

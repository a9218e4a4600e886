//! The line: up to it, doubling the stride doubles the misses.
//!
//! Counted misses double exactly, and prefetches that are counted too may add any number beyond the line: so the line
//! is where they stop doubling. Timed, a share of a miss is at most one, and a fetched neighbour eases the stride of
//! the line itself: so lines are compared by how far the whole rows are from theirs.

use std::collections::BTreeMap;

use super::grid::Curve;
use super::sentence::{Hint, Sentence};
use super::size::AGREE;
use figures::stats;
use figures::units::Bytes;

/// Misses "double" when the factor per doubled stride is at least this. Real
/// counters give 1.88 to 2.2 on the ramp and at most 1.68 beyond the line,
/// where prefetchers inflate the count.
const DOUBLING: f64 = 1.7;

/// Misses at twice the line, as a share of doubled ones: half, and no more than midway from there to all.
const ENDED: f64 = 0.75;

/// A row takes part when its ramp ends this high compared to the highest.
const PART: f64 = 0.2;

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
    // per doubling of the stride, also across a hole in the row
    let factor = |a: (u64, f64), b: (u64, f64)| {
        (a.1 > 0.0).then(|| (b.1 / a.1).powf(1.0 / (b.0 as f64 / a.0 as f64).log2()))
    };
    let doubles = |i: &usize| {
        let pair = row.get(*i).zip(row.get(i + 1));
        pair.is_some_and(|(a, b)| factor(*a, *b).is_some_and(|f| f >= DOUBLING))
    };
    let i = (0..).take_while(doubles).count();
    if i < 2 {
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

/// The line, and how many rows show it by themselves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) bytes: u64,
    pub(super) rows: usize,
}

/// The line of the rows that miss.
pub(super) fn read(curve: &Curve, modelled: bool, why: &mut Vec<Sentence>) -> Result<Line, Sentence> {
    let (line, of, shown) = if curve.timed { likeliest(curve)? } else { voted(curve)? };
    let Line { bytes, rows } = line;
    // a prefetcher that follows strides inside a page leaves one miss per page, which looks like a line as long
    if bytes >= LINES[LINES.len() - 1] {
        return Err(Sentence::with(
            format!(
                "The misses double up to a stride of {bytes} bytes, and no cache has lines that long: a prefetcher \
                 follows the strides and leaves one miss per page. Time dependent accesses."
            ),
            Hint::TimeDependent,
        ));
    }
    let figure = |stride| curve.at(shown, stride).map_or_else(|| "-".to_owned(), |m| format!("{m:.3}"));
    let so = open(curve, modelled, bytes).unwrap_or_else(|| format!("{bytes} bytes"));
    why.push(
        format!(
            "Line: in the array of {} each doubling of the stride doubles the misses per access up to {bytes} bytes ({} \
             at {}, {} at {bytes}), and no longer beyond ({} at {}): from there on every access is in a line of its \
             own ({rows} of {of} rows that miss agree). So a line has {so}.",
            Bytes(shown),
            figure(bytes / 2),
            bytes / 2,
            figure(bytes),
            figure(2 * bytes),
            2 * bytes,
        )
        .into(),
    );
    Ok(line)
}

/// Of processors with lines up to so many bytes some fetch two lines together into their second level.
const FETCHED_IN_PAIRS: u64 = 64;

/// Which lines are possible, if the misses of a level behind the first do not show one alone.
pub(super) fn open(curve: &Curve, modelled: bool, line: u64) -> Option<String> {
    (curve.behind && !modelled && line > FETCHED_IN_PAIRS).then(|| {
        format!("{} or {line} bytes: lines that a prefetcher fetches in pairs miss as often as lines twice as long", line / 2)
    })
}

fn disagree(what: &str) -> Sentence {
    Sentence::with(format!("{what} Repeat the sweep on an idle machine, several times."), Hint::MoreRuns)
}

/// A share of the misses may be off by so much: the recorded timed rows of the host scatter by 3 %.
const OFF: f64 = 0.04;
/// A line whose odds against the likeliest are worse than 1 to this is excluded.
const ODDS: f64 = 1000.0;

/// Lines that are compared: one more than there are (z15 has 256), for what looks like one. Larger strides show the TLB.
const LINES: [u64; 9] = [4, 8, 16, 32, 64, 128, 256, 512, 1024];

/// How far a timed row is from that of each line (sum of squares): it rises with the stride, and is level from the
/// line on. With its number of cells; `None` if it does not miss. What falls into few sets and fits is left out.
fn distances(row: &[(u64, f64)]) -> Option<([f64; LINES.len()], usize)> {
    let row = &row[..row.partition_point(|cell| cell.0 <= LINES[LINES.len() - 1])];
    let top = row.iter().map(|cell| cell.1).fold(0.0, f64::max);
    let misses = |cell: &(u64, f64)| 2.0 * cell.1 >= top;
    let first = row.iter().position(misses).filter(|_| top >= 0.5)?;
    let end = first + row[first..].iter().take_while(|cell| misses(cell)).count();
    let row = &row[..end];
    let squares = LINES.map(|line| {
        let shares = || row.iter().map(|(stride, _)| (*stride as f64 / line as f64).min(1.0));
        let product = shares().zip(row).map(|(share, cell)| share * cell.1).sum::<f64>();
        let height = product / shares().map(|share| share * share).sum::<f64>();
        shares().zip(row).map(|(share, cell)| (cell.1 / top - height / top * share).powi(2)).sum()
    });
    Some((squares, row.len()))
}

/// The line of which timed rows are the likeliest, the number of rows that miss, and one that shows it.
fn likeliest(curve: &Curve) -> Result<(Line, usize, u64), Sentence> {
    let rows: Vec<(u64, ([f64; LINES.len()], usize))> =
        curve.sizes().filter_map(|size| Some((size, distances(&curve.row(size))?))).collect();
    let sums: [f64; LINES.len()] =
        std::array::from_fn(|line| rows.iter().map(|(_, (squares, _))| squares[line]).sum());
    let mut order: Vec<usize> = (0..LINES.len()).collect();
    order.sort_by(|a, b| sums[*a].total_cmp(&sums[*b]));
    let [best, next] = [order[0], order[1]];
    let cells: usize = rows.iter().map(|row| row.1.1).sum();
    let excess = (sums[best] / cells as f64).max(OFF * OFF);
    if rows.is_empty() || excess > AGREE * AGREE {
        return Err(nothing_doubles(curve, true));
    }
    // what eases one row eases all: more rows make nothing surer
    if (sums[next] - sums[best]) / rows.len() as f64 / (2.0 * excess) < ODDS.ln() {
        let [low, high] = [best.min(next), best.max(next)].map(|at| LINES[at]);
        return Err(disagree(&format!(
            "Where the misses stop doubling is not clear: a line of {low} B and one of {high} B explain the rows that \
             miss."
        )));
    }
    let shows = |row: &&(u64, ([f64; LINES.len()], usize))| {
        let squares = &row.1.0;
        let round = [LINES[best] / 2, LINES[best], 2 * LINES[best]];
        round.into_iter().all(|stride| curve.at(row.0, stride).is_some())
            && (0..LINES.len()).all(|line| line == best || squares[line] > squares[best])
    };
    let shown = rows.iter().rfind(shows).or(rows.last()).map_or(0, |row| row.0);
    Ok((Line { bytes: LINES[best], rows: rows.iter().filter(shows).count() }, rows.len(), shown))
}

/// The line voted by counted rows, the number of votes, and a row that shows it.
fn voted(curve: &Curve) -> Result<(Line, usize, u64), Sentence> {
    let ramps: Vec<(u64, Ramp)> = curve.sizes().filter_map(|s| Some((s, ramp(curve, s)?))).collect();
    let highest = ramps.iter().map(|(_, r)| r.height).fold(0.0, f64::max);
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
        return Err(disagree(&format!(
            "The rows disagree on where the misses stop doubling ({}), so no line size can be read.",
            ends.join(", ")
        )));
    }
    if !ends_there(curve, &part, line) {
        return Err(disagree(&format!(
            "The misses seem to stop doubling at a stride of {line} bytes, but the rows that miss do not agree on it."
        )));
    }
    let (shown, _) = part.iter().rev().find(|(_, r)| r.seen && r.end == line).copied().unwrap_or(part[0]);
    Ok((Line { bytes: line, rows: most }, cast, shown))
}

/// Cells of another array than the largest, which misses as that does, at strides round the `line`.
pub(super) fn another_row(curve: &Curve, line: u64) -> Vec<(u64, u64)> {
    let largest = curve.largest();
    let array = (largest - largest / 16) / (4 * line) * (4 * line);
    let strides = [line / 4, line / 2, line, 2 * line, 4 * line];
    let open = |stride: &u64| *stride > 0 && curve.at(array, *stride).is_none();
    strides.into_iter().filter(open).map(|stride| (array, stride)).collect()
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
    proportion(line).is_some_and(|p| p >= DOUBLING / 2.0) && proportion(2 * line).is_some_and(|p| p <= ENDED)
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

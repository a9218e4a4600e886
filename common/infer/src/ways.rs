//! The ways: at large strides all accesses fall into one set, and the misses
//! vanish once the set holds them all.

use super::curve::Curve;
use super::size::{Level, QUIET, Size};
use figures::numbers::greatest_common_divisor;
use figures::units::Bytes;

/// Below this share of the full misses a cell hits, above the other it misses;
/// what lies between says nothing. Counted, a few lines of one set that fit
/// leave nothing but noise; timed, the short loop costs its share.
const HITS: f64 = 0.02;
const HITS_TIMED: f64 = 0.3;
const MISSES: f64 = 0.4;

/// More lines in a set are believed only if nothing else explains the curves.
const MOST_WAYS: u64 = 32;

/// A number of ways is nearer to the data at this share of another's distance.
const NEARER: f64 = 0.5;

/// Lines of one set that fit and lines that do not, seen in one row.
#[derive(Debug, Clone, Copy)]
struct Bound {
    array: u64,
    stride: u64,
    fit: u64,
    too_many: u64,
}

/// Where the misses of a row vanish for good.
fn bound(curve: &Curve, level: &Level, array: u64) -> Option<Bound> {
    let row: Vec<(u64, f64)> = curve.row(array).into_iter().filter(|(s, _)| *s >= level.line).collect();
    let hits = if curve.timed { HITS_TIMED } else { HITS };
    let last_miss = row.iter().rposition(|(_, m)| *m > hits * level.misses)?;
    let (stride, misses) = row[last_miss];
    if misses < MISSES * level.misses || !curve.reaches_half(array) || curve.spiked_from(array, level.line) {
        return None;
    }
    let Some(&(next, _)) = row.get(last_miss + 1) else {
        // two lines of one set miss still
        return (array / stride == 2).then_some(Bound { array, stride, fit: 1, too_many: 2 });
    };
    let adjacent = next == 2 * stride && !curve.open_between(array, stride, next);
    adjacent.then_some(Bound { array, stride: next, fit: array / next, too_many: array / stride })
}

/// Share of `count` lines, `apart` lines from one to the next, that miss when
/// they are walked round and round in a cache of `sets` sets: all lines of a set
/// that gets more than its `ways`, with LRU and FIFO.
pub(super) fn missing(count: u64, apart: u64, sets: u64, ways: u64) -> f64 {
    let met = sets / greatest_common_divisor(apart, sets);
    let (each, one_more) = (count / met, count % met);
    let over = |lines: u64| if lines > ways { lines } else { 0 };
    (one_more * over(each + 1) + (met - one_more) * over(each)) as f64 / count.max(1) as f64
}

/// Numbers of ways that explain where the misses vanish, those with a power of
/// two of sets first. Where the curves part two of them, the nearer stays.
fn possible(curve: &Curve, level: &Level, bounds: &[Bound], lines: u64) -> Vec<u64> {
    let explains = |ways: &u64| {
        let sets = lines / ways;
        bounds.iter().all(|b| {
            let fit = missing(b.fit, b.array / b.fit / level.line, sets, *ways);
            let not = missing(b.too_many, b.array / b.too_many / level.line, sets, *ways);
            fit == 0.0 && not > 0.0
        })
    };
    let mut all: Vec<u64> = (1..=lines).filter(|w| lines.is_multiple_of(*w)).filter(explains).collect();
    if all.iter().any(|w| *w <= MOST_WAYS) {
        all.retain(|w| *w <= MOST_WAYS);
    }
    let worse = |a: u64, b: u64| parts(curve, level, lines, a, b).is_some_and(|(a, b)| b <= NEARER * a);
    let kept = all.iter().copied().filter(|a| !all.iter().any(|b| worse(*a, *b)));
    let mut kept: Vec<u64> = kept.collect();
    kept.sort_by_key(|w| !(lines / w).is_power_of_two());
    kept
}

/// How far the cells in which `a` and `b` ways would differ are from either,
/// if there are any.
fn parts(curve: &Curve, level: &Level, lines: u64, a: u64, b: u64) -> Option<(f64, f64)> {
    let (mut from_a, mut from_b) = (0.0, 0.0);
    for array in curve.sizes() {
        for (stride, misses) in curve.row(array).into_iter().filter(|(s, _)| s.is_multiple_of(level.line)) {
            let expected = |ways| missing(array / stride, stride / level.line, lines / ways, ways);
            let (with_a, with_b, seen) = (expected(a), expected(b), misses / level.misses);
            if with_a != with_b {
                from_a += (seen - with_a).abs();
                from_b += (seen - with_b).abs();
            }
        }
    }
    (from_a + from_b > 0.0).then_some((from_a, from_b))
}

fn listed(possible: &[u64], lines: u64) -> String {
    let each: Vec<String> = possible.iter().map(|w| format!("{w} ways of {} sets", lines / w)).collect();
    each.join(", ")
}

/// The cell that would tell two numbers of ways apart: as many lines as the
/// sets that one stride meets hold, and one more.
fn what_tells(a: u64, b: u64, lines: u64, line: u64) -> String {
    let apart = 1 << (lines / a).trailing_zeros().max((lines / b).trailing_zeros());
    let tells = (2..=4 * a.max(b)).find_map(|count| {
        let [with_a, with_b] = [a, b].map(|ways| missing(count, apart, lines / ways, ways));
        ((with_a - with_b).abs() > 0.3).then(|| {
            format!(
                "An array of {} bytes at stride {} would tell: {with_a:.2} misses per access with {a} ways, {with_b:.2} \
                 with {b} (--sizes, --strides).",
                count * apart * line,
                apart * line
            )
        })
    });
    tells.unwrap_or_default()
}

/// Lines per set, or why not; `modelled` caches may have any number of sets.
pub(super) fn read(
    curve: &Curve,
    level: &Level,
    size: &Size,
    modelled: bool,
    why: &mut Vec<String>,
) -> Result<u64, String> {
    let ways = search(curve, level, size, modelled, why);
    if let Err(reason) = &ways {
        why.push(format!("Ways: {reason}"));
    }
    ways
}

fn search(
    curve: &Curve,
    level: &Level,
    size: &Size,
    modelled: bool,
    why: &mut Vec<String>,
) -> Result<u64, String> {
    if size.at_size > QUIET {
        return Err(format!(
            "not identifiable from these data: the array as large as the cache ({}) already misses ({:.0} %), so \
             the cache is addressed by physical pages whose places are not known, and strides of a page or more do \
             not select one set. Huge pages, or the same sweep over L1, would show ways.",
            Bytes(size.fits),
            100.0 * size.at_size
        ));
    }
    let bounds: Vec<Bound> =
        curve.sizes().filter(|s| *s >= 2 * size.fits).filter_map(|s| bound(curve, level, s)).collect();
    let Some(first) = bounds.first().copied() else {
        return Err(format!(
            "not identifiable: no array of at least {} shows at which stride its misses vanish. Run all strides up \
             to half the array size.",
            Bytes(2 * size.fits)
        ));
    };
    let lines = size.fits / level.line;
    let possible = possible(curve, level, &bounds, lines);
    let ways = match possible[..] {
        [] => {
            let fit = bounds.iter().map(|b| b.fit).max().unwrap_or(1);
            let too_many = bounds.iter().map(|b| b.too_many).min().unwrap_or(2);
            return Err(format!(
                "not identifiable: {fit} lines that share sets fit and {too_many} do not, which goes with no number \
                 of ways of a cache of {lines} lines. Disturbed cells, or pages, are the likely reason; repeat the \
                 sweep."
            ));
        }
        [ways] => ways,
        [ways, ..] if (lines / ways).is_power_of_two() && !modelled => {
            why.push(format!(
                "Ways: {} would give the same curves, but real caches pick the set by address bits, so the number of \
                 sets is taken for a power of two.",
                listed(&possible[1..], lines)
            ));
            ways
        }
        [ways, other, ..] => {
            return Err(format!(
                "not identifiable from these sizes: {} all give these curves. {}",
                listed(&possible, lines),
                what_tells(ways, other, lines, level.line)
            ));
        }
    };
    if ways == 1 {
        why.push(format!(
            "Ways: in the array of {} the misses do not vanish at any stride: even two lines {} apart push each \
             other out. So the cache is direct-mapped (1 way).",
            Bytes(first.array),
            Bytes(first.array / 2)
        ));
    } else {
        why.push(format!(
            "Ways: in the array of {} the misses vanish from stride {} on. There all {} lines share {} and fit; at \
             half that stride {} lines do not. With {lines} lines in {} sets that makes {ways} ways.",
            Bytes(first.array),
            Bytes(first.stride),
            first.fit,
            if (lines / ways).is_power_of_two() { "one set" } else { "the few sets that this stride meets" },
            first.too_many,
            lines / ways
        ));
    }
    Ok(ways)
}

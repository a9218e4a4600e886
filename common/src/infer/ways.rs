//! The ways: at large strides all accesses fall into one set, and the misses
//! vanish once the set holds them all.

use super::curve::Curve;
use super::size::{Level, QUIET, Size};
use crate::units::Bytes;

/// Below this share of the full misses a cell hits, above the other it misses;
/// what lies between says nothing. Counted, a few lines of one set that fit
/// leave nothing but noise; timed, the short loop costs its share.
const HITS: f64 = 0.02;
const HITS_TIMED: f64 = 0.3;
const MISSES: f64 = 0.4;

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

/// Lines per set, or why not.
pub(super) fn read(curve: &Curve, level: &Level, size: &Size, why: &mut Vec<String>) -> Result<u64, String> {
    let ways = search(curve, level, size, why);
    if let Err(reason) = &ways {
        why.push(format!("Ways: {reason}"));
    }
    ways
}

fn search(curve: &Curve, level: &Level, size: &Size, why: &mut Vec<String>) -> Result<u64, String> {
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
    let fit = bounds.iter().map(|b| b.fit).max().unwrap_or(1);
    let too_many = bounds.iter().map(|b| b.too_many).min().unwrap_or(2);
    let lines = size.fits / level.line;
    let possible: Vec<u64> = (fit..too_many.min(lines + 1))
        .filter(|w| lines.is_multiple_of(*w) && (lines / w).is_power_of_two())
        .collect();
    let [ways] = possible[..] else {
        return Err(format!(
            "not identifiable: sets of {fit} lines fit and sets of {too_many} do not, which goes with {} numbers of \
             ways of a cache of {} lines. Disturbed cells, or pages, are the likely reason; repeat the sweep.",
            if possible.is_empty() { "no".to_owned() } else { format!("several ({possible:?})") },
            lines
        ));
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
            "Ways: in the array of {} the misses vanish from stride {} on. There all {} lines fall into one set and \
             fit; at half that stride {} lines do not. With {lines} lines in a power of two of sets that makes {ways} \
             ways.",
            Bytes(first.array),
            Bytes(first.stride),
            first.fit,
            first.too_many
        ));
    }
    Ok(ways)
}

//! Times instead of counts: the misses per access follow from how far a cell
//! lies between the time of a hit and the time of a miss.

use super::Times;
use super::curve::Curve;
use super::sentence::{Hint, Sentence};
use figures::stats;
use figures::units::Bytes;
use records::saved::Saved;

/// Rows whose times differ by at most this are on the same plateau.
const SAME: f64 = 0.12;
/// A step to the next level costs at least this much more.
const STEP: f64 = 1.3;
/// The quantile of a row that lies on its plateau: small strides share lines,
/// the largest fall into few sets and hit.
const PLATEAU: f64 = 0.7;

/// The misses behind the times, and the two times.
pub(super) fn curve(saved: &Saved, why: &mut Vec<Sentence>) -> Result<(Curve, Times), Sentence> {
    let plateaus: Vec<(u64, f64)> =
        saved.sizes().into_iter().filter_map(|s| Some((s, plateau(saved, s)?))).collect();
    let flat = || {
        let text = "The time per access does not show two levels: the arrays all fit, or prefetching and independent \
                    accesses hide the misses. Time dependent accesses, up to 4 times the cache.";
        Sentence::with(text, Hint::TimeDependent)
    };
    let fast = plateaus.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
    let inside: Vec<u64> = plateaus.iter().take_while(|p| p.1 < STEP * fast).map(|p| p.0).collect();
    let beyond = &plateaus[inside.len()..];
    let step = beyond.windows(2).position(|w| (w[1].1 / w[0].1 - 1.0).abs() <= SAME).ok_or_else(flat)?;
    let slow = beyond[step].1;
    let same: Vec<&(u64, f64)> =
        beyond[step..].iter().take_while(|p| (p.1 / slow - 1.0).abs() <= 2.0 * SAME).collect();
    let last = same.last().map_or(0, |p| p.0);
    let hits: Vec<f64> = nanos(saved, |s, _| inside.contains(&s));
    let hit_ns = stats::median(&hits).ok_or_else(flat)?;
    let upper = |s: u64| same.iter().any(|p| p.0 == s);
    let misses: Vec<f64> = nanos(saved, |s, t| upper(s) && t > (hit_ns + slow) / 2.0);
    let near: Vec<f64> = misses.iter().copied().filter(|t| (t / slow - 1.0).abs() <= SAME).collect();
    let miss_ns = stats::median(&near).ok_or_else(flat)?;
    let penalty_ns = miss_ns - hit_ns;
    why.push(format!(
        "Levels: arrays up to {} take {hit_ns:.4} ns per access, those from {} on {miss_ns:.4} ns; a cell between \
         the two times misses in proportion.",
        Bytes(inside.last().copied().unwrap_or(0)),
        Bytes(beyond[step].0)
    ).into());
    let cells = saved
        .cells
        .iter()
        .filter(|c| c.size <= last)
        .filter_map(|c| Some((c.size, c.stride, ((c.nanos? - hit_ns) / penalty_ns).max(0.0))));
    Ok((Curve::from_cells(cells, true), Times { hit_ns, penalty_ns }))
}

fn nanos(saved: &Saved, keep: impl Fn(u64, f64) -> bool) -> Vec<f64> {
    saved.cells.iter().filter_map(|c| c.nanos.filter(|t| keep(c.size, *t))).collect()
}

fn plateau(saved: &Saved, size: u64) -> Option<f64> {
    let row: Vec<f64> = saved.row(size).filter_map(|c| c.nanos).filter(|t| *t > 0.0).collect();
    stats::quantile(&row, PLATEAU)
}

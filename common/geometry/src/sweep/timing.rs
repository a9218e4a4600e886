//! Times instead of counts: the misses per access follow from how far a cell
//! lies between the time of a hit and the time of a miss.

use super::answer::Times;
use super::grid::Curve;
use super::sentence::{Hint, Sentence};
use super::size::AGREE;
use crate::rise::plateaus;
use figures::stats;
use figures::units::Bytes;
use records::saved::Saved;

/// The quantile of a row that lies on its plateau: small strides share lines,
/// the largest fall into few sets and hit.
const PLATEAU: f64 = 0.7;

/// The misses behind the times, and the two times.
pub(super) fn curve(saved: &Saved, why: &mut Vec<Sentence>) -> Result<(Curve, Times), Sentence> {
    let rows: Vec<(u64, f64)> =
        saved.sizes().into_iter().filter_map(|size| Some((size, plateau(saved, size)?))).collect();
    let levels = plateaus(&rows, 1.0 + AGREE);
    let flat = || {
        let text = "The time per access does not show two levels: the arrays all fit, or prefetching and independent \
                    accesses hide the misses. Time dependent accesses, up to 4 times the cache.";
        Sentence::with(text, Hint::TimeDependent)
    };
    let [fast, slow, ..] = levels[..] else { return Err(flat()) };
    // one row alone may be on the rise
    if slow.from == slow.to {
        return Err(flat());
    }
    let hits = nanos(saved, |size, _| size <= fast.to);
    let hit_ns = stats::median(&hits).ok_or_else(flat)?;
    let misses = nanos(saved, |size, nanos| {
        (slow.from..=slow.to).contains(&size) && (nanos / slow.cost - 1.0).abs() <= AGREE
    });
    let miss_ns = stats::median(&misses).filter(|miss| *miss > hit_ns).ok_or_else(flat)?;
    let penalty_ns = miss_ns - hit_ns;
    why.push(format!(
        "Levels: arrays up to {} take {hit_ns:.2} ns per access, those from {} on {miss_ns:.2} ns; a cell between \
         the two times misses in proportion.",
        Bytes(fast.to),
        Bytes(slow.from)
    ).into());
    let cells = saved.cells.iter().filter(|cell| cell.size <= slow.to);
    let cells = cells.filter_map(|c| Some((c.size, c.stride, ((c.nanos? - hit_ns) / penalty_ns).max(0.0))));
    Ok((Curve::from_cells(cells, true), Times { hit_ns, penalty_ns }))
}

fn nanos(saved: &Saved, keep: impl Fn(u64, f64) -> bool) -> Vec<f64> {
    saved.cells.iter().filter_map(|cell| cell.nanos.filter(|nanos| keep(cell.size, *nanos))).collect()
}

fn plateau(saved: &Saved, size: u64) -> Option<f64> {
    let row: Vec<f64> = saved.row(size).filter_map(|c| c.nanos).filter(|t| *t > 0.0).collect();
    stats::quantile(&row, PLATEAU)
}

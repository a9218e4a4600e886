//! The closing sentences: how far to trust the answer.

use super::Confidence;
use super::curve::Curve;
use super::size::{Level, Size};
use figures::units::Bytes;
use records::saved::Saved;

/// The answer's confidence, and in words what it rests on.
pub(super) fn confidence(
    saved: &Saved,
    curve: &Curve,
    level: &Level,
    size: &Size,
    why: &mut Vec<String>,
) -> Confidence {
    let mut confidence = Confidence::High;
    if size.too_large >= 2 * size.fits {
        confidence = Confidence::Medium;
        why.push(format!(
            "Confidence: sizes between {} and {} were not tried; a cache of {} would give the same rows. Sizes like \
             --sizes {},{},{} would exclude that.",
            Bytes(size.fits),
            Bytes(size.too_large),
            Bytes(size.fits / 2 * 3),
            size.fits,
            size.fits / 4 * 5,
            size.fits / 2 * 3
        ));
    }
    if level.line > 64 {
        confidence = Confidence::Medium;
        why.push(format!(
            "Confidence: a prefetcher that fetches the next line makes a line look twice as long; that {} bytes are \
             one line and not two is what lab discover can test.",
            level.line
        ));
    }
    if size.at_size > 0.1 {
        confidence = confidence.min(Confidence::Medium);
    }
    if curve.timed && saved.cells.iter().all(|cell| cell.misses.is_none()) {
        why.push(
            "Confidence: the curve is one of times, in which prefetching and other levels may hide."
                .to_owned(),
        );
    }
    confidence
}

/// Hit time and miss penalty.
pub(super) fn penalty(hit_ns: f64, penalty_ns: f64) -> String {
    format!(
        "Times: an access that hits takes {hit_ns:.4} ns, one that misses {:.4} ns; the miss penalty is \
         {penalty_ns:.4} ns.",
        hit_ns + penalty_ns
    )
}

//! Does the whole sweep look like the cache that was read from parts of it?
//! Rows that were shuffled, constant or of another kind do not.

use super::curve::Curve;
use super::size::{Level, Size};
use figures::units::Bytes;

/// Share of the cells of each kind that must be where the geometry puts them;
/// real counters miss it in single cells only.
const ENOUGH: f64 = 0.85;

/// Cells that agree, and all of that kind.
#[derive(Default)]
struct Tally {
    agree: usize,
    all: usize,
}

impl Tally {
    fn count(&mut self, agrees: bool) {
        self.agree += usize::from(agrees);
        self.all += 1;
    }

    fn holds(&self) -> bool {
        self.agree as f64 >= ENOUGH * self.all as f64
    }
}

/// Refuses a geometry that does not explain the sweep.
pub(super) fn agrees(curve: &Curve, level: &Level, size: &Size) -> Result<(), String> {
    let full = level.misses;
    let (mut inside, mut ramp) = (Tally::default(), Tally::default());
    for array in curve.sizes() {
        for (stride, misses) in curve.row(array) {
            if 2 * array <= size.fits || (array <= size.fits && size.at_size <= 0.1) {
                inside.count(misses <= 0.3 * full);
            } else if array >= 2 * size.fits && stride <= level.line {
                let expected = full * stride as f64 / level.line as f64;
                let tolerance = if curve.timed { 0.1 * full } else { 0.05 * full };
                ramp.count((misses - expected).abs() <= 0.35 * expected + tolerance);
            }
        }
    }
    let kinds = [
        (inside, "arrays that fit do not all hit"),
        (ramp, "misses do not grow with the stride below the line"),
    ];
    match kinds.into_iter().find(|(tally, _)| !tally.holds()) {
        None => Ok(()),
        Some((tally, what)) => Err(format!(
            "Parts of the sweep look like a cache of {} with lines of {}, but the whole does not: {what} ({} of {} \
             cells). The rows were disturbed or mixed, or the event counts more than this level's misses. Repeat \
             the sweep on an idle machine.",
            Bytes(size.fits),
            Bytes(level.line),
            tally.all - tally.agree,
            tally.all
        )),
    }
}

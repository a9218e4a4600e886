//! The sweep as a grid: misses per access by array size and stride.

use super::sentence::Sentence;
use crate::rise::FITS_BEHIND_PAGES;
use std::collections::BTreeMap;

use figures::stats;
use figures::units::Bytes;
use figures::value::Source;
use records::saved::Saved;

/// A cell this many times above both adjacent cells along the stride is a
/// disturbance: no cache makes a single stride of a row differ so much.
const SPIKE: f64 = 4.0;

/// Places in a row, by stride, whose value is a disturbance: far above both adjacent ones.
pub fn spikes(row: &[f64]) -> Vec<usize> {
    let is_spike = |at: &usize| {
        let adjacent = [at.checked_sub(1).and_then(|before| row.get(before)), row.get(at + 1)];
        row[*at] > SPIKE * adjacent.into_iter().flatten().copied().fold(0.0, f64::max)
    };
    if row.len() > 2 { (0..row.len()).filter(is_spike).collect() } else { Vec::new() }
}

/// Misses per access by size, then stride.
#[derive(Debug, Clone, Default)]
pub(super) struct Curve {
    rows: BTreeMap<u64, BTreeMap<u64, f64>>,
    /// Whether it was computed from times: small ratios are then noise.
    pub(super) timed: bool,
    /// Whether it is of a level behind the first.
    pub(super) behind: bool,
}

impl Curve {
    /// The misses in the file; `None` if it has none.
    pub(super) fn of_misses(saved: &Saved) -> Option<Curve> {
        let cells = saved.cells.iter().filter_map(|c| Some((c.size, c.stride, c.misses?)));
        let curve = Curve::from_cells(cells, saved.source == Some(Source::Timing));
        (!curve.rows.is_empty()).then_some(curve)
    }

    pub(super) fn from_cells(cells: impl Iterator<Item = (u64, u64, f64)>, timed: bool) -> Curve {
        let mut curve = Curve { timed, ..Curve::default() };
        for (size, stride, misses) in cells {
            curve.rows.entry(size).or_default().insert(stride, misses);
        }
        curve
    }

    pub(super) fn sizes(&self) -> impl DoubleEndedIterator<Item = u64> + '_ {
        self.rows.keys().copied()
    }

    pub(super) fn largest(&self) -> u64 {
        self.rows.keys().next_back().copied().unwrap_or(0)
    }

    /// The cells of one size, by stride.
    pub(super) fn row(&self, size: u64) -> Vec<(u64, f64)> {
        self.rows.get(&size).map(|r| r.iter().map(|(s, m)| (*s, *m)).collect()).unwrap_or_default()
    }

    pub(super) fn at(&self, size: u64, stride: u64) -> Option<f64> {
        self.rows.get(&size)?.get(&stride).copied()
    }

    /// Takes single cells out that are far above both adjacent ones.
    pub(super) fn drop_spikes(&mut self, why: &mut Vec<Sentence>) {
        for size in self.sizes().collect::<Vec<_>>() {
            let row = self.row(size);
            let all: Vec<f64> = row.iter().map(|cell| cell.1).collect();
            for (stride, misses) in spikes(&all).into_iter().map(|at| row[at]) {
                if misses > FITS_BEHIND_PAGES {
                    if let Some(cells) = self.rows.get_mut(&size) {
                        cells.remove(&stride);
                    }
                    why.push(format!(
                        "At array size {} and stride {} the value ({misses:.3}) is isolated, more than {SPIKE} \
                         times above the adjacent ones; it is treated as a disturbance and left out.",
                        Bytes(size),
                        Bytes(stride)
                    ).into());
                }
            }
        }
    }

    /// Refuses a sweep of too few cells.
    pub(super) fn is_enough(&self) -> Result<(), Sentence> {
        let strides = self.rows.values().map(BTreeMap::len).max().unwrap_or(0);
        if self.rows.len() < 2 || strides < 4 {
            return Err(format!(
                "There are only {} array sizes and at most {strides} strides: the sweep needs sizes below and above the \
                 cache, with strides from one element to half the size. Run the sweep over its whole range.",
                self.rows.len()
            ).into());
        }
        Ok(())
    }

    /// How much of `reference`'s misses `size` has, over the strides round
    /// `line`: the median of the ratios, so that one cell cannot decide.
    pub(super) fn share(&self, size: u64, reference: u64, line: u64) -> Option<f64> {
        let strides = match self.timed {
            // prefetched lines blur it
            true if self.behind => 2 * line..=64 * line,
            true => line / 4..=4 * line,
            false => (line / 32).max(1)..=4 * line,
        };
        let ratios: Vec<f64> = self
            .row(size)
            .into_iter()
            .filter(|(stride, _)| strides.contains(stride))
            .filter_map(|(stride, m)| Some(m / self.at(reference, stride).filter(|r| *r > 0.0)?))
            .collect();
        stats::median(&ratios)
    }
}

//! The styles that distinguish curves: colour and dash, for print in grey or for colour-blind
//! readers.

use std::collections::BTreeSet;

use plotters::style::RGBColor;

use crate::chart::{Chart, Series};

pub(crate) const TEXT: RGBColor = RGBColor(0x1f, 0x24, 0x2a);
pub(crate) const SOFT: RGBColor = RGBColor(0x55, 0x5d, 0x66);
pub(crate) const GRID: RGBColor = RGBColor(0xd3, 0xd8, 0xde);
pub(crate) const FAINT: RGBColor = RGBColor(0xec, 0xef, 0xf4);
pub(crate) const PAPER: RGBColor = RGBColor(0xff, 0xff, 0xff);

/// Okabe and Ito's palette without its yellow, which is hardly visible on white paper:
/// colours that can be distinguished with the common forms of colour blindness.
const DISTINCT: [u32; 7] = [0x0072b2, 0xd55e00, 0x009e73, 0xb54f8c, 0x000000, 0x3d9fd8, 0xc48a00];

/// For curves in order: hues that neither white nor black paper hides.
const SEQUENCE: [u32; 7] = [0x6a3d9a, 0x2b62c9, 0x0a8fa8, 0x2e9a4a, 0xa68a00, 0xe0701a, 0xc2263d];

/// Lengths of a dash and of the gap after it: no gap, and three kinds of dashes.
const DASHES: [(f64, f64); 4] = [(1e6, 0.0), (8.0, 4.0), (2.5, 3.0), (14.0, 4.0)];

/// A circle as a polygon.
#[rustfmt::skip]
const ROUND: [(f64, f64); 16] = [
    (1.0, 0.0), (0.92, 0.38), (0.71, 0.71), (0.38, 0.92), (0.0, 1.0), (-0.38, 0.92), (-0.71, 0.71), (-0.92, 0.38),
    (-1.0, 0.0), (-0.92, -0.38), (-0.71, -0.71), (-0.38, -0.92), (0.0, -1.0), (0.38, -0.92), (0.71, -0.71), (0.92, -0.38),
];

/// The corners of markers, in halves of their width; the first is round.
const MARKERS: [&[(f64, f64)]; 5] = [
    &ROUND,
    &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
    &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
    &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
    &[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)],
];

/// A curve of more points has no markers, nor have curves in order of which there are more.
const MAX_MARKERS: usize = 100;
const MAX_MARKED: usize = 16;

/// Half the width of a marker without a line.
const SPARSE: f64 = 4.4;

/// The style of one curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Style {
    pub(crate) colour: RGBColor,
    pub(crate) dash: (f64, f64),
    /// The corners of its marker.
    pub(crate) marker: &'static [(f64, f64)],
    /// Half a marker's width; 0 without markers.
    pub(crate) size: f64,
    /// The line's width.
    pub(crate) width: f64,
}

impl Style {
    /// The style of a curve of `chart`.
    pub(crate) fn of(chart: &Chart, index: usize) -> Style {
        let (series, count) = (&chart.series[index], chart.series.len());
        let is_crowded =
            series.points.len() > MAX_MARKERS || chart.ordered && count > MAX_MARKED && !series.is_sparse;
        let sets = chart.series.iter().map(|series| series.set).max().unwrap_or(0) + 1;
        // Curves of one size in several sets have one colour and one marker.
        let sizes = BTreeSet::from_iter(chart.series.iter().filter_map(|series| series.bytes));
        let (rank, ranks) = match series.bytes.and_then(|own| sizes.iter().position(|size| *size == own)) {
            Some(rank) => (rank, sizes.len()),
            None => {
                let own = |some: &[Series]| some.iter().filter(|other| other.set == series.set).count();
                (own(&chart.series[..index]), own(&chart.series))
            }
        };
        let marker = MARKERS[rank % MARKERS.len()];
        let is_ordered = chart.ordered && ranks > 1;
        let kind = match sets {
            1 if is_ordered && !is_crowded => 0,
            1 => rank,
            _ => series.set,
        };
        let dash = DASHES[kind % DASHES.len()];
        let mut style = if is_ordered {
            let share = rank as f64 / (ranks - 1) as f64;
            let at = share * (SEQUENCE.len() - 1) as f64;
            let colour = mixed(SEQUENCE[at.floor() as usize], SEQUENCE[at.ceil() as usize], at.fract());
            // Of curves that coincide, the later and narrower ones leave a rim of the earlier.
            Style { colour, dash, marker, size: 3.6 - 1.2 * share, width: 2.6 - 1.2 * share }
        } else {
            let colour = mixed(DISTINCT[rank % DISTINCT.len()], 0, 0.0);
            Style { colour, dash, marker, size: 3.4, width: 1.8 }
        };
        if series.is_sparse {
            style.size = SPARSE;
        }
        if series.is_line || is_crowded || chart.has_bars() {
            (style.size, style.width) = (0.0, 1.2);
        }
        style
    }
}

/// A colour between two.
fn mixed(from: u32, to: u32, share: f64) -> RGBColor {
    let part = |colour: u32, shift: u32| f64::from(colour >> shift & 0xff);
    let mix = |shift: u32| (part(from, shift) * (1.0 - share) + part(to, shift) * share).round() as u8;
    RGBColor(mix(16), mix(8), mix(0))
}

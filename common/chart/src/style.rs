//! The styles that distinguish curves: colour and dash, for print in grey or for colour-blind
//! readers.

use plotters::style::RGBColor;

use crate::chart::Chart;

pub(crate) const TEXT: RGBColor = RGBColor(0x1f, 0x24, 0x2a);
pub(crate) const SOFT: RGBColor = RGBColor(0x55, 0x5d, 0x66);
pub(crate) const GRID: RGBColor = RGBColor(0xd3, 0xd8, 0xde);
pub(crate) const FAINT: RGBColor = RGBColor(0xec, 0xef, 0xf4);
pub(crate) const PAPER: RGBColor = RGBColor(0xff, 0xff, 0xff);

/// Okabe and Ito's palette without its yellow, which is hardly visible on white paper:
/// colours that can be distinguished with the common forms of colour blindness.
const DISTINCT: [u32; 7] = [0x0072b2, 0xd55e00, 0x009e73, 0xb54f8c, 0x000000, 0x3d9fd8, 0xc48a00];

/// For curves in order, from light to dark in even steps of lightness, with changing hue.
const SEQUENCE: [u32; 6] = [0xf0a830, 0xe2783c, 0xc64a5c, 0x8e3678, 0x4e2a78, 0x1f1f4a];

/// Lengths of a dash and of the gap after it: no gap, and three kinds of dashes.
const DASHES: [(f64, f64); 4] = [(1e6, 0.0), (8.0, 4.0), (2.5, 3.0), (14.0, 4.0)];

/// A curve of more points has no markers, nor have curves in order of which there are more.
const MAX_MARKERS: usize = 100;
const MAX_MARKED: usize = 16;

/// The style of one curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Style {
    pub(crate) colour: RGBColor,
    pub(crate) dash: (f64, f64),
    /// Half a marker's width; 0 without markers.
    pub(crate) size: f64,
    /// The line's width.
    pub(crate) width: f64,
}

impl Style {
    /// The style of a curve of `chart`.
    pub(crate) fn of(chart: &Chart, index: usize) -> Style {
        let (series, count) = (&chart.series[index], chart.series.len());
        let mut style = if chart.ordered && count > 1 {
            let share = index as f64 / (count - 1) as f64;
            let at = share * (SEQUENCE.len() - 1) as f64;
            let colour = mixed(SEQUENCE[at.floor() as usize], SEQUENCE[at.ceil() as usize], at.fract());
            // Of curves that coincide, the later and narrower ones leave a rim of the earlier.
            Style { colour, dash: DASHES[0], size: 3.6 - 1.2 * share, width: 2.6 - 1.2 * share }
        } else {
            let colour = mixed(DISTINCT[index % DISTINCT.len()], 0, 0.0);
            Style { colour, dash: DASHES[index % DASHES.len()], size: 3.4, width: 1.8 }
        };
        let is_crowded = series.points.len() > MAX_MARKERS || chart.ordered && count > MAX_MARKED;
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

/// `colour` as dark as text on white paper must be.
pub(crate) fn of_text(RGBColor(r, g, b): RGBColor) -> RGBColor {
    let [r, g, b] = [r, g, b].map(|part| (f64::from(part) * 0.64) as u8);
    RGBColor(r, g, b)
}

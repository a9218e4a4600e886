//! The styles that distinguish curves: colour and dash, for print in grey or for colour-blind
//! readers.

use plotters::style::RGBColor;

pub(crate) const TEXT: RGBColor = RGBColor(0x1f, 0x24, 0x2a);
pub(crate) const SOFT: RGBColor = RGBColor(0x55, 0x5d, 0x66);
pub(crate) const GRID: RGBColor = RGBColor(0xd3, 0xd8, 0xde);
pub(crate) const FINE_GRID: RGBColor = RGBColor(0xee, 0xf0, 0xf3);
pub(crate) const BAND: RGBColor = RGBColor(0xe9, 0xee, 0xf5);
pub(crate) const PAPER: RGBColor = RGBColor(0xff, 0xff, 0xff);

/// Okabe and Ito's palette without its yellow, which is hardly visible on white paper:
/// colours that can be distinguished with the common forms of colour blindness.
const DISTINCT: [RGBColor; 7] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xb5, 0x4f, 0x8c),
    RGBColor(0x00, 0x00, 0x00),
    RGBColor(0x3d, 0x9f, 0xd8),
    RGBColor(0xc4, 0x8a, 0x00),
];

/// For curves in order, from light to dark in even steps of lightness, with changing hue.
const SEQUENCE: [RGBColor; 6] = [
    RGBColor(0xf0, 0xa8, 0x30),
    RGBColor(0xe2, 0x78, 0x3c),
    RGBColor(0xc6, 0x4a, 0x5c),
    RGBColor(0x8e, 0x36, 0x78),
    RGBColor(0x4e, 0x2a, 0x78),
    RGBColor(0x1f, 0x1f, 0x4a),
];

/// Lengths of a dash and of the gap after it, if there are any.
const DASHES: [Option<(f64, f64)>; 4] = [None, Some((8.0, 4.0)), Some((2.5, 3.0)), Some((14.0, 4.0))];

/// The style of one curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Style {
    pub(crate) colour: RGBColor,
    pub(crate) dash: Option<(f64, f64)>,
    /// Half a marker's width; 0 without markers.
    pub(crate) size: f64,
    /// The line's width.
    pub(crate) width: f64,
}

/// Curves in order of which there are more have no markers.
const MAX_MARKED: usize = 16;

impl Style {
    /// The style of curve `index` out of `count`, which have an order or have none.
    pub(crate) fn of(index: usize, count: usize, ordered: bool) -> Style {
        let plain = Style {
            colour: DISTINCT[index % DISTINCT.len()],
            dash: DASHES[index % DASHES.len()],
            size: 3.4,
            width: 1.8,
        };
        if !ordered || count < 2 {
            return plain;
        }
        let share = index as f64 / (count - 1) as f64;
        // Of curves that coincide, the later and narrower ones leave a rim of the earlier.
        let (size, width) = match count {
            0..=MAX_MARKED => (3.6 - 1.2 * share, 2.6 - 1.2 * share),
            _ => (0.0, 1.1),
        };
        Style { colour: sequential(share), dash: None, size, width }
    }
}

/// Relative luminance, 0 to 1.
fn luminance(RGBColor(r, g, b): RGBColor) -> f64 {
    let linear = |c: u8| (f64::from(c) / 255.0).powf(2.2);
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

/// `colour` as dark as text on white paper must be: a contrast of 4.5 and more.
pub(crate) fn of_text(colour: RGBColor) -> RGBColor {
    const DARK: f64 = 0.17;
    let share = (DARK / luminance(colour)).powf(1.0 / 2.2).min(1.0);
    let darker = |c: u8| (f64::from(c) * share) as u8;
    RGBColor(darker(colour.0), darker(colour.1), darker(colour.2))
}

/// The colour of the sequence at `share`, 0 to 1.
fn sequential(share: f64) -> RGBColor {
    let at = share.clamp(0.0, 1.0) * (SEQUENCE.len() - 1) as f64;
    let (from, to) = (SEQUENCE[at.floor() as usize], SEQUENCE[at.ceil() as usize]);
    let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * at.fract()).round() as u8;
    RGBColor(mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CIE lightness, 0 to 100: what remains of a colour in a greyscale print.
    fn lightness(colour: RGBColor) -> f64 {
        116.0 * luminance(colour).cbrt() - 16.0
    }

    #[test]
    fn names_of_light_curves_can_be_read() {
        for colour in DISTINCT.into_iter().chain(SEQUENCE) {
            let text = of_text(colour);
            assert!(1.05 / (luminance(text) + 0.05) >= 4.5, "{colour:?} {text:?}");
        }
        assert_eq!(of_text(SEQUENCE[5]), SEQUENCE[5]);
    }

    #[test]
    fn ordered_curves_get_darker_by_even_steps() {
        let of = |count: usize| (0..count).map(move |index| lightness(Style::of(index, count, true).colour));
        for count in [2, 5, 11, 60] {
            let all: Vec<f64> = of(count).collect();
            let even = (all[0] - all[count - 1]) / (count - 1) as f64;
            for pair in all.windows(2) {
                assert!((0.6 * even..1.4 * even).contains(&(pair[0] - pair[1])), "{count}: {all:?}");
            }
        }
        let ends: Vec<f64> = of(2).collect();
        assert!(ends[0] < 76.0 && ends[1] < 15.0, "the lightest is visible on white: {ends:?}");
    }
}

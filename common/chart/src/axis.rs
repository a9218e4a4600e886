//! Axes: the range that is shown, the positions of the grid lines, and their labels.

use std::ops::Range;

use figures::units::Bytes;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// Larger numbers are errors, not measurements; they are drawn as gaps.
const ABSURD: f64 = 1e100;
/// Space beyond the outermost points, as a share of the axis.
const MARGIN: f64 = 0.02;
/// Smallest distance of grid lines without a label.
const FINEST: f64 = 7.0;

/// How numbers are laid out along an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scale {
    /// Linear, with zero unless a range is given.
    #[default]
    Linear,
    /// Logarithmic, with ticks at powers of two.
    Log2,
    /// Logarithmic, with ticks at 1, 2 and 5 times powers of ten.
    Log10,
}

/// One axis.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Axis {
    /// The quantity and its unit: `time per access (ns)`.
    pub label: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// Whether its numbers are sizes: 64, 32K, 2M bytes.
    pub is_bytes: bool,
    /// The axis ends at this value or above it, whatever the data.
    pub high: Option<f64>,
    /// The range that is shown, whatever the data; points outside it are not drawn.
    pub range: Option<(f64, f64)>,
    /// The decimal sign, if it is not a point.
    pub(crate) sign: Option<String>,
    /// Names instead of numbers: the first is at 1, the next at 2 …
    pub names: Vec<String>,
}

impl Axis {
    /// A linear axis. It contains zero.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), ..Axis::default() }
    }

    /// A binary logarithmic axis of plain numbers, ticked at powers of two.
    pub fn log2(label: impl Into<String>) -> Axis {
        Axis { scale: Scale::Log2, ..Axis::linear(label) }
    }

    /// A decimal logarithmic axis of plain numbers.
    pub fn log10(label: impl Into<String>) -> Axis {
        Axis { scale: Scale::Log10, ..Axis::linear(label) }
    }

    /// A binary logarithmic axis of sizes in bytes.
    pub fn bytes(label: impl Into<String>) -> Axis {
        Axis { is_bytes: true, ..Axis::log2(label) }
    }

    /// An axis of named things. A point over a name is a bar, or a dot if the other axis is
    /// logarithmic: a bar would have to start at zero.
    pub fn named(label: impl Into<String>, names: Vec<String>) -> Axis {
        Axis { names, ..Axis::linear(label) }
    }

    /// Ends the axis at `high` or above it.
    #[must_use]
    pub fn upto(self, high: f64) -> Axis {
        Axis { high: Some(high), ..self }
    }

    /// Whether `value` can be shown on this axis.
    pub(crate) fn shows(&self, value: f64) -> bool {
        value.abs() < ABSURD && (self.scale == Scale::Linear || value > 1.0 / ABSURD)
    }

    /// Whether `value` is one that only a linear axis can show.
    pub(crate) fn is_below_logarithms(&self, value: f64) -> bool {
        self.scale != Scale::Linear && -ABSURD < value && value <= 0.0
    }

    /// Whether its scale is logarithmic.
    pub(crate) fn is_logarithmic(&self) -> bool {
        self.scale != Scale::Linear
    }

    /// Whether it has names.
    pub(crate) fn is_named(&self) -> bool {
        !self.names.is_empty()
    }

    /// A number with the axis's decimal sign.
    pub(crate) fn signed(&self, number: String) -> String {
        match &self.sign {
            Some(sign) => number.replace('.', sign),
            None => number,
        }
    }

    /// `value` with four significant digits, or as a size with its unit.
    pub(crate) fn amount(&self, value: f64) -> String {
        let is_size = self.is_bytes && (1.0..1e15).contains(&value);
        self.signed(if is_size {
            Bytes(value.round() as u64).to_string()
        } else {
            plain(value, value / 100.0)
        })
    }

    /// `value` on the axis's scale: itself, or its logarithm.
    fn measure(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Log2 => value.log2(),
            Scale::Log10 => value.log10(),
        }
    }

    fn value(&self, measure: f64) -> f64 {
        match self.scale {
            Scale::Linear => measure,
            Scale::Log2 => measure.exp2(),
            Scale::Log10 => 10f64.powf(measure),
        }
    }

    /// The range that shows all of `data` on an axis of `length` pixels, with at most `most`
    /// labels.
    pub(crate) fn span(&self, data: impl Iterator<Item = f64>, length: f64, most: usize) -> Span {
        let axis = self.clone();
        if self.is_named() {
            let high = self.names.len() as f64 + 0.5;
            return Span { axis, low: 0.5, high, bold: Vec::new(), light: Vec::new() };
        }
        let most = most.max(2) as f64;
        let zero = (self.scale == Scale::Linear).then_some(0.0);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in data.chain(self.high).chain(zero).filter(|value| self.shows(*value)) {
            (low, high) = (low.min(self.measure(value)), high.max(self.measure(value)));
        }
        let range = self.range.filter(|(from, to)| self.shows(*from) && self.shows(*to) && from < to);
        if let Some((from, to)) = range {
            (low, high) = (self.measure(from), self.measure(to));
        } else if low > high {
            (low, high) = (0.0, 1.0);
        } else if high - low < (high.abs() + low.abs()) * 1e-12 + 1.0 / ABSURD {
            low -= if self.scale == Scale::Linear { 0.0 } else { 1.0 };
            high += 1.0;
        }
        // The smallest whole number of powers between labels.
        let powers = ((high - low) / (most - 1.0)).ceil().max(1.0);
        let (bold, light) = match self.scale {
            Scale::Linear => {
                let (step, fine) = linear_steps((high - low) / most);
                if range.is_none() {
                    let is_given = self.high.is_some_and(|end| end >= high);
                    low = (low / step).floor() * step;
                    high = if is_given { high } else { (high / step).ceil() * step };
                }
                (multiples(step, low, high), multiples(fine, low, high))
            }
            Scale::Log2 => (multiples(powers, low, high), multiples(1.0, low, high)),
            Scale::Log10 => {
                let choices: [&[f64]; 3] = [&DIGITS, &[1.0, 2.0, 5.0], &[1.0]];
                let all = choices.map(|digits| decades(low, high, digits));
                let bold = all.iter().find(|ticks| ticks.len() as f64 <= most).cloned();
                (bold.unwrap_or_else(|| multiples(powers, low, high)), decades(low, high, &DIGITS))
            }
        };
        let (bold, light) = if bold.len() < 2 { (vec![low, high], Vec::new()) } else { (bold, light) };
        let light = if light.len() as f64 * FINEST > length { Vec::new() } else { light };
        let values = |measures: Vec<f64>| measures.into_iter().map(|at| self.value(at)).collect();
        let margin = if range.is_some() { 0.0 } else { (high - low) * MARGIN };
        Span { axis, low: low - margin, high: high + margin, bold: values(bold), light: values(light) }
    }
}

const DIGITS: [f64; 9] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];

/// The distances of labelled grid lines, 1, 2 or 5 times a power of ten and at least
/// `least`, and of finer ones.
fn linear_steps(least: f64) -> (f64, f64) {
    let power = 10f64.powf(least.log10().floor());
    let steps = [(1.0, 0.2), (2.0, 0.5), (5.0, 1.0)].into_iter();
    let found = { steps }.find(|(step, _)| step * power >= least * (1.0 - 1e-9)).unwrap_or((10.0, 2.0));
    (found.0 * power, found.1 * power)
}

/// The multiples of `step` between the ends.
fn multiples(step: f64, low: f64, high: f64) -> Vec<f64> {
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    (0..=(last - first).clamp(0.0, 1e4) as usize).map(|i| (first + i as f64) * step).collect()
}

/// The logarithms of `digits` times each power of ten between the ends.
fn decades(low: f64, high: f64, digits: &[f64]) -> Vec<f64> {
    let powers = low.floor() as i64..=high.ceil() as i64;
    let all = powers.flat_map(|power| digits.iter().map(move |digit| power as f64 + digit.log10()));
    all.filter(|at| (low - 1e-9..=high + 1e-9).contains(at)).collect()
}

/// The shown range of an axis, as a coordinate of plotters.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Span {
    axis: Axis,
    /// The ends, on the axis's scale.
    low: f64,
    high: f64,
    /// The values of labelled grid lines, and of lines between them.
    pub(crate) bold: Vec<f64>,
    light: Vec<f64>,
}

impl Span {
    /// The same, from zero on if that is its first label: bars stand on the axis.
    pub(crate) fn without_space_below_zero(self) -> Span {
        let low = if self.bold.first() == Some(&0.0) { 0.0 } else { self.low };
        Span { low, ..self }
    }

    /// The position of `value`: 0 is the start of the axis, 1 its end.
    pub(crate) fn share(&self, value: f64) -> Option<f64> {
        let at = self.axis.shows(value).then(|| self.axis.measure(value))?;
        Some((at - self.low) / (self.high - self.low))
    }

    /// Whether `value` is between the ends.
    pub(crate) fn contains(&self, value: f64) -> bool {
        self.share(value).is_some_and(|share| (-1e-9..=1.0 + 1e-9).contains(&share))
    }

    /// Whether a part of the interval is between the ends.
    pub(crate) fn overlaps(&self, from: f64, to: f64) -> bool {
        self.share(from).zip(self.share(to)).is_some_and(|(from, to)| from <= 1.0 && to >= 0.0)
    }

    /// The value at a position, 0 to 1.
    pub(crate) fn value(&self, share: f64) -> f64 {
        self.axis.value(self.low + share * (self.high - self.low))
    }

    /// `value` as it is written at the axis.
    pub(crate) fn label(&self, value: f64) -> String {
        self.axis.signed(match self.axis.scale {
            _ if self.axis.is_bytes && (1.0..1e15).contains(&value) => short_bytes(value.round() as u64),
            Scale::Log2 if value > 65536.0 => format!("2^{:.0}", value.log2()),
            Scale::Log2 if (1e-5..1.0).contains(&value) => value.to_string(),
            Scale::Linear => match self.bold[..] {
                [first, second, ..] => plain(value, 10.0 * (second - first)),
                _ => plain(value, self.high - self.low),
            },
            Scale::Log2 | Scale::Log10 => plain(value, value.abs() * 5.0),
        })
    }
}

impl Ranged for Span {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    /// Values outside the axis are at its ends.
    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let share = self.share(*value).unwrap_or(0.0).clamp(0.0, 1.0);
        from + (share * f64::from(to - from)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { self.light.clone() } else { self.bold.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.value(0.0)..self.value(1.0)
    }
}

impl ValueFormatter<f64> for Span {
    fn format_ext(&self, value: &f64) -> String {
        self.label(*value)
    }
}

/// 64, 32K, 2M: as sizes are typed.
fn short_bytes(bytes: u64) -> String {
    let units = [(1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit)) {
        Some((unit, letter)) => format!("{}{letter}", bytes / unit),
        None => bytes.to_string(),
    }
}

/// A number with as many decimals as ticks over a range of `span` need.
pub(crate) fn plain(value: f64, span: f64) -> String {
    let decimals = (1.0 - span.abs().max(f64::MIN_POSITIVE).log10()).ceil();
    if !(value == 0.0 || (1e-5..1e7).contains(&value.abs())) {
        return format!("{value:.2e}").replace(".00e", "e").replace("0e", "e");
    }
    let text = format!("{value:.*}", decimals.clamp(0.0, 8.0) as usize);
    if !text.contains('.') { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn axes_have_labels_at_one_two_and_five() {
        for (axis, low, high, labels) in [
            (Axis::linear("y"), 0.0, 1.0, "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1"),
            (Axis::linear("y"), 0.0, 1100.0, "0 100 200 300 400 500 600 700 800 900 1000 1100"),
            (Axis::log10("y"), 0.02, 3.0, "0.02 0.05 0.1 0.2 0.5 1 2"),
            (Axis::log10("y"), 1.5, 4.0, "2 3 4"),
            (Axis::bytes("x"), 1.0, 65536.0, "1 4 16 64 256 1K 4K 16K 64K"),
        ] {
            let span = axis.span([low, high].into_iter(), 380.0, 14);
            let all: Vec<String> = span.bold.iter().map(|value| span.label(*value)).collect();
            assert_eq!(all.join(" "), labels);
        }
        // A high picture has more ticks. Each label is its own.
        for high in [1.0, 9.0, 1.1e-3] {
            let span = Axis::linear("y").span([0.0, high].into_iter(), 2000.0, 14);
            let all: BTreeSet<String> = span.bold.iter().map(|value| span.label(*value)).collect();
            assert!(all.len() > 8 && all.len() == span.bold.len(), "{all:?}");
        }
    }

    #[test]
    fn amounts_have_four_digits_and_sizes_a_unit() {
        let ns = Axis::linear("ns");
        for (value, text) in [
            (0.0, "0"),
            (960.0, "960"),
            (0.01234567, "0.01235"),
            (3.25, "3.25"),
            (1e-9, "1e-9"),
            (2.54e8, "2.54e8"),
        ] {
            assert_eq!(ns.amount(value), text);
        }
        assert_eq!(Axis::bytes("stride").amount(4096.0), "4 KiB");
    }
}

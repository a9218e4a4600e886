//! Axes: the range that is shown, the positions of the grid lines, and their labels.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// Larger numbers are errors, not measurements; they are drawn as gaps.
const ABSURD: f64 = 1e100;
/// Space beyond the outermost points, as a share of the axis.
const MARGIN: f64 = 0.02;
/// Smallest distance of grid lines without a label.
const FINEST: f64 = 8.0;

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

/// How numbers on an axis are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unit {
    /// As plain numbers.
    #[default]
    Number,
    /// As sizes: 64, 32K, 2M bytes.
    Bytes,
}

/// One axis.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Axis {
    /// The quantity and its unit: `time per access (ns)`.
    pub label: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// How ticks are written.
    pub unit: Unit,
    /// The axis starts at this value or below it, whatever the data.
    pub low: Option<f64>,
    /// The axis ends at this value or above it, whatever the data.
    pub high: Option<f64>,
    /// The range that is shown, whatever the data; points outside it are not drawn.
    pub range: Option<(f64, f64)>,
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
        Axis { label: label.into(), scale: Scale::Log2, ..Axis::default() }
    }

    /// A decimal logarithmic axis of plain numbers.
    pub fn log10(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Log10, ..Axis::default() }
    }

    /// A binary logarithmic axis of sizes in bytes.
    pub fn bytes(label: impl Into<String>) -> Axis {
        Axis { unit: Unit::Bytes, ..Axis::log2(label) }
    }

    /// An axis of named things. A point over a name is a bar, or a dot if the other axis is
    /// logarithmic: a bar would have to start at zero.
    pub fn named(label: impl Into<String>, names: Vec<String>) -> Axis {
        Axis { label: label.into(), names, ..Axis::default() }
    }

    /// Starts the axis at `low` or below it.
    #[must_use]
    pub fn from(self, low: f64) -> Axis {
        Axis { low: Some(low), ..self }
    }

    /// Ends the axis at `high` or above it.
    #[must_use]
    pub fn upto(self, high: f64) -> Axis {
        Axis { high: Some(high), ..self }
    }

    /// The label, the unit of sizes, and the scale if there are numbers.
    pub(crate) fn full_label(&self) -> String {
        let unit = if self.unit == Unit::Bytes { " in bytes (K = 1024)" } else { "" };
        match self.scale {
            _ if self.label.is_empty() || self.is_named() => self.label.clone(),
            Scale::Linear => format!("{}{unit}", self.label),
            Scale::Log2 | Scale::Log10 => format!("{}{unit}, logarithmic", self.label),
        }
    }

    /// Whether `value` can be shown on this axis.
    pub(crate) fn shows(&self, value: f64) -> bool {
        value.abs() < ABSURD && (self.scale == Scale::Linear || value > 1.0 / ABSURD)
    }

    /// Whether `value` is one that only a linear axis can show.
    pub(crate) fn is_below_logarithms(&self, value: f64) -> bool {
        self.scale != Scale::Linear && -ABSURD < value && value <= 0.0
    }

    /// Whether it has names.
    pub(crate) fn is_named(&self) -> bool {
        !self.names.is_empty()
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
        let most = most.max(2);
        if self.is_named() {
            let high = self.names.len() as f64 + 0.5;
            return Span { axis: self.clone(), low: 0.5, high, bold: Vec::new(), light: Vec::new() };
        }
        let zero = (self.scale == Scale::Linear).then_some(0.0);
        let wanted = data.chain(self.low).chain(self.high).chain(zero);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for at in wanted.filter(|v| self.shows(*v)).map(|v| self.measure(v)) {
            (low, high) = (low.min(at), high.max(at));
        }
        let range = self.range.filter(|(from, to)| self.shows(*from) && self.shows(*to) && from < to);
        if let Some((from, to)) = range {
            (low, high) = (self.measure(from), self.measure(to));
        } else if low > high {
            (low, high) = (0.0, 1.0);
        } else if high - low < (high.abs() + low.abs()) * 1e-12 + 1.0 / ABSURD {
            (low, high) =
                if self.scale == Scale::Linear { (low, low + 1.0) } else { (low - 1.0, high + 1.0) };
        }
        let (bold, light) = match self.scale {
            Scale::Linear => {
                let (step, parts) = linear_step(high - low, most, length);
                if range.is_none() {
                    low = (low / step).floor() * step;
                    high = if self.high.is_some_and(|end| end >= high) {
                        high
                    } else {
                        (high / step).ceil() * step
                    };
                }
                (multiples(step, low, high), multiples(step / parts, low, high))
            }
            Scale::Log2 => {
                let step = (1..).map(f64::from).find(|step| (high - low) / step < most as f64).unwrap_or(1.0);
                (multiples(step, low, high), multiples(1.0, low, high))
            }
            Scale::Log10 => decades(low, high, most),
        };
        let (bold, light) = if bold.len() < 2 { (vec![low, high], Vec::new()) } else { (bold, light) };
        let values = |measures: Vec<f64>| measures.into_iter().map(|at| self.value(at)).collect();
        let margin = (high - low) * MARGIN;
        let below = if self.scale == Scale::Linear && low == 0.0 { 0.0 } else { margin };
        let (below, above) = if range.is_some() { (0.0, 0.0) } else { (below, margin) };
        let light = if light.len() as f64 * FINEST > length { Vec::new() } else { light };
        Span {
            axis: self.clone(),
            low: low - below,
            high: high + above,
            bold: values(bold),
            light: values(light),
        }
    }
}

/// The distance of labelled grid lines, 1, 2 or 5 times a power of ten, and how many parts
/// finer lines divide it into.
fn linear_step(length: f64, most: usize, pixels: f64) -> (f64, f64) {
    let rough = length / most as f64;
    let power = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|factor| factor * power >= rough * (1.0 - 1e-9))
        .unwrap_or(10.0);
    let distance = factor * power / length * pixels;
    let parts: &[f64] = if factor == 2.0 { &[4.0, 2.0] } else { &[5.0, 2.0] };
    // Halves of 5 are no values that one can read.
    let parts = parts.iter().filter(|parts| factor != 5.0 || **parts == 5.0);
    (factor * power, parts.copied().find(|parts| distance / parts >= FINEST).unwrap_or(1.0))
}

/// The multiples of `step` between the ends.
fn multiples(step: f64, low: f64, high: f64) -> Vec<f64> {
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    (0..=(last - first).clamp(0.0, 1e4) as usize).map(|i| (first + i as f64) * step).collect()
}

/// Labels at 1, 2 and 5 times each power of ten, or at powers alone; finer lines between.
fn decades(low: f64, high: f64, most: usize) -> (Vec<f64>, Vec<f64>) {
    let within = |factors: &[f64]| -> Vec<f64> {
        let all = (low.floor() as i64..=high.ceil() as i64)
            .flat_map(|d| factors.iter().map(move |m| d as f64 + m.log10()));
        all.filter(|at| (low - 1e-9..=high + 1e-9).contains(at)).collect()
    };
    let all = || within(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    let choices = [&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0][..], &[1.0, 2.0, 5.0], &[1.0, 3.0], &[1.0]];
    match choices.into_iter().map(within).find(|ticks| ticks.len() <= most) {
        Some(ticks) => (ticks, all()),
        None => {
            let step = (1..).map(f64::from).find(|step| (high - low) / step < most as f64).unwrap_or(1.0);
            (multiples(step, low, high), multiples(1.0, low, high))
        }
    }
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
    /// The same range, and some space below zero for points near it.
    pub(crate) fn lowered(self, least: f64) -> Span {
        let near = self.axis.scale == Scale::Linear && self.axis.range.is_none() && self.low == 0.0;
        let low = if near && least < self.high * MARGIN { -self.high * MARGIN } else { self.low };
        Span { low, ..self }
    }

    /// The position of `value`: 0 is the start of the axis, 1 its end.
    pub(crate) fn share(&self, value: f64) -> Option<f64> {
        let at = self.axis.shows(value).then(|| self.axis.measure(value))?;
        Some((at - self.low) / (self.high - self.low))
    }

    /// The value at a position, 0 to 1.
    pub(crate) fn value(&self, share: f64) -> f64 {
        self.axis.value(self.low + share * (self.high - self.low))
    }

    /// `value` as it is written at the axis.
    pub(crate) fn label(&self, value: f64) -> String {
        let axis = &self.axis;
        match axis.unit {
            Unit::Bytes if (1.0..1e15).contains(&value) => short_bytes(value.round() as u64),
            _ if axis.scale == Scale::Log2 && value > 65536.0 => format!("2^{:.0}", value.log2()),
            _ if axis.scale == Scale::Log2 && (1e-5..1.0).contains(&value) => value.to_string(),
            _ if axis.scale == Scale::Linear => plain(value, self.high - self.low),
            _ => plain(value, value.abs() * 5.0),
        }
    }
}

impl Ranged for Span {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let share = self.share(*value).unwrap_or(0.0).clamp(-1.0, 2.0);
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

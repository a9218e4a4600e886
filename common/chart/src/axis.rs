//! Axes: the range that is shown, the positions of the ticks, and their labels.

use figures::units::Bytes;

/// Larger numbers are errors, not measurements; they are drawn as gaps.
const ABSURD: f64 = 1e100;

/// How numbers are laid out along an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scale {
    /// Linear, and always with zero.
    #[default]
    Linear,
    /// Logarithmic, with ticks at powers of two.
    Log2,
    /// Logarithmic, with ticks at powers of ten.
    Log10,
}

/// How numbers on an axis are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unit {
    /// As plain numbers.
    #[default]
    Number,
    /// As sizes: 64 B, 32 KiB, 2 MiB.
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

    /// The label, and the scale if there are numbers.
    pub(super) fn full_label(&self) -> String {
        match self.scale {
            _ if self.label.is_empty() || self.is_named() => self.label.clone(),
            Scale::Linear => format!("{}, linear", self.label),
            Scale::Log2 | Scale::Log10 => format!("{}, logarithmic", self.label),
        }
    }

    /// Whether `value` can be shown on this axis.
    pub(super) fn shows(&self, value: f64) -> bool {
        value.abs() < ABSURD && (self.scale == Scale::Linear || value > 1.0 / ABSURD)
    }

    /// Whether it has names.
    pub(super) fn is_named(&self) -> bool {
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

    /// The range that shows all of `data`, with at least two and at most `most` ticks.
    pub(super) fn span(&self, data: impl Iterator<Item = f64>, most: usize) -> Span {
        if !self.names.is_empty() {
            let places = (0..).map(|i| f64::from(i) + 0.5);
            let ticks = places.zip(&self.names).map(|(at, name)| Tick { at, label: name.clone() });
            let length = self.names.len() as f64;
            return Span { axis: self.clone(), ticks: ticks.collect(), low: 0.5, length };
        }
        let zero = (self.scale == Scale::Linear).then_some(0.0);
        let wanted = data.chain(self.low).chain(self.high).chain(zero);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for at in wanted.filter(|v| self.shows(*v)).map(|v| self.measure(v)) {
            (low, high) = (low.min(at), high.max(at));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let closed = self.high.is_some_and(|h| h >= high);
        let ticks = match self.scale {
            Scale::Linear => linear(&mut low, &mut high, closed, most),
            Scale::Log2 | Scale::Log10 => self.powers(&mut low, &mut high, most),
        };
        let ticks = ticks.into_iter().map(|at| Tick { at: at - low, label: self.tick_label(at, low, high) });
        Span { axis: self.clone(), ticks: ticks.collect(), low, length: high - low }
    }

    /// Ticks at whole powers, or at every second, third … of them.
    fn powers(&self, low: &mut f64, high: &mut f64, most: usize) -> Vec<f64> {
        if high.floor() - low.ceil() < 1.0 {
            (*low, *high) = (low.floor(), high.ceil());
            if *low == *high {
                (*low, *high) = (*low - 1.0, *high + 1.0);
            }
        }
        let (first, last) = (low.ceil() as i64, high.floor() as i64);
        if self.scale == Scale::Log10 && last - first <= 2 && most >= 9 {
            return fine_decades(*low, *high);
        }
        let step = (1..).find(|step| (last - first) / step < most.max(2) as i64).unwrap_or(1);
        let aligned = first + (-first).rem_euclid(step);
        let from = if aligned + step <= last { aligned } else { first };
        (from..=last).step_by(step as usize).map(|p| p as f64).collect()
    }

    fn tick_label(&self, measure: f64, low: f64, high: f64) -> String {
        let value = self.value(measure);
        match self.unit {
            Unit::Bytes if (1.0..1e15).contains(&value) => Bytes(value.round() as u64).to_string(),
            _ if self.scale == Scale::Log2 && value > 65536.0 => format!("2^{measure:.0}"),
            _ if self.scale == Scale::Log2 && (1e-5..1.0).contains(&value) => value.to_string(),
            _ if self.scale == Scale::Linear => plain(value, high - low),
            _ => plain(value, value.abs() * 5.0),
        }
    }
}

/// A tick: its distance from the axis's start, on the axis's scale.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) label: String,
}

/// The shown range of an axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Span {
    axis: Axis,
    pub(super) ticks: Vec<Tick>,
    low: f64,
    length: f64,
}

impl Span {
    /// The position of `value`: 0 is the start of the axis, 1 its end; there is no position
    /// after the last name.
    pub(super) fn share(&self, value: f64) -> Option<f64> {
        let at = self.axis.shows(value).then(|| self.axis.measure(value))?;
        let share = (at - self.low) / self.length;
        (!self.axis.is_named() || (0.0..=1.0).contains(&share)).then_some(share)
    }

    /// The position of a tick, 0 to 1.
    pub(super) fn tick_share(&self, tick: &Tick) -> f64 {
        tick.at / self.length
    }
}

/// Ticks at multiples of 1, 2 or 5 times a power of ten; the ends move outwards to the next
/// tick, but not above a `closed` end.
fn linear(low: &mut f64, high: &mut f64, closed: bool, most: usize) -> Vec<f64> {
    if *high - *low < 1.0 / ABSURD {
        *high = *low + 1.0;
    }
    let rough = (*high - *low) / most.max(2) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0].map(|m| m * power).into_iter().find(|s| *s >= rough).unwrap_or(10.0 * power);
    let (first, mut last) = ((*low / step).floor(), (*high / step).ceil());
    if closed {
        last = (*high / step + 1e-9).floor();
    } else {
        *high = last * step;
    }
    *low = first * step;
    (0..=(last - first) as usize).map(|i| (first + i as f64) * step).collect()
}

/// 1, 2 and 5 times each power of ten between the ends.
fn fine_decades(low: f64, high: f64) -> Vec<f64> {
    let decades = low.floor() as i64..=high.ceil() as i64;
    let ticks = decades.flat_map(|d| [1f64, 2.0, 5.0].map(|m| d as f64 + m.log10()));
    ticks.filter(|t| (low - 1e-9..=high + 1e-9).contains(t)).collect()
}

/// A number with as many decimals as ticks over a range of `span` need.
fn plain(value: f64, span: f64) -> String {
    let decimals = (1.0 - span.abs().max(f64::MIN_POSITIVE).log10()).ceil();
    if !(value == 0.0 || (1e-5..1e7).contains(&value.abs())) {
        return format!("{value:.2e}").replace(".00e", "e").replace("0e", "e");
    }
    let text = format!("{value:.*}", decimals.clamp(0.0, 8.0) as usize);
    if !text.contains('.') { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

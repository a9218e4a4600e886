//! Axes: the range that is shown, the positions of the grid lines, and how numbers are written.

use std::ops::Range;

use figures::units::Bytes;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

/// Larger numbers are errors, not measurements; they are drawn as gaps.
const ABSURD: f64 = 1e100;
/// Space beyond the outermost points, as a share of the axis.
const MARGIN: f64 = 0.03;

/// One axis.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Axis {
    /// The quantity and its unit: `time per access (ns)`.
    pub label: String,
    /// Whether it is logarithmic. A linear axis contains zero.
    pub is_log: bool,
    /// Whether its numbers are sizes, with grid lines at powers of two: 64, 32K, 2M bytes.
    pub is_bytes: bool,
    /// Names instead of numbers: the first is at 1, the next at 2 …
    pub names: Vec<String>,
    /// A linear axis ends here or above.
    pub(crate) least_end: f64,
}

impl Axis {
    /// A linear axis.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), ..Axis::default() }
    }

    /// A linear axis of shares, such as misses per access, from 0 to 0.1 or more: the few first
    /// misses of arrays that fit must not look like a step.
    pub fn share(label: impl Into<String>) -> Axis {
        Axis { least_end: 0.1, ..Axis::linear(label) }
    }

    /// A logarithmic axis of plain numbers.
    pub fn log(label: impl Into<String>) -> Axis {
        Axis { is_log: true, ..Axis::linear(label) }
    }

    /// A logarithmic axis of sizes in bytes.
    pub fn bytes(label: impl Into<String>) -> Axis {
        Axis { is_bytes: true, ..Axis::log(label) }
    }

    /// An axis of named things. A point over a name has a bar, unless the other axis is
    /// logarithmic: a bar has to start at zero.
    pub fn named(label: impl Into<String>, names: Vec<String>) -> Axis {
        Axis { names, ..Axis::linear(label) }
    }

    /// Whether the scale has a place for `value`.
    pub(crate) fn has(&self, value: f64) -> bool {
        value.abs() < ABSURD && (!self.is_log || value > 1.0 / ABSURD)
    }

    /// Whether `value` is one that only a linear axis can show.
    pub(crate) fn is_below_logarithms(&self, value: f64) -> bool {
        self.is_log && -ABSURD < value && value <= 0.0
    }

    /// Whether `value` is shown: in its place, or at the lower edge of a logarithmic axis.
    pub(crate) fn shows(&self, value: f64) -> bool {
        self.has(value) || self.is_below_logarithms(value)
    }

    /// The range that shows all of `data`, with at most `most` labels.
    pub(crate) fn grid(&self, data: impl Iterator<Item = f64>, most: i32) -> Grid {
        let mut grid = Grid { is_log: self.is_log, ..Grid::default() };
        let shown = data.filter(|value| self.has(*value)).map(|value| grid.measure(value));
        let always = if self.is_log { None } else { Some([0.0, self.least_end]) };
        let shown = Vec::from_iter(shown.chain(always.into_iter().flatten()));
        let [mut low, mut high] =
            [f64::min, f64::max].map(|end| shown.iter().copied().reduce(end).unwrap_or(0.0));
        if high - low < 1.0 / ABSURD {
            (low, high) = (if self.is_log { low - 1.0 } else { low }, high + 1.0);
        }
        let margin = (high - low) * MARGIN;
        (grid.low, grid.high) = match self.names.len() {
            0 if self.least_end > 0.0 && low == 0.0 => (low, high + margin),
            0 => (low - margin, high + margin),
            count => (0.5, count as f64 + 0.5),
        };
        let ends = [grid.low, grid.high].map(|at| if self.is_log { 10f64.powf(at) } else { at });
        if self.names.is_empty() {
            grid.bold = self.ticks(ends, most.max(2));
            // between few lines of a logarithmic axis, the light ones show the scale
            grid.light = if self.is_log && !self.is_bytes {
                self.ticks(ends, 5 * most.max(2))
            } else {
                grid.bold.clone()
            };
            grid.bold = if grid.bold.len() < 2 { ends.to_vec() } else { grid.bold };
        }
        grid
    }

    /// At most `most` grid lines between the ends: multiples of 1, 2 or 5 times a power of ten, or of a
    /// power of two; 1, 2 and 5 times powers of ten; or powers of two.
    fn ticks(&self, [low, high]: [f64; 2], most: i32) -> Vec<f64> {
        let space = (high - low) / f64::from(most);
        let least =
            if self.is_bytes { 2f64.powf(space.log2().floor()) } else { 10f64.powf(space.log10().floor()) };
        let level = |level: usize| -> Vec<f64> {
            let digits = [&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0][..], &[1.0, 2.0, 5.0], &[1.0]];
            let step = least
                * if self.is_bytes { 2f64.powi(level as i32) } else { [1.0, 2.0, 5.0, 10.0][level.min(3)] };
            let all = match (self.is_bytes, self.is_log) {
                (true, true) => (0..63).step_by(level + 1).map(|power| (1u64 << power) as f64).collect(),
                (_, true) => {
                    let powers = (-100..100).step_by(level.max(2) - 1).map(|power| 10f64.powi(power));
                    powers
                        .flat_map(|power| digits[level.min(2)].iter().map(move |digit| digit * power))
                        .collect()
                }
                _ => Vec::from_iter((0..=most).map(|at| ((low / step).ceil() + f64::from(at)) * step)),
            };
            let rest = (high - low) * 1e-9;
            all.into_iter().filter(|at| (low - rest..=high + rest).contains(at)).collect()
        };
        (0..63).map(level).find(|ticks| ticks.len() as i32 <= most).unwrap_or_default()
    }

    /// The name at `value`, or a size with its unit, or a number with four significant digits.
    pub(crate) fn amount(&self, value: f64) -> String {
        match self.names.get((value.round() as usize).wrapping_sub(1)) {
            Some(name) => name.clone(),
            None if self.is_bytes && (1.0..1e15).contains(&value) => Bytes(value.round() as u64).to_string(),
            None => self.number(value, 4),
        }
    }

    /// What is written at a grid line: a number, or a size as it is typed, like 64 or 32K.
    pub(crate) fn tick(&self, value: f64) -> String {
        let size = || self.amount(value).replace(" B", "").replace(' ', "").replace("iB", "");
        if self.is_bytes { size() } else { self.number(value, 6) }
    }

    /// A number with at most so many significant digits.
    pub(crate) fn number(&self, value: f64, digits: usize) -> String {
        let rounded = format!("{value:.*e}", digits - 1).parse().unwrap_or(value);
        let is_plain = rounded == 0.0 || (1e-5..1e7).contains(&rounded.abs());
        if is_plain { rounded.to_string() } else { format!("{rounded:e}") }
    }
}

/// The shown range of an axis and its grid lines, as a coordinate of plotters.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Grid {
    is_log: bool,
    /// The ends, or their logarithms.
    low: f64,
    high: f64,
    bold: Vec<f64>,
    light: Vec<f64>,
}

impl Grid {
    fn measure(&self, value: f64) -> f64 {
        if self.is_log { value.max(0.0).log10() } else { value }
    }

    /// The position of `value`: 0 is the start of the axis, 1 its end.
    pub(crate) fn share(&self, value: f64) -> f64 {
        (self.measure(value) - self.low) / (self.high - self.low)
    }
}

impl Ranged for Grid {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    /// Values outside the axis are at its ends.
    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        from + (self.share(*value).clamp(0.0, 1.0) * f64::from(to - from)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { self.light.clone() } else { self.bold.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

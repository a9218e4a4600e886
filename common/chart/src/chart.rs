//! The content of a chart, without its layout.

use std::collections::BTreeMap;

use figures::text::clean;
use figures::units::Bytes;
use figures::value::Reading;

use crate::axis::{Axis, Scale, amount};

/// What a chart shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chart {
    /// One line: what the chart shows.
    pub title: String,
    /// Below the chart: units, machine, source of the figures.
    pub caption: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves, in the order of their styles.
    pub series: Vec<Series>,
    /// Places on the horizontal axis, such as a cache's capacity.
    pub marks: Vec<Mark>,
    /// Whether the curves have an order, such as that of array sizes: they are drawn from light to dark.
    pub ordered: bool,
    /// Width and height in pixels, if they are given.
    pub size: Option<(u32, u32)>,
    /// Whether each curve has a plot of its own.
    pub panels: bool,
}

/// One curve.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// Its name, at its end.
    pub name: String,
    /// Its points, in drawing order. A point that is not finite (or not
    /// positive on a logarithmic axis) is a gap in the line.
    pub points: Vec<(f64, f64)>,
    /// The spread of repeated runs: x value, smallest and largest y value, drawn as error
    /// bars.
    pub spreads: Vec<(f64, f64, f64)>,
    /// Points of another source than the curve: drawn hollow, not connected.
    pub hollow: Vec<(f64, f64)>,
    /// Whether it is a computed line, without markers.
    pub is_line: bool,
    /// The source of its values, if all have the same.
    pub source: String,
}

/// A value or an interval of the horizontal axis, with a label above the plot: a vertical
/// line, or a shade.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mark {
    /// Left end.
    pub from: f64,
    /// Right end; the same as the left end of a single value.
    pub to: f64,
    /// Its label: `L1 32 KiB`.
    pub label: String,
}

/// Longest text in a picture, in characters; more than fits.
const MAX_TEXT: usize = 2000;

/// A text from outside, made safe for a picture, line by line.
fn plain(text: impl Into<String>) -> String {
    let text = text.into();
    let end = text.char_indices().nth(MAX_TEXT).map_or(text.len(), |(end, _)| end);
    text[..end].lines().map(clean).collect::<Vec<_>>().join("\n")
}

impl Chart {
    /// A chart without curves yet.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Chart {
        Chart { title: plain(title), x, y, ..Chart::default() }
    }

    /// Sets the caption.
    pub fn caption(mut self, caption: impl Into<String>) -> Chart {
        self.caption = plain(caption);
        self
    }

    /// Adds a curve.
    pub fn curve(mut self, name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Chart {
        let points = points.into_iter().collect();
        self.series.push(Series { name: plain(name), points, ..Series::default() });
        self
    }

    /// Adds a curve of readings with the spread of their runs, and their source.
    pub fn readings(self, name: impl Into<String>, readings: &[(f64, Reading)]) -> Chart {
        let amount = |(x, reading): &(f64, Reading)| (*x, reading.amount().unwrap_or(f64::NAN));
        let spread =
            |(x, reading): &(f64, Reading)| reading.spread().map(|spread| (*x, spread.min, spread.max));
        let source = readings.iter().find_map(|(_, reading)| reading.source());
        self.curve(name, readings.iter().map(amount))
            .spread(readings.iter().filter_map(spread))
            .source(source.map_or_else(String::new, |source| source.to_string()))
    }

    /// Adds a computed line, such as a roof: a curve without markers.
    pub fn line(self, name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Chart {
        self.curve(name, points).change_last(|series| series.is_line = true)
    }

    /// Adds error bars to the last curve: x value, smallest and largest y value of the
    /// runs.
    pub fn spread(self, spreads: impl IntoIterator<Item = (f64, f64, f64)>) -> Chart {
        self.change_last(|series| series.spreads = spreads.into_iter().collect())
    }

    /// Adds hollow points of another source to the last curve.
    pub fn hollow(self, points: impl IntoIterator<Item = (f64, f64)>) -> Chart {
        self.change_last(|series| series.hollow = points.into_iter().collect())
    }

    /// Sets the source of the last curve's values.
    pub fn source(self, source: impl Into<String>) -> Chart {
        self.change_last(|series| series.source = plain(source))
    }

    fn change_last(mut self, change: impl FnOnce(&mut Series)) -> Chart {
        self.series.last_mut().map(change);
        self
    }

    /// Draws the curves from light to dark in their order.
    pub fn ordered(self) -> Chart {
        Chart { ordered: true, ..self }
    }

    /// Adds a vertical line, such as a cache's capacity.
    pub fn mark(self, at: f64, label: impl Into<String>) -> Chart {
        self.band(at, at, label)
    }

    /// Adds an interval, such as the possible sizes of a cache.
    pub fn band(mut self, from: f64, to: f64, label: impl Into<String>) -> Chart {
        self.marks.push(Mark { from, to, label: plain(label) });
        self
    }

    /// Whether points are bars.
    pub(crate) fn has_bars(&self) -> bool {
        self.x.is_named() && self.y.scale == Scale::Linear
    }

    /// Whether there is no point that can be drawn.
    pub fn is_empty(&self) -> bool {
        let drawable = |&(x, y): &(f64, f64)| self.x.shows(x) && self.y.shows(y);
        !self.series.iter().any(|s| s.points.iter().any(drawable))
    }

    /// All texts of the chart.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &String> {
        let axes = [&self.x, &self.y].into_iter().flat_map(|axis| axis.names.iter().chain([&axis.label]));
        let series = self.series.iter().map(|series| &series.name);
        let marks = self.marks.iter().map(|mark| &mark.label);
        [&self.title, &self.caption].into_iter().chain(axes).chain(series).chain(marks)
    }

    /// What the chart is about, in a sentence: its caption, its curves and their ranges.
    pub(crate) fn description(&self) -> String {
        let points = self.series.iter().flat_map(|series| &series.points);
        let drawn: Vec<&(f64, f64)> = points.filter(|(x, y)| self.x.shows(*x) && self.y.shows(*y)).collect();
        let ends = |axis: &Axis, pick: fn(&(f64, f64)) -> f64| {
            let values = || drawn.iter().map(|point| pick(point));
            let (low, high) =
                (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
            format!("{}: {} to {}", axis.label, amount(axis, low), amount(axis, high))
        };
        let mut parts: Vec<String> =
            self.caption.lines().map(|line| line.trim_end_matches('.').to_owned()).collect();
        if !drawn.is_empty() {
            parts.extend((!self.x.is_named()).then(|| ends(&self.x, |point| point.0)));
            parts.push(ends(&self.y, |point| point.1));
        }
        let names = self.series.iter().map(|series| series.name.as_str());
        let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        match names.as_slice() {
            [first, .., last] if names.len() > 12 => {
                parts.push(format!("{} curves, {first} to {last}", names.len()));
            }
            [] => {}
            names => parts.push(format!("curves: {}", names.join(", "))),
        }
        parts.retain(|part| !part.is_empty());
        parts.join(". ") + "."
    }
}

/// The guide's chart of a sweep: `y` against the stride, one curve per array size. Rows are
/// array size and stride in bytes, and a value; a missing one is a gap.
pub fn sweep(title: &str, y: Axis, rows: impl IntoIterator<Item = (u64, u64, Option<Reading>)>) -> Chart {
    let mut curves: BTreeMap<u64, Vec<(f64, Reading)>> = BTreeMap::new();
    for (size, stride, reading) in rows {
        let reading = reading.unwrap_or_else(|| Reading::missing("no value"));
        curves.entry(size).or_default().push((stride as f64, reading));
    }
    let chart = Chart::new(title, Axis::bytes("stride"), y).ordered();
    curves
        .into_iter()
        .fold(chart, |chart, (size, readings)| chart.readings(Bytes(size).to_string(), &readings))
}

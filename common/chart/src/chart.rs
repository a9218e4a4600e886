//! The content of a chart, without its layout.

use std::collections::{BTreeMap, BTreeSet};

use figures::text::shorten;
use figures::units::Bytes;
use figures::value::Reading;

use crate::axis::Axis;

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
    /// Intervals of the horizontal axis, with a label, drawn as shades; single values as lines.
    pub(crate) marks: Vec<(f64, f64, String)>,
    /// Whether the curves have an order, such as that of array sizes: they are drawn from light to dark.
    /// Those of each set have the same colours.
    pub ordered: bool,
    /// What the reader wants to see of it.
    pub(crate) view: View,
}

/// One curve.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points, in drawing order. One that is not finite is a gap in the line.
    pub points: Vec<(f64, f64)>,
    /// Error bars: x value, smallest and largest y value of repeated runs.
    pub spreads: Vec<(f64, f64, f64)>,
    /// Points of another source than the curve: drawn hollow, not connected.
    pub hollow: Vec<(f64, f64)>,
    /// The x values of points that are far above all next to them: drawn hollow.
    pub odd: Vec<f64>,
    /// Whether it is a computed line, without markers.
    pub is_line: bool,
    /// Whether its points are too few for a curve: they are drawn without a line.
    pub is_sparse: bool,
    /// The source of its values, if all have the same.
    pub source: String,
    /// The array's bytes, if it is the curve of one.
    pub bytes: Option<u64>,
    /// Which of several sets of curves it belongs to, such as those of one machine: each has its own dashes.
    pub set: usize,
}

/// What a reader wants to see of a chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct View {
    /// Whether the axes are logarithmic, if not as usual.
    pub log_x: Option<bool>,
    /// The same of the vertical axis.
    pub log_y: Option<bool>,
    /// Another title, and another caption; empty ones take no space.
    pub title: Option<String>,
    /// See `title`.
    pub caption: Option<String>,
    /// The width in a document, in cm. Letters keep their size.
    pub width_cm: Option<f64>,
    /// Width and height in pixels.
    pub size: Option<(f64, f64)>,
}

/// Most characters of a title or a caption, and of a name or a label.
const MAX_TEXT: usize = 500;
const MAX_NAME: usize = 40;

impl Chart {
    /// A chart without curves yet.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Chart {
        Chart { title: shorten(&title.into(), MAX_TEXT), x, y, ..Chart::default() }
    }

    /// Sets the caption.
    pub fn caption(self, caption: impl Into<String>) -> Chart {
        Chart { caption: shorten(&caption.into(), MAX_TEXT), ..self }
    }

    /// Adds a curve.
    pub fn curve(mut self, name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Chart {
        let (name, points) = (shorten(&name.into(), MAX_NAME), points.into_iter().collect());
        self.series.push(Series { name, points, ..Series::default() });
        self
    }

    /// Adds a curve of readings with the spread of their runs, and their source.
    pub fn readings(self, name: impl Into<String>, readings: &[(f64, Reading)]) -> Chart {
        let points = readings.iter().map(|(x, reading)| (*x, reading.amount().unwrap_or(f64::NAN)));
        let spread =
            |(x, reading): &(f64, Reading)| reading.spread().map(|spread| (*x, spread.min, spread.max));
        let source = readings.iter().find_map(|(_, reading)| reading.source());
        let mut chart = self.curve(name, points);
        if let Some(series) = chart.series.last_mut() {
            series.spreads = readings.iter().filter_map(spread).collect();
            series.source = source.map_or_else(String::new, |source| source.to_string());
        }
        chart
    }

    /// Adds an interval of the horizontal axis, such as the possible sizes of a cache, or a
    /// single value.
    pub fn mark(mut self, from: f64, to: f64, label: impl Into<String>) -> Chart {
        self.marks.push((from, to, shorten(&label.into(), MAX_NAME)));
        self
    }

    /// Marks the curves of a few points among others as points without a line.
    pub fn set_sparse(&mut self) {
        let most = self.series.iter().map(|series| series.points.len()).max().unwrap_or(0);
        for series in &mut self.series {
            series.is_sparse = series.points.len() < CURVE.min(most);
        }
    }

    /// Marks the odd points of a sweep.
    pub fn set_odd(&mut self) {
        for own in self.series.chunk_by_mut(|a, b| a.set == b.set) {
            let cells = own.iter().flat_map(|series| {
                series.points.iter().filter_map(|(x, y)| Some(((series.bytes?, *x as u64), *y)))
            });
            for (bytes, x) in odd(&cells.filter(|(_, y)| y.is_finite()).collect()) {
                let series = own.iter_mut().find(|series| series.bytes == Some(bytes));
                series.into_iter().for_each(|series| series.odd.push(x as f64));
            }
        }
    }

    /// The chart as `view` describes it.
    ///
    /// # Errors
    ///
    /// If the picture would be too small or too large; the sentence says so.
    pub fn viewed(mut self, view: &View) -> Result<Chart, String> {
        for (axis, log) in [(&mut self.x, view.log_x), (&mut self.y, view.log_y)] {
            axis.is_log = log.unwrap_or(axis.is_log) && axis.names.is_empty();
        }
        for (text, other) in [(&mut self.title, &view.title), (&mut self.caption, &view.caption)] {
            *text = other.as_ref().map_or_else(|| text.clone(), |other| shorten(other, MAX_TEXT));
        }
        if view.width_cm.is_some_and(|width| !(6.0..=60.0).contains(&width)) {
            return Err("the width of a chart is 6 to 60 cm".to_owned());
        }
        if view.size.is_some_and(|(width, height)| {
            !(320.0..=5000.0).contains(&width) || !(300.0..=5000.0).contains(&height)
        }) {
            return Err("the size of a chart is 320x300 to 5000x5000 pixels".to_owned());
        }
        self.view = view.clone();
        Ok(self)
    }

    /// Whether no point can be drawn.
    pub fn is_empty(&self) -> bool {
        !self.points().any(|(x, y)| self.x.shows(x) && self.y.shows(y))
    }

    /// The points of all curves, and the hollow ones.
    pub(crate) fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.series.iter().flat_map(|series| series.points.iter().chain(&series.hollow)).copied()
    }

    /// What the chart is about, for readers who do not see it: its caption, axes and curves.
    pub(crate) fn description(&self) -> String {
        let names = Vec::from_iter(self.series.iter().map(|series| series.name.clone()));
        let names = match names.as_slice() {
            [first, .., last] if self.ordered => format!("{first} to {last}"),
            all => all.join(", "),
        };
        format!("{}, {}. curves: {names}. {}", self.y.label, self.x.label, self.caption)
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
    let chart = Chart { ordered: true, ..Chart::new(title, Axis::bytes("stride"), y) };
    let mut chart = curves.into_iter().fold(chart, |chart, (size, readings)| {
        let mut chart = chart.readings(Bytes(size).to_string(), &readings);
        chart.series.iter_mut().last().into_iter().for_each(|series| series.bytes = Some(size));
        chart
    });
    chart.set_sparse();
    chart.set_odd();
    chart
}

/// A cell is odd if it is so many times each cell next to it, and above a tenth of the largest.
const ODD: f64 = 3.0;
/// The adjacent array's cell at the same stride is among so many cells.
const NEXT: usize = 256;

/// The cells of a sweep, by array size and stride, that are far above all next to them: the same array at the
/// adjacent strides, the adjacent arrays at the same stride. Other programs may have disturbed them.
pub fn odd(cells: &BTreeMap<(u64, u64), f64>) -> BTreeSet<(u64, u64)> {
    let least = cells.values().copied().fold(0.0, f64::max) / 10.0;
    let is_odd = |&(&(size, stride), &amount): &(&(u64, u64), &f64)| {
        let strides = [cells.range(..(size, stride)).next_back(), cells.range((size, stride + 1)..).next()];
        let strides = strides.into_iter().flatten().filter(|((other, _), _)| *other == size);
        let below = cells.range(..(size, 0)).rev().take(NEXT).find(|((_, other), _)| *other == stride);
        let above = cells.range((size + 1, 0)..).take(NEXT).find(|((_, other), _)| *other == stride);
        let near = Vec::from_iter(strides.chain(below).chain(above).map(|(_, amount)| *amount));
        near.len() > 1 && amount > least && near.iter().all(|other| amount > ODD * other)
    };
    cells.iter().filter(is_odd).map(|(place, _)| *place).collect()
}

/// Fewer points are no curve, if other curves have more: single cells that were measured
/// between the others.
const CURVE: usize = 3;

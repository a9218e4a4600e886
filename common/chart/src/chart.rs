//! The content of a chart, without its layout.

use std::collections::BTreeMap;

use figures::text::clean;
use figures::units::Bytes;
use figures::value::Reading;

use crate::axis::{Axis, Scale};

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
    /// Vertical lines at known values, such as a cache's capacity.
    pub marks: Vec<Mark>,
    /// Intervals of the horizontal axis.
    pub bands: Vec<Band>,
    /// Whether the curves have an order, such as that of array sizes: they are drawn from light to dark.
    pub ordered: bool,
    /// Width and height in pixels, if they are given.
    pub size: Option<(u32, u32)>,
}

/// One curve.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// Its name, at its end or in the legend.
    pub name: String,
    /// The panel that it shares with other curves of that panel; empty in a chart of one plot.
    pub panel: String,
    /// Its points, in drawing order. A point that is not finite (or not
    /// positive on a logarithmic axis) is a gap in the line.
    pub points: Vec<(f64, f64)>,
    /// The spread of repeated runs: x value, smallest and largest y value, drawn as error
    /// bars.
    pub spreads: Vec<(f64, f64, f64)>,
    /// Points that are known to be wrong: drawn hollow, not connected by the line, and at
    /// the edge of the plot if they are outside the range of the others.
    pub disturbed: Vec<(f64, f64)>,
    /// Whether it is a computed line, without markers.
    pub is_line: bool,
    /// The source of its values, if all have the same.
    pub source: String,
}

/// A vertical line with a label above the plot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mark {
    /// Its x value.
    pub at: f64,
    /// Its label: `L1 32 KiB`.
    pub label: String,
}

/// An interval of the horizontal axis: a bracket with a label above the plot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Band {
    /// Left end.
    pub from: f64,
    /// Right end.
    pub to: f64,
    /// Its label.
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

    /// Adds a computed line, such as a roof: a curve without markers.
    pub fn line(self, name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Chart {
        self.curve(name, points).change_last(|series| series.is_line = true)
    }

    /// Adds error bars to the last curve: x value, smallest and largest y value of the
    /// runs.
    pub fn spread(self, spreads: impl IntoIterator<Item = (f64, f64, f64)>) -> Chart {
        self.change_last(|series| series.spreads = spreads.into_iter().collect())
    }

    /// Adds points of the last curve that are known to be wrong.
    pub fn disturbed(self, points: impl IntoIterator<Item = (f64, f64)>) -> Chart {
        self.change_last(|series| series.disturbed = points.into_iter().collect())
    }

    /// Puts the last curve into a panel of that name. Every panel has curves of the same
    /// names in the same order, which the legend explains.
    pub fn panel(self, name: impl Into<String>) -> Chart {
        self.change_last(|series| series.panel = plain(name))
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
    pub fn mark(mut self, at: f64, label: impl Into<String>) -> Chart {
        self.marks.push(Mark { at, label: plain(label) });
        self
    }

    /// Adds an interval, such as the possible sizes of a cache.
    pub fn band(mut self, from: f64, to: f64, label: impl Into<String>) -> Chart {
        self.bands.push(Band { from, to, label: plain(label) });
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
        let series = self.series.iter().flat_map(|series| [&series.name, &series.panel]);
        let places = self.marks.iter().map(|mark| &mark.label);
        let places = places.chain(self.bands.iter().map(|band| &band.label));
        [&self.title, &self.caption].into_iter().chain(axes).chain(series).chain(places)
    }
}

/// A value of a sweep's cell, with what is known of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cell {
    /// The value; `NAN` is a gap.
    pub amount: f64,
    /// The smallest and the largest of repeated runs.
    pub spread: Option<(f64, f64)>,
    /// Its source.
    pub source: String,
}

impl From<Option<f64>> for Cell {
    fn from(amount: Option<f64>) -> Cell {
        Cell { amount: amount.unwrap_or(f64::NAN), ..Cell::default() }
    }
}

impl From<Option<&Reading>> for Cell {
    fn from(reading: Option<&Reading>) -> Cell {
        Cell {
            amount: reading.and_then(Reading::amount).unwrap_or(f64::NAN),
            spread: reading.and_then(Reading::spread).map(|spread| (spread.min, spread.max)),
            source: reading.and_then(Reading::source).map_or_else(String::new, |source| source.to_string()),
        }
    }
}

/// The guide's chart of a sweep: `y` against the stride, one curve per array size. Rows are
/// array size and stride in bytes, and a value; a missing one is a gap.
pub fn sweep<C: Into<Cell>>(title: &str, y: Axis, rows: impl IntoIterator<Item = (u64, u64, C)>) -> Chart {
    let mut curves: BTreeMap<u64, Vec<(f64, Cell)>> = BTreeMap::new();
    for (size, stride, cell) in rows {
        curves.entry(size).or_default().push((stride as f64, cell.into()));
    }
    let chart = Chart::new(title, Axis::bytes("stride"), y).ordered();
    curves.into_iter().fold(chart, |chart, (size, cells)| {
        let source = cells.iter().map(|(_, cell)| &cell.source).find(|source| !source.is_empty());
        let source = source.cloned().unwrap_or_default();
        let spreads: Vec<_> =
            cells.iter().filter_map(|(x, cell)| cell.spread.map(|(low, high)| (*x, low, high))).collect();
        let points = cells.into_iter().map(|(x, cell)| (x, cell.amount));
        chart.curve(Bytes(size).to_string(), points).spread(spreads).source(source)
    })
}

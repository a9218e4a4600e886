//! A chart: what is to be seen, not yet how.

use figures::text::clean;

use crate::axis::{Axis, Scale};
use crate::font;

/// The content of a chart, without its layout.
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
    /// The curves, in the order of the legend.
    pub series: Vec<Series>,
    /// Vertical lines at known values, such as a cache's capacity.
    pub marks: Vec<Mark>,
    /// Shaded ranges of the horizontal axis.
    pub bands: Vec<Band>,
}

/// One curve.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// The panel that it shares with other curves of that name; empty if it shares none.
    pub panel: String,
    /// Its points, in drawing order. A point that is not finite (or not
    /// positive on a logarithmic axis) is a gap in the line, never a zero.
    pub points: Vec<(f64, f64)>,
    /// The spread of repeated runs: x value, smallest and largest y value, drawn as error
    /// bars.
    pub spreads: Vec<(f64, f64, f64)>,
    /// Points that are known to be wrong: drawn hollow, not connected by the line, and at
    /// the edge of the plot if they are outside the range of the others.
    pub disturbed: Vec<(f64, f64)>,
}

/// A vertical line with a label above the plot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mark {
    /// Its x value.
    pub at: f64,
    /// Its label: `L1 32 KiB`.
    pub label: String,
}

/// A shaded range of the horizontal axis, with a label above the plot.
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
const LONGEST: usize = 2000;

/// A text from outside, made safe for a picture, line by line.
fn plain(text: impl Into<String>) -> String {
    let text = text.into();
    let most = text.char_indices().nth(LONGEST).map_or(text.len(), |(end, _)| end);
    text[..most].lines().map(clean).collect::<Vec<_>>().join("\n")
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

    /// Adds error bars to the last curve: x value, smallest and largest y value of the
    /// runs.
    pub fn spread(mut self, spreads: impl IntoIterator<Item = (f64, f64, f64)>) -> Chart {
        if let Some(series) = self.series.last_mut() {
            series.spreads = spreads.into_iter().collect();
        }
        self
    }

    /// Adds points of the last curve that are known to be wrong.
    pub fn disturbed(mut self, points: impl IntoIterator<Item = (f64, f64)>) -> Chart {
        if let Some(series) = self.series.last_mut() {
            series.disturbed = points.into_iter().collect();
        }
        self
    }

    /// Puts the last curve into a panel of that name. Every panel has curves of the same
    /// names in the same order, which the legend explains.
    pub fn panel(mut self, name: impl Into<String>) -> Chart {
        if let Some(series) = self.series.last_mut() {
            series.panel = plain(name);
        }
        self
    }

    /// Adds a vertical line, such as a cache's capacity.
    pub fn mark(mut self, at: f64, label: impl Into<String>) -> Chart {
        self.marks.push(Mark { at, label: plain(label) });
        self
    }

    /// Adds a shaded range, such as the possible sizes of a cache.
    pub fn band(mut self, from: f64, to: f64, label: impl Into<String>) -> Chart {
        self.bands.push(Band { from, to, label: plain(label) });
        self
    }

    /// The characters that [`png`](Chart::png) draws as question marks, each once: the
    /// embedded font has Latin, Greek and Cyrillic letters. Viewers draw the characters of
    /// an SVG with their own fonts.
    pub fn undrawn(&self) -> Vec<char> {
        let axes = [&self.x, &self.y].into_iter().flat_map(|axis| axis.names.iter().chain([&axis.label]));
        let series = self.series.iter().flat_map(|series| [&series.name, &series.panel]);
        let places =
            self.marks.iter().map(|mark| &mark.label).chain(self.bands.iter().map(|band| &band.label));
        let mut found = Vec::new();
        for text in [&self.title, &self.caption].into_iter().chain(axes).chain(series).chain(places) {
            for c in font::missing(text) {
                if !found.contains(&c) {
                    found.push(c);
                }
            }
        }
        found
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
}

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
    /// Places on the horizontal axis, such as a cache's capacity.
    pub marks: Vec<Mark>,
    /// Whether the curves have an order, such as that of array sizes: they are drawn from light to dark.
    pub ordered: bool,
    /// Width and height in pixels, if they are given.
    pub size: Option<(u32, u32)>,
    /// Whether each curve has a plot of its own.
    pub panels: bool,
    /// The picture's own texts in another language, by the English ones of [`WORDS`].
    words: BTreeMap<String, String>,
}

/// The texts of a picture that are not the chart's. `.` is the decimal sign.
pub const WORDS: [&str; 10] = [
    ".",
    "{} in bytes (K = 1024)",
    "{}, logarithmic",
    "no data",
    "Hollow at the lower edge: 0, which a logarithmic axis does not have.",
    "Points outside the ranges shown: {}.",
    "hollow point",
    "{} to {}",
    "source: {}",
    "curves: {}",
];

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

    /// The same in another language: `words` has the texts by the English ones, those of
    /// [`WORDS`] and whole texts of the chart.
    pub fn in_language(mut self, words: &BTreeMap<String, String>) -> Chart {
        let own = WORDS.iter().filter_map(|english| words.get_key_value(*english));
        self.words = own.map(|(english, other)| (english.clone(), other.clone())).collect();
        [self.x.sign, self.y.sign] = [words.get(".").cloned(), words.get(".").cloned()];
        for text in self.texts_mut() {
            if let Some(other) = words.get(text) {
                *text = plain(other);
            }
        }
        self
    }

    /// One of the [`WORDS`] in the chart's language, with each `{}` replaced.
    pub(crate) fn say(&self, english: &str, parts: &[&str]) -> String {
        let text = self.words.get(english).map_or(english, String::as_str).to_owned();
        parts.iter().fold(text, |text, part| text.replacen("{}", part, 1))
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
        self.drawn().next().is_none()
    }

    /// All texts of the chart.
    pub(crate) fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let axes = [&mut self.x, &mut self.y]
            .into_iter()
            .flat_map(|axis| axis.names.iter_mut().chain([&mut axis.label]));
        let series = self.series.iter_mut().map(|series| &mut series.name);
        let marks = self.marks.iter_mut().map(|mark| &mut mark.label);
        [&mut self.title, &mut self.caption].into_iter().chain(axes).chain(series).chain(marks)
    }

    /// The points of all curves, and the hollow ones.
    pub(crate) fn all_points(&self) -> impl Iterator<Item = &(f64, f64)> + Clone {
        self.series.iter().flat_map(|series| series.points.iter().chain(&series.hollow))
    }

    /// The points that the axes can show.
    fn drawn(&self) -> impl Iterator<Item = &(f64, f64)> {
        self.all_points().filter(|(x, y)| self.x.shows(*x) && self.y.shows(*y))
    }

    /// `stride: 4 KiB to 64 KiB`; nothing for an axis of names, or without points.
    pub(crate) fn range_of(&self, is_x: bool) -> Option<String> {
        let axis = if is_x { &self.x } else { &self.y };
        let values = || self.drawn().map(|&(x, y)| if is_x { x } else { y });
        let ends = [values().reduce(f64::min)?, values().reduce(f64::max)?].map(|value| axis.amount(value));
        let range = self.say("{} to {}", &[&ends[0], &ends[1]]);
        (!axis.is_named()).then(|| format!("{}: {range}", axis.label))
    }

    /// What the chart is about, in a sentence: its caption, its curves and their ranges.
    pub(crate) fn description(&self) -> String {
        let mut parts: Vec<String> =
            self.caption.lines().map(|line| line.trim_end_matches('.').to_owned()).collect();
        parts.extend([true, false].into_iter().filter_map(|is_x| self.range_of(is_x)));
        let names = self.series.iter().map(|series| series.name.as_str());
        let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        match names.as_slice() {
            [first, .., last] if names.len() > 12 => {
                parts.push(self.say("curves: {}", &[&self.say("{} to {}", &[first, last])]));
            }
            [] => {}
            names => parts.push(self.say("curves: {}", &[&names.join(", ")])),
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

//! The content of a chart, without its layout.

use std::collections::BTreeMap;

use figures::text::{filled, shorten};
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
    /// The picture's own texts in another language, by the English ones of [`WORDS`].
    words: BTreeMap<String, String>,
}

/// The texts of a picture that are not the chart's. `.` is the decimal sign.
pub const WORDS: [&str; 14] = [
    ".",
    "{} in bytes (K = 1024), logarithmic",
    "{} in bytes (K = 1024)",
    "{}, logarithmic",
    "No data.",
    "Hollow at the lower edge: 0, which a logarithmic axis does not have.",
    "Points outside the ranges shown are not drawn.",
    "hollow point",
    "{} to {}",
    "source: {}",
    "curves: {}",
    "{} and {}",
    "{}: 0",
    "{}: about 0",
];

/// One curve.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// Its name, at its end.
    pub name: String,
    /// Its points, in drawing order. One that is not finite is a gap in the line.
    pub points: Vec<(f64, f64)>,
    /// Error bars: x value, smallest and largest y value of repeated runs.
    pub spreads: Vec<(f64, f64, f64)>,
    /// Points of another source than the curve: drawn hollow, not connected.
    pub hollow: Vec<(f64, f64)>,
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
    /// The shown part of the horizontal axis.
    pub x_range: Option<(f64, f64)>,
    /// The shown part of the vertical axis.
    pub y_range: Option<(f64, f64)>,
    /// Width and height in pixels.
    pub size: Option<(f64, f64)>,
    /// Whether each curve has a panel of its own.
    pub panels: bool,
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

    /// The chart as `view` describes it.
    ///
    /// # Errors
    ///
    /// If an axis cannot show the range, no point is in the ranges, or the size is too small;
    /// the sentence names the reason.
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
        let was_empty = self.is_empty();
        let ranges = [("horizontal", &mut self.x, view.x_range), ("vertical", &mut self.y, view.y_range)];
        for (name, axis, range) in ranges {
            let Some((low, high)) = range else { continue };
            if low >= high || !axis.has(low) || !axis.has(high) || !axis.names.is_empty() {
                let why = "its first number must be below the second, and above 0 on a logarithmic axis";
                return Err(format!("the {name} axis cannot have the range {low}:{high}: {why}"));
            }
            axis.range = Some((low, high));
        }
        if self.is_empty() && !was_empty {
            return Err("nothing of this chart is in that range; choose a wider one".to_owned());
        }
        self.view = View { panels: view.panels && self.x.names.is_empty(), ..view.clone() };
        let (columns, rows) = self.grid();
        let (width, height) = (320.max(150 * columns), 300.max(100 + 150 * rows));
        let fits = |least: i32, side: f64| (f64::from(least)..=5000.0).contains(&side);
        if view.size.is_some_and(|size| !fits(width, size.0) || !fits(height, size.1)) {
            return Err(format!("the size of this chart is {width}x{height} to 5000x5000 pixels"));
        }
        Ok(self)
    }

    /// Columns and rows of plots.
    pub(crate) fn grid(&self) -> (i32, i32) {
        let count = if self.view.panels { self.series.len().max(1) as i32 } else { 1 };
        let columns = count.min(4);
        (columns, (count + columns - 1) / columns)
    }

    /// The chart in another language: `words` has the texts by the English ones, those of
    /// [`WORDS`] and whole texts of the chart.
    pub fn in_language(mut self, words: &BTreeMap<String, String>) -> Chart {
        let own = WORDS.iter().filter_map(|english| words.get_key_value(*english));
        self.words = own.map(|(english, other)| (english.clone(), other.clone())).collect();
        let mut texts = vec![&mut self.title, &mut self.caption];
        for axis in [&mut self.x, &mut self.y] {
            axis.sign = words.get(".").cloned();
            texts.push(&mut axis.label);
            texts.extend(&mut axis.names);
        }
        texts.extend(self.series.iter_mut().map(|series| &mut series.name));
        texts.extend(self.marks.iter_mut().map(|mark| &mut mark.2));
        for text in texts {
            *text = words.get(text).unwrap_or(text).clone();
        }
        self
    }

    /// One of the [`WORDS`] in the chart's language, with each `{}` replaced.
    pub(crate) fn say(&self, english: &str, parts: &[String]) -> String {
        filled(self.words.get(english).map_or(english, String::as_str), parts)
    }

    /// The picture for a file of that name, `.svg`, `.pdf` or `.png`; `-` is SVG.
    ///
    /// # Errors
    ///
    /// On another ending; the sentence names the file.
    pub fn picture(&self, name: &str) -> Result<Vec<u8>, String> {
        match name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).as_deref() {
            _ if name == "-" => Ok(self.svg().into_bytes()),
            Some("svg") => Ok(self.svg().into_bytes()),
            Some("pdf") => self.pdf(),
            Some("png") => self.png(),
            _ => Err(format!(
                "'{}' is not a chart: its name must end in .svg, .pdf or .png",
                shorten(name, MAX_NAME)
            )),
        }
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
            [first, .., last] if self.ordered => self.say("{} to {}", &[first.clone(), last.clone()]),
            all => all.join(", "),
        };
        let curves = self.say("curves: {}", &[names]);
        format!("{}, {}. {curves}. {}", self.y.label, self.x.label, self.caption)
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
    chart
}

/// Fewer points are no curve, if other curves have more: single cells that were measured
/// between the others.
const CURVE: usize = 3;

//! The layout of a chart. The plot has a fixed size; title, legend, marks and caption take
//! as much height as they need, so that nothing covers data.

use super::axis::Span;
use super::canvas::Point;
use super::panels::{self, Panel};
use super::plot::{INNER, Plot};
use super::{Axis, Chart, Scale, font};

pub(super) const WIDTH: f64 = 760.0;
const PLOT_HEIGHT: f64 = 250.0;
const MARGIN: f64 = 20.0;

pub(super) const TITLE_EM: f64 = 16.0;
pub(super) const LABEL_EM: f64 = 12.5;
pub(super) const TICK_EM: f64 = 11.5;
pub(super) const CAPTION_EM: f64 = 11.0;
/// Distance between rows of names below an axis.
pub(super) const ROW: f64 = 15.0;
/// Length of a curve's sample before its name in the legend.
pub(super) const SAMPLE: f64 = 34.0;

/// Largest number of rows of names below an axis.
const MOST_ROWS: usize = 3;

/// A text and its position.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placed {
    pub(super) at: Point,
    pub(super) text: String,
}

/// The whole layout.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) height: f64,
    pub(super) title: Vec<Placed>,
    /// One entry per named series: its index and the left end of its sample.
    pub(super) legend: Vec<(usize, Placed)>,
    pub(super) caption: Vec<Placed>,
    pub(super) y_label: Placed,
    pub(super) x_label: Placed,
    /// Labels of marks and bands, above the plot.
    pub(super) strip: Vec<Placed>,
    pub(super) plot: Plot,
    /// If there are many curves: one panel for each, instead of the plot.
    pub(super) panels: Vec<Panel>,
}

/// Computes the layout of `chart`.
pub(super) fn arrange(chart: &Chart) -> Layout {
    let room = WIDTH - 2.0 * MARGIN;
    let mut y = MARGIN - 4.0;
    let title = column(&font::wrap(&chart.title, TITLE_EM, true, room), TITLE_EM, &mut y);
    if !title.is_empty() {
        y += 4.0;
    }
    let small = panels::wanted(chart);
    let shown = panels::distinct_looks(chart);
    let legend = if small && !panels::grouped(chart) { Vec::new() } else { legend(chart, shown, &mut y) };
    let y_label = Placed { at: (MARGIN, y + 12.0), text: chart.y.full_label() };
    y += 24.0;

    let ends = |s: &(f64, f64, f64)| [(s.0, s.1), (s.0, s.2)];
    let points = || {
        chart.series.iter().flat_map(move |s| s.points.iter().copied().chain(s.spreads.iter().flat_map(ends)))
    };
    let shown = || points().filter(|(x, y)| chart.x.shows(*x) && chart.y.shows(*y));
    let y_span = chart.y.span(shown().map(|p| p.1), if small { 4 } else { 8 });
    let widest = y_span.ticks.iter().map(|t| font::width(&t.label, TICK_EM, false)).fold(0.0, f64::max);
    let (left, right) = (MARGIN + widest + 8.0, WIDTH - MARGIN);
    let width = if small { panels::width(chart, right - left) } else { right - left };
    let x_span = fitting(&chart.x, || shown().map(|p| p.0), width - 2.0 * INNER);
    let floor = if chart.y.scale == Scale::Linear && y_span.share(0.0) == Some(0.0) { 0.0 } else { INNER };
    let rows = rows(&x_span, width - 2.0 * INNER);
    let mut plot = Plot { left, right, top: 0.0, bottom: 0.0, x: x_span, y: y_span, floor, rows };

    let strip = strip(chart, &plot, &mut y);
    plot.top = y;
    plot.bottom = y + if small { panels::height(chart) } else { PLOT_HEIGHT };
    let panels = if small { panels::cut(chart, &plot) } else { Vec::new() };
    y = plot.bottom + 40.0 + ROW * (rows - 1) as f64;
    let x_label = Placed { at: ((left + right) / 2.0, y), text: chart.x.full_label() };
    y += 14.0;
    let caption = column(&font::wrap(&chart.caption, CAPTION_EM, false, room), CAPTION_EM, &mut y);
    Layout { height: y + MARGIN - 6.0, title, legend, caption, y_label, x_label, strip, plot, panels }
}

/// Places lines of text from `y` downwards.
fn column(lines: &[String], em: f64, y: &mut f64) -> Vec<Placed> {
    let place = |text: &String| {
        *y += em * 1.4;
        Placed { at: (MARGIN, *y - em * 0.6), text: text.clone() }
    };
    lines.iter().map(place).collect()
}

/// The legend's entries, for the first `shown` curves, in as many rows as needed.
fn legend(chart: &Chart, shown: usize, y: &mut f64) -> Vec<(usize, Placed)> {
    let mut x = MARGIN;
    let mut entries = Vec::new();
    for (index, series) in chart.series.iter().take(shown).enumerate().filter(|(_, s)| !s.name.is_empty()) {
        let width = SAMPLE + 6.0 + font::width(&series.name, TICK_EM, false);
        if x > MARGIN && x + width > WIDTH - MARGIN {
            (x, *y) = (MARGIN, *y + 18.0);
        }
        entries.push((index, Placed { at: (x, *y + 10.0), text: series.name.clone() }));
        x += width + 18.0;
    }
    if !entries.is_empty() {
        *y += 20.0;
    }
    entries
}

/// Labels of the marks and bands inside the plot, in rows so that they do not overlap.
fn strip(chart: &Chart, plot: &Plot, y: &mut f64) -> Vec<Placed> {
    let middle = |from: f64, to: f64| (from.is_finite() && to.is_finite()).then(|| (from * to).sqrt());
    let marks = chart.marks.iter().map(|m| (Some(m.at), &m.label));
    let bands = chart.bands.iter().map(|b| (middle(b.from, b.to), &b.label));
    let within = |(at, label): (Option<f64>, &String)| {
        let share = plot.x.share(at?).filter(|s| (-0.01..=1.01).contains(s))?;
        let half = font::width(label, CAPTION_EM, false) / 2.0;
        let x = plot.across(share).min(WIDTH - MARGIN - half).max(MARGIN + half);
        Some((x, half, label.clone()))
    };
    let mut labels: Vec<(f64, f64, String)> = marks.chain(bands).filter_map(within).collect();
    labels.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut ends: Vec<f64> = Vec::new();
    let mut rows = Vec::new();
    for (x, half, _) in &labels {
        let row = ends.iter().position(|end| x - half > end + 8.0).unwrap_or(ends.len());
        match ends.get_mut(row) {
            Some(end) => *end = x + half,
            None => ends.push(x + half),
        }
        rows.push(row);
    }
    let top = *y;
    *y += 15.0 * ends.len() as f64;
    let place = |((x, _, text), row): ((f64, f64, String), usize)| Placed {
        at: (x, top + 15.0 * (ends.len() - 1 - row) as f64 + 7.0),
        text,
    };
    labels.into_iter().zip(rows).map(place).collect()
}

/// The number of rows in which the labels of all ticks do not touch.
fn rows(span: &Span, length: f64) -> usize {
    (1..MOST_ROWS).find(|rows| is_free(span, *rows, length)).unwrap_or(MOST_ROWS)
}

/// Whether the labels of every n-th tick do not touch.
fn is_free(span: &Span, distance: usize, length: f64) -> bool {
    span.ticks.iter().zip(span.ticks.iter().skip(distance)).all(|(one, next)| {
        let widths = [one, next].map(|tick| font::width(&tick.label, TICK_EM, false));
        (span.tick_share(next) - span.tick_share(one)) * length >= widths.iter().sum::<f64>() / 2.0 + 7.0
    })
}

/// The range with as many ticks as can be labelled without touching.
fn fitting<D: Iterator<Item = f64>>(axis: &Axis, data: impl Fn() -> D, length: f64) -> Span {
    let most = if axis.scale == Scale::Linear { 8 } else { 24 };
    let spans = (3..=most).rev().map(|most| axis.span(data(), most));
    { spans }.find(|span| is_free(span, 1, length)).unwrap_or_else(|| axis.span(data(), 2))
}

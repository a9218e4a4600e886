//! Where the parts of a chart are, in units: pixels of a picture in its ordinary size.

use crate::axis::Span;
use crate::chart::{Chart, Series};
use crate::labels::{self, Area, Placed, TICK_EM};

pub(crate) const TITLE_EM: f64 = 15.0;
pub(crate) const LABEL_EM: f64 = 12.0;

const WIDTH: f64 = 760.0;
const PLOT_HEIGHT: f64 = 380.0;
const MIN_PLOT_HEIGHT: f64 = 60.0;
const PANEL_HEIGHT: f64 = 210.0;
const MARGIN: f64 = 12.0;
const ROW: f64 = 16.0;
/// Height of a row of tick labels below a plot.
const BELOW: f64 = 22.0;
const NAME_ROW: f64 = 14.0;
const MAX_NAME_ROWS: usize = 4;
/// Width of a legend's sample.
pub(crate) const SAMPLE: f64 = 26.0;
/// Longest name at a curve's end.
const LONGEST_END: f64 = 120.0;
const MAX_COLUMNS: usize = 4;

/// One plot: its curves, and the area with its axes.
#[derive(Debug, Clone)]
pub(crate) struct Panel {
    pub(crate) name: String,
    pub(crate) series: Vec<usize>,
    pub(crate) area: Area,
    pub(crate) x: Span,
    pub(crate) y: Span,
    /// Width of the tick labels at the left, and of the names at the right.
    pub(crate) sides: (f64, f64),
    /// Height of the tick labels below.
    pub(crate) below: f64,
}

impl Panel {
    /// The rectangle of the curves.
    pub(crate) fn plot(&self) -> Area {
        let Area { left, top, right, bottom } = self.area;
        Area { left: left + self.sides.0, top, right: right - self.sides.1, bottom: bottom - self.below }
    }
}

/// The whole picture.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) title: Vec<Placed>,
    pub(crate) caption: Vec<Placed>,
    pub(crate) y_label: Placed,
    pub(crate) x_label: Placed,
    /// The names below a horizontal axis that has names.
    pub(crate) names: Vec<Placed>,
    /// Names of curves, with their index; the sample is left of the name.
    pub(crate) legend: Vec<(usize, Placed)>,
    /// Names above marks and brackets.
    pub(crate) strip: Vec<Placed>,
    pub(crate) panels: Vec<Panel>,
    /// Whether names are at the ends of curves.
    pub(crate) has_ends: bool,
}

/// Whether each panel compares several curves.
pub(crate) fn is_compared(panels: &[Panel]) -> bool {
    panels.len() > 1 && panels.iter().any(|panel| panel.series.len() > 1)
}

/// Places all parts of `chart`.
pub(crate) fn arrange(chart: &Chart) -> Layout {
    let (width, given) = chart.size.map_or((WIDTH, None), |(w, h)| (f64::from(w), Some(f64::from(h))));
    let groups = groups(chart);
    let names = |groups: &[(String, Vec<usize>)]| {
        let first = groups.first().map(|(_, members)| members.clone()).unwrap_or_default();
        first.into_iter().filter(|index| !chart.series[*index].name.is_empty()).collect::<Vec<_>>()
    };
    let several = groups.len() > 1;
    let named = if several && groups.iter().all(|(_, members)| members.len() < 2) {
        Vec::new()
    } else {
        names(&groups)
    };
    let widest =
        named.iter().map(|index| labels::width(&chart.series[*index].name, TICK_EM)).fold(0.0, f64::max);
    let has_ends =
        !several && named.len() > 1 && !chart.x.is_named() && (chart.ordered || widest <= LONGEST_END);
    let mut y = MARGIN;
    let title = paragraph(&chart.title, TITLE_EM, width, &mut y);
    let mut legend = Vec::new();
    if !has_ends && (named.len() > 1 || chart.series.len() > 1) {
        legend = rows_of(chart, &named, width, &mut y);
    }
    let caption_height = paragraph(&caption(chart), TICK_EM, width, &mut 0.0).len() as f64 * ROW;
    let label_y = y + ROW / 2.0;
    y += ROW + 4.0;
    let sides = (left_side(chart), if has_ends { widest + 14.0 } else { 14.0 });
    let (plot_left, plot_right) = (MARGIN + sides.0, width - MARGIN - sides.1);
    let probe = x_span(chart, plot_right - plot_left);
    let strip = labels::strip(chart, &probe, (plot_left, plot_right), width, &mut y);
    let (columns, rows) = grid(groups.len());
    let heads = if several { ROW + 6.0 } else { 0.0 };
    let ordinary = if several { PANEL_HEIGHT } else { PLOT_HEIGHT };
    let mut names = names_below(chart, &probe, (plot_left, plot_right));
    let name_rows = names.iter().map(|name| name.at.1 / NAME_ROW).fold(0.0, f64::max);
    let below = BELOW + NAME_ROW * name_rows;
    let fixed = y + rows as f64 * (heads + below) + ROW + 4.0 + caption_height + MARGIN;
    let plot_height = given.map_or(ordinary, |height| (height - fixed) / rows as f64).max(MIN_PLOT_HEIGHT);
    let (cell_width, cell_height) = ((width - 2.0 * MARGIN) / columns as f64, heads + plot_height + below);
    let panels = groups.into_iter().enumerate().map(|(at, (name, series))| {
        let (left, top) =
            (MARGIN + (at % columns) as f64 * cell_width, y + (at / columns) as f64 * cell_height);
        let area = Area { left, top: top + heads, right: left + cell_width, bottom: top + cell_height };
        let x = x_span(chart, cell_width - sides.0 - sides.1);
        Panel { name, series, area, x, y: y_span(chart, plot_height), sides, below }
    });
    let panels = panels.collect();
    y += rows as f64 * cell_height;
    names.iter_mut().for_each(|name| name.at.1 += y - below + 13.0);
    let x_label = Placed { at: ((plot_left + plot_right) / 2.0, y + ROW / 2.0), text: chart.x.full_label() };
    y += ROW + 4.0;
    let caption = paragraph(&caption(chart), TICK_EM, width, &mut y);
    let y_label = Placed { at: (MARGIN, label_y), text: chart.y.full_label() };
    let height = given.unwrap_or(y + MARGIN);
    Layout { width, height, title, caption, y_label, x_label, names, legend, strip, panels, has_ends }
}

/// The caption, with what the axes cannot show.
fn caption(chart: &Chart) -> String {
    let points = || chart.series.iter().flat_map(|series| &series.points);
    let zeros = points().filter(|(x, y)| chart.x.shows(*x) && chart.y.is_below_logarithms(*y)).count();
    let outside = |axis: &crate::axis::Axis, value: f64| {
        axis.range.is_some_and(|(low, high)| axis.shows(value) && !(low..=high).contains(&value))
    };
    let hidden = points().filter(|(x, y)| outside(&chart.x, *x) || outside(&chart.y, *y)).count();
    let mut lines = vec![chart.caption.clone()];
    if zeros > 0 {
        lines.push("Hollow at the lower edge: 0, which a logarithmic axis does not have.".to_owned());
    }
    if hidden > 0 {
        let points = if hidden == 1 { "point is" } else { "points are" };
        lines.push(format!("{hidden} {points} outside the ranges shown."));
    }
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

/// The panels' names and curves; one without a name, if no curve has a panel.
fn groups(chart: &Chart) -> Vec<(String, Vec<usize>)> {
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    for (index, series) in chart.series.iter().enumerate() {
        match groups.iter_mut().find(|(name, _)| *name == series.panel) {
            Some((_, members)) => members.push(index),
            None => groups.push((series.panel.clone(), vec![index])),
        }
    }
    if groups.is_empty() { vec![(String::new(), Vec::new())] } else { groups }
}

fn grid(count: usize) -> (usize, usize) {
    let columns = match count {
        0..=3 => count.max(1),
        4 => 2,
        5..=9 => 3,
        _ => MAX_COLUMNS,
    };
    (columns, count.div_ceil(columns))
}

fn x_span(chart: &Chart, length: f64) -> Span {
    let data = || {
        let all = |series: &'_ Series| {
            series.points.iter().chain(&series.disturbed).map(|point| point.0).collect::<Vec<_>>()
        };
        let marked = chart.marks.iter().map(|mark| mark.at);
        chart.series.iter().flat_map(all).chain(marked.filter(|_| chart.is_empty()))
    };
    let spans = (2..=26).rev().map(|most| chart.x.span(data(), length, most));
    let fits = |span: &Span| {
        let place = |value: f64| span.share(value).unwrap_or(0.0) * length;
        let half = |value: f64| labels::width(&span.label(value), TICK_EM) / 2.0;
        span.bold
            .windows(2)
            .all(|pair| place(pair[1]) - place(pair[0]) >= half(pair[0]) + half(pair[1]) + 6.0)
    };
    { spans }.find(fits).unwrap_or_else(|| chart.x.span(data(), length, 2))
}

fn y_span(chart: &Chart, length: f64) -> Span {
    let points = chart.series.iter().flat_map(|series| &series.points).map(|point| point.1);
    let spreads =
        chart.series.iter().flat_map(|series| &series.spreads).flat_map(|spread| [spread.1, spread.2]);
    let least = points.clone().filter(|y| chart.y.shows(*y)).fold(f64::INFINITY, f64::min);
    let span = chart.y.span(points.chain(spreads), length, (length / 27.0) as usize);
    if chart.has_bars() { span } else { span.lowered(least) }
}

/// The names of the horizontal axis, alternating between as many rows as they need.
fn names_below(chart: &Chart, x: &Span, (left, right): (f64, f64)) -> Vec<Placed> {
    let place = |at: usize| left + x.share(at as f64 + 1.0).unwrap_or(0.5) * (right - left);
    let half = |at: usize| labels::width(&chart.x.names[at], TICK_EM) / 2.0;
    let count = chart.x.names.len();
    let is_free = |rows: &usize| {
        (*rows..count).all(|at| place(at) - half(at) > place(at - rows) + half(at - rows) + 7.0)
    };
    let rows = (1..MAX_NAME_ROWS).find(is_free).unwrap_or(MAX_NAME_ROWS);
    let name = |at: usize| Placed {
        at: (place(at), NAME_ROW * (at % rows) as f64),
        text: chart.x.names[at].clone(),
    };
    (0..count).map(name).collect()
}

/// The width of the widest label of the vertical axis.
fn left_side(chart: &Chart) -> f64 {
    let span = y_span(chart, PLOT_HEIGHT);
    span.bold.iter().map(|value| labels::width(&span.label(*value), TICK_EM)).fold(18.0, f64::max) + 12.0
}

/// Lines of text below each other, wrapped.
fn paragraph(text: &str, em: f64, width: f64, y: &mut f64) -> Vec<Placed> {
    let height = em + 5.0;
    let mut lines = Vec::new();
    for text in labels::wrapped(text, em, width - 2.0 * MARGIN) {
        lines.push(Placed { at: (MARGIN, *y + height / 2.0), text });
        *y += height;
    }
    lines
}

/// A legend in rows.
fn rows_of(chart: &Chart, named: &[usize], width: f64, y: &mut f64) -> Vec<(usize, Placed)> {
    let mut x = MARGIN;
    let mut entries = Vec::new();
    for &index in named {
        let text = chart.series[index].name.clone();
        let length = SAMPLE + 6.0 + labels::width(&text, TICK_EM);
        if x > MARGIN && x + length > width - MARGIN {
            (x, *y) = (MARGIN, *y + ROW);
        }
        entries.push((index, Placed { at: (x + SAMPLE + 6.0, *y + ROW / 2.0), text }));
        x += length + 16.0;
    }
    if !entries.is_empty() {
        *y += ROW + 4.0;
    }
    entries
}

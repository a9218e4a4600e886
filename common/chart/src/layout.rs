//! Where the parts of a picture are: texts around the plots, the plots, their axes.

use figures::text::shorten;
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

use crate::axis::{Axis, Span};
use crate::chart::Chart;
use crate::labels::{self, Area, Point, TICK_EM};
use crate::style::{SOFT, TEXT};

const TITLE_EM: f64 = 15.0;
pub(crate) const LABEL_EM: f64 = 12.0;
/// Sides of a picture for which no size is given, in units.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 520.0;
const PANEL_HEIGHT: f64 = 250.0;
const MAX_COLUMNS: usize = 4;
/// Smallest sides of a plot in which its curves can be read, and of one with names at their ends.
const MIN_PLOT: [f64; 2] = [90.0, 70.0];
const MIN_NAMED_PLOT: [f64; 2] = [200.0, 140.0];
/// Most characters of a curve's name.
const MAX_NAME: usize = 40;
const MARGIN: f64 = 12.0;
/// Height of a row of tick labels.
pub(crate) const ROW: f64 = 18.0;
/// Height of a row of names above or below a plot.
const NAME_ROW: f64 = 14.0;

/// A text, centred at the height of its position.
pub(crate) struct Text {
    pub(crate) at: Point,
    pub(crate) text: String,
    pub(crate) side: HPos,
    pub(crate) em: f64,
    pub(crate) colour: RGBColor,
}

impl Text {
    pub(crate) fn new(at: Point, text: impl Into<String>, side: HPos, em: f64, colour: RGBColor) -> Text {
        Text { at, text: text.into(), side, em, colour }
    }
}

/// One plot.
pub(crate) struct Plot {
    /// The curves in it, by index.
    pub(crate) curves: Vec<usize>,
    pub(crate) area: Area,
    /// Width of the vertical axis's labels.
    pub(crate) ticks: f64,
    pub(crate) x: Span,
    pub(crate) y: Span,
}

/// The whole picture.
pub(crate) struct Layout {
    pub(crate) texts: Vec<Text>,
    pub(crate) plots: Vec<Plot>,
}

impl Chart {
    /// Width and height in units.
    pub(crate) fn sides(&self) -> [u32; 2] {
        let height = if self.panels { 100.0 + PANEL_HEIGHT * self.grid().1 as f64 } else { HEIGHT };
        self.size.map_or([WIDTH as u32, height as u32], |(width, height)| [width, height])
    }

    /// The least size, if the picture is too small for its texts and plots.
    pub(crate) fn least_size(&self) -> Option<[u32; 2]> {
        let (columns, rows) = self.grid();
        let mut chart = self.clone();
        let needed = if self.has_ends() { MIN_NAMED_PLOT } else { MIN_PLOT };
        let mut least = self.sides();
        let labels = [&self.x, &self.y].map(|axis| labels::width(&self.axis_label(axis), LABEL_EM));
        least[0] = least[0].max((labels[0].max(labels[1]) + 2.0 * MARGIN).ceil() as u32);
        // Titles need less height in a wider picture.
        for (side, count) in [columns, rows].into_iter().enumerate() {
            chart.size = Some((least[0], least[1]));
            let plot = |plot: &Plot| {
                let Area { left, top, right, bottom } = plot.area;
                [right - left, bottom - top][side]
            };
            let smallest = chart.layout().plots.iter().map(plot).fold(f64::INFINITY, f64::min);
            least[side] += ((needed[side] - smallest).max(0.0) * count as f64 - 1e-6).ceil() as u32;
        }
        (least != self.sides()).then_some(least)
    }

    /// Columns and rows of plots.
    fn grid(&self) -> (usize, usize) {
        let count = if self.panels { self.series.len().max(1) } else { 1 };
        let columns = match count {
            0..=3 => count,
            4 => 2,
            5..=9 => 3,
            _ => MAX_COLUMNS,
        };
        (columns, count.div_ceil(columns))
    }

    /// Whether the curves have their names at their ends.
    pub(crate) fn has_ends(&self) -> bool {
        self.series.len() > 1 && !self.panels && !self.x.is_named()
    }

    /// The name of a curve as it is drawn.
    pub(crate) fn name(&self, index: usize) -> String {
        shorten(&self.series[index].name, MAX_NAME)
    }

    /// The label of an axis, with the unit of sizes, and the scale if there are numbers.
    fn axis_label(&self, axis: &Axis) -> String {
        let mut label = axis.label.clone();
        if label.is_empty() || axis.is_named() {
            return label;
        }
        if axis.is_bytes {
            label = self.say("{} in bytes (K = 1024)", &[&label]);
        }
        if axis.is_logarithmic() { self.say("{}, logarithmic", &[&label]) } else { label }
    }

    /// The caption, with what the axes cannot show.
    fn whole_caption(&self) -> String {
        let is_zero = |(x, y): &&Point| self.x.shows(*x) && self.y.is_below_logarithms(*y);
        let is_outside = |axis: &Axis, value: f64| {
            axis.range.is_some_and(|(low, high)| axis.shows(value) && !(low..=high).contains(&value))
        };
        let hidden = self.all_points().filter(|(x, y)| is_outside(&self.x, *x) || is_outside(&self.y, *y));
        let mut lines = vec![self.caption.clone()];
        if self.has_bars() {
            lines.push(Vec::from_iter(self.series.iter().map(|series| series.name.as_str())).join("; "));
        }
        if self.all_points().any(|point| is_zero(&point)) {
            lines.push(self.say("Hollow at the lower edge: 0, which a logarithmic axis does not have.", &[]));
        }
        if let count @ 1.. = hidden.count() {
            lines.push(self.say("Points outside the ranges shown: {}.", &[&count.to_string()]));
        }
        lines.retain(|line| !line.is_empty());
        lines.join("\n")
    }

    /// The horizontal axis on this length, with as many labels as have space.
    fn x_span(&self, length: f64) -> Span {
        let marked = self.marks.iter().map(|mark| mark.from).filter(|_| self.is_empty());
        let data: Vec<f64> = self.all_points().map(|point| point.0).chain(marked).collect();
        let span = |most: usize| self.x.span(data.iter().copied(), length, most);
        let fits = |span: &Span| {
            let width = |value: f64| labels::width(&span.label(value), TICK_EM);
            let place = |value: f64| span.share(value).unwrap_or(0.0) * length;
            let pairs = span.bold.windows(2).map(|pair| (pair[0], pair[1]));
            { pairs }.all(|(a, b)| place(b) - place(a) >= (width(a) + width(b)) / 2.0 + 6.0)
        };
        (2..=26).rev().map(span).find(fits).unwrap_or_else(|| span(2))
    }

    /// The vertical axis on this length.
    fn y_span(&self, length: f64) -> Span {
        let spreads = self.series.iter().flat_map(|series| &series.spreads);
        let ends = spreads.flat_map(|spread| [spread.1, spread.2]);
        let data = self.all_points().map(|point| point.1).chain(ends);
        let span = self.y.span(data, length, (length / 27.0).max(0.0) as usize);
        if self.has_bars() { span.without_space_below_zero() } else { span }
    }

    /// The places of all parts.
    pub(crate) fn layout(&self) -> Layout {
        let [width, height] = self.sides().map(f64::from);
        let (left, right) = (MARGIN, width - MARGIN);
        let (mut top, mut bottom) = (MARGIN, height - MARGIN);
        let mut texts = Vec::new();
        for line in labels::wrapped(&self.title, TITLE_EM, right - left) {
            texts.push(Text::new((left, top + TITLE_EM / 2.0), line, HPos::Left, TITLE_EM, TEXT));
            top += TITLE_EM + 5.0;
        }
        for line in labels::wrapped(&self.whole_caption(), TICK_EM, right - left).into_iter().rev() {
            bottom -= TICK_EM + 5.0;
            texts.push(Text::new((left, bottom + TICK_EM / 2.0), line, HPos::Left, TICK_EM, SOFT));
        }
        let middle = (left + right) / 2.0;
        let [x, y] = [&self.x, &self.y].map(|axis| self.axis_label(axis));
        texts.push(Text::new((left, top + ROW / 2.0), y, HPos::Left, LABEL_EM, TEXT));
        texts.push(Text::new((middle, bottom - ROW / 2.0), x, HPos::Center, LABEL_EM, TEXT));
        top += ROW;
        bottom -= ROW;
        let (columns, rows) = self.grid();
        let (across, down) = ((right - left) / columns as f64, (bottom - top) / rows as f64);
        let cell = |at: usize| {
            let (left, top) = (left + (at % columns) as f64 * across, top + (at / columns) as f64 * down);
            Area { left, top, right: left + across, bottom: top + down }
        };
        let all = Vec::from_iter(0..self.series.len());
        let plots = if self.panels {
            all.into_iter().map(|index| self.plot(cell(index), vec![index], &mut texts)).collect()
        } else {
            vec![self.plot(cell(0), all, &mut texts)]
        };
        Layout { texts, plots }
    }

    /// One plot in its cell; its texts are added to `texts`.
    fn plot(&self, cell: Area, curves: Vec<usize>, texts: &mut Vec<Text>) -> Plot {
        let y = self.y_span(cell.bottom - cell.top);
        let labels = y.bold.iter().map(|value| labels::width(&y.label(*value), TICK_EM));
        let ticks = labels.fold(18.0, f64::max) + 12.0;
        let names = (0..self.series.len()).map(|index| labels::width(&self.name(index), TICK_EM));
        let at_ends = if self.has_ends() { names.fold(14.0, f64::max) } else { 0.0 };
        let mut area = Area { left: cell.left + ticks, right: cell.right - at_ends - 14.0, ..cell };
        let x = self.x_span(area.right - area.left);
        let place = |value: f64| {
            x.share(value).map(|share| area.left + share.clamp(0.0, 1.0) * (area.right - area.left))
        };

        // The names of marks are above the plot, those of the horizontal axis below it.
        let marks = self.marks.iter().filter(|mark| x.overlaps(mark.from, mark.to));
        let mut above: Vec<(f64, &str)> = marks
            .filter_map(|mark| Some(((place(mark.from)? + place(mark.to)?) / 2.0, mark.label.as_str())))
            .collect();
        above.sort_by(|a, b| a.0.total_cmp(&b.0));
        let below: Vec<(f64, &str)> = (1..)
            .zip(&self.x.names)
            .filter_map(|(at, name)| Some((place(f64::from(at))?, name.as_str())))
            .collect();
        let (above, below) = (labels::rows(&above, cell), labels::rows(&below, cell));
        let height = |rows: &[labels::Row<'_>]| {
            rows.iter().map(|row| NAME_ROW * (row.row + 1) as f64).fold(0.0, f64::max)
        };
        area.top += height(&above) + if self.panels { NAME_ROW + 10.0 } else { 4.0 };
        area.bottom -= ROW.max(height(&below) + 6.0);
        for (rows, edge, step) in [(above, area.top - 8.0, -NAME_ROW), (below, area.bottom + 13.0, NAME_ROW)]
        {
            texts.extend(rows.iter().map(|row| {
                let at = (row.middle, edge + step * row.row as f64);
                Text::new(at, row.text, HPos::Center, TICK_EM, SOFT)
            }));
        }
        if let ([index], true) = (&curves[..], self.panels) {
            let at = (area.left, cell.top + NAME_ROW);
            texts.push(Text::new(at, self.name(*index), HPos::Left, LABEL_EM, TEXT));
        }
        if self.is_empty() {
            let middle = ((area.left + area.right) / 2.0, (area.top + area.bottom) / 2.0);
            texts.push(Text::new(middle, self.say("no data", &[]), HPos::Center, LABEL_EM, SOFT));
        }
        let y = self.y_span(area.bottom - area.top);
        Plot { curves, area, ticks, x, y }
    }
}

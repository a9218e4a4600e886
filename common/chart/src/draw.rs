//! Draws a chart on a backend of plotters.

use std::collections::BTreeSet;
use std::error::Error;
use std::ops::Range;
use std::slice::from_ref;

use plotters::coord::Shift;
use plotters::coord::ranged1d::Ranged;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use serde_json::{Value, json};

use crate::axis::{Axis, Grid};
use crate::chart::{Chart, Series};
use crate::labels::{self, EndName, GAP, HEIGHT, Pixel, U};
use crate::style::{FAINT, GRID, PAPER, SOFT, Style, TEXT, of_text};

/// The font for viewers of an SVG, and its size that makes an em, for plotters.
const FAMILY: &str = "Noto Sans, Helvetica, Arial, sans-serif";
pub(crate) const SIZE_OF_EM: f64 = 1.24;
/// Half the height of a small letter, and how far the SVG backend places a baseline below the top, in ems.
pub(crate) const HALF_X: f64 = 0.268;
pub(crate) const TOP: f64 = 0.76;

/// Heights of letters: of the title, of the axes' labels, of ticks and names.
const TITLE: i32 = 15 * U;
const LABEL: i32 = 12 * U;
pub(crate) const TICK: i32 = 11 * U;
/// Space around everything, height of a row of labels, width of the vertical axis's labels,
/// space around a plot.
const MARGIN: i32 = 12 * U;
const ROW: i32 = 18 * U;
const TICKS: i32 = 48 * U;
const EDGE: i32 = 14 * U;

/// Rows of names of marks and of the horizontal axis: one row for each name in turn.
const ROWS: usize = 3;
/// Width of the rim around a marker, of the line of a hollow one, and its smallest size.
const RIM: f64 = 0.8;
const RING: f64 = 1.4;
const HOLLOW: f64 = 3.6;
/// Width of a bar.
const BAR: f64 = 26.0;

/// A curve that is nowhere above this share of the highest point has the name of those that are 0.
const ABOUT_ZERO: f64 = 0.03;
const PIXELS_PER_CM: f64 = 96.0 / 2.54;

type Context<'a, DB> = ChartContext<'a, DB, Cartesian2d<Grid, Grid>>;
type Drawn<T> = Result<T, Box<dyn Error>>;

impl Chart {
    /// The chart as SVG text, for a file or inside a page.
    pub fn svg(&self) -> String {
        let (width, height) = self.sides();
        let mut text = String::new();
        // Writing into a string cannot fail.
        let curves = paint(SVGBackend::with_string(&mut text, (width as u32, height as u32)), self)
            .unwrap_or_default();
        let body = text.split_once('\n').map_or("", |(_, body)| body).replace(" opacity=\"1\"", "");
        let [across, down] = [width, height].map(|side| match self.view.width_cm {
            Some(centimetres) => format!("{:.3}cm", f64::from(side) * centimetres / f64::from(width)),
            None => (side / U).to_string(),
        });
        let values = json!({ "x": self.x.label, "y": self.y.label, "curves": curves }).to_string();
        let [title, description, values] = [&self.title, &self.description(), &values]
            .map(|text| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" width=\"{across}\" height=\"{down}\" \
             viewBox=\"0 0 {width} {height}\" style=\"forced-color-adjust:none\">\n\
             <title>{title}</title>\n<desc>{description}</desc>\n<metadata>{values}</metadata>\n{body}"
        )
    }

    /// Width and height in plotters' whole numbers.
    pub(crate) fn sides(&self) -> (i32, i32) {
        let height = if self.view.panels { 100.0 + 250.0 * f64::from(self.grid().1) } else { 520.0 };
        let (width, height) = match (self.view.size, self.view.width_cm) {
            (Some(size), _) => size,
            (None, Some(width)) => {
                let width = width * PIXELS_PER_CM;
                // a long caption makes the picture higher, and not the plot lower
                let lines = labels::wrapped(&self.whole_caption(), TICK, pixels(width) - 2 * MARGIN).len();
                let caption = lines as f64 * f64::from(TICK + 5 * U) / f64::from(U);
                (width, (0.6 * width + 50.0).max(height - 520.0) + caption)
            }
            (None, None) => (760.0, height),
        };
        (pixels(width), pixels(height))
    }

    /// Whether points are bars.
    pub(crate) fn has_bars(&self) -> bool {
        !self.x.names.is_empty() && !self.y.is_log
    }

    /// Whether the curves have their names at their ends.
    fn has_ends(&self) -> bool {
        self.series.len() > 1 && !self.view.panels && self.x.names.is_empty()
    }

    /// The label of an axis, with the unit of sizes, and the scale.
    fn axis_label(&self, axis: &Axis) -> String {
        match (axis.is_bytes, axis.is_log) {
            (true, true) => self.say("{} in bytes (K = 1024), logarithmic", from_ref(&axis.label)),
            (true, false) => self.say("{} in bytes (K = 1024)", from_ref(&axis.label)),
            (_, true) => self.say("{}, logarithmic", from_ref(&axis.label)),
            _ => axis.label.clone(),
        }
    }

    /// The caption, with what the axes cannot show.
    fn whole_caption(&self) -> String {
        let zeros = self.points().any(|(x, y)| self.x.shows(x) && self.y.is_below_logarithms(y));
        let notes = [
            (self.is_empty(), "No data."),
            (zeros, "Hollow at the lower edge: 0, which a logarithmic axis does not have."),
            (self.x.range.or(self.y.range).is_some(), "Points outside the ranges shown are not drawn."),
        ];
        let notes = notes.into_iter().filter(|(is_true, _)| *is_true).map(|(_, note)| self.say(note, &[]));
        let names = Vec::from_iter(self.series.iter().map(|series| series.name.as_str())).join("; ");
        let caption = match self.x.names.is_empty() || names.is_empty() {
            true => self.caption.clone(),
            false => format!("{} {names}.", self.caption),
        };
        notes.fold(caption, |caption, note| caption + " " + &note)
    }
}

/// The points at whose end a series has its name.
fn named(series: &Series) -> &[(f64, f64)] {
    if series.points.is_empty() { &series.hollow } else { &series.points }
}

fn highest(series: &Series) -> f64 {
    named(series).iter().map(|at| at.1).filter(|y| y.is_finite()).fold(0.0, f64::max)
}

fn pixels(length: f64) -> i32 {
    (length * f64::from(U)).round() as i32
}

fn stroke(colour: RGBColor, width: f64) -> ShapeStyle {
    colour.stroke_width(pixels(width) as u32)
}

fn font(em: i32, colour: RGBColor) -> TextStyle<'static> {
    let style = TextStyle::from((FAMILY, f64::from(em) * SIZE_OF_EM).into_font());
    TextStyle { color: colour.to_backend_color(), ..style }
}

/// Draws everything, the background first; returns the values of each curve, for the script
/// that shows them.
pub(crate) fn paint<DB>(backend: DB, chart: &Chart) -> Drawn<Vec<Value>>
where
    DB: DrawingBackend,
    DB::ErrorType: 'static,
{
    let root = backend.into_drawing_area();
    root.fill(&PAPER)?;
    let pen = Pen { root: &root, chart };
    let (width, height) = chart.sides();
    let (right, mut top, mut bottom) = (width - MARGIN, MARGIN, height - MARGIN);
    for line in labels::wrapped(&chart.title, TITLE, right - MARGIN) {
        pen.text((MARGIN, top + TITLE / 2), &line, HPos::Left, TITLE, TEXT)?;
        top += TITLE + 5 * U;
    }
    for line in labels::wrapped(&chart.whole_caption(), TICK, right - MARGIN).into_iter().rev() {
        bottom -= TICK + 5 * U;
        pen.text((MARGIN, bottom + TICK / 2), &line, HPos::Left, TICK, SOFT)?;
    }
    for line in labels::wrapped(&chart.axis_label(&chart.y), LABEL, right - MARGIN) {
        pen.text((MARGIN, top + ROW / 2), &line, HPos::Left, LABEL, TEXT)?;
        top += ROW;
    }
    for line in labels::wrapped(&chart.axis_label(&chart.x), LABEL, right - MARGIN).into_iter().rev() {
        pen.text((width / 2, bottom - ROW / 2), &line, HPos::Center, LABEL, TEXT)?;
        bottom -= ROW;
    }
    let plots = root.clone().shrink((MARGIN, top), (right - MARGIN, (bottom - top).max(1)));
    let (columns, rows) = chart.grid();
    let (count, cells) = (chart.series.len(), plots.split_evenly((rows as usize, columns as usize)));
    let each = if chart.view.panels { 1 } else { count };
    let mut values = Vec::new();
    for (at, cell) in cells.iter().enumerate().filter(|(at, _)| *at == 0 || at * each < count) {
        values.extend(pen.plot(cell, at * each..(at * each + each).min(count))?);
    }
    root.present()?;
    Ok(values)
}

/// Draws the parts of a chart.
struct Pen<'a, DB: DrawingBackend> {
    root: &'a DrawingArea<DB, Shift>,
    chart: &'a Chart,
}

impl<DB: DrawingBackend> Pen<'_, DB>
where
    DB::ErrorType: 'static,
{
    fn text(&self, at: Pixel, text: &str, side: HPos, em: i32, colour: RGBColor) -> Drawn<()> {
        let style = font(em, colour).pos(Pos::new(side, VPos::Center));
        Ok(self.root.draw_text(text, &style, at)?)
    }

    /// One plot with its grid, axes and curves; returns the curves' values.
    fn plot(&self, cell: &DrawingArea<DB, Shift>, curves: Range<usize>) -> Drawn<Vec<Value>> {
        let chart = self.chart;
        let (across, down) = cell.get_pixel_range();
        let names = chart.series.iter().map(|series| labels::width(&series.name, TICK));
        let names = names.max().filter(|_| chart.has_ends()).unwrap_or(0) + EDGE;
        let (left, right) = (across.start + TICKS, across.end - names);
        let label = if chart.x.is_bytes { 28 * U } else { 50 * U };
        let x = chart.x.grid(chart.points().map(|at| at.0), (right - left) / label);

        // The names of marks are above the plot, those of the horizontal axis below it.
        let marks = chart.marks.iter().filter(|mark| x.share(mark.0) <= 1.0 && x.share(mark.1) >= 0.0);
        let marks = Vec::from_iter(marks);
        let middle = |from: f64, to: f64| (x.map(&from, (left, right)) + x.map(&to, (left, right))) / 2;
        let above = Vec::from_iter(marks.iter().map(|mark| (middle(mark.0, mark.1), mark.2.as_str())));
        let below =
            (1..).map(f64::from).zip(&chart.x.names).map(|(at, name)| (middle(at, at), name.as_str()));
        let below = Vec::from_iter(below);
        let widest = below.iter().map(|(_, name)| labels::width(name, TICK)).max().unwrap_or(0);
        let is_wide = (widest + GAP) * below.len() as i32 > right - left;
        let rows = [ROWS, if is_wide { ROWS } else { 1 }];
        let [over, under] =
            [(&above, rows[0]), (&below, rows[1])].map(|(names, rows)| names.len().min(rows) as i32 * HEIGHT);
        let top = down.start + over + if chart.view.panels { ROW + 6 * U } else { 4 * U };
        let bottom = down.end - ROW.max(under + 6 * U);
        for (names, edge, step, rows) in
            [(above, top - 8 * U, -HEIGHT, rows[0]), (below, bottom + 13 * U, HEIGHT, rows[1])]
        {
            for ((middle, name), row) in names.into_iter().zip((0..rows as i32).cycle()) {
                let half = labels::width(name, TICK) / 2;
                let middle = middle.min(across.end - half).max(across.start + half);
                self.text((middle, edge + step * row), name, HPos::Center, TICK, SOFT)?;
            }
        }
        if let Some(series) = chart.series.get(curves.start).filter(|_| chart.view.panels) {
            self.text((left, down.start + EDGE), &series.name, HPos::Left, LABEL, TEXT)?;
        }

        let spreads = chart.series.iter().flat_map(|series| &series.spreads);
        let heights = chart.points().map(|at| at.1).chain(spreads.flat_map(|spread| [spread.1, spread.2]));
        let mut context = ChartBuilder::on(cell)
            .margin_top(top - down.start)
            .margin_right(names)
            .set_label_area_size(LabelAreaPosition::Left, TICKS)
            .set_label_area_size(LabelAreaPosition::Bottom, down.end - bottom)
            .build_cartesian_2d(x, chart.y.grid(heights, ((bottom - top) / (45 * U)).max(5)))?;
        let shades = marks.iter().map(|mark| [(mark.0, f64::MIN), (mark.1, f64::MAX)]);
        context.draw_series(shades.map(|ends| Rectangle::new(ends, FAINT.filled())))?;
        context
            .configure_mesh()
            .bold_line_style(stroke(GRID, 0.8))
            .light_line_style(stroke(FAINT, 0.8))
            .axis_style(stroke(SOFT, 1.0))
            .label_style(font(TICK, SOFT))
            .set_all_tick_mark_size(pixels(3.0))
            .x_label_formatter(&|at| chart.x.tick(*at))
            .y_label_formatter(&|at| chart.y.tick(*at))
            .draw()?;
        for at in marks.iter().flat_map(|mark| [mark.0, mark.1]) {
            let ends = [(at, f64::MIN), (at, f64::MAX)];
            context.draw_series(DashedLineSeries::new(ends, 5 * U, 4 * U, stroke(SOFT, 1.2)))?;
        }
        let values = curves.map(|index| self.series(&mut context, index));
        let values = values.collect::<Drawn<Vec<Value>>>()?;
        if chart.has_ends() {
            self.ends(&values, &(top..bottom))?;
        }
        Ok(values)
    }

    /// Names where curves differ: at their ends, or above the last point that is not 0. Those that are 0 throughout
    /// have one name. A name that is not next to its curve has a thin line to it.
    fn ends(&self, curves: &[Value], plot: &Range<i32>) -> Drawn<()> {
        let series = &self.chart.series;
        let pixel = |point: &Value| Some((point[0].as_i64()? as i32, point[1].as_i64()? as i32));
        let shown = |curve: &Value| {
            let points = curve["points"].as_array().into_iter().flatten();
            Vec::from_iter(points.filter_map(pixel))
        };
        let lines = Vec::from_iter(curves.iter().map(shown));
        let tops = Vec::from_iter(series.iter().map(highest));
        let top = tops.iter().copied().fold(self.chart.y.least_end, f64::max);
        let is_zero = |index: usize| {
            let own = named(&series[index]).iter().filter(|(_, y)| !y.is_nan());
            !self.chart.y.is_log && !lines[index].is_empty() && { own }
                .all(|(_, y)| y.abs() <= ABOUT_ZERO * top)
        };
        let mut names = Vec::new();
        for (index, line) in lines.iter().enumerate().filter(|(index, _)| !is_zero(*index)) {
            let own = Vec::from_iter(
                named(&series[index])
                    .iter()
                    .filter(|(x, y)| self.chart.x.shows(*x) && self.chart.y.shows(*y)),
            );
            let (Some(last), Some(&end)) =
                (own.last(), own.len().checked_sub(1).and_then(|last| line.get(last)))
            else {
                continue;
            };
            let text = series[index].name.clone();
            let width = labels::width(&text, TICK);
            // A curve that comes back to 0 differs from the others before that.
            let peak = own.iter().rposition(|(_, y)| *y >= tops[index] / 2.0).and_then(|at| line.get(at));
            let (end, left, y) = match peak.filter(|_| !self.chart.y.is_log && last.1 <= ABOUT_ZERO * top) {
                Some(&peak) => (peak, peak.0 - width / 2, peak.1 - HEIGHT),
                None => (end, end.0 + GAP, end.1),
            };
            names.push(EndName { index, text, end, left, width, y });
        }
        for set in BTreeSet::from_iter(series.iter().map(|series| series.set)) {
            let zeros = (0..series.len()).filter(|index| series[*index].set == set && is_zero(*index));
            let zeros = Vec::from_iter(zeros);
            let Some((&index, &end)) = zeros.last().and_then(|index| Some((index, lines[*index].last()?)))
            else {
                continue;
            };
            let exact = zeros.iter().all(|index| tops[*index] == 0.0);
            let text = self
                .zero_name(&Vec::from_iter(zeros.iter().map(|index| series[*index].name.as_str())), exact);
            let width = labels::width(&text, TICK);
            // It can be wider than the names for which there is space.
            let left = (end.0 + GAP).min(self.chart.sides().0 - MARGIN - width);
            names.insert(0, EndName { index, text, end, left, width, y: end.1 - 9 * U });
        }
        for EndName { index, text, end, left, width, y } in labels::placed(names, &lines, plot) {
            let colour = Style::of(self.chart, index).colour;
            if (y - end.1).abs() > HEIGHT {
                let near = if left > end.0 { (left - U, y) } else { (left + width / 2, y + 6 * U) };
                self.root.draw(&PathElement::new([end, near], stroke(colour, 0.6)))?;
            }
            let corners = [(left - U, y - 6 * U), (left + width + U, y + 6 * U)];
            self.root.draw(&Rectangle::new(corners, PAPER.mix(0.75).filled()))?;
            self.text((left, y), &text, HPos::Left, TICK, of_text(colour))?;
        }
        Ok(())
    }

    /// `8 and 16 KiB: 0`, `8 KiB to 64 KiB: about 0`.
    fn zero_name(&self, names: &[&str], exact: bool) -> String {
        let own = |text: &str| text.to_owned();
        // The set is named once.
        let prefix = names
            .first()
            .and_then(|first| first.split_inclusive(": ").next())
            .filter(|set| set.ends_with(": "));
        let names = names.iter().enumerate().map(|(at, name)| match prefix {
            Some(set) if at > 0 => name.strip_prefix(set).unwrap_or(name),
            _ => *name,
        });
        let names = Vec::from_iter(names);
        let all = match &names[..] {
            [first, last] => {
                let unit = last.split_once(' ').map_or("", |(_, unit)| unit);
                let first = first.strip_suffix(unit).filter(|_| !unit.is_empty()).unwrap_or(first);
                self.chart.say("{} and {}", &[own(first.trim_end()), own(last)])
            }
            [first, .., last] if self.chart.ordered => self.chart.say("{} to {}", &[own(first), own(last)]),
            all => all.join(", "),
        };
        self.chart.say(if exact { "{}: 0" } else { "{}: about 0" }, &[all])
    }

    /// One curve with its markers and bars; returns its values for the script.
    fn series(&self, context: &mut Context<'_, DB>, index: usize) -> Drawn<Value> {
        let (chart, series, style) = (self.chart, &self.chart.series[index], Style::of(self.chart, index));
        let (dash, gap) = (pixels(style.dash.0), pixels(style.dash.1));
        let (is_named, pen) = (!chart.x.names.is_empty(), stroke(style.colour, style.width));
        let is_shown = |(x, y): &(f64, f64)| chart.x.shows(*x) && chart.y.shows(*y);
        for piece in
            series.points.split(|at| is_named || series.is_sparse || !is_shown(at) || !chart.y.has(at.1))
        {
            context.draw_series(DashedLineSeries::new(piece.to_vec(), dash, gap, pen))?;
        }
        let hollow = series.hollow.iter().map(|point| (*point, true));
        let mut values = Vec::new();
        for (point, is_hollow) in series.points.iter().map(|point| (*point, false)).chain(hollow) {
            if !is_shown(&point) {
                values.push(Value::Null);
                continue;
            }
            let (at, value) = point;
            if chart.has_bars() {
                context.draw_series([PathElement::new([(at, 0.0), point], stroke(style.colour, BAR))])?;
            }
            let (mut highest, mut note) = (value, String::new());
            let spread = series.spreads.iter().find(|spread| spread.0 == at && !is_hollow);
            if let Some(&(_, low, high)) = spread {
                let style = stroke(if is_named { TEXT } else { style.colour }, 1.1);
                context.draw_series([ErrorBar::new_vertical(at, low, value, high, style, 6 * U as u32)])?;
                (highest, note) = (high, chart.say("{} to {}", &[low, high].map(|end| chart.y.amount(end))));
            }
            let place = context.backend_coord(&point);
            let is_open = is_hollow || chart.y.is_below_logarithms(value);
            let size = if is_open { style.size.max(HOLLOW) } else { style.size };
            // A rim of paper makes a full marker visible on other curves.
            let full = [(size + RIM, PAPER), (size, style.colour)];
            let discs = if is_open { [(size, style.colour), (size - RING, PAPER)] } else { full };
            for (size, colour) in discs.into_iter().filter(|(size, _)| *size > RIM) {
                match style.marker {
                    [] => self.root.draw(&Circle::new(place, pixels(size) as u32, colour.filled()))?,
                    corners => {
                        let corner =
                            |(x, y): &(f64, f64)| (place.0 + pixels(x * size), place.1 + pixels(y * size));
                        let corners = Vec::from_iter(corners.iter().map(corner));
                        self.root.draw(&Polygon::new(corners, colour.filled()))?;
                    }
                }
            }
            if is_named {
                let (x, y) = context.backend_coord(&(at, highest));
                self.text((x, y - 12 * U), &chart.y.number(value, 3), HPos::Center, TICK, TEXT)?;
            }
            if is_hollow {
                note = chart.say("hollow point", &[]);
            }
            let mut value = json!([place.0, place.1, chart.x.amount(at), chart.y.amount(value), note]);
            if let Some(value) = value.as_array_mut().filter(|_| chart.x.is_bytes) {
                value.push(at.into());
            }
            values.push(value);
        }
        let RGBColor(red, green, blue) = style.colour;
        let colour = format!("#{red:02X}{green:02X}{blue:02X}");
        let source = Some(&series.source).filter(|source| !source.is_empty());
        let source = source.map(|source| chart.say("source: {}", from_ref(source)));
        Ok(
            json!({ "name": series.name, "source": source, "colour": colour, "bytes": series.bytes, "points": values }),
        )
    }
}

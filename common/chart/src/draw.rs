//! Draws a chart on a backend of plotters: titles and texts in rows, plot, legend.

use std::error::Error;

use plotters::coord::Shift;
use plotters::coord::ranged1d::Ranged;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use serde_json::{Value, json};

use crate::axis::{Axis, Grid};
use crate::chart::{Chart, Series};
use crate::style::{FAINT, GRID, PAPER, SOFT, Style, TEXT};
use crate::text::{self, FAMILY, SIZE_OF_EM, U};

/// A place in plotters' whole numbers.
type Pixel = (i32, i32);

/// Heights of letters: of the title, of the axes' labels, of ticks and names.
const TITLE: i32 = 15 * U;
const LABEL: i32 = 12 * U;
const TICK: i32 = 11 * U;
/// Space around everything, between names, height of a row of labels, of names and of small text,
/// width of the vertical axis's labels, space right of a plot.
const MARGIN: i32 = 12 * U;
const GAP: i32 = 7 * U;
const ROW: i32 = 18 * U;
const HEIGHT: i32 = 13 * U;
const LINE: i32 = TICK + 5 * U;
const TICKS: i32 = 48 * U;
const EDGE: i32 = 14 * U;
/// Width of the sample of a curve in the legend.
const SAMPLE: i32 = 24 * U;

/// Rows of names of marks and of the horizontal axis: one row for each name in turn.
const ROWS: usize = 3;
/// Width of the rim around a marker, of the line of a hollow one, and its smallest size.
const RIM: f64 = 0.8;
const RING: f64 = 1.4;
const HOLLOW: f64 = 3.6;
/// Largest width of a bar, the share of the space between names that bars take, and half the width of a spread's ends.
const BAR: f64 = 32.0;
const BARS: f64 = 0.7;
const CAP: i32 = 3 * U;
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

    /// Width and height in plotters' whole numbers. Captions and legends make a picture higher, and not the
    /// plot lower.
    pub(crate) fn sides(&self) -> (i32, i32) {
        let (width, plot) = match (self.view.size, self.view.width_cm) {
            (Some((width, height)), _) => return (pixels(width), pixels(height)),
            (None, Some(width)) => (width * PIXELS_PER_CM, 0.6 * width * PIXELS_PER_CM + 60.0),
            (None, None) => (760.0, 460.0),
        };
        let space = pixels(width) - 2 * MARGIN;
        let caption = text::wrapped(&self.whole_caption(), TICK, space).len() as i32 * LINE;
        (pixels(width), pixels(plot) + caption + self.legend(space).1 * LINE + GAP)
    }

    /// Columns and rows of the legend in so much space; none for one curve.
    fn legend(&self, space: i32) -> (i32, i32) {
        let count = self.series.len() as i32;
        if count < 2 {
            return (1, 0);
        }
        let most = (space / self.legend_width()).clamp(1, count);
        let rows = (count + most - 1) / most;
        ((count + rows - 1) / rows, rows)
    }

    /// Width of a column of the legend.
    fn legend_width(&self) -> i32 {
        let widest = self.series.iter().map(|series| text::width(&series.name, TICK)).max();
        SAMPLE + 2 * GAP + widest.unwrap_or(0)
    }

    /// Whether points are bars.
    pub(crate) fn has_bars(&self) -> bool {
        !self.x.names.is_empty() && !self.y.is_log
    }

    /// The caption, with what the axes cannot show.
    fn whole_caption(&self) -> String {
        let zeros = self.points().any(|(x, y)| self.x.shows(x) && self.y.is_below_logarithms(y));
        let spreads = self.series.iter().any(|series| !series.spreads.is_empty());
        let hollow = self.series.iter().any(|series| !series.hollow.is_empty());
        let odd = self.series.iter().any(|series| !series.odd.is_empty());
        let notes = [
            (self.is_empty(), "No data."),
            (odd, "Hollow: far above all points next to it; measure it again."),
            (spreads, "Thin lines with ends: smallest to largest run."),
            (zeros && !hollow, "Hollow at the lower edge: 0, which a logarithmic axis does not have."),
        ];
        let notes = notes.into_iter().filter(|(is_true, _)| *is_true).map(|(_, note)| note);
        let end = if self.caption.is_empty() || self.caption.ends_with('.') { "" } else { "." };
        Vec::from_iter([&*self.caption, end].into_iter().filter(|part| !part.is_empty())).concat()
            + &String::from_iter(notes.map(|note| format!(" {note}")))
    }
}

/// The label of an axis, with the unit of sizes, and the scale.
fn axis_label(axis: &Axis) -> String {
    let unit = if axis.is_bytes { " in bytes (K = 1024)" } else { "" };
    let scale = if axis.is_log && !axis.label.is_empty() { ", logarithmic" } else { "" };
    format!("{}{unit}{scale}", axis.label)
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
    for line in text::wrapped(&chart.title, TITLE, right - MARGIN) {
        pen.text((MARGIN, top + TITLE / 2), &line, HPos::Left, TITLE, TEXT)?;
        top += TITLE + 5 * U;
    }
    for line in text::wrapped(&chart.whole_caption(), TICK, right - MARGIN).into_iter().rev() {
        bottom -= LINE;
        pen.text((MARGIN, bottom + TICK / 2), &line, HPos::Left, TICK, SOFT)?;
    }
    let (columns, rows) = chart.legend(right - MARGIN);
    bottom -= rows * LINE + GAP;
    let wide = chart.legend_width();
    let start = MARGIN.max((width - columns * wide) / 2);
    for at in (0..chart.series.len()).filter(|_| rows > 0) {
        let (row, column) = (at as i32 / columns, at as i32 % columns);
        pen.legend((start + column * wide, bottom + row * LINE + TICK / 2), at)?;
    }
    for line in text::wrapped(&axis_label(&chart.y), LABEL, right - MARGIN) {
        pen.text((MARGIN, top + ROW / 2), &line, HPos::Left, LABEL, TEXT)?;
        top += ROW;
    }
    for line in text::wrapped(&axis_label(&chart.x), LABEL, right - MARGIN).into_iter().rev() {
        pen.text((width / 2, bottom - ROW / 2), &line, HPos::Center, LABEL, TEXT)?;
        bottom -= ROW;
    }
    let plot = root.clone().shrink((MARGIN, top), (right - MARGIN, (bottom - top).max(1)));
    let values = pen.plot(&plot)?;
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

    /// The sample of a curve, and its name right of it.
    fn legend(&self, (x, y): Pixel, index: usize) -> Drawn<()> {
        let (chart, series, style) = (self.chart, &self.chart.series[index], Style::of(self.chart, index));
        let (middle, end) = ((x + SAMPLE / 2, y), (x + SAMPLE, y));
        if chart.has_bars() {
            let corners = [(x, y - 5 * U), (end.0, y + 5 * U)];
            self.root.draw(&Rectangle::new(corners, style.colour.filled()))?;
        } else {
            if !series.is_sparse && !series.points.is_empty() {
                let (dash, gap) = (pixels(style.dash.0), pixels(style.dash.1));
                let line =
                    DashedPathElement::new([(x, y), end], dash, gap, stroke(style.colour, style.width));
                self.root.draw(&line)?;
            }
            self.marker(middle, style, series.points.is_empty())?;
        }
        self.text((end.0 + GAP, y), &series.name, HPos::Left, TICK, TEXT)
    }

    /// A marker; a rim of paper makes a full one visible on other curves.
    fn marker(&self, place: Pixel, style: Style, is_open: bool) -> Drawn<()> {
        let size = if is_open { style.size.max(HOLLOW) } else { style.size };
        let full = [(size + RIM, PAPER), (size, style.colour)];
        let discs = if is_open { [(size, style.colour), (size - RING, PAPER)] } else { full };
        for (size, colour) in discs.into_iter().filter(|(size, _)| *size > RIM) {
            let corner = |(x, y): &(f64, f64)| (place.0 + pixels(x * size), place.1 + pixels(y * size));
            let corners = Vec::from_iter(style.marker.iter().map(corner));
            self.root.draw(&Polygon::new(corners, colour.filled()))?;
        }
        Ok(())
    }

    /// The plot with its grid, axes and curves; returns the curves' values.
    fn plot(&self, cell: &DrawingArea<DB, Shift>) -> Drawn<Vec<Value>> {
        let chart = self.chart;
        let (across, down) = cell.get_pixel_range();
        let (left, right) = (across.start + TICKS, across.end - EDGE);
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
        let widest = below.iter().map(|(_, name)| text::width(name, TICK)).max().unwrap_or(0);
        let is_wide = (widest + GAP) * below.len() as i32 > right - left;
        let rows = [ROWS, if is_wide { ROWS } else { 1 }];
        let [over, under] =
            [(&above, rows[0]), (&below, rows[1])].map(|(names, rows)| names.len().min(rows) as i32 * HEIGHT);
        // Bars have their numbers above them.
        let over = if chart.x.names.is_empty() { over } else { over + HEIGHT };
        let (top, bottom) = (down.start + over + 4 * U, down.end - ROW.max(under + 6 * U));
        for (names, edge, step, rows) in
            [(above, top - 8 * U, -HEIGHT, rows[0]), (below, bottom + 13 * U, HEIGHT, rows[1])]
        {
            for ((middle, name), row) in names.into_iter().zip((0..rows as i32).cycle()) {
                let half = text::width(name, TICK) / 2;
                let middle = middle.min(across.end - half).max(across.start + half);
                self.text((middle, edge + step * row), name, HPos::Center, TICK, SOFT)?;
            }
        }

        let spreads = chart.series.iter().flat_map(|series| &series.spreads);
        let heights = chart.points().map(|at| at.1).chain(spreads.flat_map(|spread| [spread.1, spread.2]));
        let mut context = ChartBuilder::on(cell)
            .margin_top(top - down.start)
            .margin_right(EDGE)
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
        // Single points are on top of the curves that they are compared with.
        let mut order = Vec::from_iter(0..chart.series.len());
        order.sort_by_key(|index| chart.series[*index].is_sparse);
        let mut values = vec![Value::Null; order.len()];
        for index in order {
            values[index] = self.series(&mut context, index)?;
        }
        Ok(values)
    }

    /// One curve with its markers and bars; returns its values for the script.
    fn series(&self, context: &mut Context<'_, DB>, index: usize) -> Drawn<Value> {
        let (chart, series, style) = (self.chart, &self.chart.series[index], Style::of(self.chart, index));
        let (dash, gap) = (pixels(style.dash.0), pixels(style.dash.1));
        let (is_named, pen) = (!chart.x.names.is_empty(), stroke(style.colour, style.width));
        let is_shown = |(x, y): &(f64, f64)| chart.x.shows(*x) && chart.y.shows(*y);
        let is_gap = |at: &(f64, f64)| is_named || series.is_sparse || !is_shown(at) || !chart.y.has(at.1);
        for piece in series.points.split(is_gap) {
            context.draw_series(DashedLineSeries::new(piece.to_vec(), dash, gap, pen))?;
        }
        let hollow = series.hollow.iter().map(|point| (*point, true));
        let bars = (chart.x.names.len() * chart.series.len()).max(1) as f64;
        let space = BARS * f64::from(context.plotting_area().dim_in_pixel().0) / bars;
        let bar = BAR.min(0.9 * space / f64::from(U));
        let mut values = Vec::new();
        for (point, is_hollow) in series.points.iter().map(|point| (*point, false)).chain(hollow) {
            if !is_shown(&point) {
                values.push(Value::Null);
                continue;
            }
            let (at, value) = point;
            if chart.has_bars() {
                context.draw_series([PathElement::new([(at, 0.0), point], stroke(style.colour, bar))])?;
            }
            let (mut highest, mut note) = (value, String::new());
            let spread = series.spreads.iter().find(|spread| spread.0 == at && !is_hollow);
            if let Some(&(_, low, high)) = spread {
                let style = stroke(if is_named { TEXT } else { style.colour }, 1.1);
                let ((x, top), (_, end)) =
                    (context.backend_coord(&(at, high)), context.backend_coord(&(at, low)));
                for bar in
                    [[(x, top), (x, end)], [(x - CAP, top), (x + CAP, top)], [(x - CAP, end), (x + CAP, end)]]
                {
                    self.root.draw(&PathElement::new(bar, style))?;
                }
                (highest, note) = (high, format!("{} to {}", chart.y.amount(low), chart.y.amount(high)));
            }
            let place = context.backend_coord(&point);
            let is_odd = series.odd.contains(&at);
            self.marker(place, style, is_hollow || is_odd || chart.y.is_below_logarithms(value))?;
            let number = chart.y.number(value, 3);
            if is_named && f64::from(text::width(&number, TICK)) < space {
                let (x, y) = context.backend_coord(&(at, highest));
                self.text((x, y - 12 * U), &number, HPos::Center, TICK, TEXT)?;
            }
            if is_hollow {
                note = "hollow point".to_owned();
            } else if is_odd {
                note = "far above all points next to it: measure it again".to_owned();
            }
            let mut value = json!([place.0, place.1, chart.x.amount(at), chart.y.amount(value), note]);
            if let Some(value) = value.as_array_mut().filter(|_| chart.x.is_bytes) {
                value.push(at.into());
            }
            values.push(value);
        }
        let RGBColor(red, green, blue) = style.colour;
        let colour = format!("#{red:02X}{green:02X}{blue:02X}");
        let Series { name, bytes, source, .. } = series;
        let source =
            Some(source).filter(|source| !source.is_empty()).map(|source| format!("source: {source}"));
        Ok(json!({ "name": name, "source": source, "colour": colour, "bytes": bytes, "points": values }))
    }
}

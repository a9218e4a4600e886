//! Draws a chart on a backend of plotters.

use std::error::Error;

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, ErrorBar, PathElement, Rectangle};
use plotters::series::{DashedLineSeries, LineSeries};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, RGBColor, ShapeStyle, TextStyle};
use plotters_backend::DrawingBackend;
use plotters_svg::SVGBackend;
use serde_json::{Value, json};

use crate::axis::{Span, plain};
use crate::chart::{Chart, Series};
use crate::labels::{self, Area, Point, TICK_EM};
use crate::layout::{Layout, Plot, ROW, Text};
use crate::style::{BAND, FINE_GRID, GRID, PAPER, SOFT, Style, TEXT, of_text};

/// Plotters' coordinates are whole numbers; this many of them make one unit, a pixel of a
/// picture in its ordinary size.
pub(crate) const FINE: f64 = 4.0;
/// The font for viewers of an SVG, and its size that makes an em, for plotters.
const FAMILY: &str = "Noto Sans, Helvetica, Arial, sans-serif";
pub(crate) const SIZE_OF_EM: f64 = 1.24;

/// Width of the rim around a marker, and of the line of a hollow one.
const RIM: f64 = 0.8;
const RING: f64 = 1.4;
/// A curve of more points has no markers.
const MAX_MARKERS: usize = 100;
/// Smallest size of a hollow marker.
const HOLLOW: f64 = 3.6;
/// Width of an error bar's ends.
const CAPS: f64 = 6.0;
/// Width of a bar, as a share of the distance between bars.
const BAR: f64 = 0.4;
/// A chart of more points has no values to show: a page should not become twice as large.
const MAX_VALUES: usize = 4000;

type Context<'a, DB> = ChartContext<'a, DB, Cartesian2d<Span, Span>>;
type Drawn<T> = Result<T, Box<dyn Error>>;

impl Chart {
    /// The chart as SVG text, for a file or inside a page.
    pub fn svg(&self) -> String {
        let [width, height] = self.sides();
        let fine = [width, height].map(|side| side * FINE as u32);
        let mut text = String::new();
        // Writing into a string cannot fail.
        let curves = paint(SVGBackend::with_string(&mut text, fine.into()), self).unwrap_or_default();
        let body = text.split_once('\n').map_or("", |(_, body)| body).replace(" opacity=\"1\"", "");
        let count: usize = curves.iter().filter_map(|curve| curve["points"].as_array()).map(Vec::len).sum();
        let values = json!({ "x": self.x.label, "y": self.y.label, "curves": curves }).to_string();
        let values = if (1..=MAX_VALUES).contains(&count) { escaped(&values) } else { String::new() };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {} {}\" style=\"forced-color-adjust:none\">\n\
             <title>{}</title>\n<desc>{}</desc>\n<metadata>{values}</metadata>\n{body}",
            fine[0],
            fine[1],
            escaped(&self.title),
            escaped(&self.description())
        )
    }

    fn style(&self, index: usize) -> Style {
        let style = Style::of(index, self.series.len(), self.ordered);
        let series = &self.series[index];
        if series.is_line || series.points.len() > MAX_MARKERS {
            Style { size: 0.0, width: 1.3, ..style }
        } else {
            style
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn pixels(length: f64) -> i32 {
    (length * FINE).round() as i32
}

fn pixel((x, y): Point) -> (i32, i32) {
    (pixels(x), pixels(y))
}

fn stroke(colour: RGBColor, width: f64) -> ShapeStyle {
    colour.stroke_width(pixels(width) as u32)
}

fn font(em: f64, colour: RGBColor) -> TextStyle<'static> {
    let style = TextStyle::from((FAMILY, em * FINE * SIZE_OF_EM).into_font());
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
    let Layout { texts, plots } = chart.layout();
    let mut values = Vec::new();
    for plot in &plots {
        values.extend(pen.plot(plot)?);
    }
    for Text { at, text, side, em, colour } in &texts {
        pen.text(*at, text, *side, *em, *colour)?;
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
    fn text(&self, at: Point, text: &str, side: HPos, em: f64, colour: RGBColor) -> Drawn<()> {
        let style = font(em, colour).pos(Pos::new(side, VPos::Center));
        Ok(self.root.draw_text(text, &style, pixel(at))?)
    }

    fn disc(&self, at: (i32, i32), size: f64, colour: RGBColor) -> Drawn<()> {
        Ok(self.root.draw(&Circle::new(at, pixels(size) as u32, colour.filled()))?)
    }

    /// A marker with a rim of paper, so that it is visible on other curves.
    fn marker(&self, at: (i32, i32), style: Style) -> Drawn<()> {
        if style.size > 0.0 {
            self.disc(at, style.size + RIM, PAPER)?;
            self.disc(at, style.size, style.colour)?;
        }
        Ok(())
    }

    /// One plot with its grid, axes and curves; returns the curves' values.
    fn plot(&self, plot: &Plot) -> Drawn<Vec<Value>> {
        let (chart, Plot { curves, area, ticks, x, y }) = (self.chart, plot);
        // A picture that is too small for its size was refused; others draw what fits.
        let height = (area.bottom - area.top).max(1.0) + ROW;
        let size = ((area.right - area.left).max(1.0) + ticks, height);
        let part = self.root.clone().shrink(pixel((area.left - ticks, area.top)), pixel(size));
        let mut context = ChartBuilder::on(&part)
            .y_label_area_size(pixels(*ticks))
            .x_label_area_size(pixels(ROW))
            .build_cartesian_2d(x.clone(), y.clone())?;
        let (low, high) = (y.value(0.0), y.value(1.0));
        let marks = || chart.marks.iter().filter(|mark| x.overlaps(mark.from, mark.to));
        let shades = marks().filter(|mark| mark.from < mark.to);
        let shade = |mark: &crate::Mark| Rectangle::new([(mark.from, low), (mark.to, high)], BAND.filled());
        context.draw_series(shades.map(shade))?;
        let mut mesh = context.configure_mesh();
        mesh.bold_line_style(stroke(GRID, 0.8)).light_line_style(stroke(FINE_GRID, 0.8));
        mesh.axis_style(stroke(SOFT, 1.0))
            .label_style(font(TICK_EM, SOFT))
            .set_all_tick_mark_size(pixels(3.0));
        mesh.draw()?;
        for mark in marks().filter(|mark| mark.from == mark.to) {
            let style = Style { dash: Some((5.0, 4.0)), colour: SOFT, width: 1.2, size: 0.0 };
            line(&mut context, vec![(mark.from, low), (mark.from, high)], style)?;
        }
        let values = curves.iter().map(|index| self.series(&mut context, x, y, *index));
        let values = values.collect::<Drawn<Vec<Value>>>()?;
        if chart.has_ends() {
            self.ends(&values, *area)?;
        }
        Ok(values)
    }

    /// Names at the ends of curves, with a thin line to an end that is not next to its name.
    fn ends(&self, values: &[Value], plot: Area) -> Drawn<()> {
        let place = |point: &Value| Some((point[0].as_f64()? / FINE, point[1].as_f64()? / FINE));
        let curve = |(value, series): (&Value, &Series)| {
            let points = value["points"].as_array().into_iter().flatten().take(series.points.len());
            points.filter_map(place).collect()
        };
        let curves: Vec<Vec<Point>> = values.iter().zip(&self.chart.series).map(curve).collect();
        let end =
            |(index, curve): (usize, &Vec<Point>)| Some((index, self.chart.name(index), *curve.last()?));
        let ends: Vec<(usize, String, Point)> = curves.iter().enumerate().filter_map(end).collect();
        let parts = |pair: &[Point]| {
            let (from, way) = (pair[0], (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1));
            [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| (from.0 + share * way.0, from.1 + share * way.1))
        };
        let lines: Vec<Point> = curves.iter().flat_map(|curve| curve.windows(2).flat_map(parts)).collect();
        for label in labels::at_ends(&ends, &lines, plot) {
            let (colour, (x, y)) = (self.chart.style(label.index).colour, label.middle);
            let (left, right) = (x - label.half_width - 1.0, x + label.half_width + 1.0);
            if (y - label.end.1).abs() > 14.0 || label.end.0 < left && (y - label.end.1).abs() > 9.0 {
                let below = (label.end.0, y + 6.0_f64.copysign(label.end.1 - y));
                let leader =
                    vec![pixel(label.end), pixel(if label.end.0 < left { (left, y) } else { below })];
                self.root.draw(&PathElement::new(leader, stroke(colour, 0.6)))?;
            }
            let corners = [pixel((left, y - 6.0)), pixel((right, y + 6.0))];
            self.root.draw(&Rectangle::new(corners, PAPER.mix(0.75).filled()))?;
            self.text(label.middle, &self.chart.name(label.index), HPos::Center, TICK_EM, of_text(colour))?;
        }
        Ok(())
    }

    /// One curve with its markers, bars or dots; returns its values for the script.
    fn series(&self, context: &mut Context<'_, DB>, x: &Span, y: &Span, index: usize) -> Drawn<Value> {
        let (chart, series, style) = (self.chart, &self.chart.series[index], self.chart.style(index));
        let (is_named, has_bars) = (chart.x.is_named(), chart.has_bars());
        if has_bars {
            let bars = series.points.iter().filter(|(at, value)| x.contains(*at) && y.contains(*value));
            let bar = |&(at, value): &Point| {
                Rectangle::new([(at - BAR / 2.0, 0.0), (at + BAR / 2.0, value)], style.colour.filled())
            };
            context.draw_series(bars.map(bar))?;
        } else if !is_named {
            for piece in pieces(x, y, &series.points) {
                line(context, piece, style)?;
            }
        }
        let mut values = Vec::new();
        let hollow = series.hollow.iter().map(|point| (point, true));
        for (&(at, value), is_hollow) in series.points.iter().map(|point| (point, false)).chain(hollow) {
            let is_zero = chart.y.is_below_logarithms(value);
            if !(x.contains(at) && (y.contains(value) || is_zero)) {
                values.push(Value::Null);
                continue;
            }
            let spread = series.spreads.iter().find(|spread| spread.0 == at && !is_hollow);
            if let Some(&(_, low, high)) =
                spread.filter(|(_, low, high)| chart.y.shows(*low) && chart.y.shows(*high))
            {
                let colour = if has_bars { TEXT } else { style.colour };
                let bar =
                    ErrorBar::new_vertical(at, low, value, high, stroke(colour, 1.1), pixels(CAPS) as u32);
                context.draw_series([bar])?;
            }
            let place = context.backend_coord(&(at, value));
            if is_hollow || is_zero {
                self.disc(place, style.size.max(HOLLOW), style.colour)?;
                self.disc(place, style.size.max(HOLLOW) - RING, PAPER)?;
            } else if !has_bars {
                self.marker(place, style)?;
            }
            if is_named {
                let (across, down) = context.backend_coord(&(at, spread.map_or(value, |spread| spread.2)));
                let above = if has_bars { 8.0 } else { 12.0 };
                let at = (f64::from(across) / FINE, f64::from(down.min(place.1)) / FINE - above);
                let text = chart.y.signed(plain(value, value / 10.0));
                self.text(at, &text, HPos::Center, TICK_EM, TEXT)?;
            }
            let name = chart.x.names.get((at.round() as usize).wrapping_sub(1)).cloned();
            let (at, y) = (name.unwrap_or_else(|| chart.x.amount(at)), |y| chart.y.amount(y));
            values.push(match spread {
                _ if is_hollow => json!([place.0, place.1, at, y(value), chart.say("hollow point", &[])]),
                Some((_, low, high)) => {
                    json!([place.0, place.1, at, y(value), chart.say("{} to {}", &[&y(*low), &y(*high)])])
                }
                None => json!([place.0, place.1, at, y(value)]),
            });
        }
        let RGBColor(red, green, blue) = style.colour;
        let colour = format!("#{red:02X}{green:02X}{blue:02X}");
        let source = match &*series.source {
            "" => String::new(),
            source => chart.say("source: {}", &[source]),
        };
        Ok(json!({ "name": series.name, "source": source, "colour": colour, "points": values }))
    }
}

/// A line with the dashes of its style.
fn line<DB>(context: &mut Context<'_, DB>, points: Vec<Point>, style: Style) -> Drawn<()>
where
    DB: DrawingBackend,
    DB::ErrorType: 'static,
{
    let stroke = stroke(style.colour, style.width);
    match style.dash {
        Some((dash, gap)) => {
            context.draw_series(DashedLineSeries::new(points, pixels(dash), pixels(gap), stroke))?;
        }
        None => {
            context.draw_series(LineSeries::new(points, stroke))?;
        }
    }
    Ok(())
}

/// Whether anything is drawn with the ranges of the axes.
pub(crate) fn is_in_range(chart: &Chart) -> bool {
    let seen = |plot: &Plot, series: &Series| {
        let is_seen = |(at, value): &Point| {
            plot.x.contains(*at) && (plot.y.contains(*value) || chart.y.is_below_logarithms(*value))
        };
        series.points.iter().chain(&series.hollow).any(is_seen)
            || !pieces(&plot.x, &plot.y, &series.points).is_empty()
    };
    chart.layout().plots.iter().any(|plot| plot.curves.iter().any(|index| seen(plot, &chart.series[*index])))
}

/// The parts of a line between gaps, cut at the edges of the plot.
fn pieces(x: &Span, y: &Span, points: &[Point]) -> Vec<Vec<Point>> {
    let shares = Vec::from_iter(points.iter().map(|point| x.share(point.0).zip(y.share(point.1))));
    let mut pieces: Vec<Vec<Point>> = vec![Vec::new()];
    for pair in shares.windows(2) {
        let visible = pair[0].zip(pair[1]).and_then(|(from, to)| Some((from, to, inside(from, to)?)));
        let Some((from, to, (start, end))) = visible else {
            pieces.push(Vec::new());
            continue;
        };
        let between = |a: f64, b: f64, share: f64| a + (b - a) * share;
        let at = |share: f64| (x.value(between(from.0, to.0, share)), y.value(between(from.1, to.1, share)));
        if start > 0.0 || pieces.last().is_none_or(Vec::is_empty) {
            pieces.push(vec![at(start)]);
        }
        pieces.last_mut().into_iter().for_each(|piece| piece.push(at(end)));
        if end < 1.0 {
            pieces.push(Vec::new());
        }
    }
    pieces.retain(|piece| piece.len() > 1);
    pieces
}

/// The part of a segment in the unit square, as shares of the segment.
fn inside(from: Point, to: Point) -> Option<Point> {
    const EDGE: f64 = 1e-9;
    let (mut start, mut end) = (0.0f64, 1.0f64);
    for (from, to) in [(from.0, to.0), (from.1, to.1)] {
        if from == to && !(-EDGE..=1.0 + EDGE).contains(&from) {
            return None;
        }
        if from != to {
            let ends = [-EDGE, 1.0 + EDGE].map(|edge| (edge - from) / (to - from));
            (start, end) = (start.max(ends[0].min(ends[1])), end.min(ends[0].max(ends[1])));
        }
    }
    (start < end).then_some((start, end))
}

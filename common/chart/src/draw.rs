//! Draws a chart on a backend of plotters.

use plotters::chart::{ChartBuilder, ChartContext, LabelAreaPosition};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, Drawable, PathElement, PointCollection, Polygon, Rectangle, Text};
use plotters::series::{DashedLineSeries, LineSeries};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, RGBColor, TextStyle};
use plotters_backend::{BackendCoord, DrawingBackend};
use plotters_svg::SVGBackend;

use crate::axis::Span;
use crate::chart::{Chart, Series};
use crate::labels::{self, BRACKET, Placed, Point, TICK_EM};
use crate::layout::{self, LABEL_EM, Layout, Panel, SAMPLE, TITLE_EM};
use crate::style::{BAND, FINE_GRID, GRID, PALE, PAPER, SOFT, Style, TEXT};
use crate::values::{self, Drawn};

/// Plotters' coordinates are whole numbers; this many of them make one unit.
pub(crate) const FINE: f64 = 4.0;
/// Line width of a hollow marker.
const RING: f64 = 1.4;
/// Half the width of an error bar's caps.
const CAP: f64 = 3.0;
/// Width of a bar, as a share of the distance between bars.
const BAR: f64 = 0.4;
/// The font for viewers of an SVG.
const FAMILY: &str = "Noto Sans, Helvetica, Arial, sans-serif";

type Context<'a, DB> = ChartContext<'a, DB, Cartesian2d<Span, Span>>;

/// The size of a font that makes an em, for plotters.
pub(crate) const SIZE_OF_EM: f64 = 1.24;

impl Chart {
    /// The chart as SVG text, for a file or inside a page.
    pub fn svg(&self) -> String {
        let arranged = layout::arrange(self);
        let (width, height) = (arranged.width as u32, arranged.height.ceil() as u32);
        let (fine_width, fine_height) = (width * FINE as u32, height * FINE as u32);
        let mut text = String::new();
        let backend = SVGBackend::with_string(&mut text, (fine_width, fine_height));
        // Writing into a string cannot fail.
        let drawn = paint(backend, self, &arranged).unwrap_or_default();
        let body = text.split_once('\n').map_or("", |(_, body)| body).replace(" opacity=\"1\"", "");
        let colours = Vec::from_iter(styles(self, &arranged).into_iter().map(|style| hex(style.colour)));
        let values = escaped(&values::json(self, &drawn, &colours, FINE));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {fine_width} {fine_height}\" style=\"forced-color-adjust:none\">\n\
             <title>{}</title>\n<desc>{}</desc>\n<metadata>{values}</metadata>\n{body}",
            escaped(&self.title),
            escaped(&values::description(self))
        )
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn hex(RGBColor(r, g, b): RGBColor) -> String {
    format!("#{r:02X}{g:02X}{b:02X}")
}

/// The styles of all curves.
fn styles(chart: &Chart, arranged: &Layout) -> Vec<Style> {
    let compared = layout::is_compared(&arranged.panels);
    let count = chart.series.len();
    let mut styles = Vec::from_iter((0..count).map(|index| Style::of(index, count, chart.ordered)));
    for panel in arranged.panels.iter().filter(|_| compared) {
        for (place, index) in panel.series.iter().enumerate() {
            styles[*index] = Style::compared(place, panel.series.len());
        }
    }
    for (style, series) in styles.iter_mut().zip(&chart.series) {
        if series.is_line {
            (style.size, style.width) = (0.0, 1.3);
        }
    }
    styles
}

/// Draws everything, the background first; returns the points that were drawn.
pub(crate) fn paint<DB: DrawingBackend>(
    backend: DB,
    chart: &Chart,
    arranged: &Layout,
) -> Result<Vec<Drawn>, String> {
    let root = backend.into_drawing_area();
    root.fill(&PAPER).map_err(|error| error.to_string())?;
    let pen = Pen { root: &root };
    let styles = styles(chart, arranged);
    let mut drawn = Vec::new();
    for line in &arranged.title {
        pen.text(line, HPos::Left, TITLE_EM, TEXT)?;
    }
    for line in &arranged.caption {
        pen.text(line, HPos::Left, TICK_EM, SOFT)?;
    }
    pen.text(&arranged.y_label, HPos::Left, LABEL_EM, TEXT)?;
    pen.text(&arranged.x_label, HPos::Center, LABEL_EM, TEXT)?;
    for name in &arranged.names {
        pen.text(name, HPos::Center, TICK_EM, SOFT)?;
    }
    for panel in &arranged.panels {
        pen.panel(chart, arranged, panel, &styles, &mut drawn)?;
    }
    for line in &arranged.strip {
        pen.text(line, HPos::Center, TICK_EM, SOFT)?;
    }
    for (index, entry) in &arranged.legend {
        let ((x, y), style) = (entry.at, styles[*index]);
        let from = x - SAMPLE - 6.0;
        if chart.has_bars() {
            pen.rectangle((from, y - 5.0), (from + SAMPLE, y + 5.0), style.colour)?;
        } else {
            if !chart.x.is_named() {
                pen.dashed((from, y), (from + SAMPLE, y), style)?;
            }
            pen.marker((from + SAMPLE / 2.0, y), style)?;
        }
        pen.text(entry, HPos::Left, TICK_EM, TEXT)?;
    }
    if chart.is_empty() {
        let area = arranged.panels[0].plot();
        let middle = ((area.left + area.right) / 2.0, (area.top + area.bottom) / 2.0);
        pen.text(&Placed { at: middle, text: "no data".to_owned() }, HPos::Center, LABEL_EM, SOFT)?;
    }
    root.present().map_err(|error| error.to_string())?;
    drop(root);
    Ok(drawn)
}

/// Draws shapes whose places are in units.
struct Pen<'a, DB: DrawingBackend> {
    root: &'a DrawingArea<DB, Shift>,
}

fn pixels(length: f64) -> i32 {
    (length * FINE).round() as i32
}

fn pixel((x, y): Point) -> (i32, i32) {
    (pixels(x), pixels(y))
}

impl<DB: DrawingBackend> Pen<'_, DB> {
    fn element<E>(&self, element: &E) -> Result<(), String>
    where
        for<'b> &'b E: PointCollection<'b, BackendCoord>,
        E: Drawable<DB>,
    {
        self.root.draw(element).map_err(|error| error.to_string())
    }

    fn style(&self, em: f64, colour: RGBColor) -> TextStyle<'static> {
        let style = TextStyle::from((FAMILY, em * FINE * SIZE_OF_EM).into_font());
        TextStyle { color: colour.to_backend_color(), ..style }
    }

    fn text(&self, line: &Placed, side: HPos, em: f64, colour: RGBColor) -> Result<(), String> {
        if line.text.is_empty() {
            return Ok(());
        }
        let style = self.style(em, colour).pos(Pos::new(side, VPos::Center));
        self.element(&Text::new(line.text.clone(), pixel(line.at), style))
    }

    fn line(&self, from: Point, to: Point, width: f64, colour: RGBColor) -> Result<(), String> {
        let style = colour.stroke_width(pixels(width) as u32);
        self.element(&PathElement::new(vec![pixel(from), pixel(to)], style))
    }

    fn dashed(&self, from: Point, to: Point, style: Style) -> Result<(), String> {
        let (dash, gap) = style.dash;
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        let at = |share: f64| (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
        let step = if dash > 0.0 { (dash + gap) / length } else { 1.0 };
        let drawn = if dash > 0.0 { dash / length } else { 1.0 };
        let mut start = 0.0;
        while start < 1.0 {
            self.line(at(start), at((start + drawn).min(1.0)), style.width, style.colour)?;
            start += step;
        }
        Ok(())
    }

    fn rectangle(&self, from: Point, to: Point, colour: RGBColor) -> Result<(), String> {
        self.element(&Rectangle::new([pixel(from), pixel(to)], colour.filled()))
    }

    /// A marker with a rim of paper, so that it is visible on other curves.
    fn marker(&self, at: Point, style: Style) -> Result<(), String> {
        if style.size <= 0.0 {
            return Ok(());
        }
        self.shape(at, style.outline, style.size + 0.8, PAPER)?;
        self.shape(at, style.outline, style.size, style.colour)?;
        if style.hollow { self.shape(at, style.outline, style.size - RING, PAPER) } else { Ok(()) }
    }

    fn shape(&self, at: Point, outline: &[Point], size: f64, colour: RGBColor) -> Result<(), String> {
        if outline.is_empty() {
            return self.element(&Circle::new(pixel(at), pixels(size) as u32, colour.filled()));
        }
        let corners = outline.iter().map(|(dx, dy)| pixel((at.0 + dx * size, at.1 + dy * size)));
        self.element(&Polygon::new(corners.collect::<Vec<_>>(), colour.filled()))
    }

    /// One plot with its grid, axes and curves.
    fn panel(
        &self,
        chart: &Chart,
        arranged: &Layout,
        panel: &Panel,
        styles: &[Style],
        drawn: &mut Vec<Drawn>,
    ) -> Result<(), String> {
        let says = |error: &dyn std::error::Error| error.to_string();
        let area = panel.area;
        let part = self
            .root
            .clone()
            .shrink(pixel((area.left, area.top)), pixel((area.right - area.left, area.bottom - area.top)));
        let plot = panel.plot();
        let mut context = ChartBuilder::on(&part)
            .set_label_area_size(LabelAreaPosition::Left, pixels(panel.sides.0))
            .set_label_area_size(LabelAreaPosition::Bottom, pixels(area.bottom - plot.bottom))
            .margin_right(pixels(panel.sides.1))
            .build_cartesian_2d(panel.x.clone(), panel.y.clone())
            .map_err(|error| says(&error))?;
        self.below_grid(chart, panel)?;
        let mut mesh = context.configure_mesh();
        mesh.bold_line_style(GRID.stroke_width(pixels(0.8) as u32))
            .light_line_style(FINE_GRID.stroke_width(pixels(0.8) as u32))
            .axis_style(SOFT.stroke_width(pixels(1.0) as u32))
            .label_style(self.style(TICK_EM, SOFT))
            .set_all_tick_mark_size(pixels(3.0));
        if chart.x.is_named() {
            mesh.disable_x_mesh();
        }
        mesh.draw().map_err(|error| says(&error))?;
        if !panel.name.is_empty() && arranged.panels.len() > 1 {
            let at = (plot.left, plot.top - 9.0);
            self.text(&Placed { at, text: panel.name.clone() }, HPos::Left, LABEL_EM, TEXT)?;
        }
        if arranged.panels.len() > 1 && !layout::is_compared(&arranged.panels) {
            for series in &chart.series {
                let pale = Style { colour: PALE, dash: (0.0, 0.0), width: 1.0, ..styles[0] };
                self.curve(&mut context, panel, series, pale)?;
            }
        }
        self.marks(chart, panel)?;
        let mut ends = Vec::new();
        for &index in &panel.series {
            let (series, style) = (&chart.series[index], styles[index]);
            let places = self.series(&mut context, chart, panel, index, style)?;
            drawn.extend(&places);
            let points = places.iter().filter(|point| !point.is_disturbed && point.place.0.is_finite());
            let end = points.map(|point| point.place).collect();
            ends.push((index, series.name.clone(), end));
        }
        if arranged.has_ends {
            for label in labels::at_ends(&ends, plot, area.right) {
                let colour = styles[label.index].colour;
                if let Some((from, to)) = label.leader {
                    self.line(from, to, 0.6, colour)?;
                }
                self.text(&label.name, HPos::Center, TICK_EM, colour)?;
            }
        }
        Ok(())
    }

    /// One curve with its markers, bars or dots; returns its points.
    fn series(
        &self,
        context: &mut Context<'_, DB>,
        chart: &Chart,
        panel: &Panel,
        index: usize,
        style: Style,
    ) -> Result<Vec<Drawn>, String> {
        let series = &chart.series[index];
        let (named, has_bars) = (chart.x.is_named(), chart.has_bars());
        if !named {
            self.curve(context, panel, series, style)?;
        }
        let mut drawn = Vec::new();
        let mut point = |x: f64, y: f64, place: Point, is_disturbed: bool| {
            drawn.push(Drawn { series: index, place, x, y, is_disturbed });
        };
        for &(x, y) in &series.points {
            if chart.x.shows(x) && chart.y.is_below_logarithms(y) {
                let Some(across) = panel.x.share(x).filter(|share| (0.0..=1.0).contains(share)) else {
                    continue;
                };
                let at = in_plot(panel, (across, 0.0));
                self.marker(at, Style { hollow: true, size: style.size.max(3.4), ..style })?;
                point(x, y, at, false);
                continue;
            }
            let Some(at) = place(panel, x, y) else {
                point(x, y, (f64::NAN, f64::NAN), false);
                continue;
            };
            if has_bars {
                let [left, right] = [-0.5, 0.5].map(|side| place(panel, x + side * BAR, y).unwrap_or(at).0);
                let zero = place(panel, x, 0.0).map_or(panel.plot().bottom, |zero| zero.1);
                self.rectangle((left, at.1.min(zero)), (right, at.1.max(zero)), style.colour)?;
            } else {
                self.marker(at, style)?;
            }
            point(x, y, at, false);
            if named {
                let end = series
                    .spreads
                    .iter()
                    .find(|spread| spread.0 == x)
                    .and_then(|spread| place(panel, x, spread.2));
                let top = end.map_or(at.1, |end| end.1.min(at.1)) - if has_bars { 8.0 } else { 12.0 };
                let text = if has_bars { bar_figure(y) } else { dot_figure(y) };
                self.text(&Placed { at: (at.0, top), text }, HPos::Center, TICK_EM, TEXT)?;
            }
        }
        for (x, low, high) in &series.spreads {
            let Some((from, to)) = place(panel, *x, *low).zip(place(panel, *x, *high)) else { continue };
            let colour = if has_bars { TEXT } else { style.colour };
            self.line(from, to, 1.1, colour)?;
            for (x, y) in [from, to] {
                self.line((x - CAP, y), (x + CAP, y), 1.1, colour)?;
            }
        }
        for &(x, y) in &series.disturbed {
            let Some((across, up)) = panel.x.share(x).zip(panel.y.share(y)) else { continue };
            let at = in_plot(panel, (across.clamp(0.0, 1.0), up.clamp(0.0, 1.0)));
            self.marker(at, Style { hollow: true, size: style.size.max(4.0), ..style })?;
            point(x, y, at, true);
        }
        Ok(drawn)
    }

    /// The line with its gaps.
    fn curve(
        &self,
        context: &mut Context<'_, DB>,
        panel: &Panel,
        series: &Series,
        style: Style,
    ) -> Result<(), String> {
        let stroke = style.colour.stroke_width(pixels(style.width) as u32);
        for piece in pieces(&panel.x, &panel.y, &series.points) {
            if style.dash.0 > 0.0 {
                let (dash, gap) = (pixels(style.dash.0), pixels(style.dash.1));
                context.draw_series(DashedLineSeries::new(piece, dash, gap, stroke))
            } else {
                context.draw_series(LineSeries::new(piece, stroke))
            }
            .map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// The shades of intervals.
    fn below_grid(&self, chart: &Chart, panel: &Panel) -> Result<(), String> {
        let plot = panel.plot();
        for (from, to) in brackets(chart, panel) {
            self.rectangle((from, plot.top), (to, plot.bottom), BAND)?;
        }
        Ok(())
    }

    /// The lines of marks, and the brackets of intervals.
    fn marks(&self, chart: &Chart, panel: &Panel) -> Result<(), String> {
        let plot = panel.plot();
        for mark in &chart.marks {
            let Some(share) = panel.x.share(mark.at).filter(|share| (0.0..=1.0).contains(share)) else {
                continue;
            };
            let x = in_plot(panel, (share, 0.0)).0;
            let style = Style { colour: SOFT, dash: (5.0, 4.0), width: 1.2, ..Style::of(0, 1, false) };
            self.dashed((x, plot.top), (x, plot.bottom), style)?;
        }
        for (from, to) in brackets(chart, panel) {
            let y = plot.top - BRACKET / 2.0 - 1.0;
            self.line((from, y), (to, y), 1.2, SOFT)?;
            for x in [from, to] {
                self.line((x, y - 2.5), (x, y + 2.5), 1.2, SOFT)?;
            }
        }
        Ok(())
    }
}

/// The ends of the intervals, as far as they are in the plot.
fn brackets(chart: &Chart, panel: &Panel) -> Vec<Point> {
    let ends = chart.bands.iter().filter_map(|band| panel.x.share(band.from).zip(panel.x.share(band.to)));
    let within = ends.filter(|(from, to)| *to > 0.0 && *from < 1.0);
    let edge = |share: f64| in_plot(panel, (share.clamp(0.0, 1.0), 0.0)).0;
    within.map(|(from, to)| (edge(from), edge(to))).collect()
}

/// The place of shares of both axes.
fn in_plot(panel: &Panel, (across, up): Point) -> Point {
    let plot = panel.plot();
    (plot.left + across * (plot.right - plot.left), plot.bottom - up * (plot.bottom - plot.top))
}

/// The place of a point, if it is in the plot.
pub(crate) fn place(panel: &Panel, x: f64, y: f64) -> Option<Point> {
    let inside = |share: &f64| (-1e-9..=1.0 + 1e-9).contains(share);
    let (across, up) = (panel.x.share(x).filter(inside)?, panel.y.share(y).filter(inside)?);
    Some(in_plot(panel, (across, up)))
}

/// The parts of a line between gaps, cut at the edges of the plot.
fn pieces(x: &Span, y: &Span, points: &[Point]) -> Vec<Vec<Point>> {
    let places: Vec<Option<Point>> =
        points.iter().map(|point| x.share(point.0).zip(y.share(point.1))).collect();
    let mut pieces: Vec<Vec<Point>> = vec![Vec::new()];
    for pair in places.windows(2) {
        let Some((from, to)) = pair[0].zip(pair[1]).and_then(|(from, to)| inside(from, to)) else {
            pieces.push(Vec::new());
            continue;
        };
        match pieces.last_mut() {
            Some(piece) if piece.last() == Some(&from) => piece.push(to),
            _ => pieces.push(vec![from, to]),
        }
    }
    pieces.retain(|piece| piece.len() > 1);
    { pieces.into_iter() }
        .map(|piece| piece.into_iter().map(|(across, up)| (x.value(across), y.value(up))).collect())
        .collect()
}

/// The part of a segment in the unit square (Liang and Barsky).
fn inside(from: Point, to: Point) -> Option<(Point, Point)> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut start, mut end) = (0.0f64, 1.0f64);
    for (slope, distance) in [(-dx, from.0), (dx, 1.0 - from.0), (-dy, from.1), (dy, 1.0 - from.1)] {
        let at = distance / slope;
        match slope {
            0.0 if distance < -1e-9 => return None,
            slope if slope < 0.0 && distance < 0.0 => start = start.max(at),
            slope if slope > 0.0 && distance < slope => end = end.min(at),
            _ => {}
        }
    }
    let at = |share: f64| {
        if share == 0.0 {
            from
        } else if share == 1.0 {
            to
        } else {
            (from.0 + dx * share, from.1 + dy * share)
        }
    };
    (start <= end).then(|| (at(start), at(end)))
}

/// Three decimals, or fewer for large numbers.
fn bar_figure(value: f64) -> String {
    if value.abs() < 1e6 { format!("{value:.3}") } else { format!("{value:.2e}") }
}

fn dot_figure(value: f64) -> String {
    let digits = if value.abs() < 10.0 { 2 } else { usize::from(value.abs() < 1e3) };
    format!("{value:.digits$}")
}

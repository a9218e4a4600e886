//! Draws a chart whose layout is known.

use plotters_backend::DrawingBackend;
use plotters_svg::SVGBackend;

use super::canvas::{Canvas, Point};
use super::ink::Colour;
use super::ink::{Anchor, Type};
use super::label;
use super::layout::{self, CAPTION_EM, LABEL_EM, Layout, Placed, ROW, SAMPLE, TICK_EM, TITLE_EM, WIDTH};
use super::look::{self, BAND, GRID, Look, PALE, PAPER, SOFT, STRONG, TEXT};
use super::panels::{self, Labels, Panel};
use super::plot::Plot;
use super::{Chart, Series};

/// SVG coordinates are whole numbers; this many of them make one unit.
const FINE: u32 = 8;

/// Line width of a hollow marker.
pub(super) const RING: f64 = 1.6;
/// Smallest radius of a hollow marker.
const HOLLOW: f64 = 4.0;
/// Half the width of an error bar's caps.
const CAP: f64 = 3.5;
/// Width of a bar, as a share of the distance between bars.
const BAR: f64 = 0.4;
/// Digits are higher than the small letters by which texts are centred.
const DIGITS: f64 = 1.0;
/// Half the height of a bar's colour in the legend.
const SWATCH: f64 = 5.0;

/// The chart as SVG text.
pub(super) fn svg(chart: &Chart) -> String {
    let arranged = layout::arrange(chart);
    let (width, height) = (WIDTH as u32, arranged.height.ceil() as u32);
    let mut text = String::new();
    let backend = SVGBackend::with_string(&mut text, (width * FINE, height * FINE));
    let mut canvas = Canvas::vector(backend, f64::from(FINE));
    paint(&mut canvas, chart, &arranged);
    // Writing into a string cannot fail.
    let _ = canvas.finish();
    let body = text.split_once('\n').map_or("", |(_, body)| body);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {} {}\">\n<title>{}</title>\n<desc>{}</desc>\n{body}",
        width * FINE,
        height * FINE,
        escaped(&chart.title),
        escaped(&chart.caption)
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Draws everything, the background first.
pub(super) fn paint<B: DrawingBackend>(canvas: &mut Canvas<B>, chart: &Chart, arranged: &Layout) {
    canvas.rectangle((0.0, 0.0), (WIDTH, arranged.height.ceil()), PAPER);
    texts(canvas, &arranged.title, Anchor::Start, Type { em: TITLE_EM, bold: true, colour: TEXT });
    texts(canvas, &arranged.caption, Anchor::Start, Type { em: CAPTION_EM, bold: false, colour: SOFT });
    let label = Type { em: LABEL_EM, bold: false, colour: TEXT };
    texts(canvas, std::slice::from_ref(&arranged.y_label), Anchor::Start, label);
    texts(canvas, std::slice::from_ref(&arranged.x_label), Anchor::Middle, label);
    for panel in &arranged.panels {
        small(canvas, chart, panel);
    }
    if arranged.panels.is_empty() {
        large(canvas, chart, arranged);
    }
    if chart.is_empty() {
        let middle = |a: f64, b: f64| (a + b) / 2.0;
        let plot = &arranged.plot;
        let at = (middle(plot.left, plot.right), middle(plot.top, plot.bottom));
        canvas.text("no data", at, Anchor::Middle, Type { em: LABEL_EM, bold: false, colour: SOFT });
    }
    for (index, entry) in &arranged.legend {
        let styles = panels::distinct_looks(chart);
        let look =
            if panels::grouped(chart) { Look::overlaid(*index, styles) } else { Look::of(*index, styles) };
        if chart.has_bars() {
            let (x, y) = entry.at;
            canvas.rectangle((x, y - SWATCH), (x + SAMPLE, y + SWATCH), look.colour);
        } else {
            sample(canvas, entry.at, look);
        }
        let set = Type { em: TICK_EM, bold: false, colour: TEXT };
        canvas.text(&entry.text, (entry.at.0 + SAMPLE + 6.0, entry.at.1), Anchor::Start, set);
    }
}

/// All curves in one plot.
fn large<B: DrawingBackend>(canvas: &mut Canvas<B>, chart: &Chart, arranged: &Layout) {
    let plot = &arranged.plot;
    bands(canvas, chart, plot);
    ground(canvas, chart, plot, Labels::BOTH);
    marks(canvas, chart, arranged);
    for (index, series) in chart.series.iter().enumerate() {
        let look = Look::of(index, chart.series.len());
        if chart.has_bars() {
            bars(canvas, plot, series, look);
        } else if chart.x.is_named() {
            dots(canvas, plot, series, look);
        } else {
            curve(canvas, plot, &series.points, look);
            disturbed(canvas, plot, series, look);
        }
        spreads(canvas, plot, series, if chart.has_bars() { TEXT } else { look.colour });
    }
    for (index, name) in label::at_curves(chart, plot) {
        let colour = Look::of(index, chart.series.len()).colour;
        canvas.text(&name.text, name.at, Anchor::Middle, Type { em: CAPTION_EM, bold: false, colour });
    }
}

/// A panel's curves, in different colours; a single curve has the others pale behind it.
fn small<B: DrawingBackend>(canvas: &mut Canvas<B>, chart: &Chart, panel: &Panel) {
    let plot = &panel.plot;
    ground(canvas, chart, plot, panel.labels);
    let compared = panels::grouped(chart);
    if !compared {
        let pale = Look { colour: PALE, dash: &[], ..Look::of(0, 1) };
        let others = chart.series.iter().enumerate().filter(|(index, _)| !panel.series.contains(index));
        for (_, other) in others {
            pieces(plot, &other.points).iter().for_each(|piece| stroke(canvas, piece, pale));
        }
    }
    for (place, series) in panel.series.iter().filter_map(|index| chart.series.get(*index)).enumerate() {
        let look = if compared {
            Look::overlaid(place, panels::distinct_looks(chart))
        } else {
            Look { colour: STRONG, dash: &[], ..Look::of(0, 1) }
        };
        curve(canvas, plot, &series.points, look);
        disturbed(canvas, plot, series, look);
        spreads(canvas, plot, series, look.colour);
    }
    let set = Type { em: TICK_EM, bold: true, colour: TEXT };
    canvas.text(&panel.name, (plot.left + 2.0, plot.top - 8.0), Anchor::Start, set);
}

/// Hollow markers, at the edge of the plot if their points are outside.
fn disturbed<B: DrawingBackend>(canvas: &mut Canvas<B>, plot: &Plot, series: &Series, look: Look) {
    let look = Look { hollow: true, size: look.size.max(HOLLOW), ..look };
    for (x, y) in &series.disturbed {
        let Some((x, y)) = plot.x.share(*x).zip(plot.y.share(*y)) else { continue };
        marker(canvas, (plot.across(x.clamp(0.0, 1.0)), plot.up(y.clamp(0.0, 1.0))), look);
    }
}

/// An error bar for each spread, with caps.
fn spreads<B: DrawingBackend>(canvas: &mut Canvas<B>, plot: &Plot, series: &Series, colour: Colour) {
    for (x, low, high) in &series.spreads {
        let Some((from, to)) = plot.place(*x, *low).zip(plot.place(*x, *high)) else { continue };
        canvas.line(&[from, to], 1.2, colour);
        for (x, y) in [from, to] {
            canvas.line(&[(x - CAP, y), (x + CAP, y)], 1.2, colour);
        }
    }
}

fn texts<B: DrawingBackend>(canvas: &mut Canvas<B>, lines: &[Placed], anchor: Anchor, set: Type) {
    for line in lines {
        canvas.text(&line.text, line.at, anchor, set);
    }
}

fn bands<B: DrawingBackend>(canvas: &mut Canvas<B>, chart: &Chart, plot: &Plot) {
    for band in &chart.bands {
        if let (Some(from), Some(to)) = (plot.x.share(band.from), plot.x.share(band.to)) {
            let edge = |share: f64| plot.across(share).clamp(plot.left, plot.right);
            canvas.rectangle((edge(from), plot.top), (edge(to), plot.bottom), BAND);
        }
    }
}

/// Grid, axes, ticks.
fn ground<B: DrawingBackend>(canvas: &mut Canvas<B>, chart: &Chart, plot: &Plot, labels: Labels) {
    let tick = Type { em: TICK_EM, bold: false, colour: SOFT };
    for (number, mark) in plot.x.ticks.iter().enumerate() {
        let x = plot.across(plot.x.tick_share(mark));
        let down = ROW * (number % plot.rows) as f64;
        if !chart.x.is_named() {
            canvas.line(&[(x, plot.top), (x, plot.bottom)], 0.8, GRID);
        }
        canvas.line(&[(x, plot.bottom), (x, plot.bottom + 4.0)], 1.0, SOFT);
        if labels.below {
            canvas.text(&mark.label, (x, plot.bottom + 15.0 + down), Anchor::Middle, tick);
        }
    }
    for mark in &plot.y.ticks {
        let y = plot.up(plot.y.tick_share(mark));
        canvas.line(&[(plot.left, y), (plot.right, y)], 0.8, GRID);
        if labels.left {
            canvas.text(&mark.label, (plot.left - 8.0, y + DIGITS), Anchor::End, tick);
        }
    }
    canvas.line(&[(plot.left, plot.bottom), (plot.right, plot.bottom)], 1.0, SOFT);
}

fn marks<B: DrawingBackend>(canvas: &mut Canvas<B>, chart: &Chart, arranged: &Layout) {
    let plot = &arranged.plot;
    for mark in &chart.marks {
        let Some(share) = plot.x.share(mark.at).filter(|s| (-0.01..=1.01).contains(s)) else { continue };
        let x = plot.across(share);
        for piece in look::dashes(&[(x, plot.top), (x, plot.bottom)], &[5.0, 4.0]) {
            canvas.line(&piece, 1.2, SOFT);
        }
    }
    texts(canvas, &arranged.strip, Anchor::Middle, Type { em: CAPTION_EM, bold: false, colour: SOFT });
}

/// The line with its gaps, then the markers on it.
fn curve<B: DrawingBackend>(canvas: &mut Canvas<B>, plot: &Plot, points: &[(f64, f64)], look: Look) {
    let pieces = pieces(plot, points);
    pieces.iter().for_each(|piece| stroke(canvas, piece, look));
    for place in pieces.into_iter().flatten() {
        marker(canvas, place, look);
    }
}

/// The parts of the line between gaps.
fn pieces(plot: &Plot, points: &[(f64, f64)]) -> Vec<Vec<Point>> {
    let places: Vec<Option<Point>> = points.iter().map(|(x, y)| plot.place(*x, *y)).collect();
    places.split(Option::is_none).map(|piece| piece.iter().copied().flatten().collect()).collect()
}

/// A bar from zero for each point, with its value above it and its error bar.
fn bars<B: DrawingBackend>(canvas: &mut Canvas<B>, plot: &Plot, series: &Series, look: Look) {
    for (x, y) in &series.points {
        let corners = plot.place(x - BAR / 2.0, 0.0).zip(plot.place(x + BAR / 2.0, *y));
        let Some(((left, bottom), (right, top))) = corners else { continue };
        canvas.rectangle((left, top), (right, bottom), look.colour);
        let set = Type { em: TICK_EM, bold: false, colour: TEXT };
        canvas.text(
            &figure(*y),
            ((left + right) / 2.0, end(plot, series, *x, top) - 8.0),
            Anchor::Middle,
            set,
        );
    }
}

/// A dot for each point, with its value above it and its error bar.
fn dots<B: DrawingBackend>(canvas: &mut Canvas<B>, plot: &Plot, series: &Series, look: Look) {
    for (x, y) in &series.points {
        let Some((across, up)) = plot.place(*x, *y) else { continue };
        marker(canvas, (across, up), look);
        let set = Type { em: TICK_EM, bold: false, colour: TEXT };
        let digits = if y.abs() < 10.0 { 2 } else { usize::from(y.abs() < 1e3) };
        let above = end(plot, series, *x, up) - 11.0;
        canvas.text(&format!("{y:.digits$}"), (across, above), Anchor::Middle, set);
    }
}

/// The height of the point at `x`, or of its error bar.
fn end(plot: &Plot, series: &Series, x: f64, top: f64) -> f64 {
    let longest = series.spreads.iter().find(|spread| spread.0 == x);
    longest.and_then(|(x, _, high)| plot.place(*x, *high)).map_or(top, |end| top.min(end.1))
}

/// Three decimals, or fewer for large numbers.
fn figure(value: f64) -> String {
    if value.abs() < 1e6 { format!("{value:.3}") } else { format!("{value:.2e}") }
}

fn stroke<B: DrawingBackend>(canvas: &mut Canvas<B>, line: &[Point], look: Look) {
    for dash in look::dashes(line, look.dash).iter().filter(|dash| dash.len() > 1) {
        canvas.line(dash, look.width, look.colour);
    }
}

fn marker<B: DrawingBackend>(canvas: &mut Canvas<B>, centre: Point, look: Look) {
    shape(canvas, centre, look, look.size + 0.8, PAPER);
    shape(canvas, centre, look, look.size, look.colour);
    if look.hollow {
        shape(canvas, centre, look, look.size - RING, PAPER);
    }
}

fn shape<B: DrawingBackend>(canvas: &mut Canvas<B>, (x, y): Point, look: Look, size: f64, colour: Colour) {
    match look.marker.outline() {
        [] => canvas.disc((x, y), size, colour),
        outline => {
            let corners: Vec<Point> = outline.iter().map(|(dx, dy)| (x + dx * size, y + dy * size)).collect();
            canvas.polygon(&corners, colour);
        }
    }
}

/// A sample of a curve, for the legend.
fn sample<B: DrawingBackend>(canvas: &mut Canvas<B>, (x, y): Point, look: Look) {
    stroke(canvas, &[(x, y), (x + SAMPLE, y)], look);
    marker(canvas, (x + SAMPLE / 2.0, y), look);
}

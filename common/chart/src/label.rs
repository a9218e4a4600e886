//! Names next to their curves: a name is placed only where it touches nothing and its own
//! curve is clearly the nearest.

use super::canvas::Point;
use super::font;
use super::layout::{CAPTION_EM, Placed};
use super::plot::Plot;
use super::{Chart, Series};

/// Half the height of a name's box.
const HALF_HEIGHT: f64 = 7.0;
/// Distance from a point to the middle of a name above or below it.
const AWAY: f64 = 12.0;
/// Other curves must be this many times as far away as the name's own curve.
const CLEARLY: f64 = 1.7;

/// With more points in a chart no name is placed: there is no space, and the search takes
/// time in the square of their number.
const CROWD: usize = 2000;

/// The line segments of one curve.
type Pieces = Vec<(Point, Point)>;

/// A name's box: its middle and half its width.
#[derive(Debug, Clone, Copy)]
struct LabelBox {
    middle: Point,
    half_width: f64,
}

/// The names that were placed, with the index of their series.
pub(super) fn at_curves(chart: &Chart, plot: &Plot) -> Vec<(usize, Placed)> {
    let points: usize = chart.series.iter().map(|series| series.points.len()).sum();
    if chart.series.len() < 2 || points > CROWD || chart.x.is_named() {
        return Vec::new();
    }
    let mut curves: Vec<Pieces> = chart.series.iter().map(|s| pieces(s, plot)).collect();
    curves.push(marks(chart, plot));
    let mut taken: Vec<LabelBox> = Vec::new();
    let mut names = Vec::new();
    for (index, series) in chart.series.iter().enumerate().filter(|(_, s)| !s.name.is_empty()) {
        let half_width = font::width(&series.name, CAPTION_EM, false) / 2.0 + 2.0;
        let candidates = series.points.iter().filter_map(|(x, y)| plot.place(*x, *y)).flat_map(|(x, y)| {
            let middles =
                [(x, y - AWAY), (x, y + AWAY), (x + half_width + 6.0, y), (x - half_width - 6.0, y)];
            middles.map(|middle| LabelBox { middle, half_width })
        });
        let scored =
            candidates.filter_map(|room| Some((room, clearance(room, index, &curves, plot, &taken)?)));
        if let Some((room, _)) = scored.max_by(|a, b| a.1.total_cmp(&b.1)) {
            taken.push(room);
            names.push((index, Placed { at: room.middle, text: series.name.clone() }));
        }
    }
    names
}

fn pieces(series: &Series, plot: &Plot) -> Pieces {
    let places: Vec<Option<Point>> = series.points.iter().map(|(x, y)| plot.place(*x, *y)).collect();
    let lone = places.iter().flatten().map(|p| (*p, *p));
    places.windows(2).filter_map(|pair| Some((pair[0]?, pair[1]?))).chain(lone).collect()
}

/// The lines of the marks, which names must not cross.
fn marks(chart: &Chart, plot: &Plot) -> Pieces {
    let across = chart.marks.iter().filter_map(|mark| Some(plot.across(plot.x.share(mark.at)?)));
    across.map(|x| ((x, plot.top), (x, plot.bottom))).collect()
}

/// How many times as far the other curves are; `None` if the name would touch something or
/// could be taken for another curve's.
fn clearance(room: LabelBox, own: usize, curves: &[Pieces], plot: &Plot, taken: &[LabelBox]) -> Option<f64> {
    let (x, y) = room.middle;
    let inside = x - room.half_width > plot.left
        && x + room.half_width < plot.right
        && y - HALF_HEIGHT > plot.top
        && y + HALF_HEIGHT < plot.bottom;
    let overlaps = |other: &LabelBox| {
        (x - other.middle.0).abs() < room.half_width + other.half_width
            && (y - other.middle.1).abs() < 2.0 * HALF_HEIGHT
    };
    if !inside || taken.iter().any(overlaps) {
        return None;
    }
    let mut nearest = (f64::INFINITY, f64::INFINITY);
    for (index, curve) in curves.iter().enumerate() {
        let side = if index == own { &mut nearest.0 } else { &mut nearest.1 };
        for piece in curve {
            if least_distance(room, *piece) >= *side {
                continue;
            }
            let away = distance(room, *piece);
            if away < 3.0 {
                return None;
            }
            *side = side.min(away);
        }
    }
    (nearest.1 > CLEARLY * nearest.0 + 4.0).then_some(nearest.1.min(80.0) - nearest.0)
}

/// The distance from a box to the bounding box of a segment, a lower bound of that to the
/// segment.
fn least_distance(room: LabelBox, (from, to): (Point, Point)) -> f64 {
    let beyond = |a: f64, b: f64, middle: f64, half: f64| {
        (a.min(b) - middle - half).max(middle - half - a.max(b)).max(0.0)
    };
    let across = beyond(from.0, to.0, room.middle.0, room.half_width);
    across.hypot(beyond(from.1, to.1, room.middle.1, HALF_HEIGHT))
}

/// The distance from a box to a segment: the minimum over a few points of the segment.
fn distance(room: LabelBox, (from, to): (Point, Point)) -> f64 {
    let steps = ((to.0 - from.0).hypot(to.1 - from.1) / 3.0).ceil().max(1.0);
    let beyond = |at: f64, middle: f64, half: f64| ((at - middle).abs() - half).max(0.0);
    let at = |share: f64| (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
    (0..=steps as usize)
        .map(|i| at(i as f64 / steps))
        .map(|(x, y)| beyond(x, room.middle.0, room.half_width).hypot(beyond(y, room.middle.1, HALF_HEIGHT)))
        .fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, layout};

    fn names(chart: &Chart) -> Vec<String> {
        let plot = layout::arrange(chart).plot;
        at_curves(chart, &plot).into_iter().map(|(_, placed)| placed.text).collect()
    }

    #[test]
    fn distinct_curves_are_named_and_coinciding_ones_are_not() {
        let line = |height: f64| (0..8).map(move |i| (f64::from(1 << i), height));
        let chart = Chart::new("", Axis::log2("n"), Axis::linear("y"))
            .curve("low", line(1.0))
            .curve("high", line(9.0));
        assert_eq!(names(&chart), ["low", "high"]);
        let chart =
            Chart::new("", Axis::log2("n"), Axis::linear("y")).curve("a", line(1.0)).curve("b", line(1.0));
        assert_eq!(names(&chart), [""; 0]);
    }
}

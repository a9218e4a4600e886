//! Texts that plotters does not place: names at the ends of curves that do not overlap, and
//! names above marks and brackets.

use crate::axis::Span;
use crate::chart::Chart;

/// Height of the letters of ticks and names.
pub(crate) const TICK_EM: f64 = 11.0;

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

/// A position in units.
pub(crate) type Point = (f64, f64);

/// A text and its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placed {
    pub(crate) at: Point,
    pub(crate) text: String,
}

/// Half the height of a name's box.
const HALF_HEIGHT: f64 = 6.5;
const STRIP_ROW: f64 = 15.0;
/// Height of a bracket below its name.
pub(crate) const BRACKET: f64 = 7.0;

/// The width of a text, estimated from the widths of Noto Sans: viewers draw an SVG with
/// their own fonts, so more digits would not be more exact.
pub(crate) fn width(text: &str, em: f64) -> f64 {
    let share = |c: char| match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' | '!' => 0.27,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '/' | '-' => 0.36,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.87,
        'A'..='Z' => 0.64,
        '\u{2e80}'.. => 1.0,
        _ => 0.57,
    };
    text.chars().map(share).sum::<f64>() * em
}

/// `text` in lines that are at most `space` wide, as far as its words are.
pub(crate) fn wrapped(text: &str, em: f64, space: f64) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut filled = String::new();
        for word in line.split_whitespace() {
            let longer = if filled.is_empty() { word.to_owned() } else { format!("{filled} {word}") };
            if width(&longer, em) > space && !filled.is_empty() {
                lines.push(std::mem::replace(&mut filled, word.to_owned()));
            } else {
                filled = longer;
            }
        }
        lines.push(filled);
    }
    lines
}

/// A name's box: its middle and half its width.
#[derive(Debug, Clone, Copy)]
struct LabelBox {
    middle: Point,
    half_width: f64,
}

impl LabelBox {
    fn overlaps(&self, other: &LabelBox) -> bool {
        (self.middle.0 - other.middle.0).abs() < self.half_width + other.half_width + 2.0
            && (self.middle.1 - other.middle.1).abs() < 2.0 * HALF_HEIGHT
    }

    /// How many of six places along the segment are in the box.
    fn covered(&self, (from, to): (Point, Point)) -> usize {
        let inside = |share: f64| {
            let (x, y) = (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
            (x - self.middle.0).abs() < self.half_width + 1.0 && (y - self.middle.1).abs() < HALF_HEIGHT
        };
        (0..6).filter(|step| inside(f64::from(*step) / 5.0)).count()
    }
}

/// A name at the end of a curve, and a thin line to the end if the name is not next to it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EndLabel {
    pub(crate) index: usize,
    pub(crate) name: Placed,
    pub(crate) leader: Option<(Point, Point)>,
}

/// With more curves, names are only next to the ends: lines to names would hide the curves.
const MAX_LED: usize = 16;

/// The names of `curves` (index, name, places of its points) at their ends, next to or above
/// them. If there is no space for all, the first, the last and evenly chosen others are placed.
pub(crate) fn at_ends(curves: &[(usize, String, Vec<Point>)], plot: Area, right: f64) -> Vec<EndLabel> {
    let lines = curves.iter().flat_map(|curve| curve.2.windows(2).map(|pair| (pair[0], pair[1])));
    let points = curves.iter().flat_map(|curve| curve.2.iter().map(|point| (*point, *point)));
    let obstacles: Vec<(Point, Point)> = lines.chain(points).collect();
    let mut taken: Vec<(usize, LabelBox)> = Vec::new();
    let is_led = curves.len() <= MAX_LED;
    for at in if is_led { (0..curves.len()).collect() } else { by_halves(curves.len()) } {
        let (_, text, places) = &curves[at];
        let Some(&(x, y)) = places.last().filter(|_| !text.is_empty()) else { continue };
        let half_width = width(text, TICK_EM) / 2.0;
        let steps = (0..if is_led { 40 } else { 2 }).flat_map(|step| [-f64::from(step), f64::from(step)]);
        let candidates = steps.map(|step| step * 3.25).flat_map(|down| {
            let all = [
                (7.0 + half_width, down),
                (0.0, down - 12.0),
                (24.0 + half_width, down),
                (-7.0 - half_width, down),
            ];
            all.into_iter().take(if is_led { 4 } else { 1 })
        });
        let boxes = candidates.map(|(across, down)| LabelBox { middle: (x + across, y + down), half_width });
        let inside = |place: &LabelBox| {
            place.middle.0 + half_width <= right
                && place.middle.0 - half_width >= plot.left
                && place.middle.1 - HALF_HEIGHT >= plot.top - 8.0
                && place.middle.1 + HALF_HEIGHT <= plot.bottom + 6.0
        };
        let free =
            boxes.filter(|place| inside(place) && !taken.iter().any(|(_, other)| place.overlaps(other)));
        let cost = |place: &LabelBox| {
            let (across, down) = (place.middle.0 - x, place.middle.1 - y);
            let away = down.abs()
                + (across.abs() - half_width - 7.0).abs() * 0.5
                + if across < 0.0 { 8.0 } else { 0.0 };
            away + 9.0 * obstacles.iter().map(|line| place.covered(*line)).sum::<usize>() as f64
        };
        if let Some(best) = free.min_by(|a, b| cost(a).total_cmp(&cost(b))) {
            taken.push((at, best));
        }
    }
    untangle(&mut taken, curves);
    let label = |(at, place): (usize, LabelBox)| {
        let ((index, text, places), (middle_x, middle_y)) = (&curves[at], place.middle);
        let (x, y) = places.last().copied().unwrap_or(place.middle);
        let (left, right) = (middle_x - place.half_width, middle_x + place.half_width);
        let is_far = (middle_y - y).abs() > 14.0 || left - x > 14.0 || x - right > 14.0;
        let edge = if left > x {
            (left - 2.0, middle_y)
        } else {
            (middle_x, middle_y - HALF_HEIGHT.copysign(middle_y - y))
        };
        EndLabel {
            index: *index,
            name: Placed { at: place.middle, text: text.clone() },
            leader: is_far.then_some(((x, y), edge)),
        }
    };
    taken.into_iter().map(label).collect()
}

/// Names in one column get the order of their curves' ends, so that their lines do not cross;
/// where ends coincide, the later curve is above.
fn untangle(taken: &mut [(usize, LabelBox)], curves: &[(usize, String, Vec<Point>)]) {
    let end = |at: usize| curves[at].2.last().copied().unwrap_or_default();
    let column = |(at, place): &(usize, LabelBox)| {
        let (left, x) = (place.middle.0 - place.half_width, end(*at).0);
        (left > x).then(|| (left.round() as i64, x.round() as i64))
    };
    let mut columns: Vec<_> = taken.iter().filter_map(column).collect();
    columns.sort_unstable();
    columns.dedup();
    for key in columns {
        let mut members: Vec<usize> = (0..taken.len()).filter(|i| column(&taken[*i]) == Some(key)).collect();
        let mut heights: Vec<f64> = members.iter().map(|i| taken[*i].1.middle.1).collect();
        heights.sort_by(f64::total_cmp);
        members.sort_by(|a, b| {
            end(taken[*a].0).1.total_cmp(&end(taken[*b].0).1).then(taken[*b].0.cmp(&taken[*a].0))
        });
        for (i, height) in members.into_iter().zip(heights) {
            taken[i].1.middle.1 = height;
        }
    }
}

/// All of `0..count`: the ends, then the middles between those before.
fn by_halves(count: usize) -> Vec<usize> {
    let mut order = Vec::new();
    let mut step = count.next_power_of_two().max(1);
    order.extend(count.checked_sub(1));
    while step > 0 {
        let next: Vec<usize> = (0..count).step_by(step).filter(|at| !order.contains(at)).collect();
        order.extend(next);
        step /= 2;
    }
    order
}

/// The names above marks and brackets, in as many rows as they need.
pub(crate) fn strip(
    chart: &Chart,
    x: &Span,
    (left, right): Point,
    width_of_all: f64,
    y: &mut f64,
) -> Vec<Placed> {
    let place = |value: f64| x.share(value).map(|share| left + share * (right - left));
    let marks = chart.marks.iter().map(|mark| (place(mark.at), &mark.label));
    let bands = chart.bands.iter().map(|band| {
        let ends = place(band.from).zip(place(band.to));
        (ends.map(|(from, to)| (from.max(left) + to.min(right)) / 2.0), &band.label)
    });
    let mut names: Vec<(f64, f64, String)> = Vec::new();
    for (at, label) in marks.chain(bands) {
        let half = width(label, TICK_EM) / 2.0;
        if let Some(at) = at.filter(|at| (left - 1.0..=right + 1.0).contains(at)) {
            names.push((at.min(width_of_all - 4.0 - half).max(4.0 + half), half, label.clone()));
        }
    }
    names.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut ends: Vec<f64> = Vec::new();
    let mut rows = Vec::new();
    for (at, half, _) in &names {
        let row = ends.iter().position(|end| at - half > end + 8.0).unwrap_or(ends.len());
        match ends.get_mut(row) {
            Some(end) => *end = at + half,
            None => ends.push(at + half),
        }
        rows.push(row);
    }
    let top = *y;
    *y += STRIP_ROW * ends.len() as f64 + if chart.bands.is_empty() { 0.0 } else { BRACKET };
    let row_y = |row: usize| top + STRIP_ROW * (ends.len() - 1 - row) as f64 + STRIP_ROW / 2.0;
    names.into_iter().zip(rows).map(|((at, _, text), row)| Placed { at: (at, row_y(row)), text }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_at_ends_do_not_overlap_and_the_first_and_last_are_always_placed() {
        let plot = Area { left: 0.0, top: 0.0, right: 600.0, bottom: 380.0 };
        let same = |_: usize| vec![(100.0, 200.0), (500.0, 200.0)];
        let fan = |at: usize| vec![(100.0, 300.0), (500.0, 40.0 + 5.0 * at as f64)];
        let stairs = |at: usize| vec![(10.0, 380.0), (100.0 + 30.0 * at as f64, 380.0)];
        let shapes: [&dyn Fn(usize) -> Vec<Point>; 3] = [&same, &fan, &stairs];
        for (shape, count, all) in [(0, 11, true), (1, 60, false), (2, 11, true), (0, 1, true), (0, 0, true)]
        {
            let curves: Vec<_> = (0..count).map(|at| (at, format!("{at} KiB"), shapes[shape](at))).collect();
            let labels = at_ends(&curves, plot, 660.0);
            assert!(!all || labels.len() == count, "{shape}: {} of {count}", labels.len());
            for end in [0, count.saturating_sub(1)].into_iter().filter(|end| *end < count) {
                assert!(labels.iter().any(|label| label.index == end), "{shape} {end}");
            }
            for (i, a) in labels.iter().enumerate() {
                for b in &labels[i + 1..] {
                    let of = |label: &EndLabel| LabelBox {
                        middle: label.name.at,
                        half_width: width(&label.name.text, TICK_EM) / 2.0,
                    };
                    assert!(!of(a).overlaps(&of(b)), "{a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn lines_are_wrapped_between_words() {
        let text = "one two three four\nfive";
        assert_eq!(wrapped(text, 10.0, 60.0), ["one two", "three four", "five"]);
        assert_eq!(wrapped("unbreakable-word", 10.0, 10.0), ["unbreakable-word"]);
    }
}

//! Texts that plotters does not place: names of curves, and in rows. Lengths are
//! in plotters' whole numbers, of which [`U`] make a pixel.

use std::ops::Range;

/// Plotters' coordinates are whole numbers; this many of them make one pixel of a picture in
/// its ordinary size.
pub(crate) const U: i32 = 4;

/// Height of a name's box, and the space between a curve's end and its name.
pub(crate) const HEIGHT: i32 = 13 * U;
pub(crate) const GAP: i32 = 7 * U;
/// How far a name may be above the plot.
const ABOVE: i32 = 20 * U;

pub(crate) type Pixel = (i32, i32);

/// The width of a text, estimated: viewers draw an SVG with their own fonts.
pub(crate) fn width(text: &str, em: i32) -> i32 {
    text.chars().map(|c| if c < '\u{2e80}' { em * 29 / 50 } else { em }).sum()
}

/// `text` in lines that are at most `space` wide, as far as its words are.
pub(crate) fn wrapped(text: &str, em: i32, space: i32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), em) <= space => *line += &format!(" {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A name of a curve.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EndName {
    pub(crate) index: usize,
    pub(crate) text: String,
    /// The point of the curve that it belongs to.
    pub(crate) end: Pixel,
    pub(crate) left: i32,
    pub(crate) width: i32,
    /// The height of its middle.
    pub(crate) y: i32,
}

impl EndName {
    /// Whether it is less than `height` above or below something from `left` on, of this width.
    fn meets(&self, (left, y): Pixel, width: i32, height: i32) -> bool {
        self.left < left + width + GAP / 2
            && left < self.left + self.width + GAP / 2
            && (self.y - y).abs() < height
    }
}

/// Most names of curves; of more curves, each second one, third one ... has a name.
const MAX_NAMES: usize = 16;

/// Names of curves that overlap neither each other nor the curves, as far as there is space. Those of
/// curves that end above each other are in the order of the ends.
pub(crate) fn placed(names: Vec<EndName>, lines: &[Vec<Pixel>], plot: &Range<i32>) -> Vec<EndName> {
    let step = names.len().div_ceil(MAX_NAMES);
    let mut names = Vec::from_iter(names.into_iter().rev().step_by(step.max(1)));
    // The points of curves, and the middles between them.
    let middle = |pair: &[Pixel]| ((pair[0].0 + pair[1].0) / 2, (pair[0].1 + pair[1].1) / 2);
    let points = lines.iter().flat_map(|line| line.iter().copied().chain(line.windows(2).map(middle)));
    let points = Vec::from_iter(points);
    // From right to left and from top to bottom; of equal ends, the later curve is above.
    names.sort_by_key(|name| (-name.end.0, name.end.1));
    let mut placed: Vec<EndName> = Vec::new();
    for column in names.chunk_by_mut(|a, b| a.end.0 == b.end.0) {
        // Apart: downwards from the first, then upwards from the lower edge.
        for at in 1..column.len() {
            column[at].y = column[at].y.max(column[at - 1].y + HEIGHT);
        }
        let mut lowest = plot.end - HEIGHT / 2;
        for name in column.iter_mut().rev() {
            name.y = name.y.min(lowest);
            lowest = name.y - HEIGHT;
        }
        for name in column {
            let is_apart = |name: &EndName| {
                (plot.start - ABOVE..=plot.end - HEIGHT / 2).contains(&name.y)
                    && !placed.iter().any(|other| name.meets((other.left, other.y), other.width, HEIGHT))
            };
            let is_free = |name: &EndName| {
                is_apart(name) && !points.iter().any(|point| name.meets(*point, 0, HEIGHT / 2))
            };
            let rows = (0..2 * MAX_NAMES as i32).flat_map(|rows| [-rows, rows]);
            let places =
                Vec::from_iter(rows.map(|rows| EndName { y: name.y + rows * HEIGHT / 2, ..name.clone() }));
            let place = places
                .iter()
                .find(|place| is_free(place))
                .or_else(|| places.iter().find(|place| is_apart(place)));
            placed.extend(place.cloned());
        }
    }
    placed
}

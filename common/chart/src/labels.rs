//! Texts that plotters does not place: names at the ends of curves, and in rows. Lengths are
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

/// A name to the right of a curve's end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EndName {
    pub(crate) index: usize,
    pub(crate) end: Pixel,
    pub(crate) width: i32,
    /// The height of its middle.
    pub(crate) y: i32,
}

impl EndName {
    /// Whether it is less than `height` above or below something from `left` on, of this width.
    fn meets(&self, (left, y): Pixel, width: i32, height: i32) -> bool {
        let own = self.end.0 + GAP;
        own < left + width + GAP / 2 && left < own + self.width + GAP / 2 && (self.y - y).abs() < height
    }
}

/// Most names at the ends of curves; of more curves, each second one, third one ... has a name.
const MAX_NAMES: usize = 16;

/// Names of curves that overlap neither each other nor the ends of other curves. Those of
/// curves that end above each other are in the order of the ends.
pub(crate) fn at_ends(names: Vec<EndName>, plot: &Range<i32>) -> Vec<EndName> {
    let (step, ends) = (names.len().div_ceil(MAX_NAMES), Vec::from_iter(names.iter().map(|name| name.end)));
    let mut names = Vec::from_iter(names.into_iter().rev().step_by(step.max(1)));
    // From right to left and from top to bottom; of equal ends, the later curve is above.
    names.sort_by_key(|name| (-name.end.0, name.end.1));
    let mut placed: Vec<EndName> = Vec::new();
    for column in names.chunk_by_mut(|a, b| a.end.0 == b.end.0) {
        // Apart: downwards from the first, then upwards from the lower edge.
        for at in 1..column.len() {
            column[at].y = column[at].y.max(column[at - 1].y + HEIGHT);
        }
        let mut lowest = plot.end;
        for name in column.iter_mut().rev() {
            name.y = name.y.min(lowest);
            lowest = name.y - HEIGHT;
        }
        for name in column {
            let is_free = |name: &EndName| {
                (plot.start - ABOVE..=plot.end).contains(&name.y)
                    && !ends.iter().any(|end| name.meets(*end, 0, HEIGHT / 2))
                    && !placed
                        .iter()
                        .any(|other| name.meets((other.end.0 + GAP, other.y), other.width, HEIGHT))
            };
            let rows = (0..MAX_NAMES as i32).flat_map(|rows| [-rows, rows]);
            let places = { rows }.map(|rows| EndName { y: name.y + rows * HEIGHT, ..name.clone() });
            placed.extend({ places }.find(is_free));
        }
    }
    placed
}

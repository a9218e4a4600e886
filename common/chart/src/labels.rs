//! Texts that plotters does not place: names at the ends of curves, and in rows.

use std::cmp::Ordering;

/// Height of the letters of ticks and names.
pub(crate) const TICK_EM: f64 = 11.0;
/// Height of a name's box.
const HEIGHT: f64 = 13.0;
/// How far a name may be above the plot.
const ABOVE: f64 = 20.0;
/// Space between a curve's end and its name.
const GAP: f64 = 7.0;

/// A position in units: pixels of a picture in its ordinary size.
pub(crate) type Point = (f64, f64);

/// A rectangle in units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

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

/// A name above or below a plot: the middle, and the row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row<'a> {
    pub(crate) middle: f64,
    pub(crate) row: usize,
    pub(crate) text: &'a str,
}

/// The names within `area`, from left to right, each in the first row that has space for it.
pub(crate) fn rows<'a>(names: &[(f64, &'a str)], area: Area) -> Vec<Row<'a>> {
    let mut ends: Vec<f64> = Vec::new();
    let mut place = |&(middle, text): &(f64, &'a str)| {
        let half = width(text, TICK_EM) / 2.0;
        let middle = middle.min(area.right - half).max(area.left + half);
        let row = ends.iter().position(|end| middle - half > end + GAP).unwrap_or(ends.len());
        ends.resize(ends.len().max(row + 1), 0.0);
        ends[row] = middle + half;
        Row { middle, row, text }
    };
    names.iter().map(&mut place).collect()
}

/// A name at the end of a curve: the curve's index, the end, and the middle of the name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct EndLabel {
    pub(crate) index: usize,
    pub(crate) end: Point,
    pub(crate) middle: Point,
    pub(crate) half_width: f64,
}

impl EndLabel {
    fn overlaps(&self, other: &EndLabel) -> bool {
        (self.middle.0 - other.middle.0).abs() < self.half_width + other.half_width + 2.0
            && (self.middle.1 - other.middle.1).abs() < HEIGHT - 0.1
    }

    fn covers(&self, point: Point) -> bool {
        (self.middle.0 - point.0).abs() < self.half_width + 2.0
            && (self.middle.1 - point.1).abs() < HEIGHT / 2.0
    }
}

/// Names at the ends of curves (index, name, end), which do not overlap and cover few of
/// `points`. Names of curves that end above each other are in a column, in the order of the
/// ends; a column without space for all has the first, the last, and evenly chosen others.
pub(crate) fn at_ends(curves: &[(usize, String, Point)], points: &[Point], plot: Area) -> Vec<EndLabel> {
    let label = |(index, name, end): &(usize, String, Point)| {
        let (index, end, half_width) = (*index, *end, width(name, TICK_EM) / 2.0);
        EndLabel { index, end, middle: (end.0 + GAP + half_width, end.1), half_width }
    };
    let named = curves.iter().filter(|(_, name, _)| !name.is_empty());
    let mut labels: Vec<EndLabel> = named.map(label).collect();
    // From right to left and from top to bottom; of equal ends, the later curve is above.
    let key = |label: &EndLabel| [-label.end.0, label.end.1, -(label.index as f64)];
    labels.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(Ordering::Equal));
    let mut placed: Vec<EndLabel> = Vec::new();
    for column in labels.chunk_by(|a, b| (a.end.0 - b.end.0).abs() < 1.0) {
        let space = (((plot.bottom - plot.top) / HEIGHT) as usize).max(2);
        let (step, last) = (column.len().div_ceil(space), column.len() - 1);
        let chosen =
            column.iter().enumerate().filter(|(at, _)| *at == last || at % step == 0 && at + step <= last);
        let mut column: Vec<EndLabel> = chosen.map(|(_, label)| *label).collect();
        spread(&mut column, plot);
        // Beside the ends, or centred above or below them.
        let moved = |&(is_centred, rows): &(bool, i32)| {
            let at = |label: &EndLabel| {
                let across = if is_centred { label.end.0 } else { label.middle.0 };
                (across, label.middle.1 + f64::from(rows) * HEIGHT)
            };
            Vec::from_iter(column.iter().map(|label| EndLabel { middle: at(label), ..*label }))
        };
        let is_free = |label: &EndLabel| {
            (plot.top - ABOVE..=plot.bottom + 0.1).contains(&label.middle.1)
                && !placed.iter().any(|other| label.overlaps(other))
        };
        let cost = |choice: &(bool, i32)| {
            let covered = |label: &EndLabel| points.iter().filter(|point| label.covers(**point)).count();
            let covered: usize = moved(choice).iter().map(covered).sum();
            choice.1.unsigned_abs() as usize + usize::from(choice.0) + 3 * covered
        };
        let choices =
            [false, true].into_iter().flat_map(|is_centred| (-8..=8).map(move |rows| (is_centred, rows)));
        let best = { choices }.filter(|choice| moved(choice).iter().all(is_free)).min_by_key(cost);
        placed.extend(best.iter().flat_map(moved));
    }
    placed
}

/// Moves the names of a column apart, as near to their ends as possible.
fn spread(column: &mut [EndLabel], plot: Area) {
    let mut next = f64::NEG_INFINITY;
    for label in column.iter_mut() {
        label.middle.1 = label.middle.1.max(next);
        next = label.middle.1 + HEIGHT;
    }
    let moved: f64 = column.iter().map(|label| label.middle.1 - label.end.1).sum();
    let top = column.first().map_or(0.0, |label| label.middle.1 - plot.top).max(0.0);
    let up = (moved / column.len() as f64).min(top);
    let mut lowest = plot.bottom;
    for label in column.iter_mut().rev() {
        label.middle.1 = (label.middle.1 - up).min(lowest);
        lowest = label.middle.1 - HEIGHT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_at_ends_do_not_overlap_and_the_first_and_last_are_always_placed() {
        let plot = Area { left: 0.0, top: 0.0, right: 600.0, bottom: 380.0 };
        let same: fn(usize) -> Point = |_| (500.0, 200.0);
        let fan: fn(usize) -> Point = |at| (500.0, 40.0 + 5.0 * at as f64);
        let stairs: fn(usize) -> Point = |at| (100.0 + 30.0 * at as f64, 380.0);
        for (end, count, all) in
            [(same, 11, true), (fan, 60, false), (stairs, 11, true), (same, 1, true), (same, 0, true)]
        {
            let curves = Vec::from_iter((0..count).map(|at| (at, format!("{at} KiB"), end(at))));
            let labels = at_ends(&curves, &[], plot);
            assert!(!all || labels.len() == count, "{} of {count}", labels.len());
            for end in [0, count.saturating_sub(1)].into_iter().filter(|end| *end < count) {
                assert!(labels.iter().any(|label| label.index == end), "{end} of {count}");
            }
            for (i, a) in labels.iter().enumerate() {
                assert!(!labels[i + 1..].iter().any(|b| a.overlaps(b)), "{a:?}");
            }
        }
    }

    #[test]
    fn lines_are_wrapped_between_words() {
        let text = "one two three four\nfive";
        assert_eq!(wrapped(text, 10.0, 60.0), ["one two", "three four", "five"]);
        assert_eq!(wrapped("unbreakable-word", 10.0, 10.0), ["unbreakable-word"]);
    }

    #[test]
    fn names_without_space_in_one_row_are_in_several() {
        let area = Area { left: 0.0, top: 0.0, right: 100.0, bottom: 0.0 };
        let rows = rows(&[(20.0, "short"), (40.0, "a longer name"), (99.0, "end")], area);
        assert_eq!(rows.iter().map(|row| row.row).collect::<Vec<_>>(), [0, 1, 0]);
        assert!(rows[2].middle < 95.0, "{rows:?}");
    }
}

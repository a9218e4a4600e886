//! The styles that distinguish curves: colour, marker and dash together, so that one of the
//! three is enough in print or for colour-blind readers.

use super::canvas::Point;
use super::ink::Colour;

pub(super) const TEXT: Colour = Colour(0x1f, 0x24, 0x2a);
pub(super) const SOFT: Colour = Colour(0x55, 0x5d, 0x66);
pub(super) const GRID: Colour = Colour(0xe4, 0xe7, 0xeb);
pub(super) const BAND: Colour = Colour(0xf1, 0xf4, 0xf8);
/// The colours of a panel's own curve and of the pale curves behind it.
pub(super) const STRONG: Colour = Colour(0x00, 0x5a, 0x8f);
pub(super) const PALE: Colour = Colour(0xcd, 0xd3, 0xda);
pub(super) const PAPER: Colour = Colour(0xff, 0xff, 0xff);

/// Okabe and Ito's palette without its yellow, which is hardly visible on white paper:
/// colours that can be distinguished with the common forms of colour blindness.
const DISTINCT: [Colour; 7] = [
    Colour(0x00, 0x72, 0xb2),
    Colour(0xd5, 0x5e, 0x00),
    Colour(0x00, 0x9e, 0x73),
    Colour(0xb5, 0x4f, 0x8c),
    Colour(0x00, 0x00, 0x00),
    Colour(0x3d, 0x9f, 0xd8),
    Colour(0xc4, 0x8a, 0x00),
];

/// For many curves in order (array sizes): from pale to dark, with changing hue.
const RAMP: [Colour; 6] = [
    Colour(0xe0, 0x9a, 0x1c),
    Colour(0xd6, 0x5a, 0x31),
    Colour(0xb0, 0x33, 0x5f),
    Colour(0x72, 0x2e, 0x85),
    Colour(0x34, 0x3c, 0x94),
    Colour(0x0b, 0x25, 0x45),
];

/// Lengths of dashes and gaps; an empty pattern is a solid line.
const DASHES: [&[f64]; 5] = [&[], &[7.0, 3.0], &[2.0, 2.5], &[9.0, 3.0, 2.0, 3.0], &[13.0, 3.0]];

/// The marker's shape at each point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Marker {
    Circle,
    Square,
    Up,
    Diamond,
    Down,
}

const MARKERS: [Marker; 5] = [Marker::Circle, Marker::Square, Marker::Up, Marker::Diamond, Marker::Down];

/// The style of one curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Look {
    pub(super) colour: Colour,
    pub(super) dash: &'static [f64],
    pub(super) marker: Marker,
    /// In the second round, markers are hollow.
    pub(super) hollow: bool,
    /// Half a marker's width.
    pub(super) size: f64,
    /// The line's width.
    pub(super) width: f64,
}

/// Half a marker's width, and a line's width, if curves are in separate panels.
const SIZE: f64 = 3.6;
const LINE: f64 = 1.8;

impl Look {
    /// The style of curve `index` out of `count`.
    pub(super) fn of(index: usize, count: usize) -> Look {
        let colour = if count <= DISTINCT.len() {
            DISTINCT[index % DISTINCT.len()]
        } else {
            ramp(index as f64 / (count - 1) as f64)
        };
        Look {
            colour,
            dash: DASHES[index % DASHES.len()],
            marker: MARKERS[index % MARKERS.len()],
            hollow: (index / MARKERS.len()) % 2 == 1,
            size: SIZE,
            width: LINE,
        }
    }

    /// The style of curve `index` of `count` in one plot. If two curves coincide, both are
    /// visible: the second's points are inside the rings of the first, its thin dashes on a
    /// broad line.
    pub(super) fn overlaid(index: usize, count: usize) -> Look {
        let plain = Look::of(index, count);
        match (index, count) {
            (0, 2) => Look { hollow: true, size: 5.2, width: 2.8, ..plain },
            (1, 2) => Look { marker: Marker::Diamond, size: 2.2, width: 1.3, ..plain },
            _ => plain,
        }
    }
}

impl Marker {
    /// Its outline around the origin, for a circle of radius 1; empty for a circle.
    pub(super) fn outline(self) -> &'static [Point] {
        match self {
            Marker::Circle => &[],
            Marker::Square => &[(-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)],
            Marker::Up => &[(0.0, -1.2), (1.1, 0.75), (-1.1, 0.75)],
            Marker::Diamond => &[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
            Marker::Down => &[(0.0, 1.2), (-1.1, -0.75), (1.1, -0.75)],
        }
    }
}

/// The colour of the scale at `share`, 0 to 1.
fn ramp(share: f64) -> Colour {
    let at = share.clamp(0.0, 1.0) * (RAMP.len() - 1) as f64;
    let (from, to) = (RAMP[at.floor() as usize], RAMP[at.ceil() as usize]);
    let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * at.fract()).round() as u8;
    Colour(mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}

/// Splits a line into the dashes of a pattern.
pub(super) fn dashes(line: &[Point], pattern: &[f64]) -> Vec<Vec<Point>> {
    if pattern.iter().sum::<f64>() <= 0.0 {
        return vec![line.to_vec()];
    }
    let mut lengths = pattern.iter().copied().cycle();
    let (mut left, mut drawn) = (lengths.next().unwrap_or(1.0), true);
    let mut pieces: Vec<Vec<Point>> = line.first().map(|p| vec![*p]).into_iter().collect();
    for pair in line.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        loop {
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            if length < left {
                left -= length;
                break;
            }
            let share = if length > 0.0 { left / length } else { 1.0 };
            from = (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
            match pieces.last_mut().filter(|_| drawn) {
                Some(piece) => piece.push(from),
                None => pieces.push(vec![from]),
            }
            drawn = !drawn;
            left = lengths.next().unwrap_or(1.0);
        }
        if let Some(piece) = pieces.last_mut().filter(|_| drawn) {
            piece.push(to);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dashed_line_starts_drawn_turns_corners_and_has_its_share() {
        let line = [(0.0, 0.0), (5.0, 0.0), (5.0, 5.0)];
        let pieces = dashes(&line, &[6.0, 2.0]);
        assert_eq!(pieces, [vec![(0.0, 0.0), (5.0, 0.0), (5.0, 1.0)], vec![(5.0, 3.0), (5.0, 5.0)]]);
        assert_eq!(dashes(&line, &[]), [line.to_vec()]);
    }

    #[test]
    fn no_two_of_twelve_curves_look_the_same_without_colour() {
        let looks: Vec<Look> = (0..12).map(|i| Look::of(i, 12)).collect();
        for (i, a) in looks.iter().enumerate().take(10) {
            for b in &looks[i + 1..10] {
                assert!((a.marker, a.hollow) != (b.marker, b.hollow), "{a:?} {b:?}");
            }
        }
        assert!(looks.windows(2).all(|pair| pair[0].colour != pair[1].colour));
    }

    #[test]
    fn of_two_curves_that_coincide_both_are_seen() {
        let [first, second] = [0, 1].map(|index| Look::overlaid(index, 2));
        // The second's markers leave space between them and the ring of the first.
        assert!(first.hollow && second.size * 1.25 < first.size - super::super::draw::RING);
        assert!(second.width < first.width && first.dash.is_empty() && !second.dash.is_empty());
        assert_eq!(Look::overlaid(1, 3), Look::of(1, 3));
    }
}

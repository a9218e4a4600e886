//! Reads glyphs from a TrueType font: as much of the format as the embedded fonts
//! use (cmap format 4, glyf). Source of the tables' layout: the OpenType
//! specification, 1.9. What is cut off or unknown is no glyph.

/// A place in units of the font, y upwards.
pub(super) type Point = (f32, f32);

/// A font in memory; the fields are places of its tables.
#[derive(Debug)]
pub(super) struct Face {
    data: &'static [u8],
    cmap: usize,
    glyf: usize,
    loca: usize,
    hmtx: usize,
    /// Glyphs that have an advance of their own; the rest share the last one's.
    advances: usize,
    long_loca: bool,
    /// Units in the side of the em square.
    pub(super) units_per_em: f32,
}

/// A piece of an outline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Piece {
    Line(Point, Point),
    /// Start, control point, end.
    Curve(Point, Point, Point),
}

impl Piece {
    /// The points that it is drawn by.
    pub(super) fn points(self) -> impl Iterator<Item = Point> {
        let (from, control, to) = match self {
            Piece::Line(from, to) => (from, None, to),
            Piece::Curve(from, control, to) => (from, Some(control), to),
        };
        [Some(from), control, Some(to)].into_iter().flatten()
    }

    /// The same piece elsewhere.
    pub(super) fn map(self, place: impl Fn(Point) -> Point) -> Piece {
        match self {
            Piece::Line(from, to) => Piece::Line(place(from), place(to)),
            Piece::Curve(from, control, to) => Piece::Curve(place(from), place(control), place(to)),
        }
    }
}

/// Reads numbers one after the other.
struct Reader {
    data: &'static [u8],
    at: usize,
}

impl Reader {
    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let bytes = self.data.get(self.at..)?.first_chunk().copied()?;
        self.at += N;
        Some(bytes)
    }

    fn u8(&mut self) -> Option<u8> {
        self.bytes().map(u8::from_be_bytes)
    }

    fn u16(&mut self) -> Option<u16> {
        self.bytes().map(u16::from_be_bytes)
    }

    fn i16(&mut self) -> Option<i16> {
        self.bytes().map(i16::from_be_bytes)
    }

    /// A number of 2 bits before and 14 behind the point.
    fn fraction(&mut self) -> Option<f32> {
        Some(f32::from(self.i16()?) / 16384.0)
    }
}

impl Face {
    /// The font in `data`; `None` if a table is missing.
    pub(super) fn parse(data: &'static [u8]) -> Option<Face> {
        let tables = usize::from(Reader { data, at: 4 }.u16()?);
        let table = |tag: &[u8; 4]| {
            let mut entries = (0..tables).map(|index| Reader { data, at: 12 + 16 * index });
            let mut entry = entries.find_map(|mut entry| (&entry.bytes()? == tag).then_some(entry))?;
            entry.at += 4;
            entry.bytes().map(|bytes| u32::from_be_bytes(bytes) as usize)
        };
        let head = table(b"head")?;
        let cmap = table(b"cmap")?;
        let maps = usize::from(Reader { data, at: cmap + 2 }.u16()?);
        let unicode = (0..maps).find_map(|index| {
            let mut entry = Reader { data, at: cmap + 4 + 8 * index };
            let kind = (entry.u16()?, entry.u16()?);
            let at = cmap + entry.bytes().map(u32::from_be_bytes)? as usize;
            (kind == (3, 1) && Reader { data, at }.u16()? == 4).then_some(at)
        });
        Some(Face {
            data,
            cmap: unicode?,
            glyf: table(b"glyf")?,
            loca: table(b"loca")?,
            hmtx: table(b"hmtx")?,
            advances: usize::from(Reader { data, at: table(b"hhea")? + 34 }.u16()?),
            long_loca: Reader { data, at: head + 50 }.u16()? == 1,
            units_per_em: f32::from(Reader { data, at: head + 18 }.u16()?),
        })
    }

    fn reader(&self, at: usize) -> Reader {
        Reader { data: self.data, at }
    }

    fn u16(&self, at: usize) -> Option<u16> {
        self.reader(at).u16()
    }

    /// The number of the glyph for `c`, if the font has one.
    pub(super) fn glyph(&self, c: char) -> Option<u16> {
        let c = u16::try_from(u32::from(c)).ok()?;
        let width = usize::from(self.u16(self.cmap + 6)?);
        let ends = self.cmap + 14;
        let segment = (0..width).step_by(2).find(|&i| self.u16(ends + i).is_some_and(|end| end >= c))?;
        let starts = ends + width + 2 + segment;
        let (start, shift) = (self.u16(starts)?, self.u16(starts + width)?);
        let place = starts + 2 * width;
        let glyph = match (c.checked_sub(start)?, usize::from(self.u16(place)?)) {
            (_, 0) => c.wrapping_add(shift),
            (index, offset) => match self.u16(place + offset + 2 * usize::from(index))? {
                0 => 0,
                glyph => glyph.wrapping_add(shift),
            },
        };
        (glyph != 0).then_some(glyph)
    }

    /// From one glyph's origin to the next one's, in units of the font.
    pub(super) fn advance(&self, glyph: u16) -> f32 {
        let index = usize::from(glyph).min(self.advances.saturating_sub(1));
        self.u16(self.hmtx + 4 * index).map_or(0.0, f32::from)
    }

    /// The glyph's closed outlines, one after the other.
    pub(super) fn outline(&self, glyph: u16) -> Vec<Piece> {
        let mut pieces = Vec::new();
        // A glyph may be made of others, which no font nests deeper.
        let _ = self.draw(glyph, &|point| point, 4, &mut pieces);
        pieces
    }

    /// Where the glyph is described; `None` if there is nothing to draw.
    fn place(&self, glyph: u16) -> Option<Reader> {
        let index = usize::from(glyph);
        let (from, to) = if self.long_loca {
            let mut reader = self.reader(self.loca + 4 * index);
            (u32::from_be_bytes(reader.bytes()?) as usize, u32::from_be_bytes(reader.bytes()?) as usize)
        } else {
            let mut reader = self.reader(self.loca + 2 * index);
            (2 * usize::from(reader.u16()?), 2 * usize::from(reader.u16()?))
        };
        (from < to).then(|| self.reader(self.glyf + from))
    }

    fn draw(&self, glyph: u16, map: &dyn Fn(Point) -> Point, depth: u8, out: &mut Vec<Piece>) -> Option<()> {
        let mut reader = self.place(glyph)?;
        let contours = reader.i16()?;
        reader.at += 8;
        match usize::try_from(contours) {
            Ok(contours) => simple(&mut reader, contours, map, out),
            Err(_) if depth > 0 => self.composite(&mut reader, map, depth - 1, out),
            Err(_) => None,
        }
    }

    /// A glyph made of others, each moved and perhaps scaled.
    fn composite(
        &self,
        reader: &mut Reader,
        map: &dyn Fn(Point) -> Point,
        depth: u8,
        out: &mut Vec<Piece>,
    ) -> Option<()> {
        const WORDS: u16 = 1;
        const SCALE: u16 = 8;
        const MORE: u16 = 32;
        const TWO_SCALES: u16 = 64;
        const MATRIX: u16 = 128;
        loop {
            let (flags, part) = (reader.u16()?, reader.u16()?);
            let (right, up) = if flags & WORDS != 0 {
                (reader.i16()?, reader.i16()?)
            } else {
                let [right, up] = reader.bytes()?.map(|byte: u8| i16::from(byte.cast_signed()));
                (right, up)
            };
            let mut matrix = [1.0, 0.0, 0.0, 1.0];
            if flags & SCALE != 0 {
                let scale = reader.fraction()?;
                matrix = [scale, 0.0, 0.0, scale];
            } else if flags & TWO_SCALES != 0 {
                matrix = [reader.fraction()?, 0.0, 0.0, reader.fraction()?];
            } else if flags & MATRIX != 0 {
                matrix = [reader.fraction()?, reader.fraction()?, reader.fraction()?, reader.fraction()?];
            }
            let [xx, xy, yx, yy] = matrix;
            let moved =
                |(x, y): Point| map((x * xx + y * yx + f32::from(right), x * xy + y * yy + f32::from(up)));
            // A part that is empty or broken leaves the others.
            let _ = self.draw(part, &moved, depth, out);
            if flags & MORE == 0 {
                return Some(());
            }
        }
    }
}

/// A glyph of `contours` closed curves.
fn simple(
    reader: &mut Reader,
    contours: usize,
    map: &dyn Fn(Point) -> Point,
    out: &mut Vec<Piece>,
) -> Option<()> {
    const ON_CURVE: u8 = 1;
    const REPEAT: u8 = 8;
    let ends: Vec<usize> = (0..contours).map(|_| reader.u16().map(usize::from)).collect::<Option<_>>()?;
    let points = ends.last()? + 1;
    let instructions = usize::from(reader.u16()?);
    reader.at += instructions;
    let mut flags = Vec::new();
    while flags.len() < points {
        let flag = reader.u8()?;
        let times = if flag & REPEAT != 0 { usize::from(reader.u8()?) } else { 0 };
        flags.resize((flags.len() + 1 + times).min(points), flag);
    }
    let xs = coordinates(reader, &flags, 2, 16)?;
    let ys = coordinates(reader, &flags, 4, 32)?;
    let point = |i: usize| (map((xs[i], ys[i])), flags[i] & ON_CURVE != 0);
    let mut from = 0;
    for end in ends {
        let contour: Vec<(Point, bool)> = (from..(end + 1).min(points)).map(point).collect();
        trace(&contour, out);
        from = end + 1;
    }
    Some(())
}

/// Coordinates stand as differences: a byte with its sign in the flags (`short`),
/// a word, or none if the `same` bit says so.
fn coordinates(reader: &mut Reader, flags: &[u8], short: u8, same: u8) -> Option<Vec<f32>> {
    let mut at = 0i16;
    let mut next = |flag: &u8| {
        let step = match (flag & short != 0, flag & same != 0) {
            (true, true) => i16::from(reader.u8()?),
            (true, false) => -i16::from(reader.u8()?),
            (false, true) => 0,
            (false, false) => reader.i16()?,
        };
        at = at.wrapping_add(step);
        Some(f32::from(at))
    };
    flags.iter().map(&mut next).collect()
}

/// The pieces of a closed contour. Between two control points lies an end that is
/// not written down: their middle.
fn trace(contour: &[(Point, bool)], out: &mut Vec<Piece>) {
    let (Some(&(first, first_on)), Some(&(last, last_on))) = (contour.first(), contour.last()) else {
        return;
    };
    let middle = |a: Point, b: Point| ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0);
    let start = match (first_on, last_on) {
        (true, _) => first,
        (false, true) => last,
        (false, false) => middle(first, last),
    };
    let (mut at, mut control) = (start, None);
    for &(point, on) in contour.iter().chain([&(start, true)]) {
        let end = match (control, on) {
            (None, false) => {
                control = Some(point);
                continue;
            }
            (Some(control), false) => middle(control, point),
            (_, true) => point,
        };
        out.push(control.map_or(Piece::Line(at, end), |control| Piece::Curve(at, control, end)));
        at = end;
        control = (!on).then_some(point);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outline_fills_the_box_that_the_font_gives_it() {
        for bytes in [super::super::REGULAR, super::super::BOLD] {
            let face = Face::parse(bytes).unwrap();
            let mut drawn = 0;
            for glyph in 0..428 {
                let Some(mut head) = face.place(glyph) else { continue };
                head.at += 2;
                let told = [(); 4].map(|()| f32::from(head.i16().unwrap()));
                let outline = face.outline(glyph);
                let ends = |side: fn(Point) -> f32| {
                    outline
                        .iter()
                        .flat_map(|piece| piece.points())
                        .map(side)
                        .fold((f32::MAX, f32::MIN), |(low, high), v| (low.min(v), high.max(v)))
                };
                let ((left, right), (low, high)) = (ends(|p| p.0), ends(|p| p.1));
                for (own, told) in [left, low, right, high].into_iter().zip(told) {
                    assert!((own - told).abs() <= 2.0, "glyph {glyph}: {own} instead of {told}");
                }
                drawn += 1;
            }
            assert!(drawn > 400, "{drawn}");
        }
    }

    #[test]
    fn a_font_that_is_cut_off_gives_nothing_and_does_no_harm() {
        for length in (0..super::super::REGULAR.len()).step_by(97) {
            let Some(face) = Face::parse(&super::super::REGULAR[..length]) else { continue };
            for c in ['A', '\u{e4}', '\u{4e00}', '\u{10348}'] {
                let glyph = face.glyph(c).unwrap_or_default();
                let (pieces, advance) = (face.outline(glyph), face.advance(glyph));
                assert!(pieces.len() < 500 && advance < 3000.0);
            }
        }
    }
}

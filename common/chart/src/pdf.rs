//! The chart as a page of PDF (ISO 32000-1): lines and text, with the standard font Helvetica, which every viewer has.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::error::Error;
use std::fmt::Write;

use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};

use crate::chart::Chart;
use crate::draw::{self, HALF_X, SIZE_OF_EM, TOP};
use crate::labels::U;

/// Widths of Helvetica's letters from the space to `~`, in thousandths of an em (Adobe's font metrics).
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
    500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
    556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
    278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
/// A point is 1/72 of an inch, a pixel 1/96.
const POINTS_PER_PIXEL: f64 = 0.75;
/// Circles are four Bézier curves with control points at this share of the radius.
const ROUND: f64 = 0.5523;

impl Chart {
    /// The chart as a PDF file's bytes, for papers and LaTeX: vectors, as large as the SVG. Letters that Windows-1252
    /// lacks are question marks.
    ///
    /// # Errors
    ///
    /// If it cannot be drawn; the sentence names the reason.
    pub fn pdf(&self) -> Result<Vec<u8>, String> {
        self.page().map_err(|error| format!("cannot draw the chart: {error}; draw it as .svg"))
    }

    fn page(&self) -> Result<Vec<u8>, Box<dyn Error>> {
        let (width, height) = self.sides();
        let scale = POINTS_PER_PIXEL / f64::from(U);
        let (mut content, mut opacities) = (format!("{scale} 0 0 {scale} 0 0 cm 1 j\n"), BTreeSet::new());
        draw::paint(Page { content: &mut content, opacities: &mut opacities, size: (width, height) }, self)?;
        let states = opacities
            .iter()
            .map(|share| format!("/O{share} << /CA {} /ca {0} >> ", f64::from(*share) / 100.0));
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {} {}] /Contents 5 0 R /Resources << /Font << /F 4 0 R >> /ExtGState << {}>> >> >>",
                f64::from(width) * scale,
                f64::from(height) * scale,
                String::from_iter(states)
            ),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
            format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len() + 1),
        ];
        let (mut file, mut places) = ("%PDF-1.4\n".to_owned(), String::new());
        for (number, object) in (1..).zip(&objects) {
            writeln!(places, "{:010} 00000 n ", file.len())?;
            write!(file, "{number} 0 obj\n{object}\nendobj\n")?;
        }
        let (table, count) = (file.len(), objects.len() + 1);
        write!(
            file,
            "xref\n0 {count}\n0000000000 65535 f \n{places}trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"
        )?;
        Ok(file.into_bytes())
    }
}

/// The operators of a page, in plotters' whole numbers.
struct Page<'a> {
    content: &'a mut String,
    /// In per cent.
    opacities: &'a mut BTreeSet<u8>,
    size: (i32, i32),
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl Page<'_> {
    fn add(&mut self, operators: &str) -> Drawn {
        *self.content += operators;
        self.content.push('\n');
        Ok(())
    }

    /// Sets the colour of lines (`RG`) or of areas and text (`rg`).
    fn colour(&mut self, BackendColor { alpha, rgb }: BackendColor, operator: &str) -> Drawn {
        let opacity = (alpha * 100.0).round() as u8;
        self.opacities.insert(opacity);
        let [red, green, blue] = [rgb.0, rgb.1, rgb.2].map(|part| f64::from(part) / 255.0);
        self.add(&format!("/O{opacity} gs {red:.3} {green:.3} {blue:.3} {operator}"))
    }

    /// Lines from point to point; heights of a page are counted from below.
    fn along(&self, points: impl IntoIterator<Item = BackendCoord>) -> String {
        let mut operators = ["m"].into_iter().chain(std::iter::repeat("l"));
        let step =
            |(x, y): BackendCoord| format!("{x} {} {} ", self.size.1 - y, operators.next().unwrap_or("l"));
        points.into_iter().map(step).collect()
    }

    fn line<S: BackendStyle>(&mut self, path: &str, style: &S) -> Drawn {
        self.colour(style.color(), "RG")?;
        self.add(&format!("{} w {path} S", style.stroke_width()))
    }

    fn area<S: BackendStyle>(&mut self, path: &str, style: &S) -> Drawn {
        self.colour(style.color(), "rg")?;
        self.add(&format!("{path} f"))
    }
}

impl DrawingBackend for Page<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.size.0 as u32, self.size.1 as u32)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Drawn {
        self.colour(colour, "rg")?;
        self.add(&format!("{x} {} 1 1 re f", self.size.1 - y))
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.line(&self.along([from, to]), style)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.line(&self.along(path), style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        one: BackendCoord,
        other: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let path = self.along([one, (other.0, one.1), other, (one.0, other.1)]) + "h";
        if fill { self.area(&path, style) } else { self.line(&path, style) }
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.area(&self.along(path), style)
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        at: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let (x, y, r) = (f64::from(at.0), f64::from(self.size.1 - at.1), f64::from(radius));
        let mut path = format!("{} {y} m", x + r);
        for (across, up) in [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)] {
            // From one end of a diameter to the next one, a quarter further.
            for (along, side) in [(1.0, ROUND), (ROUND, 1.0), (0.0, 1.0)] {
                let (right, above) = (along * across - side * up, along * up + side * across);
                path += &format!(" {:.1} {:.1}", x + r * right, y + r * above);
            }
            path += " c";
        }
        if fill { self.area(&path, style) } else { self.line(&path, style) }
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Drawn {
        let em = style.size() / SIZE_OF_EM;
        let codes = Vec::from_iter(text.chars().map(windows_1252));
        let width = codes
            .iter()
            .map(|code| f64::from(WIDTHS.get(usize::from(*code) - 32).map_or(556, |width| *width)));
        let share = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => 0.5,
            HPos::Right => 1.0,
        };
        let left = f64::from(x) - share * width.sum::<f64>() * em / 1000.0;
        let down = if matches!(style.anchor().v_pos, VPos::Top) { TOP } else { HALF_X };
        let baseline = f64::from(self.size.1 - y) - em * down;
        self.colour(style.color(), "rg")?;
        let digits = String::from_iter(codes.iter().map(|code| format!("{code:02x}")));
        self.add(&format!("BT /F {em:.1} Tf {left:.1} {baseline:.1} Td <{digits}> Tj ET"))
    }
}

/// The code of a letter in Windows-1252; of one that it lacks, that of a question mark.
fn windows_1252(letter: char) -> u8 {
    const OTHERS: [(char, u8); 6] =
        [('…', 0x85), ('•', 0x95), ('–', 0x96), ('—', 0x97), ('€', 0x80), ('−', b'-')];
    match u8::try_from(letter) {
        Ok(code @ (0x20..0x7f | 0xa0..)) => code,
        _ => OTHERS.iter().find(|(other, _)| *other == letter).map_or(b'?', |(_, code)| *code),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Axis, Chart};

    #[test]
    fn the_table_of_a_pdf_points_at_its_objects() {
        let chart = Chart::new("Misses – é 漢", Axis::bytes("stride"), Axis::linear("misses"));
        let chart =
            chart.curve("8 KiB", [(8.0, 1.0), (16.0, 2.0)]).curve("16 KiB", [(8.0, 2.0), (16.0, 3.0)]);
        let bytes = chart.pdf().unwrap();
        let text = str::from_utf8(&bytes).unwrap();
        let table = text.rsplit("startxref\n").next().unwrap().lines().next().unwrap();
        let rows = &text[table.parse::<usize>().unwrap()..];
        for (number, row) in (1..=5).zip(rows.lines().skip(3)) {
            let place: usize = row[..10].parse().unwrap();
            assert!(text[place..].starts_with(&format!("{number} 0 obj\n")), "{number}: {row}");
        }
        let length = text.split("/Length ").nth(1).unwrap().split(' ').next().unwrap();
        let stream = text.split("stream\n").nth(1).unwrap().strip_suffix("end").unwrap();
        assert_eq!(length.parse::<usize>().unwrap(), stream.len());
        assert!(text.contains("<4d6973736573209620e9203f>"), "the title");
        assert!(text.contains("/MediaBox [0 0 570 390]"));
    }
}

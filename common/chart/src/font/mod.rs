//! The embedded font: pictures need no font of the system, and widths are known
//! before anything is drawn. SVG viewers use their own; it is rarely wider.

mod face;

use std::sync::OnceLock;

use ab_glyph_rasterizer::{Rasterizer, point};

use face::{Face, Piece};

const REGULAR: &[u8] = include_bytes!("../../assets/NotoSans-Regular.ttf");
const BOLD: &[u8] = include_bytes!("../../assets/NotoSans-Bold.ttf");

/// What SVG viewers are asked for.
pub(super) const FAMILY: &str = "Noto Sans, Helvetica, Arial, sans-serif";

/// Half the height of a small x, over the em: text is placed by the middle of its
/// small letters.
const HALF_X: f32 = 0.268;

fn face(bold: bool) -> Option<&'static Face> {
    static FACES: [OnceLock<Option<Face>>; 2] = [OnceLock::new(), OnceLock::new()];
    let bytes = if bold { BOLD } else { REGULAR };
    FACES[usize::from(bold)].get_or_init(|| Face::parse(bytes)).as_ref()
}

/// `text` with the signs the font lacks written with ones it has.
fn spelled(font: &Face, text: &str) -> String {
    let mut spelled = String::new();
    for c in text.chars() {
        match (font.glyph(c), stand_in(c)) {
            (Some(_), _) => spelled.push(c),
            (None, Some(other)) => spelled.push_str(other),
            (None, None) => spelled.push('?'),
        }
    }
    spelled
}

/// What a sign that the font lacks can be written as.
fn stand_in(c: char) -> Option<&'static str> {
    match c {
        '\u{2212}' => Some("\u{2013}"),
        '\u{2248}' => Some("~"),
        '\u{2264}' => Some("<="),
        '\u{2265}' => Some(">="),
        '\u{2192}' => Some("->"),
        _ => None,
    }
}

/// The characters of `text` that are drawn as question marks.
pub(super) fn missing(text: &str) -> impl Iterator<Item = char> {
    let font = face(false);
    let is_drawn = move |c: char| font.is_none_or(|font| font.glyph(c).is_some()) || stand_in(c).is_some();
    text.chars().filter(move |c| !c.is_whitespace() && !is_drawn(*c))
}

/// The width of `text` at `em` pixels.
pub(super) fn width(text: &str, em: f64, bold: bool) -> f64 {
    let Some(font) = face(bold) else { return text.chars().count() as f64 * em * 0.6 };
    let scale = em / f64::from(font.units_per_em);
    glyphs(font, text).map(|glyph| f64::from(font.advance(glyph)) * scale).sum()
}

/// The glyphs of `text`, one after the other.
fn glyphs(font: &Face, text: &str) -> impl Iterator<Item = u16> {
    let spelled: Vec<char> = spelled(font, text).chars().collect();
    spelled.into_iter().map(|c| font.glyph(c).unwrap_or_default())
}

/// Sets `text` in dots: calls `dot(x, y, coverage)` for each pixel that it
/// touches, with its small letters' middle at `(left, middle)`.
pub(super) fn set(
    text: &str,
    em: f64,
    bold: bool,
    (left, middle): (f64, f64),
    mut dot: impl FnMut(i32, i32, f64),
) {
    let Some(font) = face(bold) else { return };
    let scale = em as f32 / font.units_per_em;
    let (mut x, baseline) = (left as f32, middle as f32 + HALF_X * em as f32);
    for glyph in glyphs(font, text) {
        let pieces: Vec<Piece> = font
            .outline(glyph)
            .into_iter()
            .map(|p| p.map(|(dx, dy)| (x + dx * scale, baseline - dy * scale)))
            .collect();
        fill(&pieces, &mut dot);
        x += font.advance(glyph) * scale;
    }
}

/// Fills closed outlines.
fn fill(pieces: &[Piece], dot: &mut impl FnMut(i32, i32, f64)) {
    let ends = |side: fn(face::Point) -> f32| {
        let sides = pieces.iter().flat_map(|piece| piece.points()).map(side);
        sides.fold((f32::MAX, f32::MIN), |(low, high), v| (low.min(v.floor()), high.max(v.ceil())))
    };
    let ((left, right), (top, bottom)) = (ends(|p| p.0), ends(|p| p.1));
    if left >= right || top >= bottom {
        return;
    }
    let mut raster = Rasterizer::new((right - left) as usize, (bottom - top) as usize);
    let at = |(x, y): face::Point| point(x - left, y - top);
    for piece in pieces {
        match *piece {
            Piece::Line(from, to) => raster.draw_line(at(from), at(to)),
            Piece::Curve(from, control, to) => raster.draw_quad(at(from), at(control), at(to)),
        }
    }
    raster.for_each_pixel_2d(|x, y, coverage| {
        dot(left as i32 + x as i32, top as i32 + y as i32, f64::from(coverage.min(1.0)));
    });
}

/// Breaks `text` into lines no wider than `most`; its own line breaks stay.
pub(super) fn wrap(text: &str, em: f64, bold: bool, most: f64) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if !line.is_empty() && width(&longer, em, bold) > most {
                lines.push(std::mem::replace(&mut line, word.to_owned()));
            } else {
                line = longer;
            }
        }
        if !line.is_empty() {
            lines.push(line);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_of_glyphs_not_of_bytes() {
        assert!(width("µ²", 12.0, false) < width("mmm", 12.0, false));
        assert!(width("mm", 12.0, true) > width("mm", 12.0, false));
        assert!((width("ab", 24.0, false) - 2.0 * width("ab", 12.0, false)).abs() < 0.1);
    }

    #[test]
    fn every_sign_the_kit_prints_is_in_the_font() {
        let font = face(false).unwrap();
        let signs = "µ²³×·–—…ąćęłńóśźżÇãéíç±Δ";
        assert_eq!(spelled(font, signs), signs);
        assert_eq!(spelled(font, "a \u{2264} \u{2212}1 \u{2192} \u{4e00}"), "a <= \u{2013}1 -> ?");
    }

    #[test]
    fn text_is_wrapped_between_words() {
        let lines = wrap("one two three\nfour", 12.0, false, width("one two", 12.0, false));
        assert_eq!(lines, ["one two", "three", "four"]);
        assert_eq!(wrap("indivisible", 12.0, false, 1.0), ["indivisible"]);
    }

    #[test]
    fn set_text_stays_within_its_width() {
        let (mut least, mut most) = (i32::MAX, i32::MIN);
        set("Hxg", 40.0, false, (10.0, 30.0), |x, _, _| (least, most) = (least.min(x), most.max(x)));
        assert!(least >= 9 && f64::from(most) <= 11.0 + width("Hxg", 40.0, false), "{least} {most}");
    }
}

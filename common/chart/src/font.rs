//! The embedded font: pictures need no font of the system, and text widths are known before
//! anything is drawn. SVG viewers use their own font, which is rarely wider.

use std::sync::OnceLock;

use ab_glyph::{Font, FontRef, GlyphId, PxScale, point};

const REGULAR: &[u8] = include_bytes!("../assets/NotoSans-Regular.ttf");
const BOLD: &[u8] = include_bytes!("../assets/NotoSans-Bold.ttf");
/// Font units per em, of both fonts.
const UNITS_PER_EM: f32 = 1000.0;

/// The font family for SVG viewers.
pub(super) const FAMILY: &str = "Noto Sans, Helvetica, Arial, sans-serif";

/// Half the x-height, as a share of the em: text is placed by the middle of its small
/// letters.
const HALF_X: f32 = 0.268;

fn face(bold: bool) -> Option<&'static FontRef<'static>> {
    static FACES: [OnceLock<Option<FontRef<'static>>>; 2] = [OnceLock::new(), OnceLock::new()];
    let bytes = if bold { BOLD } else { REGULAR };
    FACES[usize::from(bold)].get_or_init(|| FontRef::try_from_slice(bytes).ok()).as_ref()
}

/// Whether the font has a glyph for `c`; glyph 0 is the box for missing ones.
fn has(font: &FontRef<'_>, c: char) -> bool {
    font.glyph_id(c) != GlyphId(0)
}

/// `text`, with characters that the font lacks replaced by similar ones.
fn spelled(font: &FontRef<'_>, text: &str) -> String {
    let mut spelled = String::new();
    for c in text.chars() {
        match (has(font, c), substitute(c)) {
            (true, _) => spelled.push(c),
            (false, Some(other)) => spelled.push_str(other),
            (false, None) => spelled.push('?'),
        }
    }
    spelled
}

/// A replacement for a character that the font lacks.
fn substitute(c: char) -> Option<&'static str> {
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
    let is_drawn = move |c: char| font.is_none_or(|font| has(font, c)) || substitute(c).is_some();
    text.chars().filter(move |c| !c.is_whitespace() && !is_drawn(*c))
}

/// The width of `text` at `em` pixels.
pub(super) fn width(text: &str, em: f64, bold: bool) -> f64 {
    let Some(font) = face(bold) else { return text.chars().count() as f64 * em * 0.6 };
    glyphs(font, text).map(|glyph| f64::from(advance(font, glyph)) * em).sum()
}

/// A glyph's advance width, as a share of the em.
fn advance(font: &FontRef<'_>, glyph: GlyphId) -> f32 {
    font.h_advance_unscaled(glyph) / UNITS_PER_EM
}

/// The glyphs of `text`, one after the other.
fn glyphs(font: &FontRef<'_>, text: &str) -> impl Iterator<Item = GlyphId> {
    let spelled: Vec<char> = spelled(font, text).chars().collect();
    spelled.into_iter().map(|c| font.glyph_id(c))
}

/// Renders `text` as pixels: calls `dot(x, y, coverage)` for each pixel of it; the middle
/// of its small letters starts at `(left, middle)`.
pub(super) fn set(
    text: &str,
    em: f64,
    bold: bool,
    (left, middle): (f64, f64),
    mut dot: impl FnMut(i32, i32, f64),
) {
    let Some(font) = face(bold) else { return };
    let em = em as f32;
    let scale = PxScale::from(em * font.height_unscaled() / UNITS_PER_EM);
    let (mut x, baseline) = (left as f32, middle as f32 + HALF_X * em);
    for glyph in glyphs(font, text) {
        if let Some(outline) = font.outline_glyph(glyph.with_scale_and_position(scale, point(x, baseline))) {
            let corner = outline.px_bounds().min;
            outline.draw(|dx, dy, coverage| {
                dot(corner.x as i32 + dx as i32, corner.y as i32 + dy as i32, f64::from(coverage.min(1.0)));
            });
        }
        x += advance(font, glyph) * em;
    }
}

/// Wraps `text` into lines no wider than `most`; its own line breaks stay.
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
    fn the_em_is_that_of_both_fonts() {
        for bold in [false, true] {
            assert_eq!(face(bold).unwrap().units_per_em(), Some(UNITS_PER_EM));
        }
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

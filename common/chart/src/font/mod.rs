//! The embedded font: pictures need no font of the system, and widths are known
//! before anything is drawn. SVG viewers use their own; it is rarely wider.

use std::sync::OnceLock;

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};

const REGULAR: &[u8] = include_bytes!("../assets/NotoSans-Regular.ttf");
const BOLD: &[u8] = include_bytes!("../assets/NotoSans-Bold.ttf");

/// What SVG viewers are asked for.
pub(super) const FAMILY: &str = "Noto Sans, Helvetica, Arial, sans-serif";

/// Half the height of a small x, over the em: text is placed by the middle of its
/// small letters.
const HALF_X: f32 = 0.268;

fn face(bold: bool) -> Option<&'static FontRef<'static>> {
    static FACES: [OnceLock<Option<FontRef<'static>>>; 2] = [OnceLock::new(), OnceLock::new()];
    let bytes = if bold { BOLD } else { REGULAR };
    FACES[usize::from(bold)].get_or_init(|| FontRef::try_from_slice(bytes).ok()).as_ref()
}

/// ab_glyph scales by line height, texts are sized by the em.
fn scale(font: &FontRef<'_>, em: f32) -> PxScale {
    let units = font.units_per_em().unwrap_or(1000.0);
    PxScale::from(em * font.height_unscaled() / units)
}

/// `text` with the signs the font lacks written with ones it has.
fn spelled(font: &FontRef<'_>, text: &str) -> String {
    let mut spelled = String::new();
    for c in text.chars() {
        match c {
            _ if font.glyph_id(c).0 != 0 => spelled.push(c),
            '\u{2212}' => spelled.push('\u{2013}'),
            '\u{2248}' => spelled.push('~'),
            '\u{2264}' => spelled.push_str("<="),
            '\u{2265}' => spelled.push_str(">="),
            '\u{2192}' => spelled.push_str("->"),
            _ => spelled.push('?'),
        }
    }
    spelled
}

/// The width of `text` at `em` pixels.
pub(super) fn width(text: &str, em: f64, bold: bool) -> f64 {
    let Some(font) = face(bold) else { return text.chars().count() as f64 * em * 0.6 };
    let scaled = font.as_scaled(scale(font, em as f32));
    spelled(font, text).chars().map(|c| f64::from(scaled.h_advance(font.glyph_id(c)))).sum()
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
    let scale = scale(font, em as f32);
    let scaled = font.as_scaled(scale);
    let (mut x, baseline) = (left as f32, middle as f32 + HALF_X * em as f32);
    for c in spelled(font, text).chars() {
        let id = font.glyph_id(c);
        if let Some(outline) = font.outline_glyph(id.with_scale_and_position(scale, point(x, baseline))) {
            let corner = outline.px_bounds().min;
            outline.draw(|dx, dy, coverage| {
                dot(corner.x as i32 + dx as i32, corner.y as i32 + dy as i32, f64::from(coverage.min(1.0)));
            });
        }
        x += scaled.h_advance(id);
    }
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

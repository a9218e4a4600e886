//! The font, and the widths of texts. Lengths are in plotters' whole numbers, of which [`U`] make
//! a pixel.

/// Plotters' coordinates are whole numbers; this many of them make one pixel of a picture in
/// its ordinary size.
pub(crate) const U: i32 = 4;
/// The font for viewers of an SVG; the letters of its first name are embedded in PNG and PDF.
pub(crate) const FAMILY: &str = "Noto Sans, Helvetica, Arial, sans-serif";
/// The size that makes an em, for plotters.
pub(crate) const SIZE_OF_EM: f64 = 1.24;

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

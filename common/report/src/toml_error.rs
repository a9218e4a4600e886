//! Explains an error in a TOML text on one line.

/// A clause with the line and its text: ``line 3, `students = "three"`: invalid type: string
/// "three", expected u8``.
pub fn clause(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().lines().next().unwrap_or_default();
    let at = error.span().map_or(0, |span| span.start.min(text.len()));
    let before = text.get(..at).unwrap_or_default();
    let line = text[before.rfind('\n').map_or(0, |end| end + 1)..].lines().next().unwrap_or_default().trim();
    let shown = figures::text::shorten(line, 60);
    format!("line {}, `{shown}`: {message}", 1 + before.matches('\n').count())
}

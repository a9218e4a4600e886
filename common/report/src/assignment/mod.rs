//! An assignment as data: its questions, their order, and the sizes.

mod check;
mod definition;

pub use check::program;
pub use definition::{Assignment, Drawing, FieldKind, Question, Section, SheetPart, Sizes};
use figures::text::says_nothing;

/// The name of an assignment's format.
const FORMAT: &str = "cache-lab-assignment/1";
/// The guide's assignment.
pub const GUIDE: &str = include_str!("guide.toml");

impl Assignment {
    /// The guide's assignment.
    pub fn guide() -> Assignment {
        // A test shows that it can be read.
        Assignment::parse(GUIDE).unwrap_or_default()
    }

    /// Reads an assignment.
    ///
    /// # Errors
    ///
    /// If it is invalid; a clause, with the line if there is one.
    pub fn parse(text: &str) -> Result<Assignment, String> {
        if says_nothing(text) {
            return Err("there is nothing in it; start from the file that `lab assignment` prints".to_owned());
        }
        let read: Assignment = toml::from_str(text).map_err(|error| toml_error(text, &error))?;
        if read.format != FORMAT {
            return Err(format!(
                "its format is not \"{FORMAT}\"; start from the file that `lab assignment` prints"
            ));
        }
        check::sound(&read)?;
        Ok(read)
    }
}

/// An error in a TOML text: a clause with the line and its text: ``line 3, `students = "three"`: invalid type: string
/// "three", expected u8``.
pub fn toml_error(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().lines().next().unwrap_or_default();
    let at = error.span().map_or(0, |span| span.start.min(text.len()));
    let before = text.get(..at).unwrap_or_default();
    let line = text[before.rfind('\n').map_or(0, |end| end + 1)..].lines().next().unwrap_or_default().trim();
    let shown = figures::text::shorten(line, 60);
    format!("line {}, `{shown}`: {message}", 1 + before.matches('\n').count())
}

#[cfg(test)]
mod tests;

//! An assignment as data: its questions, their order and language, and the sizes.

mod check;
mod definition;

pub use check::program;
pub use definition::{Assignment, Drawing, Extent, Question, Section, SheetPart, Sizes};
use figures::text::says_nothing;

use crate::toml_error;

/// The name of an assignment's format.
const FORMAT: &str = "cache-lab-assignment/1";
/// The guide's assignment, by language; the first is the default.
pub const GUIDES: [(&str, &str); 2] =
    [("en", include_str!("guide.en.toml")), ("pt", include_str!("guide.pt.toml"))];

impl Assignment {
    /// The guide's assignment, in English.
    pub fn guide() -> Assignment {
        // A test shows that it can be read.
        Assignment::parse(GUIDES[0].1).unwrap_or_default()
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
        let read: Assignment = toml::from_str(text).map_err(|error| toml_error::clause(text, &error))?;
        if read.format != FORMAT {
            return Err(format!(
                "its format is not \"{FORMAT}\"; start from the file that `lab assignment` prints"
            ));
        }
        check::sound(&read)?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests;

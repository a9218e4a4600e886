//! Why a file cannot be read as a sweep.

use figures::encoding::NotText;
use figures::text::shorten;
use thiserror::Error;

use super::limits;
use crate::authentic::Changed;

/// The file cannot be read as a sweep.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SavedError {
    /// It has no rows.
    #[error("there is no row of a sweep in it; give what cm1 or spark has written")]
    Empty,
    /// No row has a figure that can be used.
    #[error("none of its rows has a figure that can be used: {0}")]
    NoFigures(String),
    /// One line cannot be understood.
    #[error("line {line} {what}: '{text}'")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong, as a clause.
        what: String,
        /// The beginning of the line.
        text: String,
    },
    /// Decimal points and commas, or a comma that can mean either.
    #[error("{0}; write all decimals with a point, and no separators of thousands")]
    Decimals(String),
    /// Several events, which have no curve in common.
    #[error("{0}; a sweep has one event: put each into its own file")]
    Events(String),
    /// A JSON text that is not the record of a sweep.
    #[error("{0}; give what cm1 or spark wrote with --record or --format json")]
    Json(String),
    /// The record of a sealed machine, changed.
    #[error(transparent)]
    Changed(#[from] Changed),
    /// Not a text.
    #[error(transparent)]
    NotText(#[from] NotText),
    /// Above one of the [`limits`].
    #[error("it has more than {0}, and no sweep of spark or cm1 has that many")]
    TooMuch(String),
}

/// A line that cannot be used.
pub(super) fn bad_line(line: usize, text: &str, what: impl Into<String>) -> SavedError {
    SavedError::Line { line, what: what.into(), text: shorten(text, limits::NAME) }
}

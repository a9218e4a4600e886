//! Why a file cannot be read as a sweep.

use figures::encoding::NotText;
use figures::text::shorten;
use thiserror::Error;

use super::limits;
use crate::authentic::Changed;

/// The message about times that were rounded to 0, with advice.
pub(super) const TOO_COARSE: &str = "have too few digits, being rounded to the table's decimals: \
    sweep with more --repeats, or save with --format csv, which rounds nothing";

/// The file cannot be read as a sweep.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SavedError {
    /// It is empty.
    #[error(
        "there is no row of a sweep in it; expected is the output of cm1 or spark: lines like \
         'cache_size=8192 stride=1 avg_misses=0.01 avg_time=0.003', or a table with a header like \
         'size stride elapsed(s) cycles'"
    )]
    Empty,
    /// Rows without any figure.
    #[error("its rows have no figure that can be used ({0}); give the file as cm1 or spark wrote it")]
    NoFigures(String),
    /// Two decimal separators, or one that is ambiguous.
    #[error("{0}; write decimals with a point, or all with a comma, and no separators of thousands")]
    Decimals(String),
    /// A unit that is not known.
    #[error(
        "line {line} calls a column '{name}', whose unit is not known; expected are bytes (B, KiB, MiB), seconds \
         (ns, us, ms, s) or %"
    )]
    Unit {
        /// Counted from 1.
        line: usize,
        /// Its text in the header.
        name: String,
    },
    /// Misses of several events, which have no curve in common.
    #[error(
        "{place} counts {others}, those before it {known}; a sweep has one event: put each in its own file"
    )]
    Events {
        /// The first.
        known: String,
        /// The others, at most a few of them.
        others: String,
        /// The line of the second.
        place: String,
    },
    /// Misses per cell instead of per access.
    #[error(
        "its column '{name}' has the misses of a whole cell ({total} in {place}) and not those of one access; divide \
         them by the accesses of the cell, and call the column avg_misses"
    )]
    Totals {
        /// The column.
        name: String,
        /// The first number above 1.
        total: String,
        /// Its line.
        place: String,
    },
    /// Times that were rounded to 0.
    #[error("the times of all its {0} rows {TOO_COARSE}")]
    Coarse(usize),
    /// One line cannot be understood.
    #[error("line {line} {what}: '{text}'; correct or remove it")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong, as a clause.
        what: String,
        /// The beginning of the line.
        text: String,
    },
    /// A JSON text that is not a record of a sweep.
    #[error("it is JSON, but {0}; give what cm1 or spark wrote with --format json or --record")]
    Json(String),
    /// The output of a program that measures no sweep.
    #[error("this is {0}, which is no sweep of array size and stride; give what spark or cm1 wrote")]
    OtherProgram(String),
    /// The record of a sealed machine, changed.
    #[error(transparent)]
    Changed(#[from] Changed),
    /// Not a text.
    #[error(transparent)]
    NotText(#[from] NotText),
    /// Above one of the [`limits`].
    #[error("it {0}, more than any sweep of spark or cm1; give the file that one of them wrote")]
    TooMuch(String),
}

/// A line that cannot be used.
pub(super) fn bad_line(line: usize, text: &str, what: impl Into<String>) -> SavedError {
    SavedError::Line { line, what: what.into(), text: shorten(text, limits::NAME) }
}

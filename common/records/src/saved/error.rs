//! Why a file cannot be read as a sweep.

use figures::encoding::NotText;
use figures::text::shorten;
use thiserror::Error;

use super::limits;
use crate::authentic::Changed;

/// What is said of times that were rounded away, and what helps.
pub(super) const TOO_COARSE: &str = "have too few digits, being rounded to the table's decimals: \
    sweep with more --repeats, or save with --format csv, which rounds nothing";

/// The file cannot be read as a sweep.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SavedError {
    /// Nothing in it.
    #[error(
        "there is no row of a sweep in it; expected is the output of cm1 or spark: lines like \
         'cache_size=8192 stride=1 avg_misses=0.01 avg_time=0.003', or a table with a header like \
         'size stride elapsed(s) cycles'"
    )]
    Empty,
    /// Rows without a single figure.
    #[error("its rows have no figure that can be used ({0}); give the file as cm1 or spark wrote it")]
    NoFigures(String),
    /// Two ways to write decimals, or one that can be read in two ways.
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
        /// As it is in the header.
        name: String,
    },
    /// Misses of several events, which have no curve in common.
    #[error(
        "{place} counts {others}, those before it {known}; a sweep has one event: put each in its own file"
    )]
    Events {
        /// The first.
        known: String,
        /// The others, the first few of them.
        others: String,
        /// Where the second begins.
        place: String,
    },
    /// Misses of whole cells.
    #[error(
        "its column '{name}' has the misses of a whole cell ({total} in {place}) and not those of one access; divide \
         them by the accesses of the cell, and call the column avg_misses"
    )]
    Totals {
        /// The column.
        name: String,
        /// The first above 1.
        total: String,
        /// Where it is.
        place: String,
    },
    /// Times that were rounded away.
    #[error("the times of all its {0} rows {TOO_COARSE}")]
    Coarse(usize),
    /// One line makes no sense.
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
    /// The output of a program that sweeps nothing.
    #[error("this is {0}, which is no sweep of array size and stride; give what spark or cm1 wrote")]
    Stranger(String),
    /// The record of a sealed machine, not as it was made.
    #[error(transparent)]
    Changed(#[from] Changed),
    /// No text.
    #[error(transparent)]
    NotText(#[from] NotText),
    /// More than the reader takes in: see [`limits`].
    #[error("it {0}, more than any sweep of spark or cm1; give the file that one of them wrote")]
    TooMuch(String),
}

/// A line that cannot be used.
pub(super) fn bad_line(line: usize, text: &str, what: impl Into<String>) -> SavedError {
    SavedError::Line { line, what: what.into(), text: shorten(text, limits::NAME) }
}

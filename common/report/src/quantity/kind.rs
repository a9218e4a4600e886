//! What is asked for.

use serde::{Deserialize, Serialize};

/// What is asked for, which says how numbers are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A size, in bytes.
    Bytes,
    /// A number of things.
    Count,
    /// A time, in nanoseconds.
    Ns,
    /// A share, in per cent.
    Percent,
    /// A number without a unit: a speed-up, a difference.
    Number,
}

//! What is asked for.

use serde::{Deserialize, Serialize};

/// What a question asks for, which decides what numbers mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A size, in bytes.
    Bytes,
    /// A count.
    Count,
    /// A time, in nanoseconds.
    Ns,
    /// A share, in per cent.
    Percent,
    /// A number without a unit: a speed-up, a difference.
    Number,
}

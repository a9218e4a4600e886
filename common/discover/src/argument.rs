//! The argument for a cache that was found.

use std::fmt;

use serde::{Serialize, Serializer};

/// A step of the argument; `Display` is its sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// How large it is.
    Size(String),
    /// Why it may be larger or smaller than it looks.
    Open(String),
    /// How the line is known, or why not.
    Line(String),
    /// How the ways are known.
    Ways(String),
    /// Why the ways are not: a clause.
    NoWays(String),
    /// Why it is not to be trusted much.
    Confidence(String),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Size(text) | Why::Open(text) => write!(f, "Size: {text}"),
            Why::Line(text) => write!(f, "Line: {text}"),
            Why::Ways(text) => write!(f, "Ways: {text}"),
            Why::NoWays(reason) => write!(f, "Ways: not identifiable: {reason}."),
            Why::Confidence(text) => write!(f, "Confidence: {text}"),
        }
    }
}

/// As its sentence.
impl Serialize for Why {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

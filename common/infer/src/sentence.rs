//! The sentences of an argument.

use std::fmt;

use serde::Serialize;

/// A sentence, and what would help. How to do that is for the program to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// The sentence.
    pub text: String,
    /// What would help, if anything would.
    pub hint: Option<Hint>,
}

/// What would give data that decide more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hint {
    /// Count misses, or measure them by time.
    CountMisses,
    /// Measure the misses by time.
    TimeMisses,
    /// Time accesses that wait for each other.
    TimeDependent,
    /// Repeat the sweep more often.
    MoreRuns,
    /// Sweep larger arrays.
    LargerArrays,
    /// Sweep smaller arrays.
    SmallerArrays,
    /// Sweep these sizes too: after the first, up to the second, in bytes.
    SizesBetween(u64, u64),
    /// Measure these cells too: arrays and strides, in bytes.
    Cells(Vec<(u64, u64)>),
    /// Give the sweep of the level above.
    LevelAbove,
    /// Find the caches by experiments instead of a sweep.
    Experiments,
}

impl Sentence {
    /// A sentence with what would help.
    pub(crate) fn with(text: impl Into<String>, hint: Hint) -> Sentence {
        Sentence { text: text.into(), hint: Some(hint) }
    }
}

impl From<String> for Sentence {
    fn from(text: String) -> Sentence {
        Sentence { text, hint: None }
    }
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

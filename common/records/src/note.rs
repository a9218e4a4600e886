//! Notes on a record that one must know to trust it.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

/// One note; `Display` is its sentence, which is all that a file has of it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub enum Note {
    /// Another source counts some of them, or none does.
    StandIn {
        /// Which source counts which events.
        what: String,
        /// Why hardware does not, if it was tried.
        since: Option<String>,
    },
    /// What the counts mean.
    Counts(String),
    /// What a sweep decides and what is open, without figures.
    Verdict(String),
    /// Anything else.
    Other(String),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::StandIn { what, since: Some(since) } => write!(f, "{what}, since {since}"),
            Note::StandIn { what: text, .. }
            | Note::Counts(text)
            | Note::Verdict(text)
            | Note::Other(text) => f.write_str(text),
        }
    }
}

impl<T: Into<String>> From<T> for Note {
    fn from(text: T) -> Note {
        Note::Other(text.into())
    }
}

impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

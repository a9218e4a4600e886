//! The fields of a sheet, by the ids under which answers are stored.

use serde::{Deserialize, Serialize};

/// How a field is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldKind {
    /// A name, a size, a count: one line.
    Value,
    /// A number that the page can check against this run.
    Number,
    /// Sentences.
    #[default]
    Text,
}

/// The fields of the kind [`Number`](FieldKind::Number): the page has a formula for each.
pub(crate) const NUMBERS: [&str; 13] = [
    "s321-a-memory",
    "s321-c-hit-rate",
    "s322-b-hit-rate",
    "s322-c-hit-rate",
    "s322-d-clocks",
    "s322-d-delta",
    "s322-d-time",
    "s323-a-elements",
    "s323-c-hit-rate",
    "s323-d-clocks",
    "s323-d-delta",
    "s323-e-clocks",
    "s323-e-delta",
];

/// A field of the sheet. Its `id` is the key in `answers.json`, the `id` of its
/// element in the page, and never changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Field {
    /// `s311-c-size`: section 3.1.1, part c, the quantity.
    pub id: String,
    /// The section of the guide, or of the report if the guide has none.
    pub section: String,
    /// The question, in one line without markup.
    pub label: String,
    /// How it is filled in.
    pub kind: FieldKind,
}

impl Field {
    pub(crate) fn new(id: &str, section: &str, label: &str, kind: FieldKind) -> Field {
        Field { id: id.to_owned(), section: section.to_owned(), label: label.to_owned(), kind }
    }
}

//! The fields of a sheet, by the ids under which answers are stored.

use std::collections::BTreeMap;

use figures::quantity::{Doubt, Kind, Unit};
use serde::{Deserialize, Serialize};

/// The script with `valueReader`, with which a page reads values; [`reader_data`] is its
/// argument.
pub const READER: &str = include_str!("template/reader.js");

/// What the scripts' `valueReader` needs, as JSON: the units of each kind, the kinds with
/// thousands, and the sentence of each [`Doubt`] in English.
pub fn reader_data() -> String {
    let units: BTreeMap<String, &[Unit]> = Kind::ALL.iter().map(|kind| (name(kind), kind.units())).collect();
    let thousands: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| kind.has_thousands()).collect();
    let doubts: BTreeMap<String, &str> =
        Doubt::ALL.iter().map(|doubt| (name(doubt), doubt.sentence())).collect();
    serde_json::json!({ "units": units, "thousands": thousands, "doubts": doubts }).to_string()
}

/// The name of a unit variant in JSON.
fn name(variant: &impl Serialize) -> String {
    serde_json::to_value(variant).ok().and_then(|name| Some(name.as_str()?.to_owned())).unwrap_or_default()
}

/// How a field is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldKind {
    /// Sentences.
    #[default]
    Text,
    /// One line of text: a name.
    Line,
    /// One of several texts.
    Choice,
    /// A size with its unit.
    Bytes,
    /// A count.
    Count,
    /// A time with its unit.
    Ns,
    /// A rate in per cent.
    Percent,
    /// A difference of rates in percentage points.
    Points,
    /// A factor.
    Number,
}

impl FieldKind {
    /// The kind of its value; `None` if it is filled in with text.
    pub fn quantity(self) -> Option<Kind> {
        match self {
            FieldKind::Text | FieldKind::Line | FieldKind::Choice => None,
            FieldKind::Bytes => Some(Kind::Bytes),
            FieldKind::Count => Some(Kind::Count),
            FieldKind::Ns => Some(Kind::Ns),
            FieldKind::Percent => Some(Kind::Percent),
            FieldKind::Points => Some(Kind::Points),
            FieldKind::Number => Some(Kind::Number),
        }
    }
}

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
    /// Whether a range, "fully associative" and "not visible" can be chosen.
    pub range: bool,
    /// The texts of a choice.
    pub choices: Vec<String>,
}

impl Field {
    pub(crate) fn text(id: &str, section: &str, label: &str, kind: FieldKind) -> Field {
        Field {
            id: id.to_owned(),
            section: section.to_owned(),
            label: label.to_owned(),
            kind,
            range: false,
            choices: Vec::new(),
        }
    }
}

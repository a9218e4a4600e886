//! A student's typed answers: in a page, in `answers.json`, and in the next run.

use std::collections::BTreeMap;

use records::json_error;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The name of the format of `answers.json`.
const FORMAT: &str = "cache-lab-answers";
const VERSION: u32 = 1;
/// The texts before and after the answers within a page.
const BEFORE: &str = r#"<script type="application/json" id="answers">"#;
const BEHIND: &str = "</script>";

/// Why a text is not a set of answers.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AnswersError {
    /// It has another form.
    #[error(
        "these are not the answers of a report ({0}); give the answers.json that the report's page saves"
    )]
    Unreadable(String),
    /// It is another program's, or a later version's.
    #[error("these answers are {0} version {1}, and {FORMAT} version {VERSION} can be read")]
    OtherFormat(String, u32),
}

/// Typed answers by the [`id`](crate::Field::id) of their field.
///
/// As JSON: `{"format": "cache-lab-answers", "version": 1, "saved":
/// "2026-11-20T10:00:00.000Z", "fields": {"s2-1": "48 KiB"}}`. A field that was emptied has
/// an empty text; one that was never used is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    format: String,
    version: u32,
    /// When the last key was typed, as ISO 8601 in UTC; such texts sort by time.
    #[serde(default)]
    pub saved: String,
    /// The texts.
    pub fields: BTreeMap<String, String>,
}

impl Default for Answers {
    fn default() -> Answers {
        Answers { format: FORMAT.to_owned(), version: VERSION, saved: String::new(), fields: BTreeMap::new() }
    }
}

impl Answers {
    /// Reads `answers.json`.
    ///
    /// # Errors
    ///
    /// If it is anything else.
    pub fn parse(json: &str) -> Result<Answers, AnswersError> {
        let read: Answers = serde_json::from_str(json)
            .map_err(|error| AnswersError::Unreadable(json_error::explain(json, &error)))?;
        if (read.format.as_str(), read.version) != (FORMAT, VERSION) {
            return Err(AnswersError::OtherFormat(read.format, read.version));
        }
        Ok(read)
    }

    /// The answers in a saved page; `None` if it has no element for them.
    ///
    /// # Errors
    ///
    /// If the content of that element is not a set of answers.
    pub fn in_page(html: &str) -> Option<Result<Answers, AnswersError>> {
        let begin = find(html, BEFORE)? + BEFORE.len();
        let end = begin + find(&html[begin..], BEHIND)?;
        Some(Answers::parse(&html[begin..end]))
    }

    /// Whether a text claims to be a set of answers, complete or not.
    pub fn are_named_in(text: &str) -> bool {
        find(text, FORMAT).is_some()
    }

    /// Merges two sets of answers; if both have a field, the text saved last is used.
    pub fn joined(self, other: Answers) -> Answers {
        let (mut older, newer) = if self.saved <= other.saved { (self, other) } else { (other, self) };
        older.fields.extend(newer.fields);
        Answers { fields: older.fields, ..newer }
    }

    /// `answers.json`.
    pub fn json(&self) -> String {
        // Maps with string keys can always be serialised.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The page's element with the answers. No text can close it early.
    pub(crate) fn element(&self) -> String {
        let json = serde_json::to_string(self).unwrap_or_default();
        format!("{BEFORE}{}{BEHIND}", json.replace('<', "\\u003c"))
    }
}

/// The position of `sought`. Not `str::find`: its code is compiled as part of this crate,
/// without optimisation, and submitted pages may be large.
fn find(text: &str, sought: &str) -> Option<usize> {
    memchr::memmem::find(text.as_bytes(), sought.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(saved: &str, fields: &[(&str, &str)]) -> Answers {
        let fields = fields.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned())).collect();
        Answers { saved: saved.to_owned(), fields, ..Answers::default() }
    }

    #[test]
    fn a_page_carries_any_text_back() {
        let typed = answers("2026-11-20T10:00:00Z", &[("s2-1", "</script><b>48 KiB & \"so\"\nline 2 ¿é漢")]);
        let page = format!("<html>{}</html>", typed.element());
        assert_eq!(page.matches("</script>").count(), 1);
        assert_eq!(Answers::in_page(&page), Some(Ok(typed.clone())));
        assert_eq!(Answers::parse(&typed.json()), Ok(typed));
        assert_eq!(Answers::in_page("<html></html>"), None);
    }

    #[test]
    fn the_last_saved_text_is_used_and_no_other_is_lost() {
        let early = answers("2026-11-20T10:00:00Z", &[("a", "old"), ("b", "only here"), ("c", "dropped")]);
        let late = answers("2026-11-20T10:05:00Z", &[("a", "new"), ("c", "")]);
        for joined in [early.clone().joined(late.clone()), late.joined(early)] {
            let texts: Vec<&str> = joined.fields.values().map(String::as_str).collect();
            assert_eq!((texts, &*joined.saved), (vec!["new", "only here", ""], "2026-11-20T10:05:00Z"));
        }
    }

    #[test]
    fn a_file_without_answers_is_refused_in_a_sentence() {
        for wrong in ["", "{}", "[1]", r#"{"format":"cache-lab-answers","version":1,"fields":{"a":1}}"#] {
            assert!(Answers::parse(wrong).unwrap_err().to_string().contains("answers.json"), "{wrong}");
        }
        let later = r#"{"format":"cache-lab-answers","version":2,"fields":{}}"#;
        assert!(Answers::parse(later).unwrap_err().to_string().contains("version 2"));
    }
}

//! A student's answers: in a page, in `answers.json`, and in the next run. (Format version 2, schema
//! `answers.schema.json`.)

use std::collections::BTreeMap;

use figures::quantity::{self, Kind, Unit};
use figures::text::shorten;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::typed::Answer;

/// The name of the format of `answers.json`.
const FORMAT: &str = "cache-lab-answers";
const VERSION: u32 = 2;
/// Largest size of all files of a submission, unpacked, in bytes; nothing larger is written or read.
pub const TOTAL_BYTES: u64 = 64 << 20;
/// The ids of a page's elements with its answers and with what is asked.
const ANSWERS: &str = "answers";
pub(crate) const ASKED: &str = "asked";
pub(crate) const RUN: &str = "run";

/// Whether a field has an answer; the student's name is none, nor is when the specification was shown.
pub fn is_answer(id: &str, answer: &Answer) -> bool {
    !is_signature(id) && id != "spec-shown" && !answer.is_empty()
}

/// The ids of the answers to questions that are not asked, shortened.
pub fn not_asked(answers: &BTreeMap<String, Answer>, is_asked: impl Fn(&str) -> bool) -> Vec<String> {
    let others = answers.iter().filter(|(id, answer)| is_answer(id, answer) && !is_asked(id));
    others.map(|(id, _)| shorten(id, 60)).collect()
}

/// Whether a field has the number or the name of a student.
pub(crate) fn is_signature(id: &str) -> bool {
    id.starts_with("student-")
}

/// Two sets of answers are of different students, by their numbers or names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnotherStudent;

/// Answers by the [`id`](crate::Question::id) of their field.
///
/// As JSON: `{"format": "cache-lab-answers", "version": 2, "saved":
/// "2026-11-20T10:00:00.000Z", "fields": {"s311-c-size": {"form": "one", "value": "48", "to": "",
/// "unit": "KiB"}, "s2-2-why": "its curve is low"}}`. A field that was emptied has an empty
/// answer; one that was never used is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    format: String,
    version: u32,
    /// When the last key was typed, as ISO 8601 in UTC; such texts sort by time.
    #[serde(default)]
    pub saved: String,
    /// The answers.
    pub fields: BTreeMap<String, Answer>,
}

/// The script with `valueReader`, with which a page reads values; [`reader_data`] is its
/// argument.
pub(crate) const READER: &str = include_str!("template/reader.js");

/// What the scripts' `valueReader` needs, as JSON: the units of each kind, the kinds with
/// thousands, and the sentence of each [`Doubt`] in English.
pub(crate) fn reader_data() -> Value {
    let units: BTreeMap<String, &[Unit]> = Kind::ALL.iter().map(|kind| (name(kind), kind.units())).collect();
    let thousands: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| kind.has_thousands()).collect();
    let doubts: BTreeMap<String, &str> =
        quantity::SENTENCES.iter().map(|(doubt, sentence)| (name(doubt), *sentence)).collect();
    serde_json::json!({ "units": units, "thousands": thousands, "doubts": doubts, "spellings": quantity::SPELLINGS })
}

/// The name of a unit variant in JSON.
pub(crate) fn name(variant: &impl Serialize) -> String {
    serde_json::to_value(variant).ok().and_then(|name| Some(name.as_str()?.to_owned())).unwrap_or_default()
}

/// What a page asks for: its fields, and the records that count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The fields for answers, other than the students' numbers and names.
    pub fields: Vec<AskedField>,
    /// Rows and columns of the matrices in the records that count.
    pub matrix: u32,
    /// The names of the records in the report's folder, without their ending.
    pub records: Vec<String>,
}

/// One field of [`Asked`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedField {
    /// The key of its answer.
    pub id: String,
    /// The question.
    pub label: String,
    /// The kind of its value; `None` if it is filled in with text.
    pub kind: Option<Kind>,
    /// Its section, if only some assignments use that.
    #[serde(default)]
    pub optional: Option<String>,
}

/// The run whose figures a page has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The report: the next run into the folder has the same. A browser stores a page's answers under it.
    pub report: String,
    /// When the run ended, in RFC 3339 and UTC: it shows which answers are older.
    pub measured: String,
    /// Whether it was a quick run, which a full one's report outlives.
    pub quick: bool,
}

impl Run {
    /// The run of a page; `None` if it does not say that.
    pub fn of_page(html: &str) -> Option<Run> {
        serde_json::from_str(json_in_page(html, RUN)?).ok()
    }
}

impl Asked {
    /// What a page asks for; `None` if it does not say that.
    pub fn in_page(html: &str) -> Option<Asked> {
        serde_json::from_str(json_in_page(html, ASKED)?).ok()
    }
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
    pub fn parse(json: &str) -> Result<Answers, String> {
        /// What every version has.
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        /// The rest; one odd value makes one field odd, not all.
        #[derive(Deserialize)]
        struct Given {
            #[serde(default)]
            saved: String,
            fields: BTreeMap<String, Value>,
        }
        let unreadable = |error| {
            format!(
                "these are not the answers of a report ({error}); give the answers.json that the report's page saves"
            )
        };
        let head: Head = serde_json::from_str(json).map_err(unreadable)?;
        if (head.format.as_str(), head.version) != (FORMAT, VERSION) {
            let Head { format, version } = head;
            return Err(format!(
                "these answers are {format} version {version}, and {FORMAT} version {VERSION} can be read"
            ));
        }
        let Given { saved, fields } = serde_json::from_str(json).map_err(unreadable)?;
        let fields = fields.into_iter().map(|(id, value)| (id, Answer::of(value))).collect();
        let mut answers = Answers { saved, fields, ..Answers::default() };
        // A table with a zero byte cannot be read again, and a terminal obeys others.
        let obeyed = |c: char| c.is_control() && !['\n', '\r', '\t'].contains(&c);
        for text in answers.fields.values_mut().flat_map(Answer::texts) {
            *text = text.replace(obeyed, "\u{fffd}");
        }
        Ok(answers)
    }

    /// The answers in a saved page; `None` if it has no element for them.
    ///
    /// # Errors
    ///
    /// If the content of that element is not a set of answers.
    pub fn in_page(html: &str) -> Option<Result<Answers, String>> {
        json_in_page(html, ANSWERS).map(Answers::parse)
    }

    /// The answers in a page of the kit.
    ///
    /// # Errors
    ///
    /// If the page has none, as one that is not complete, or they are not a set of answers.
    pub fn of_page(html: &str) -> Result<Answers, String> {
        let missing = "it has no place for answers: it is not complete, or is no report of this kit";
        Answers::in_page(html).unwrap_or_else(|| Err(missing.to_owned()))
    }

    /// Whether a text claims to be a set of answers, complete or not.
    pub fn are_named_in(text: &str) -> bool {
        text.contains(FORMAT)
    }

    /// Adds other answers; of a field that both have, the answer saved last.
    ///
    /// # Errors
    ///
    /// If they are of another student; then nothing is added.
    pub fn join(&mut self, mut other: Answers) -> Result<(), AnotherStudent> {
        if self.are_of_another_student(&other) {
            return Err(AnotherStudent);
        }
        if self.saved <= other.saved {
            std::mem::swap(self, &mut other);
        }
        for (id, answer) in other.fields {
            self.fields.entry(id).or_insert(answer);
        }
        Ok(())
    }

    /// Whether both name a first student, and not the same one: by the number, or by the name
    /// if one of them has no number.
    fn are_of_another_student(&self, other: &Answers) -> bool {
        let given = |answers: &Answers, id: &str| {
            let text = answers.fields.get(id)?.to_string().trim().to_owned();
            (!text.is_empty()).then_some(text)
        };
        let differs = |id: &str| Some(given(self, id)? != given(other, id)?);
        differs("student-1-number").or_else(|| differs("student-1-name")).unwrap_or(false)
    }

    /// `answers.json`.
    pub fn json(&self) -> String {
        // Maps with string keys can always be serialised.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The page's element with the answers.
    pub(crate) fn element(&self) -> String {
        element(ANSWERS, self)
    }
}

/// The beginning and the end of an element of JSON.
fn tags(id: &str) -> (String, &'static str) {
    (format!("<script type=\"application/json\" id=\"{id}\">"), "</script>")
}

/// An element of JSON. No text can close it early.
pub(crate) fn element(id: &str, content: &impl Serialize) -> String {
    let (begin, end) = tags(id);
    // Maps with string keys can always be serialised.
    let json = serde_json::to_string(content).unwrap_or_default();
    format!("{begin}{}{end}", json.replace('<', "\\u003c"))
}

/// The content of a page's element, to the page's end if that is missing; `None` without the element.
fn json_in_page<'h>(html: &'h str, id: &str) -> Option<&'h str> {
    let (begin, end) = tags(id);
    let (_, content) = html.split_once(&begin)?;
    Some(content.split_once(end).map_or(content, |(content, _)| content))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::Typed;

    fn answers(saved: &str, fields: &[(&str, &str)]) -> Answers {
        let fields = fields.iter().map(|(id, text)| ((*id).to_owned(), Answer::from(*text))).collect();
        Answers { saved: saved.to_owned(), fields, ..Answers::default() }
    }

    #[test]
    fn answers_of_two_students_are_known_by_number_or_name() {
        let of = |number, name| answers("", &[("student-1-number", number), ("student-1-name", name)]);
        for (one, other, are) in [
            (of("1", "Ana"), of("2", "Ana"), true),
            (of("1", "Ana"), of(" 1 ", "Ana Silva"), false),
            (of("", "Ana"), of("2", "Bob"), true),
            (of("1", ""), of("", "Bob"), false),
            (Answers::default(), of("2", "Bob"), false),
        ] {
            assert_eq!(one.are_of_another_student(&other), are, "{one:?} {other:?}");
            assert_eq!(other.are_of_another_student(&one), are);
        }
    }

    #[test]
    fn a_page_carries_any_answer_back() {
        let mut given =
            answers("2026-11-20T10:00:00Z", &[("s2-1", "</script><b>48 KiB & \"so\"\nline 2 ¿é漢")]);
        let odd = Typed { value: " </script> 1,5".into(), unit: "x".into(), ..Typed::default() };
        given.fields.insert("s2-2".to_owned(), Answer::Value(odd));
        let page = format!("<html>{}</html>", given.element());
        assert_eq!(page.matches("</script>").count(), 1);
        assert_eq!(Answers::in_page(&page), Some(Ok(given.clone())));
        assert_eq!(Answers::parse(&given.json()), Ok(given));
        assert_eq!(Answers::in_page("<html></html>"), None);
        for at in 0..page.len() - "</script></html>".len() {
            assert!(Answers::of_page(&page[..page.floor_char_boundary(at)]).is_err(), "cut at {at}");
        }
        let zero = answers("", &[("s2-1", "a\0b")]).json();
        assert_eq!(Answers::parse(&zero).unwrap().fields["s2-1"], Answer::from("a\u{fffd}b"));
    }

    #[test]
    fn the_last_saved_answer_is_used_and_no_other_is_lost() {
        let early = answers("2026-11-20T10:00:00Z", &[("a", "old"), ("b", "only here"), ("c", "dropped")]);
        let late = answers("2026-11-20T10:05:00Z", &[("a", "new"), ("c", "")]);
        let both = answers("2026-11-20T10:05:00Z", &[("a", "new"), ("b", "only here"), ("c", "")]);
        for (mut one, other) in [(early.clone(), late.clone()), (late, early)] {
            assert_eq!(one.join(other), Ok(()));
            assert_eq!(one, both);
        }
    }

    #[test]
    fn a_file_of_another_form_or_version_is_refused_in_a_sentence() {
        let of = |version: u32, fields: &str| {
            format!(r#"{{"format":"cache-lab-answers","version":{version},"fields":{fields}}}"#)
        };
        for (text, says) in [
            (String::new(), "answers.json"),
            ("{}".to_owned(), "answers.json"),
            (of(1, r#"{"a":"48 KiB"}"#), "version 1,"),
            (of(3, "[]"), "version 3,"),
        ] {
            assert!(Answers::parse(&text).unwrap_err().to_string().contains(says), "{text}");
        }
    }
}

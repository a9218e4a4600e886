//! What an assignment says.

use std::collections::BTreeMap;

use figures::units::Bytes;
use serde::{Deserialize, Deserializer, Serialize};

use crate::fields::{Field, Kind};

/// How those who sign are called.
pub(super) const ORDINALS: [&str; 6] = ["first", "second", "third", "fourth", "fifth", "sixth"];

/// What students are asked. The file that says all of it is [`GUIDES`](super::GUIDES).
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assignment {
    pub(super) format: String,
    /// The page's language, as HTML has it: `en`, `pt-BR`.
    pub language: String,
    /// The page's heading.
    pub title: String,
    /// How many sign the report.
    #[serde(default = "three")]
    pub students: u8,
    /// How large and how often.
    #[serde(default)]
    pub sizes: Sizes,
    /// The page's sections, in order.
    #[serde(rename = "section", default)]
    pub sections: Vec<Section>,
    /// What is asked.
    #[serde(rename = "question", default)]
    pub questions: Vec<Question>,
    /// The page's own words in another language, by the English ones.
    #[serde(default)]
    pub(super) words: BTreeMap<String, String>,
    /// What the grader says to students in another language, by the English ones.
    #[serde(default)]
    pub feedback: BTreeMap<String, String>,
}

/// Sizes and repetitions; the guide's where nothing is given.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sizes {
    /// Rows and columns of the matrices.
    pub matrix: Option<u32>,
    /// Repetitions of each product.
    pub runs: Option<u32>,
    /// Of spark's sweep.
    #[serde(default)]
    pub spark: Extent,
    /// Of cm1's on L1.
    #[serde(default)]
    pub l1: Extent,
    /// Of cm1's on L2.
    #[serde(default)]
    pub l2: Extent,
}

/// A sweep's largest array, and its repetitions per stride.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extent {
    /// The largest array.
    #[serde(default, deserialize_with = "bytes")]
    pub max: Option<Bytes>,
    /// Repetitions.
    pub repeats: Option<u64>,
}

/// One of the guide's parts, or a section that runs programs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Section {
    /// The guide's part; then nothing else is given.
    pub part: Option<Part>,
    /// Its place in the page.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What is below the heading.
    pub text: String,
    /// Command lines of programs that write a record.
    pub run: Vec<String>,
    /// Keys and figures of the records to show; all, if empty.
    pub columns: Vec<String>,
    /// Which of them to draw.
    #[serde(deserialize_with = "one_or_more")]
    pub chart: Vec<Drawing>,
    /// Whether the page does without it, and its questions, where it cannot be
    /// measured: programs that are not built, another machine, a first look.
    pub optional: bool,
}

/// A figure over a key, both by their names in records.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drawing {
    /// What is set: the horizontal axis.
    pub x: String,
    /// What is found.
    pub y: String,
    /// What distinguishes curves; one curve without it.
    #[serde(default)]
    pub curve: String,
    /// Whether the vertical axis is logarithmic.
    #[serde(default)]
    pub log: bool,
}

/// A part of the guide's sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Section 2.
    Exercise,
    /// Section 3.1.
    Caches,
    /// Section 3.2.
    Products,
    /// What decides the time.
    Causes,
    /// The comparison at the end.
    Specification,
}

impl Part {
    /// The sections in it.
    pub fn sections(self) -> &'static [&'static str] {
        match self {
            Part::Exercise => &["2"],
            Part::Caches => &["3.1.1", "3.1.2"],
            Part::Products => &["3.2.1", "3.2.2", "3.2.3"],
            Part::Causes => &["causes"],
            Part::Specification => &["specification"],
        }
    }
}

/// Something that is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The key of its answer.
    pub id: String,
    /// Where it is asked.
    pub section: String,
    /// In one line, without markup.
    pub label: String,
    /// As it is on the page.
    #[serde(default)]
    pub(super) ask: Option<String>,
    /// Where to look.
    #[serde(default)]
    pub hint: String,
    /// More of it where this machine was measured.
    #[serde(default)]
    pub hint_here: String,
    /// How it is answered.
    #[serde(default)]
    pub kind: Kind,
    /// Ruled lines for a text, or for a value's justification.
    #[serde(default = "three")]
    pub lines: u8,
    /// The label of a value's justification.
    #[serde(default)]
    pub why: Option<String>,
    /// What the right answer is worth.
    #[serde(default)]
    pub points: Option<f64>,
    /// What its justification is worth.
    #[serde(default)]
    pub why_points: Option<f64>,
}

fn three() -> u8 {
    3
}

fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Bytes>, D::Error> {
    String::deserialize(from)?.parse().map(Some).map_err(serde::de::Error::custom)
}

fn one_or_more<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Drawing>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Drawings {
        One(Drawing),
        More(Vec<Drawing>),
    }
    Drawings::deserialize(from)
        .map(|given| match given {
            Drawings::One(one) => vec![one],
            Drawings::More(more) => more,
        })
        .map_err(|_| serde::de::Error::custom("a chart is { x = …, y = …, curve = … }, or a list of them"))
}

impl Assignment {
    /// The question called `id`.
    pub fn question(&self, id: &str) -> Option<&Question> {
        self.questions.iter().find(|question| question.id == id)
    }

    /// Takes a section away, with its questions.
    pub fn leave_out(&mut self, section: &str) {
        self.sections.retain(|known| known.part.is_some() || known.id != section);
        self.questions.retain(|question| question.section != section);
    }

    /// All fields, in the order of the file: students, then the questions of
    /// sections that are on the page.
    pub fn fields(&self) -> Vec<Field> {
        let student = |(number, ordinal): (u8, &str)| {
            [("number", "Number"), ("name", "Name")].map(|(what, asked)| {
                let label = format!("{asked} of the {ordinal} student");
                Field::new(&format!("student-{number}-{what}"), "students", self.word(&label), Kind::Value)
            })
        };
        let shown = |question: &&Question| self.shown().any(|section| section == question.section);
        let of_question = |question: &Question| {
            let asked = Field::new(&question.id, &question.section, &question.label, question.kind);
            let why = question.why.as_ref().map(|label| {
                Field::new(&format!("{}-why", question.id), &question.section, label, Kind::Text)
            });
            [Some(asked), why].into_iter().flatten()
        };
        let students = (1..=self.students).zip(ORDINALS).flat_map(student);
        students.chain(self.questions.iter().filter(shown).flat_map(of_question)).collect()
    }

    /// What each field is worth, of those that are worth something.
    pub fn points(&self) -> Vec<(Field, f64)> {
        let worth = |field: Field| {
            let points = match field.id.strip_suffix("-why").and_then(|id| self.question(id)) {
                Some(question) => question.why_points,
                None => self.question(&field.id).and_then(|question| question.points),
            };
            points.map(|points| (field, points))
        };
        self.fields().into_iter().filter_map(worth).collect()
    }

    /// The sections of the page, by the names that questions use.
    fn shown(&self) -> impl Iterator<Item = &str> {
        self.sections.iter().flat_map(|section| match section.part {
            Some(part) => part.sections().to_vec(),
            None => vec![section.id.as_str()],
        })
    }

    /// `english` in the page's language.
    pub(crate) fn word<'t>(&'t self, english: &'t str) -> &'t str {
        self.words.get(english).map_or(english, String::as_str)
    }

    /// All words of another language.
    pub(crate) fn words(&self) -> &BTreeMap<String, String> {
        &self.words
    }

    /// The questions of a section that the guide's sheet has no place for.
    pub(crate) fn further<'q>(&'q self, guide: &Assignment, section: &str) -> Vec<&'q Question> {
        let of_sheet = !guide.sections.iter().any(|known| known.id == section);
        let placed = |id: &str| of_sheet && guide.question(id).is_some_and(|known| known.section == section);
        self.questions.iter().filter(|q| q.section == section && !placed(&q.id)).collect()
    }
}

impl Question {
    /// As it is on the page.
    pub(crate) fn ask(&self) -> &str {
        self.ask.as_deref().unwrap_or(&self.label)
    }
}

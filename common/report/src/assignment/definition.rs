//! What an assignment says.

use figures::quantity::Kind;
use serde::{Deserialize, Serialize};

use crate::figure::Figure;

/// How those who sign are called.
pub(super) const ORDINALS: [&str; 6] = ["first", "second", "third", "fourth", "fifth", "sixth"];

/// What students are asked. The file that says all of it is [`GUIDE`](super::GUIDE).
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assignment {
    pub(super) format: String,
    /// The page's language as in HTML: `en`, `pt-BR`.
    pub language: String,
    /// The page's heading.
    pub title: String,
    /// How many students sign the report.
    #[serde(default = "three")]
    pub students: u8,
    /// Sizes.
    #[serde(default)]
    pub sizes: Sizes,
    /// The page's sections, in order.
    #[serde(rename = "section", default)]
    pub sections: Vec<Section>,
    /// The questions.
    #[serde(rename = "question", default)]
    pub questions: Vec<Question>,
}

/// Sizes; a missing one is the guide's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sizes {
    /// Rows and columns of the matrices.
    pub matrix: Option<u32>,
}

/// One of the guide's parts, or a section with its own programs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Section {
    /// The guide's part; then the other fields are empty.
    pub part: Option<SheetPart>,
    /// Its id in the page.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// The text below the heading.
    pub text: String,
    /// Command lines of programs that write a record.
    pub run: Vec<String>,
    /// Keys and figures of the records to show; all, if empty.
    pub columns: Vec<String>,
    /// The charts to draw.
    pub chart: Vec<Drawing>,
    /// Whether the page is made without it, and its questions, if it cannot be measured:
    /// its programs are not built, another machine, a quick run.
    pub optional: bool,
}

/// A chart of a figure against a key, both by their names in records.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drawing {
    /// The key on the horizontal axis.
    pub x: String,
    /// The figure on the vertical axis.
    pub y: String,
    /// The key that distinguishes the curves; without it there is one curve.
    #[serde(default)]
    pub curve: String,
    /// Whether the vertical axis is logarithmic.
    #[serde(default)]
    pub log: bool,
}

/// A part of the guide's sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SheetPart {
    /// Section 2.
    Exercise,
    /// Section 3.1.
    Caches,
    /// Section 3.2.
    Products,
    /// The section on what decides the time.
    Causes,
    /// The comparison at the end.
    Specification,
}

impl SheetPart {
    /// Its sections.
    pub fn sections(self) -> &'static [&'static str] {
        match self {
            SheetPart::Exercise => &["2"],
            SheetPart::Caches => &["3.1.1", "3.1.2"],
            SheetPart::Products => &["3.2.1", "3.2.2", "3.2.3"],
            SheetPart::Causes => &["causes"],
            SheetPart::Specification => &["specification"],
        }
    }
}

/// A question, which is a field of the sheet. Its justification, and the students' numbers and names, are more of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The key of its answer in `answers.json`, and the `id` of its element in the page. It never changes.
    pub id: String,
    /// The section that asks it: of the guide, or of the report if the guide has none.
    #[serde(default)]
    pub section: String,
    /// The question in one line, without markup.
    pub label: String,
    /// The question on the page.
    #[serde(default)]
    pub(super) ask: Option<String>,
    /// A hint where to look.
    #[serde(default)]
    pub hint: String,
    /// The kind of its answer.
    #[serde(default)]
    pub kind: FieldKind,
    /// The figure that its value is compared with.
    #[serde(default)]
    pub expect: Option<Figure>,
    /// Whether a range, "fully associative" and "not visible" can be chosen for a value.
    #[serde(default)]
    pub range: bool,
    /// Ruled lines for a text, or for a value's justification.
    #[serde(default = "three")]
    pub lines: u8,
    /// The label of a value's justification.
    #[serde(default)]
    pub why: Option<String>,
    /// The points for the right answer.
    #[serde(default)]
    pub points: Option<f64>,
    /// The points for its justification.
    #[serde(default)]
    pub why_points: Option<f64>,
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
            FieldKind::Text | FieldKind::Line => None,
            FieldKind::Bytes => Some(Kind::Bytes),
            FieldKind::Count => Some(Kind::Count),
            FieldKind::Ns => Some(Kind::Ns),
            FieldKind::Percent => Some(Kind::Percent),
            FieldKind::Points => Some(Kind::Points),
            FieldKind::Number => Some(Kind::Number),
        }
    }
}

fn three() -> u8 {
    3
}

impl Assignment {
    /// Rows and columns of the matrices whose records count.
    pub fn matrix(&self) -> u32 {
        self.sizes.matrix.unwrap_or(512)
    }

    /// The question called `id`.
    pub fn question(&self, id: &str) -> Option<&Question> {
        self.questions.iter().find(|question| question.id == id)
    }

    /// Removes a section with its questions.
    pub fn leave_out(&mut self, section: &str) {
        self.sections.retain(|known| known.part.is_some() || known.id != section);
        self.questions.retain(|question| question.section != section);
    }

    /// All fields, in the order of the file: students, then the questions of the page's
    /// sections, each with its justification.
    pub fn fields(&self) -> Vec<Question> {
        let student = |(number, ordinal): (u8, &str)| {
            [("number", "Number"), ("name", "Name")].map(|(what, asked)| Question {
                id: format!("student-{number}-{what}"),
                section: "students".to_owned(),
                label: format!("{asked} of the {ordinal} student"),
                kind: FieldKind::Line,
                ..Question::default()
            })
        };
        let shown = |question: &&Question| self.shown().any(|section| section == question.section);
        let with_why = |question: &Question| {
            let why = question.why.clone().map(|label| Question {
                id: format!("{}-why", question.id),
                section: question.section.clone(),
                label,
                points: question.why_points,
                ..Question::default()
            });
            [Some(question.clone()), why].into_iter().flatten()
        };
        let students = (1..=self.students).zip(ORDINALS).flat_map(student);
        students.chain(self.questions.iter().filter(shown).flat_map(with_why)).collect()
    }

    /// The points of each field that has some.
    pub fn points(&self) -> Vec<(Question, f64)> {
        self.fields().into_iter().filter_map(|field| field.points.map(|points| (field, points))).collect()
    }

    /// The sections of the page, by the names that questions use.
    fn shown(&self) -> impl Iterator<Item = &str> {
        self.sections.iter().flat_map(|section| match section.part {
            Some(part) => part.sections().to_vec(),
            None => vec![section.id.as_str()],
        })
    }

    /// The questions of a section that are not in the guide's sheet.
    pub(crate) fn further<'q>(&'q self, guide: &Assignment, section: &str) -> Vec<&'q Question> {
        let of_sheet = !guide.sections.iter().any(|known| known.id == section);
        let placed = |id: &str| of_sheet && guide.question(id).is_some_and(|known| known.section == section);
        self.questions.iter().filter(|q| q.section == section && !placed(&q.id)).collect()
    }
}

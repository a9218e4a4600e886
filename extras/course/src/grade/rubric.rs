//! What answers are worth, and the right values that no figure gives, as data.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use common::failure::Failure;
use common::input;
use common::text::shorten;
use report::{Assignment, Figure, Kind, Question, toml_error};

use serde::Deserialize;

/// Those of the guide's sheet: cache size, line size and miss penalty of Figure 1.
const GUIDES: &str = include_str!("figure1.toml");

/// What is graded: the fields with points.
#[derive(Debug, Clone)]
pub(crate) struct Rubric {
    /// The assignment's texts.
    pub(crate) asked: Asked,
    pub(crate) items: Vec<Item>,
}

/// One answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Item {
    pub(crate) id: String,
    pub(crate) label: String,
    pub(crate) points: f64,
    /// Of its number; `None` for a text.
    pub(crate) kind: Option<Kind>,
    pub(crate) expect: Option<Figure>,
    /// The smallest and the largest right value, if they are not a figure's.
    pub(crate) right: Option<[f64; 2]>,
    /// Whether it is an exercise, which a check judges.
    pub(crate) is_task: bool,
}

impl Item {
    /// Whether only a person can judge it.
    pub(crate) fn by_hand(&self) -> bool {
        !self.is_task && (self.kind.is_none() || self.expect.is_none() && self.right.is_none())
    }
}

/// A right value in bytes, ns, %, points, or as a count; or the smallest and the largest.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Right {
    Value(f64),
    Range([f64; 2]),
}

/// The right values in a file, by the ids of fields.
/// Fails if nobody would have one; a clause.
fn values(text: &str) -> Result<BTreeMap<String, [f64; 2]>, String> {
    let read: BTreeMap<String, Right> = toml::from_str(text).map_err(|error| toml_error(text, &error))?;
    let right = |(id, right): (String, Right)| {
        let [low, high] = match right {
            Right::Value(value) => [value; 2],
            Right::Range(range) => range,
        };
        if low.is_finite() && high.is_finite() && low <= high {
            return Ok((id, [low, high]));
        }
        Err(format!("'{}' has the range [{low}, {high}], which contains no number", shorten(&id, 60)))
    };
    read.into_iter().map(right).collect()
}

impl Rubric {
    /// The assignment, or the guide's, and what its fields are worth; the values of the file
    /// replace its figures.
    /// Fails if a file cannot be read, a value is not used, or no item has points.
    pub(crate) fn read(
        rubric: Option<&Path>,
        assignment: Option<&Path>,
    ) -> Result<(Rubric, Assignment), Failure> {
        let read = |path: Option<&Path>, guides: &str| match path {
            Some(path) => Ok((input::name(path), input::text(path)?)),
            None => Ok(("the guide's".to_owned(), guides.to_owned())),
        };
        let refused = |name: &str, why: String| Failure::usage(format!("{name}: {why}"));
        let (name, text) = read(assignment, report::GUIDE)?;
        let assignment = Assignment::parse(&text).map_err(|why| refused(&name, why))?;
        let asked = Asked::of(&[&text, report::GUIDE]);
        let (name, text) = read(rubric, "")?;
        let items = values(&text).and_then(|own| items(&assignment, own));
        Ok((Rubric { asked, items: items.map_err(|why| refused(&name, why))? }, assignment))
    }
}

/// The fields of the assignment with points, with these right values, or the guide's.
fn items(assignment: &Assignment, own: BTreeMap<String, [f64; 2]>) -> Result<Vec<Item>, String> {
    let points = assignment.points();
    // Nobody would notice a wrong id.
    let is_number =
        |id: &str| points.iter().any(|(field, _)| field.id == id && field.kind.quantity().is_some());
    if let Some(id) = own.keys().find(|id| !is_number(id)) {
        return Err(format!(
            "'{}' is no number with points in the assignment; correct the id, or give the right --assignment",
            shorten(id, 60)
        ));
    }
    let mut right = values(GUIDES)?;
    right.extend(own);
    let item = |(field, points): (Question, f64)| {
        let kind = field.kind.quantity();
        let right = right.get(&field.id).copied().filter(|_| kind.is_some());
        let expect = field.expect.filter(|_| right.is_none());
        Item { points, kind, expect, right, id: field.id, label: field.label, is_task: false }
    };
    let items: Vec<Item> = points.into_iter().map(item).collect();
    let none = || "no question has points; give points in the assignment".to_owned();
    Some(items).filter(|items| !items.is_empty()).ok_or_else(none)
}

/// The words of a text without signs, blanks and case.
pub(super) fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Three words in a row of the assignment's texts, which students repeat.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked(BTreeSet<String>);

impl Asked {
    pub(super) fn of(texts: &[&str]) -> Asked {
        let all = texts.iter().map(|text| plain(text));
        Asked(all.flat_map(|text| threes(&text).map(|(_, three)| three).collect::<Vec<_>>()).collect())
    }

    /// The characters of a plain text that are not the assignment's.
    pub(super) fn own(&self, text: &str) -> usize {
        let mut own: Vec<usize> = text.split(' ').map(|word| word.chars().count() + 1).collect();
        for (at, _) in threes(text).filter(|(_, three)| self.0.contains(three)) {
            own[at..at + 3].fill(0);
        }
        own.into_iter().sum()
    }
}

/// Each three words in a row of a plain text, and the place of the first.
fn threes(text: &str) -> impl Iterator<Item = (usize, String)> {
    let words: Vec<&str> = text.split(' ').collect();
    (0..words.len().saturating_sub(2)).map(move |at| (at, words[at..at + 3].join(" ")))
}

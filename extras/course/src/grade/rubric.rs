//! What answers are worth, and the right values, as data.

use std::collections::BTreeMap;
use std::path::PathBuf;

use common::failure::Failure;
use common::input;
use common::text::shorten;
use report::{Assignment, Field, Figure, Kind, toml_error};

use serde::Deserialize;

use super::wording::Asked;

/// The rubric of the guide's sheet.
pub(crate) const GUIDES: &str = include_str!("rubric.toml");

/// Identifies an assignment among the files.
const ASSIGNMENT: &str = "\"cache-lab-assignment/";

/// What is graded: the fields with points.
#[derive(Debug, Clone)]
pub(crate) struct Rubric {
    pub(crate) records: Records,
    /// The assignment's texts.
    pub(crate) asked: Asked,
    pub(crate) items: Vec<Item>,
    /// Feedback to students in that language, by the English sentence.
    pub(crate) words: BTreeMap<String, String>,
}

/// What happens with records that were made on another machine, or changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Records {
    #[default]
    Noted,
    Own,
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
        !self.is_task && self.kind.is_none()
            || self.kind.is_some() && self.expect.is_none() && self.right.is_none()
    }
}

/// The file; the guide's is `rubric.toml`, which explains all.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    format: String,
    #[serde(default)]
    records: Records,
    #[serde(rename = "item", default)]
    values: Vec<RightValue>,
}

/// In bytes, ns, %, points, or as a count.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RightValue {
    id: String,
    value: Option<f64>,
    range: Option<[f64; 2]>,
}

impl RightValue {
    /// The smallest and the largest right value.
    /// Fails if nobody, or everybody, would have it; a clause.
    fn right(&self) -> Result<[f64; 2], String> {
        let right = match (self.value, self.range) {
            (Some(value), None) => [value; 2],
            (None, Some(range)) => range,
            _ => return Err("needs a value or a range".to_owned()),
        };
        let [low, high] = right;
        let holds = low.is_finite() && high.is_finite() && low <= high;
        holds
            .then_some(right)
            .ok_or_else(|| format!("has the range [{low}, {high}], which contains no number"))
    }
}

impl Given {
    fn parse(text: &str) -> Result<Given, String> {
        let given: Given = toml::from_str(text).map_err(|error| toml_error(text, &error))?;
        if given.format != "cache-lab-rubric/1" {
            return Err("its format is not \"cache-lab-rubric/1\"".to_owned());
        }
        for (at, value) in given.values.iter().enumerate() {
            let again = given.values[..at].iter().any(|other| other.id == value.id);
            let why = value.right().err().or_else(|| again.then(|| "is in it twice".to_owned()));
            if let Some(why) = why {
                return Err(format!("'{}' {why}", shorten(&value.id, 60)));
            }
        }
        Ok(given)
    }

    /// The assignment's fields with points, with these right values.
    fn of(self, assignment: &Assignment) -> Result<Rubric, String> {
        let item = |(field, points): (Field, f64)| {
            let value = self.values.iter().find(|value| value.id == field.id);
            Item {
                points,
                kind: field.kind.quantity(),
                expect: field.expect.filter(|_| value.is_none()),
                right: value.and_then(|value| value.right().ok()),
                id: field.id,
                label: field.label,
                is_task: false,
            }
        };
        let items: Vec<Item> = assignment.points().into_iter().map(item).collect();
        if let Some(item) = items.iter().find(|item| item.right.is_some() && item.kind.is_none()) {
            return Err(format!("'{}' has a right value, and its answer is a text", item.id));
        }
        if items.is_empty() {
            return Err("no question has points; give points in the assignment".to_owned());
        }
        Ok(Rubric {
            records: self.records,
            asked: Asked::default(),
            items,
            words: assignment.feedback.clone(),
        })
    }

    /// Refuses a value of a field without points: nobody would notice a wrong id.
    fn is_used(&self, assignment: &Assignment) -> Result<(), String> {
        let worth = assignment.points();
        let is_graded = |value: &&RightValue| worth.iter().any(|(field, _)| field.id == value.id);
        match self.values.iter().find(|value| !is_graded(value)) {
            None => Ok(()),
            Some(value) => Err(format!(
                "'{}' has no points in the assignment; correct the id, or give the assignment with --assignment",
                shorten(&value.id, 60)
            )),
        }
    }
}

impl Rubric {
    /// The rubric and the assignment among the files, which say what they are; the guide's
    /// where there is none.
    /// Fails if one cannot be read, there are two of a kind, or no item has points.
    pub(crate) fn read(files: &[PathBuf]) -> Result<(Rubric, Assignment), Failure> {
        let mut read = [None, None];
        for path in files {
            let (name, text) = (input::name(path), input::text(path)?);
            let kind = usize::from(text.contains(ASSIGNMENT));
            if let Some((known, _)) = read[kind].replace((name.clone(), text)) {
                let what = ["rubrics", "assignments"][kind];
                return Err(Failure::usage(format!("{known} and {name} are both {what}; give one")));
            }
        }
        let guides = |what: &str, text: &str| (format!("the guide's {what}"), text.to_owned());
        let [rubric, assignment] = read;
        let (name, text) = assignment.unwrap_or_else(|| guides("assignment", report::GUIDE));
        let asked = Asked::of(&[&text, report::GUIDE]);
        let refused = |name: &String, why: String| Failure::usage(format!("{name}: {why}"));
        let assignment = Assignment::parse(&text).map_err(|why| refused(&name, why))?;
        let is_own = rubric.is_some();
        let (name, text) = rubric.unwrap_or_else(|| guides("rubric", GUIDES));
        let read = || {
            let given = Given::parse(&text)?;
            // An assignment may leave out questions of the guide.
            if is_own {
                given.is_used(&assignment)?;
            }
            given.of(&assignment)
        };
        let rubric = read().map_err(|why| refused(&name, why))?;
        Ok((Rubric { asked, ..rubric }, assignment))
    }

    /// Whether an answer is compared with the student's machine.
    pub(crate) fn needs_machine(&self) -> bool {
        self.items.iter().filter_map(|item| item.expect).any(Figure::is_of_machine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The points for what is not read by hand.
    fn most(rubric: &Rubric) -> f64 {
        rubric.items.iter().filter(|item| !item.by_hand()).map(|item| item.points).sum()
    }

    #[test]
    fn the_guides_rubric_is_one() {
        let guide = Assignment::guide();
        let read = |text: &str| {
            let given = Given::parse(text)?;
            given.is_used(&guide)?;
            given.of(&guide)
        };
        let rubric = read(GUIDES).unwrap();
        assert_eq!((most(&rubric), rubric.items.len()), (20.0, 21));
        for (from, to) in [
            (GUIDES, ""),
            (GUIDES, "# nothing"),
            (GUIDES, "format = \"x\"\nitem = []"),
            ("value =", "valeu ="),
            ("[550, 700]", "[700, 550]"),
            ("[550, 700]", "[nan, 550]"),
            ("value = 65536", "value = nan"),
            ("value = 65536", "value = inf"),
            ("value = 65536", "value = 1\nrange = [1, 2]"),
            ("value = 65536", ""),
            ("id = \"s2-2\"", "id = \"zz\""),
            ("id = \"s2-2\"", "id = \"s2-3\""),
            ("id = \"s2-2\"", "id = \"spec-comment\""),
        ] {
            assert!(GUIDES.contains(from) && read(&GUIDES.replacen(from, to, 1)).is_err(), "{to}");
        }
    }

    #[test]
    fn an_assignment_says_what_answers_are_worth() {
        let text = report::GUIDE;
        let asked = |text: String| Assignment::parse(&text).unwrap();
        let of = |text: String| Given::parse(GUIDES).unwrap().of(&asked(text)).unwrap();
        assert_eq!(most(&of(text.replacen("points = 1", "points = 4", 1))), 23.0);
        assert_eq!(most(&of(text.replace("[[section]]\npart = \"products\"\n", ""))), 14.0);
        let more = "\n[[question]]\nid = \"s2-more\"\nsection = \"2\"\nlabel = \"Why?\"\npoints = 3\n";
        let rubric = of(text.to_owned() + more);
        let last = rubric.items.last().unwrap();
        assert!(last.by_hand() && last.id == "s2-more" && last.points == 3.0 && most(&rubric) == 20.0);
    }
}

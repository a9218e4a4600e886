//! What answers are worth, and the right values, as data.

use std::collections::BTreeMap;
use std::path::PathBuf;

use common::failure::Failure;
use common::input;
use common::text::shorten;
use report::{Assignment, Kind, toml_error};

use serde::Deserialize;

/// The rubric of the guide's sheet.
pub(crate) const GUIDES: &str = include_str!("rubric.toml");

/// Identifies an assignment among the files.
const ASSIGNMENT: &str = "\"cache-lab-assignment/";

/// A rubric; the guide's is `rubric.toml`, which explains all.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rubric {
    format: String,
    #[serde(default)]
    pub(crate) records: Records,
    #[serde(rename = "item", default)]
    pub(crate) items: Vec<Item>,
    /// Feedback to students in that language, by the English sentence.
    #[serde(skip)]
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

/// One answer; the top of `rubric.toml` explains the fields.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Item {
    pub(crate) id: String,
    pub(crate) label: String,
    #[serde(rename = "points")]
    given: Option<f64>,
    /// The points, once the assignment is read, too.
    #[serde(skip)]
    pub(crate) points: f64,
    pub(crate) kind: Kind,
    pub(crate) expect: Option<String>,
    pub(crate) value: Option<f64>,
    pub(crate) range: Option<[f64; 2]>,
    pub(crate) tolerance: Option<f64>,
    pub(crate) by_hand: bool,
}

/// The figures of one cache level, and of a matrix product.
const OF_LEVEL: [&str; 5] = ["size", "line", "ways", "hit_ns", "penalty_ns"];
const OF_PRODUCT: [&str; 6] =
    ["hit_rate", "size", "clocks_gain", "time_gain", "clocks_gain_mm2", "time_gain_mm2"];

/// Whether there is a figure of that name.
fn is_figure(figure: &str) -> bool {
    match figure.split_once('.') {
        Some(("l1" | "l2" | "l3", what)) => OF_LEVEL.contains(&what),
        Some(("mm1" | "mm2" | "mm2t" | "mm3", what)) => OF_PRODUCT.contains(&what),
        _ => ["memory_ns", "line.elements", "mm.bytes"].contains(&figure),
    }
}

impl Item {
    /// Refuses an item whose points nobody, or everybody, would get.
    fn impossible(&self) -> Option<String> {
        if self.id.is_empty() || self.label.is_empty() {
            return Some("needs an id and a label".to_owned());
        }
        let ways = [self.expect.is_some(), self.value.is_some(), self.range.is_some(), self.by_hand];
        if ways.iter().filter(|given| **given).count() != 1 {
            return Some("needs one of expect, value, range and by_hand".to_owned());
        }
        if let Some(figure) = self.expect.as_deref().filter(|figure| !is_figure(figure)) {
            return Some(format!(
                "expects '{}', which is not a figure of a machine or a record; the comment at the top of `course rubric` lists them",
                shorten(figure, 40)
            ));
        }
        let [low, high] = self.range.or(self.value.map(|value| [value; 2])).unwrap_or_default();
        if !(low.is_finite() && high.is_finite() && low <= high) {
            return Some(format!("has the range [{low}, {high}], which contains no number"));
        }
        if !(0.0..=1e6).contains(&self.given.unwrap_or_default())
            || !(0.0..=1.0).contains(&self.tolerance.unwrap_or_default())
        {
            return Some("needs points from 0 to 1000000, and a tolerance from 0 to 1".to_owned());
        }
        None
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
        let (name, text) = assignment.unwrap_or_else(|| guides("assignment", report::GUIDES[0].1));
        let refused = |name: &String, why: String| Failure::usage(format!("{name}: {why}"));
        let assignment = Assignment::parse(&text).map_err(|why| refused(&name, why))?;
        let (name, text) = rubric.unwrap_or_else(|| guides("rubric", GUIDES));
        let rubric = Rubric::parse(&text).and_then(|rubric| rubric.worth(&assignment));
        Ok((rubric.map_err(|why| refused(&name, why))?, assignment))
    }

    /// Each item with its points. Items without points are removed; fields to which the
    /// assignment gives points and which only a reader can judge are added.
    fn worth(mut self, assignment: &Assignment) -> Result<Rubric, String> {
        self.words.clone_from(assignment.words());
        self.words.extend(assignment.feedback.clone());
        let (worth, fields) = (assignment.points(), assignment.fields());
        let of = |id: &str| worth.iter().find(|(field, _)| field.id == id).map(|(_, points)| *points);
        let is_asked = |item: &Item| fields.iter().any(|field| field.id == item.id);
        let mut given = self.items.iter().filter(|item| item.given.is_some_and(|points| points > 0.0));
        if let Some(item) = given.find(|item| !is_asked(item)) {
            return Err(format!(
                "'{}' has points, and the assignment does not ask for it; correct the id, or give the assignment with --assignment",
                shorten(&item.id, 60)
            ));
        }
        self.items.retain_mut(|item| {
            let points = item.given.or_else(|| of(&item.id));
            item.points = points.unwrap_or_default();
            points.is_some()
        });
        for (field, points) in &worth {
            if !self.items.iter().any(|item| item.id == field.id) {
                let (id, label) = (field.id.clone(), field.label.clone());
                self.items.push(Item { id, label, points: *points, by_hand: true, ..Item::default() });
            }
        }
        if self.items.is_empty() {
            return Err("no question has points; give points in the rubric or in the assignment".to_owned());
        }
        Ok(self)
    }

    fn parse(text: &str) -> Result<Rubric, String> {
        let rubric: Rubric = toml::from_str(text).map_err(|error| toml_error(text, &error))?;
        if rubric.format != "cache-lab-rubric/1" {
            return Err("its format is not \"cache-lab-rubric/1\"".to_owned());
        }
        for item in &rubric.items {
            if let Some(why) = item.impossible() {
                return Err(format!("'{}' {why}", shorten(&item.id, 60)));
            }
            if rubric.items.iter().filter(|other| other.id == item.id).count() > 1 {
                return Err(format!(
                    "'{}' is in it twice; its points would count twice",
                    shorten(&item.id, 60)
                ));
            }
        }
        Ok(rubric)
    }

    /// Whether an answer is compared with the student's machine.
    pub(crate) fn needs_machine(&self) -> bool {
        self.items.iter().filter_map(|item| item.expect.as_deref()).any(|figure| !figure.starts_with("mm"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The points for what is not read by hand.
    fn most(rubric: &Rubric) -> f64 {
        rubric.items.iter().filter(|item| !item.by_hand).map(|item| item.points).sum()
    }

    #[test]
    fn the_guides_rubric_is_one() {
        let guide = Assignment::guide();
        let rubric = Rubric::parse(GUIDES).unwrap().worth(&guide).unwrap();
        assert_eq!((most(&rubric), rubric.items.len()), (20.0, 21));
        for wrong in [
            "",
            "# nothing",
            "format = \"x\"\nitem = []",
            &GUIDES.replacen("expect =", "expct =", 1),
            &GUIDES.replacen("l1.size\"", "l9.size\"", 1),
            &GUIDES.replacen("l1.size\"", "mm1.ways\"", 1),
            &GUIDES.replacen("[550, 700]", "[700, 550]", 1),
            &GUIDES.replacen("[550, 700]", "[nan, 550]", 1),
            &GUIDES.replacen("value = 65536", "value = nan", 1),
            &GUIDES.replacen("value = 65536", "value = inf", 1),
            &GUIDES.replacen("id = \"s2-2\"", "id = \"zz\"\npoints = 5", 1),
            &GUIDES.replacen("id = \"s2-2\"", "id = \"s2-3\"", 1),
            &GUIDES.replacen("value = 65536", "value = 65536\npoints = -1", 1),
            &GUIDES.replacen("value = 65536", "value = 65536\npoints = 1e300", 1),
        ] {
            assert!(Rubric::parse(wrong).and_then(|r| r.worth(&guide)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_assignment_says_what_answers_are_worth() {
        let text = report::GUIDES[0].1;
        let asked = |text: String| Assignment::parse(&text).unwrap();
        let of = |text: String| Rubric::parse(GUIDES).unwrap().worth(&asked(text)).unwrap();
        assert_eq!(most(&of(text.replacen("points = 1", "points = 4", 1))), 23.0);
        assert_eq!(most(&of(text.replace("[[section]]\npart = \"products\"\n", ""))), 14.0);
        let more = "\n[[question]]\nid = \"s2-more\"\nsection = \"2\"\nlabel = \"Why?\"\npoints = 3\n";
        let rubric = of(text.to_owned() + more);
        let last = rubric.items.last().unwrap();
        assert!(last.by_hand && last.id == "s2-more" && last.points == 3.0 && most(&rubric) == 20.0);
    }
}

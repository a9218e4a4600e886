//! What answers are worth, and the right values, as data.

use std::collections::BTreeMap;
use std::path::PathBuf;

use common::failure::Failure;
use common::input;
use common::text::{says_nothing, shorten};
use report::{Assignment, Kind, toml_error};

use crate::commands::assignment::RUBRIC;
use serde::Deserialize;

/// Identifies an assignment among the files.
const ASSIGNMENT: &str = "\"cache-lab-assignment/";

/// All items, in order.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rubric {
    /// Identifies the file as a rubric, with its version.
    format: String,
    /// What is graded, in a few words.
    pub(crate) title: String,
    /// What happens with records that were made on another machine, or changed.
    #[serde(default)]
    pub(crate) records: Records,
    /// Per cent of the points that a late submission loses, however late it is.
    #[serde(default)]
    pub(crate) late_percent: f64,
    /// The columns of Moodle's worksheet.
    #[serde(default)]
    pub(crate) worksheet: Headers,
    /// One for each answer that gets points.
    #[serde(rename = "item", default)]
    pub(crate) items: Vec<Item>,
    /// Feedback to students in that language, by the English sentence.
    #[serde(skip)]
    pub(crate) words: BTreeMap<String, String>,
}

/// The headers of Moodle's worksheet, in the language of the export.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Headers {
    pub(crate) grade: String,
    pub(crate) maximum: String,
    pub(crate) feedback: String,
}

impl Default for Headers {
    fn default() -> Headers {
        let [grade, maximum, feedback] = ["Grade", "Maximum Grade", "Feedback comments"].map(str::to_owned);
        Headers { grade, maximum, feedback }
    }
}

/// What a submission's records must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Records {
    /// Problems are noted.
    #[default]
    Noted,
    /// Without records of the student's own machine there are no points.
    Own,
}

/// One answer.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Item {
    /// The id of the report's field.
    pub(crate) id: String,
    /// What is asked, in a few words.
    pub(crate) label: String,
    /// The points for the right answer, unless the assignment gives them.
    #[serde(rename = "points")]
    given: Option<f64>,
    /// The points, once both files are read.
    #[serde(skip)]
    pub(crate) points: f64,
    /// The kind of number: its unit.
    pub(crate) kind: Kind,
    /// The name of the right figure: `l1.size` of the machine, `mm1.hit_rate` of the
    /// records.
    pub(crate) expect: Option<String>,
    /// Or the value itself,
    pub(crate) value: Option<f64>,
    /// or the largest and the smallest right one.
    pub(crate) range: Option<[f64; 2]>,
    /// Largest accepted error, as a share of the value; the default is that of the report's
    /// page.
    pub(crate) tolerance: Option<f64>,
    /// The share of the points for a range of a factor of two that contains the value, of
    /// sizes and ways.
    partial: Option<f64>,
    /// Whether the instructor reads the answer: it gets no points yet.
    pub(crate) by_hand: bool,
    /// Whether the instructor has read one of the answers, so that the item counts.
    #[serde(skip)]
    pub(crate) read: bool,
}

/// The figures of one cache level, and of a matrix product.
const OF_LEVEL: [&str; 5] = ["size", "line", "ways", "hit_ns", "penalty_ns"];
const OF_PRODUCT: [&str; 6] =
    ["hit_rate", "size", "clocks_gain", "time_gain", "clocks_gain_mm2", "time_gain_mm2"];

/// The prefix of a figure of any program's record: `record.mine.wall_s`.
pub(super) const OF_RECORD: &str = "record.";
/// The prefix of a task of `lab exercise`, which has no field: `exercise.tail`.
pub(super) const OF_EXERCISES: &str = "exercise.";

/// Whether a figure is one of the student's machine.
fn is_of_machine(figure: &str) -> bool {
    match figure.split_once('.') {
        Some(("l1" | "l2" | "l3", what)) => OF_LEVEL.contains(&what),
        Some(("line", what)) => what == "elements",
        _ => figure == "memory_ns",
    }
}

/// Whether there is a figure of that name.
fn is_figure(figure: &str) -> bool {
    match figure.split_once('.') {
        Some(("mm1" | "mm2" | "mm2t" | "mm3", what)) => OF_PRODUCT.contains(&what),
        Some(("mm", what)) => what == "bytes",
        Some(("record", rest)) => {
            rest.split_once('.').is_some_and(|(program, what)| !program.is_empty() && !what.is_empty())
        }
        Some(("exercise", task)) => exercises::TASKS.iter().any(|known| known.name == task),
        _ => is_of_machine(figure),
    }
}

impl Item {
    /// The task of `lab exercise` that it is for.
    pub(super) fn exercise(&self) -> Option<&str> {
        self.expect.as_deref()?.strip_prefix(OF_EXERCISES)
    }

    /// The share of the points for a range that contains the value.
    pub(super) fn partial(&self) -> f64 {
        self.partial.unwrap_or(0.5)
    }

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
                "expects '{}', which is not a figure of a machine or a record; the comment at the top of `lab assignment --rubric` lists them",
                shorten(figure, 40)
            ));
        }
        if self.value.is_some_and(|value| !value.is_finite()) {
            return Some("has a value that is not a number".to_owned());
        }
        if let Some([low, high]) =
            self.range.filter(|[low, high]| !(low.is_finite() && high.is_finite() && low <= high))
        {
            return Some(format!(
                "has the range [{low}, {high}], which contains no number; write the smaller one first"
            ));
        }
        let shares = [self.tolerance.unwrap_or_default(), self.partial()];
        if !(0.0..=1e6).contains(&self.given.unwrap_or_default())
            || shares.iter().any(|share| !(0.0..=1.0).contains(share))
        {
            return Some("needs points from 0 to 1000000, and shares from 0 to 1".to_owned());
        }
        None
    }
}

impl Rubric {
    /// The rubric and the assignment among the files, which say what they are; the guide's
    /// where there is none.
    ///
    /// # Errors
    ///
    /// If one cannot be read, there are two of a kind, or no item has points.
    pub(crate) fn read(files: &[PathBuf]) -> Result<(Rubric, Assignment), Failure> {
        let mut read = [None, None];
        for path in files {
            let (name, text) = (input::name(path), input::text(path)?);
            let kind = usize::from(text.contains(ASSIGNMENT));
            if let Some((known, _)) = read[kind].replace((name, text)) {
                let what = ["rubrics", "assignments"][kind];
                return Err(Failure::usage(format!(
                    "{known} and {} are both {what}; give one",
                    input::name(path)
                )));
            }
        }
        let guides = |what: &str, text: &str| (format!("the guide's {what}"), text.to_owned());
        let [rubric, assignment] = read;
        let (name, text) = assignment.unwrap_or_else(|| guides("assignment", report::GUIDES[0].1));
        let refused = |name: &String, why: String| Failure::usage(format!("{name}: {why}"));
        let assignment = Assignment::parse(&text).map_err(|why| refused(&name, why))?;
        let (name, text) = rubric.unwrap_or_else(|| guides("rubric", RUBRIC));
        let rubric = Rubric::parse(&text).and_then(|rubric| rubric.worth(&assignment));
        Ok((rubric.map_err(|why| refused(&name, why))?, assignment))
    }

    /// Each item with its points. Items without points are removed; fields to which the
    /// assignment gives points and which only a reader can judge are added.
    fn worth(mut self, assignment: &Assignment) -> Result<Rubric, String> {
        self.words.clone_from(assignment.words());
        self.words.extend(assignment.feedback.clone());
        let worth = assignment.points();
        let of = |id: &str| worth.iter().find(|(field, _)| field.id == id).map(|(_, points)| *points);
        let fields: Vec<String> = assignment.fields().into_iter().map(|field| field.id).collect();
        let unasked = |item: &&Item| {
            let has_points = item.given.is_some_and(|points| points > 0.0);
            has_points && !fields.contains(&item.id) && item.exercise().is_none()
        };
        if let Some(item) = self.items.iter().find(unasked) {
            return Err(format!(
                "'{}' has points, and the assignment does not ask for it; correct the id, or give the assignment with --assignment",
                shorten(&item.id, 60)
            ));
        }
        self.items.retain_mut(|item| {
            let task = exercises::TASKS.iter().find(|task| item.exercise() == Some(task.name));
            let of_task = task.map(|task| f64::from(task.points));
            let points = item.given.or_else(|| of(&item.id)).or(of_task);
            item.points = points.unwrap_or_default();
            points.is_some()
        });
        for (field, points) in &worth {
            if !self.items.iter().any(|item| item.id == field.id) {
                self.items.push(Item {
                    id: field.id.clone(),
                    label: field.label.clone(),
                    points: *points,
                    by_hand: true,
                    ..Item::default()
                });
            }
        }
        if self.items.is_empty() {
            let why = if worth.is_empty() {
                "the assignment gives points for nothing"
            } else {
                "no item is of a question with points"
            };
            return Err(format!("{why}; give points in the rubric or in the assignment"));
        }
        Ok(self)
    }

    fn parse(text: &str) -> Result<Rubric, String> {
        if says_nothing(text) {
            return Err("there is nothing in it; start from the file that `lab assignment --rubric` prints"
                .to_owned());
        }
        let rubric: Rubric = toml::from_str(text).map_err(|error| toml_error(text, &error))?;
        if rubric.format != "cache-lab-rubric/1" {
            return Err("its format is not \"cache-lab-rubric/1\"".to_owned());
        }
        if !(0.0..=100.0).contains(&rubric.late_percent) {
            return Err("late_percent is from 0 to 100".to_owned());
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
        self.items.iter().any(|item| item.expect.as_deref().is_some_and(is_of_machine))
    }

    /// The points that can be reached; texts count once the instructor has read them.
    pub(crate) fn most(&self) -> f64 {
        self.items.iter().filter(|item| !item.by_hand || item.read).map(|item| item.points).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guides_rubric_is_one() {
        let guide = Assignment::guide();
        let rubric = Rubric::parse(RUBRIC).unwrap().worth(&guide).unwrap();
        assert_eq!((rubric.most(), rubric.items.len()), (20.0, 21));
        assert!(Rubric::parse("").unwrap_err().contains("--rubric"));
        for wrong in [
            "# nothing",
            "format = \"x\"\ntitle = \"\"\nitem = []",
            &RUBRIC.replacen("expect =", "expct =", 1),
            &RUBRIC.replacen("l1.size\"", "l9.size\"", 1),
            &RUBRIC.replacen("l1.size\"", "mm1.ways\"", 1),
            &RUBRIC.replacen("[550, 700]", "[700, 550]", 1),
            &RUBRIC.replacen("[550, 700]", "[nan, 550]", 1),
            &RUBRIC.replacen("records = \"noted\"", "late_percent = 200", 1),
            &RUBRIC.replacen("value = 65536", "value = nan", 1),
            &RUBRIC.replacen("value = 65536", "value = inf", 1),
            &RUBRIC.replacen("id = \"s2-2\"", "id = \"zz\"\npoints = 5", 1),
            &RUBRIC.replacen("id = \"s2-2\"", "id = \"s2-3\"", 1),
            &RUBRIC.replacen("value = 65536", "value = 65536\npoints = -1", 1),
            &RUBRIC.replacen("value = 65536", "value = 65536\npoints = 1e300", 1),
        ] {
            assert!(Rubric::parse(wrong).and_then(|r| r.worth(&guide)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_assignment_says_what_answers_are_worth() {
        let text = report::GUIDES[0].1;
        let asked = |text: String| Assignment::parse(&text).unwrap();
        let of = |text: String| Rubric::parse(RUBRIC).unwrap().worth(&asked(text)).unwrap();
        assert_eq!(of(text.replacen("points = 1", "points = 4", 1)).most(), 23.0);
        assert_eq!(of(text.replace("[[section]]\npart = \"products\"\n", "")).most(), 14.0);
        let more = "\n[[question]]\nid = \"s2-more\"\nsection = \"2\"\nlabel = \"Why?\"\npoints = 3\n";
        let rubric = of(text.to_owned() + more);
        let last = rubric.items.last().unwrap();
        assert!(last.by_hand && last.id == "s2-more" && last.points == 3.0 && rubric.most() == 20.0);
    }
}

//! One student's marks in the formats of course systems.

use clap::ValueEnum;
use common::failure::Failure;
use common::system::date;
use serde_json::{Map, Value, json};

use super::judge::Mark;
use super::sentence::{Sentence, joined};
use super::{Graded, rubric::Rubric};

/// A course system's format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Convention {
    /// Gradescope's results.json
    Gradescope,
    /// PrairieLearn's results.json
    Prairielearn,
    /// What Autolab reads: lines for the student, the scores on the last
    Autolab,
    /// check50's JSON
    Check50,
    /// Classroom 50's result.json (version 1)
    Classroom50,
}

impl Convention {
    /// The name of the file that the system expects.
    pub(super) fn file(self) -> &'static str {
        match self {
            Convention::Gradescope | Convention::Prairielearn => "results.json",
            Convention::Autolab => "autolab.txt",
            Convention::Check50 => "check50.json",
            Convention::Classroom50 => "result.json",
        }
    }

    /// The content of that file; `alone` where only one student is graded.
    ///
    /// # Errors
    ///
    /// If the format needs something that only its own system knows.
    pub(super) fn text(self, rubric: &Rubric, graded: &Graded, alone: bool) -> Result<String, Failure> {
        let value = match self {
            Convention::Gradescope => gradescope(rubric, graded),
            Convention::Prairielearn => prairielearn(rubric, graded),
            Convention::Check50 => check50(rubric, graded),
            Convention::Classroom50 => classroom50(rubric, graded, alone)?,
            Convention::Autolab => return Ok(autolab(rubric, graded)),
        };
        Ok(format!("{value:#}\n"))
    }
}

/// The marks that are worth points, with their items.
fn counted<'g>(rubric: &'g Rubric, graded: &'g Graded) -> impl Iterator<Item = (&'g str, &'g Mark, f64)> {
    let with_most =
        |(item, mark): (&'g super::rubric::Item, &'g Mark)| Some((item.label.as_str(), mark, mark.most?));
    rubric.items.iter().zip(&graded.marks).filter_map(with_most)
}

fn gradescope(rubric: &Rubric, graded: &Graded) -> Value {
    let test = |(label, mark, most): (&str, &Mark, f64)| {
        let status = if mark.points == most { "passed" } else { "failed" };
        json!({
            "name": label, "score": mark.points, "max_score": most, "status": status,
            "output": mark.reason.to_string(), "output_format": "text", "visibility": "after_published",
        })
    };
    json!({
        "score": graded.points(), "output": joined(&graded.notes, "\n"), "output_format": "text",
        "visibility": "after_published", "tests": counted(rubric, graded).map(test).collect::<Vec<_>>(),
    })
}

fn prairielearn(rubric: &Rubric, graded: &Graded) -> Value {
    let test = |(label, mark, most): (&str, &Mark, f64)| {
        json!({
            "name": label, "description": label, "points": mark.points, "max_points": most,
            "message": mark.reason.to_string(), "output": "",
        })
    };
    let most = graded.most();
    json!({
        "gradable": true, "score": if most > 0.0 { graded.points() / most } else { 0.0 },
        "message": rubric.title, "output": joined(&graded.notes, "\n"),
        "tests": counted(rubric, graded).map(test).collect::<Vec<_>>(),
    })
}

fn check50(rubric: &Rubric, graded: &Graded) -> Value {
    let result = |(item, mark): (&super::rubric::Item, &Mark)| {
        let passed = mark.most.filter(|_| !mark.unread).map(|most| mark.points == most);
        let cause =
            (passed != Some(true)).then(|| json!({ "rationale": mark.reason.to_string(), "help": null }));
        json!({
            "name": item.id, "description": item.label, "passed": passed, "log": [], "cause": cause,
            "data": { "points": mark.points, "max_points": mark.most }, "dependency": null,
        })
    };
    json!({
        "slug": "cache-lab-kit",
        "results": rubric.items.iter().zip(&graded.marks).map(result).collect::<Vec<_>>(),
        "version": "3.0.0",
    })
}

/// The format has only whole numbers: hundredths of a point.
fn hundredths(points: f64) -> u64 {
    (100.0 * points).round().max(0.0) as u64
}

fn classroom50(rubric: &Rubric, graded: &Graded, alone: bool) -> Result<Value, Failure> {
    let told = |name: &str| {
        std::env::var(name).ok().filter(|value| !value.is_empty()).ok_or_else(|| {
            Failure::could_not(format!(
                "{name} is not set, which Classroom 50's runner sets; grade in its autograder, or choose another convention"
            ))
        })
    };
    let or = |name: &str, other: &str| told(name).or_else(|_| told(other));
    let tests: Vec<Value> = counted(rubric, graded)
        .map(|(label, mark, most)| {
            json!({
                "test-name": label, "passed": mark.points == most, "score": hundredths(mark.points),
                "max-score": hundredths(most), "message": mark.reason.to_string(),
            })
        })
        .collect();
    // The runner names the owner of one repository; it cannot name those of a class.
    let owner = if alone { or("OWNER", "USERNAME")? } else { graded.student.clone() };
    let sum = |key: &str| tests.iter().filter_map(|test| test[key].as_u64()).sum::<u64>();
    Ok(json!({
        "schema": "classroom50/result/v1",
        "classroom": told("CLASSROOM")?, "assignment": told("ASSIGNMENT")?,
        "assignment_type": told("ASSIGNMENT_TYPE").unwrap_or_else(|_| "individual".to_owned()),
        "owner": owner, "submission": told("SUBMISSION_TAG")?, "commit": told("COMMIT_URL")?,
        "release": told("RELEASE_URL")?, "review": or("REVIEW_URL", "COMMIT_URL")?, "datetime": date::now(),
        "score": sum("score"), "max-score": sum("max-score"), "tests": tests,
    }))
}

fn autolab(rubric: &Rubric, graded: &Graded) -> String {
    let mut lines: Vec<String> = graded.notes.iter().map(Sentence::to_string).collect();
    let items = || rubric.items.iter().zip(&graded.marks);
    lines.extend(items().map(|(item, mark)| format!("{}: {} {}", item.label, mark.points, mark.reason)));
    let scores: Map<String, Value> = items()
        .filter(|(_, mark)| mark.most.is_some())
        .map(|(item, mark)| (item.id.clone(), mark.points.into()))
        .collect();
    lines.push(json!({ "scores": scores }).to_string());
    lines.join("\n") + "\n"
}

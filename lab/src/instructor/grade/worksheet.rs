//! Moodle's grading worksheet: filled in as it was exported.

use common::failure::Failure;
use common::text::{inert, shorten};

use super::{Graded, rubric::Rubric};
use crate::instructor::names;
use crate::instructor::tables::Table;

/// The columns that an English Moodle exports; others are named by their places.
const GRADE: &str = "Grade";
const MOST: &str = "Maximum Grade";
const FEEDBACK: &str = "Feedback comments";

/// The worksheet with grades and feedback for the students it has; nothing else
/// in it changes. Also the students that it lacks.
///
/// # Errors
///
/// If there is no column for grades.
pub(super) fn fill(
    mut table: Table,
    column: &str,
    rubric: &Rubric,
    class: &[Graded],
) -> Result<(String, Vec<String>), Failure> {
    let Some(grade) = table.column(column) else {
        return Err(Failure::usage(format!(
            "the worksheet has no column '{}'; name the one for grades with --grade-column: '{}'",
            shorten(column, 60),
            table.header.join("', '")
        )));
    };
    let [most, feedback] = [MOST, FEEDBACK].map(|name| table.column(name));
    let separator = table.separator;
    let mut missing = Vec::new();
    for graded in class {
        let is_student = |row: &&mut Vec<String>| row.iter().any(|cell| same(cell, &graded.student));
        let Some(row) = table.rows.iter_mut().find(is_student) else {
            missing.push(graded.student.clone());
            continue;
        };
        let scale = most.and_then(|at| number(row.get(at)?)).map_or(1.0, |most| most / rubric.most());
        set(row, Some(grade), written(graded.points() * scale, separator));
        set(row, feedback, inert(&graded.feedback(rubric)));
    }
    Ok((table.text(), missing))
}

fn same(cell: &str, student: &str) -> bool {
    names::normalised(cell).is_ok_and(|cell| cell.to_lowercase() == student.to_lowercase())
}

/// A number, whose decimal sign may be a comma.
fn number(text: &str) -> Option<f64> {
    text.trim().replace(',', ".").parse().ok().filter(|number: &f64| *number > 0.0)
}

/// Two decimals, with a comma where the table leaves it free: that is how such
/// a Moodle writes them.
fn written(points: f64, separator: u8) -> String {
    let text = format!("{points:.2}");
    if separator == b';' { text.replace('.', ",") } else { text }
}

fn set(row: &mut [String], place: Option<usize>, text: String) {
    if let Some(cell) = place.and_then(|place| row.get_mut(place)) {
        *cell = text;
    }
}

pub(super) const COLUMN: &str = GRADE;

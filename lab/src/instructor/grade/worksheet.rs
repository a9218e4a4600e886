//! Moodle's grading worksheet: filled in as it was exported.

use std::collections::HashMap;

use common::failure::Failure;
use common::text::{inert, shorten};

use super::{Graded, rubric::Rubric};
use crate::book::markdown::escaped;
use crate::instructor::names;
use crate::instructor::tables::Table;

/// The columns that an English Moodle exports.
const GRADE: &str = "Grade";
const MOST: &str = "Maximum Grade";
const FEEDBACK: &str = "Feedback comments";

/// The columns to fill, in the language of the Moodle that exported them.
#[derive(Debug, clap::Args)]
pub(super) struct Columns {
    /// The worksheet's column for grades
    #[arg(long = "grade-column", value_name = "COLUMN", default_value = GRADE)]
    grade: String,

    /// The worksheet's column for what the student is told
    #[arg(long = "feedback-column", value_name = "COLUMN", default_value = FEEDBACK)]
    feedback: String,
}

/// The worksheet with grades and feedback for the students it has; nothing else
/// in it changes. Also the students that it lacks.
///
/// # Errors
///
/// If there is no column for grades, or none for feedback of the name that was given.
pub(super) fn fill(
    mut table: Table,
    columns: &Columns,
    rubric: &Rubric,
    class: &[Graded],
) -> Result<(String, Vec<String>), Failure> {
    let lacks = |name: &str, what: &str, option: &str| {
        let (name, there) = (shorten(name, 60), table.header.join("', '"));
        Failure::usage(format!(
            "the worksheet has no column '{name}'; name the one for {what} with {option}: '{there}'"
        ))
    };
    let grade =
        table.column(&columns.grade).ok_or_else(|| lacks(&columns.grade, "grades", "--grade-column"))?;
    let feedback = table.column(&columns.feedback);
    if feedback.is_none() && columns.feedback != FEEDBACK {
        return Err(lacks(&columns.feedback, "feedback", "--feedback-column"));
    }
    let most = most(&table, grade);
    let comma = comma(&table, [Some(grade), most]);
    let mut missing = Vec::new();
    let rows = rows(&table);
    for graded in class {
        let place = rows.get(&graded.student.to_lowercase());
        let Some(row) = place.and_then(|place| table.rows.get_mut(*place)) else {
            missing.push(graded.student.clone());
            continue;
        };
        let scale = most.and_then(|at| number(row.get(at)?)).map_or(1.0, |most| most / rubric.most());
        set(row, Some(grade), written(graded.points() * scale, comma));
        // HTML (`FORMAT_HTML` in `mod/assign/feedback/comments/locallib.php`): else what a
        // student wrote would be a tag and gone, or, as `\"`, end the cell for PHP's reader.
        set(row, feedback, inert(&escaped(&graded.feedback(rubric))));
    }
    Ok((table.text(), missing))
}

/// The first row that has a cell, by the cell in one spelling and lower case.
fn rows(table: &Table) -> HashMap<String, usize> {
    let mut rows = HashMap::new();
    for (place, row) in table.rows.iter().enumerate() {
        for name in row.iter().filter_map(|cell| names::normalised(cell).ok()) {
            rows.entry(name.to_lowercase()).or_insert(place);
        }
    }
    rows
}

/// The column of the largest grade. In any language Moodle exports it right behind
/// the grade (`mod/assign/gradingtable.php`), and it is the same in all rows.
fn most(table: &Table, grade: usize) -> Option<usize> {
    table.column(MOST).or_else(|| {
        let mut cells = table.rows.iter().map(|row| row.get(grade + 1).filter(|cell| number(cell).is_some()));
        let first = cells.next()??;
        (table.rows.len() > 1 && cells.all(|cell| cell == Some(first))).then_some(grade + 1)
    })
}

/// Whether decimals are set apart by a comma, as Moodle does in many languages and
/// reads it back then: where a number has one, or the table leaves it free.
fn comma(table: &Table, places: [Option<usize>; 2]) -> bool {
    let cells = || table.rows.iter().flat_map(|row| places.iter().flatten().filter_map(|at| row.get(*at)));
    table.separator == b';' || cells().any(|cell| cell.contains(',') && number(cell).is_some())
}

/// A number, whose decimal sign may be a comma.
fn number(text: &str) -> Option<f64> {
    text.trim().replace(',', ".").parse().ok().filter(|number: &f64| *number > 0.0)
}

/// Two decimals.
fn written(points: f64, comma: bool) -> String {
    let text = format!("{points:.2}");
    if comma { text.replace('.', ",") } else { text }
}

fn set(row: &mut [String], place: Option<usize>, text: String) {
    if let Some(cell) = place.and_then(|place| row.get_mut(place)) {
        *cell = text;
    }
}

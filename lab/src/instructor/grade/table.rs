//! All grades at a glance, and all of them as a table.

use common::text::{inert, shorten};

use super::Graded;
use super::rubric::Rubric;
use crate::instructor::tables::Table;

/// Letters of a name in the overview.
const NAME: usize = 30;

/// One line for each student, then what an instructor should look at.
pub(super) fn text(rubric: &Rubric, class: &[Graded]) -> String {
    let most = rubric.most();
    let mut lines = vec![format!("points\tof\tstudent\tnotes")];
    for graded in class {
        let name = shorten(&graded.student, NAME);
        lines.push(format!("{}\t{most}\t{name}\t{}", graded.points(), shorten(&graded.notes.join(" "), 200)));
    }
    let sum: f64 = class.iter().map(Graded::points).sum();
    lines.push(format!(
        "{:.2}\t{most}\tmean of {}\t{}",
        sum / class.len().max(1) as f64,
        class.len(),
        rubric.title
    ));
    lines.join("\n") + "\n"
}

/// For each student the points and for each item points, reason, answer and what
/// is right: for the instructor.
pub(super) fn csv(rubric: &Rubric, class: &[Graded]) -> String {
    let mut header = ["student", "points", "max_points", "notes"].map(str::to_owned).to_vec();
    for item in &rubric.items {
        header.extend(["points", "reason", "answer", "expected"].map(|what| format!("{}_{what}", item.id)));
    }
    let row = |graded: &Graded| {
        let mut row = vec![
            inert(&graded.student),
            graded.points().to_string(),
            rubric.most().to_string(),
            inert(&graded.notes.join(" ")),
        ];
        for mark in &graded.marks {
            row.push(mark.most.map_or(String::new(), |_| mark.points.to_string()));
            row.push(inert(&mark.reason));
            row.push(inert(&mark.answer));
            row.push(mark.expected.map_or(String::new(), |value| value.to_string()));
        }
        row
    };
    Table { header, rows: class.iter().map(row).collect(), separator: b',' }.text()
}

//! All grades as an overview, and as a table.

use common::text::{inert, shorten};

use super::Graded;
use super::rubric::Rubric;
use crate::instructor::tables::Table;

/// Longest name in the overview, in letters.
const NAME: usize = 30;

/// One line for each student, then what the instructor should look at.
pub(super) fn text(rubric: &Rubric, class: &[Graded]) -> String {
    let most = rubric.most();
    let mut lines = vec![format!("points\tof\tstudent\tnotes")];
    for graded in class {
        let name = shorten(&graded.student, NAME);
        let points = graded.shown_points();
        let most = graded.most();
        lines.push(format!("{points}\t{most}\t{name}\t{}", shorten(&graded.all_notes(), 200)));
    }
    let graded = || class.iter().filter(|graded| graded.refused.is_none()).map(Graded::points);
    let (sum, number) = (graded().sum::<f64>(), graded().count());
    lines.push(format!("{:.2}\t{most}\tmean of {number}\t{}", sum / number.max(1) as f64, rubric.title));
    lines.join("\n") + "\n"
}

/// For each student the points, and for each item the points, reason, answer and right
/// value: for the instructor.
pub(super) fn csv(rubric: &Rubric, class: &[Graded]) -> String {
    let mut header = ["student", "points", "max_points", "notes"].map(str::to_owned).to_vec();
    for item in &rubric.items {
        header.extend(["points", "reason", "answer", "expected"].map(|what| format!("{}_{what}", item.id)));
    }
    let row = |graded: &Graded| {
        let mut row = vec![
            inert(&graded.student),
            points(graded.refused.is_none(), graded.points()),
            graded.most().to_string(),
            inert(&graded.all_notes()),
        ];
        for (place, (item, mark)) in rubric.items.iter().zip(&graded.marks).enumerate() {
            // An empty cell is where the instructor fills in points.
            let judged = !item.by_hand && !mark.unread && mark.most.is_some() && graded.refused.is_none();
            let given = graded.given.contains(&place) || judged;
            row.push(points(given, mark.points));
            row.push(inert(&mark.reason.to_string()));
            row.push(inert(&mark.answer));
            row.push(mark.expected.map_or(String::new(), |value| value.to_string()));
        }
        row
    };
    Table { header, rows: class.iter().map(row).collect(), separator: b',' }.text()
}

/// Points, or an empty cell.
fn points(given: bool, points: f64) -> String {
    if given { points.to_string() } else { String::new() }
}

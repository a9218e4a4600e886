//! One student's grade, for the instructor and for the student.

use std::collections::BTreeSet;

use super::judge::Mark;
use super::rubric::Rubric;
use super::sentence::{Sentence, say};

/// One student's grade.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Graded {
    pub(crate) student: String,
    /// In the rubric's order.
    pub(crate) marks: Vec<Mark>,
    /// What one must know to trust the grade, one sentence each; the student sees it too.
    pub(crate) notes: Vec<Sentence>,
    /// The same for the instructor alone: these sentences name other students.
    pub(crate) remarks: Vec<String>,
    /// Why there is no grade.
    pub(crate) refused: Option<String>,
    /// The share of the points that remains after the deduction for late days.
    pub(super) share: f64,
    /// Items whose points the instructor has given.
    pub(super) given: BTreeSet<usize>,
    /// The name of the submission that counts.
    pub(super) source: Option<String>,
    /// The ids of its records.
    pub(super) records: Vec<String>,
    /// Whether all sealed records are of machines that are not in the key; `None` without
    /// sealed records.
    pub(super) unknown_machine: Option<bool>,
    /// Whether there are answers, but none to a question of this assignment.
    pub(super) other_assignment: bool,
}

impl Graded {
    /// The sum of the points.
    pub(crate) fn points(&self) -> f64 {
        rounded(self.share * self.marks.iter().map(|mark| mark.points).sum::<f64>())
    }

    /// The same as a text; `-` where there is no grade.
    pub(super) fn shown_points(&self) -> String {
        if self.refused.is_some() { "-".to_owned() } else { self.points().to_string() }
    }

    /// Feedback to the student, in the rubric's language: points after late days, and
    /// with `terse` no reasons.
    pub(super) fn for_student(&self, rubric: &Rubric, terse: bool) -> Graded {
        let mut shown = self.clone();
        for mark in &mut shown.marks {
            if terse && !mark.answer.is_empty() && mark.most.is_some_and(|most| most > 0.0) {
                let full = mark.most.is_some_and(|most| mark.points >= most);
                let part = mark.points > 0.0;
                mark.reason = if mark.unread {
                    say!("To be read by the instructor.")
                } else if full {
                    say!("Right.")
                } else if part {
                    say!("Right in part.")
                } else {
                    say!("Not right.")
                };
            }
            mark.reason = mark.reason.translated(&rubric.words);
            mark.points = rounded(self.share * mark.points);
        }
        shown.notes.iter_mut().for_each(|note| *note = note.translated(&rubric.words));
        shown.share = 1.0;
        shown
    }

    /// The points that could be reached: without items that cannot be computed from the
    /// records.
    pub(crate) fn most(&self) -> f64 {
        self.marks.iter().filter_map(|mark| mark.most).sum()
    }

    /// All feedback to the student, on one line.
    pub(crate) fn feedback(&self, rubric: &Rubric) -> String {
        let items = rubric.items.iter().zip(&self.marks).filter(|(_, mark)| mark.most.is_some());
        let told = items.map(|(item, mark)| format!("{}: {} {}", item.label, mark.points, mark.reason));
        told.chain(self.notes.iter().map(Sentence::to_string)).collect::<Vec<_>>().join(" ")
    }

    /// All details of the grade, for the instructor.
    pub(super) fn all_notes(&self) -> String {
        let refused = self.refused.as_ref().map(|why| format!("No grade: {why}"));
        let notes = self.notes.iter().map(Sentence::to_string);
        let sentences: Vec<String> = refused.into_iter().chain(notes).chain(self.remarks.clone()).collect();
        sentences.join(" ")
    }
}

/// Points rounded, so that shares of them have no noise in the last digits.
fn rounded(points: f64) -> f64 {
    (points * 1e6).round() / 1e6
}

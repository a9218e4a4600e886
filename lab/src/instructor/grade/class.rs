//! Problems of the whole class: reported once, and an error if no grade can be right.

use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::text::shorten;

use super::context::Machines;
use super::graded::Graded;
use super::identity::Class;
use super::owners::Decision;
use super::rubric::Rubric;
use super::submissions::Submission;

/// Longest list of names in one sentence about the class.
const MAX_LISTED: usize = 10;

/// Notes about the class, each said once.
///
/// # Errors
///
/// If a problem concerns all submissions.
pub(super) fn notes(
    whole_class: bool,
    class: &[Graded],
    decision: &Decision,
    machines: Option<&Machines<'_>>,
    rubric: &Rubric,
    named: &Class,
) -> Result<Vec<String>, Failure> {
    let with_records = class.iter().filter(|graded| graded.unknown_machine.is_some()).count();
    let unknown = class.iter().filter(|graded| graded.unknown_machine == Some(true)).count();
    if whole_class && unknown > 0 && unknown == with_records && (unknown > 1 || class.len() == 1) {
        return Err(Failure::could_not(format!(
            "the sealed records of {unknown} of {unknown} students were made on machines that the key does not have; is that the key of this class?"
        )));
    }
    let answered = class.iter().filter(|graded| {
        graded.refused.is_none()
            && !graded.notes.iter().any(|note| {
                note.template == "Nothing was handed in."
                    || note.template.starts_with("No answers were found")
            })
    });
    let (others, all) = answered
        .fold((0, 0), |(others, all), graded| (others + usize::from(graded.other_assignment), all + 1));
    if whole_class && others > 0 && others == all && (others > 1 || class.len() == 1) {
        return Err(Failure::could_not(format!(
            "the answers of {others} of {all} students are for another assignment: none of their fields is asked for; give it with --assignment"
        )));
    }
    let mut notes: Vec<String> = decision.unclaimed.iter().take(50).cloned().collect();
    if decision.unclaimed.len() > 50 {
        notes.push(format!(
            "{} more submissions are of no student of the roster",
            decision.unclaimed.len() - 50
        ));
    }
    if let Some(machines) = machines {
        let without = machines.of_student.iter().enumerate().filter(|(_, machines)| machines.is_empty());
        let without: Vec<String> = without.map(|(place, _)| shorten(named.name(place), 60)).collect();
        if !without.is_empty() {
            notes.push(format!("the key has no machine of {}", listed(&without, class.len())));
        }
    }
    let lacking = lacking(class, rubric);
    if !lacking.is_empty() {
        let hint =
            if machines.is_none() { "; if the machines are sealed, give the key with --key" } else { "" };
        notes.push(format!(
            "no student has points for {}: no submission has records that show what is right{hint}",
            lacking.join(", ")
        ));
    }
    for graded in class {
        if let Some(why) = &graded.refused {
            notes.push(format!("no grade for '{}': {why}", shorten(&graded.student, 60)));
        }
    }
    Ok(notes)
}

/// The items that students answered, and whose right value no submission's records show.
fn lacking<'r>(class: &[Graded], rubric: &'r Rubric) -> Vec<&'r str> {
    let items = rubric.items.iter().enumerate().filter(|(place, _)| {
        let marks = class.iter().filter_map(|graded| graded.marks.get(*place));
        let mut answered = marks.filter(|mark| !mark.answer.is_empty()).peekable();
        answered.peek().is_some() && answered.all(|mark| mark.reason.template.starts_with("Not graded: "))
    });
    items.map(|(_, item)| item.id.as_str()).collect()
}

/// `3 of 300 students: a, b, c`.
pub(super) fn listed(names: &[String], of: usize) -> String {
    let mut shown = names[..names.len().min(MAX_LISTED)].join(", ");
    if names.len() > MAX_LISTED {
        shown += &format!(" and {} more", names.len() - MAX_LISTED);
    }
    format!("{} of {of} students: {shown}", names.len())
}

/// Why no submission belongs to a student of the class.
pub(super) fn nobodys(given: &[PathBuf], class: &Class, submissions: &[Submission]) -> Failure {
    let names: Vec<String> =
        submissions.iter().take(3).map(|submission| format!("'{}'", shorten(&submission.name, 60))).collect();
    let is_student = |path: &Path| {
        path.file_name().is_some_and(|name| class.named(&name.to_string_lossy()).one().is_some())
    };
    let folders = || given.iter().filter(|path| path.is_dir());
    let holds = |path: &Path| {
        std::fs::read_dir(path).is_ok_and(|children| {
            children.take(1000).filter_map(Result::ok).any(|child| is_student(&child.path()))
        })
    };
    let mut below: Vec<PathBuf> = folders()
        .flat_map(|path| std::fs::read_dir(path).into_iter().flatten().take(1000))
        .filter_map(|child| Some(child.ok()?.path()))
        .collect();
    below.sort();
    let archive = |path: &&PathBuf| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip"));
    let hint = if given.iter().any(|path| archive(&path)) {
        "unpack an archive of the whole class into a folder, and give that".to_owned()
    } else if folders().any(|path| is_student(path)) {
        "give the folder that holds the students' folders".to_owned()
    } else if let Some(child) = below.iter().find(|child| child.is_dir() && holds(child)) {
        format!(
            "give the folder that holds the students' folders, as '{}'",
            shorten(&child.to_string_lossy(), 120)
        )
    } else {
        "is that the roster of this class, and its column with these names (--name-column, --alias-column)?"
            .to_owned()
    };
    Failure::could_not(format!(
        "none of {} submissions is of a student of the class ({}); {hint}",
        submissions.len(),
        names.join(", ")
    ))
}

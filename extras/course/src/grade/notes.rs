//! Notes about the class: what the instructor has to read, to decide or to ask. They have
//! names and judge nothing.

use std::collections::{BTreeMap, BTreeSet};

use common::text::shorten;

use super::Course;
use super::evidence::Submission;
use super::grader::Graded;
use super::note::Note;
use super::reason::Reason;
use super::rubric::plain;

/// Equal texts of so many characters are named.
const COPIED: usize = 40;
/// From so many answers on, an item that nobody has right is named.
const MANY: usize = 5;

/// What is said of the class if a student's row has that note.
fn of_class(note: &Reason) -> Option<&'static str> {
    match note {
        Reason::NothingHandedIn => Some("without a submission"),
        Reason::NoAnswersFound => Some("no answers were found"),
        Reason::ChangedRecord(_) => Some("records that were changed, or of another version of the kit"),
        Reason::NoMachineRecords => Some("no records of the own machine"),
        Reason::NotAsked(_) => Some("answers to questions that are not asked; give the right --assignment"),
        _ => None,
    }
}

impl Course<'_> {
    /// Notes of what the rows say, and of what students have in common, which is also added to
    /// the `graded` rows.
    pub(super) fn notes(&self, submissions: &[Submission], graded: &mut [Graded]) -> Vec<Note> {
        let mut said = BTreeMap::<&str, Vec<String>>::new();
        for (student, graded) in graded.iter().enumerate() {
            let name = self.class.shown(student);
            let notes: BTreeSet<&str> = graded.notes.iter().filter_map(of_class).collect();
            let notes = notes.into_iter().map(|what| (what, name.clone()));
            let remarks = graded.remarks.iter().map(|(what, others)| (*what, named(name.clone(), others)));
            notes.chain(remarks).for_each(|(what, name)| said.entry(what).or_default().push(name));
        }
        let said = said.into_iter().map(|(what, names)| Note::about(what, names));
        let texts = |one: &Submission| {
            let texts = one.given().map(|(id, answer)| (id.clone(), plain(&answer.to_string())));
            texts.filter(|(_, text)| self.rubric.asked.own(text) > COPIED).collect()
        };
        // Several submissions, of which the map must say which counts, are not named here.
        let is_unused = |one: &&Submission| {
            let is_other =
                |student: &usize| graded[*student].source.as_ref().is_some_and(|name| *name != one.name);
            one.owner.as_ref().is_ok_and(|owners| !owners.is_empty() && owners.iter().all(is_other))
        };
        let unused = submissions.iter().filter(is_unused).map(|one| format!("'{}'", shorten(&one.name, 60)));
        let unused = Note::about("submissions that do not count, because another one does", unused);
        let mut in_common =
            |what, parts: &dyn Fn(&Submission) -> Vec<_>| self.in_common(submissions, graded, what, parts);
        let common = [
            in_common("equal texts of 40 characters or more", &texts),
            in_common("records of one measurement", &|one| one.evidence.ids()),
            in_common("equal files of exercises", &|one| one.sources.own()),
        ];
        said.chain([unused]).chain(common).flatten().collect()
    }

    /// Students whose submissions have one of the `parts` (its name, its content) in common; one
    /// that several share is that of the first.
    fn in_common(
        &self,
        submissions: &[Submission],
        graded: &mut [Graded],
        what: &'static str,
        parts: &dyn Fn(&Submission) -> Vec<(String, String)>,
    ) -> Option<Note> {
        let mut seen = BTreeMap::<(String, String), BTreeSet<usize>>::new();
        for one in submissions {
            let Some(student) = one.owner.iter().flatten().next() else { continue };
            parts(one).into_iter().for_each(|part| _ = seen.entry(part).or_default().insert(*student));
        }
        let mut common = BTreeMap::<BTreeSet<usize>, Vec<String>>::new();
        for ((part, _), students) in seen {
            let is_of_group = students.first().is_some_and(|one| students.is_subset(&self.class.group(*one)));
            if !is_of_group {
                common.entry(students).or_default().push(part);
            }
        }
        let of = |(students, parts): (BTreeSet<usize>, Vec<String>)| {
            let names: Vec<String> = students.iter().map(|student| self.class.shown(*student)).collect();
            let text = named(names.join(" = "), &parts.join(", "));
            students.iter().for_each(|one| graded[*one].remarks.push((what, text.clone())));
            text
        };
        Note::about(what, common.into_iter().map(of).collect::<Vec<_>>())
    }
}

/// A name, and in brackets what it is about.
fn named(name: String, part: &str) -> String {
    if part.is_empty() { name } else { format!("{name} ({})", shorten(part, 100)) }
}

/// Items that nobody has right, because the rubric or the key may be wrong; students without a
/// grade; submissions without an owner.
pub(super) fn after_reading(course: &Course<'_>, graded: &[Graded], submissions: &[Submission]) -> Vec<Note> {
    let nobody = course.rubric.items.iter().enumerate().filter_map(|(place, item)| {
        let with_grade = graded.iter().filter(|graded| graded.refused.is_none());
        let marks = with_grade
            .map(|graded| &graded.marks[place])
            .filter(|mark| !mark.unread && mark.max_points.is_some() && !mark.answer.is_empty());
        let points: Vec<f64> = marks.map(|mark| mark.points).collect();
        let is_odd = !item.by_hand() && points.len() >= MANY && points.iter().all(|points| *points == 0.0);
        is_odd.then(|| item.id.clone())
    });
    let refused = |(student, graded): (usize, &Graded)| {
        graded.refused.as_ref().map(|why| format!("'{}': {why}", course.class.shown(student)))
    };
    let open =
        |one: &Submission| one.owner.as_ref().err().map(|why| format!("'{}' {why}", shorten(&one.name, 60)));
    let notes = [
        Note::about("nobody is right; check the rubric and the key", nobody),
        Note::about("no grade", graded.iter().enumerate().filter_map(refused)),
        Note::about("submissions without an owner", submissions.iter().filter_map(open)),
    ];
    notes.into_iter().flatten().collect()
}

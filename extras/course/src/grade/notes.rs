//! Notes about the class: what the instructor has to read, to decide or to ask. They have
//! names and judge nothing.

use std::collections::{BTreeMap, BTreeSet};

use common::text::shorten;
use report::{Answer, not_asked};

use super::Course;
use super::evidence::Submission;
use super::grader::Graded;
use super::note::Note;
use super::owners::Counting;
use super::reason::Reason;
use super::wording::plain;

/// Equal texts of at least so many characters are named.
const COPIED: usize = 40;

/// What is compared.
pub(super) struct Seen<'s> {
    pub(super) course: &'s Course<'s>,
    pub(super) submissions: &'s [Submission],
    pub(super) counting: &'s [Counting],
}

impl Seen<'_> {
    /// All notes. What a student has in common with another is also added to the `graded` row.
    pub(super) fn notes(&self, graded: &mut [Graded]) -> Vec<Note> {
        let copies = self.copies(graded);
        let graded = &*graded;
        let list = |what: &str, is_listed: &dyn Fn(&Graded) -> bool| {
            let listed = (0..graded.len()).filter(|student| is_listed(&graded[*student]));
            Note::about(what, listed.map(|student| self.shown(student)))
        };
        let has = |reason: Reason| move |graded: &Graded| graded.notes.contains(&reason);
        let changed =
            |graded: &Graded| graded.notes.iter().any(|note| matches!(note, Reason::ChangedRecord(_)));
        let notes = [
            list("without a submission", &has(Reason::NothingHandedIn)),
            list("records that were changed, or of another version of the kit", &changed),
            self.not_used(),
            self.others_records(graded),
            list("no records of the own machine", &has(Reason::NoMachineRecords)),
            self.of_machines(),
            self.not_asked(),
        ];
        notes.into_iter().flatten().chain(copies).collect()
    }

    fn shown(&self, student: usize) -> String {
        self.course.class.shown(student)
    }

    /// The students with a submission, and the one that counts; one that several share is
    /// that of the first.
    fn each(&self) -> impl Iterator<Item = (usize, &Submission)> {
        let mut seen = BTreeSet::new();
        let place = |student: usize| self.counting[student].as_ref().ok()?.place;
        let first = move |student| place(student).filter(|place| seen.insert(*place)).map(|at| (student, at));
        let places: Vec<_> = (0..self.counting.len()).filter_map(first).collect();
        places.into_iter().map(|(student, place)| (student, &self.submissions[place]))
    }

    /// Submissions in whose place another one of the student counts.
    fn not_used(&self) -> Option<Note> {
        let used: BTreeSet<usize> = self
            .counting
            .iter()
            .filter_map(|one| one.as_ref().ok().and_then(|counted| counted.place))
            .collect();
        let is_open = |student: &usize| self.counting[*student].is_err();
        let other = |(place, one): (usize, &Submission)| {
            let owners = one.owner.as_ref().ok()?;
            let is_other = !owners.is_empty() && !used.contains(&place) && !owners.iter().any(is_open);
            is_other.then(|| format!("'{}'", shorten(&one.name, 60)))
        };
        let names = self.submissions.iter().enumerate().filter_map(other);
        Note::about("submissions that do not count, because another one does", names)
    }

    fn others_records(&self, graded: &[Graded]) -> Option<Note> {
        let of = |(student, graded): (usize, &Graded)| {
            let names = graded.others.join(", ");
            (!names.is_empty()).then(|| format!("{} (of {names})", self.shown(student)))
        };
        let listed = graded.iter().enumerate().filter_map(of);
        Note::about("records of another machine than the own one", listed)
    }

    /// A key that no record is of may be that of another year.
    fn of_machines(&self) -> Option<Note> {
        if !self.course.rubric.needs_machine() {
            return None;
        }
        let why = match &self.course.machines {
            None => "without --key, the answers about sealed machines are left for you to read",
            Some(machines) if machines.measured(self.submissions).1 > 0 => return None,
            Some(_) => {
                "no submission has a record of a machine of the key, so nothing shows that it is the key of this class"
            }
        };
        Some(why.to_owned().into())
    }

    /// Fields that students answered, and the assignment does not have.
    fn not_asked(&self) -> Option<Note> {
        let is_asked = |id: &str| self.course.fields.iter().any(|field| field == id);
        let of = |(student, one): (usize, &Submission)| {
            let ids = not_asked(&one.answers, is_asked);
            (!ids.is_empty()).then(|| format!("{} ({})", self.shown(student), shorten(&ids.join(", "), 100)))
        };
        let what = "answered fields that this assignment does not ask for; give the right --assignment";
        Note::about(what, self.each().filter_map(of))
    }

    /// What students have in common with others; each is named in the other's row.
    fn copies(&self, graded: &mut [Graded]) -> Vec<Note> {
        let mut notes = Vec::from_iter(self.signed_by_another(graded));
        let texts = |one: &Submission| {
            let texts = one.answers.iter().filter(|(id, _)| self.course.texts.contains(*id));
            let long = texts.filter_map(|(id, answer)| match answer {
                Answer::Text(text) => Some((id.clone(), plain(text))),
                Answer::Value(_) => None,
            });
            long.filter(|(_, text)| self.course.rubric.asked.own(text) > COPIED).collect()
        };
        let what = format!("equal texts of {COPIED} characters or more");
        notes.extend(self.in_common(graded, &what, texts));
        notes.extend(self.in_common(graded, "records of one measurement", |one| one.evidence.ids()));
        notes.extend(self.in_common(graded, "equal files of exercises", |one| one.sources.own()));
        notes
    }

    /// Students whose submissions have one of the `parts` (its name, its content) in common.
    fn in_common(
        &self,
        graded: &mut [Graded],
        what: &str,
        parts: impl Fn(&Submission) -> Vec<(String, String)>,
    ) -> Option<Note> {
        let mut seen = BTreeMap::<(String, String), BTreeSet<usize>>::new();
        for (student, one) in self.each() {
            parts(one).into_iter().for_each(|part| _ = seen.entry(part).or_default().insert(student));
        }
        let mut common = BTreeMap::<BTreeSet<usize>, Vec<String>>::new();
        for ((part, _), students) in seen.into_iter().filter(|(_, students)| students.len() > 1) {
            let group = students.first().map(|student| self.course.class.group(*student));
            if !group.is_some_and(|members| students.is_subset(&members)) {
                common.entry(students).or_default().push(part);
            }
        }
        let of = |(students, parts): (BTreeSet<usize>, Vec<String>)| {
            let names: Vec<String> = students.iter().map(|student| self.shown(*student)).collect();
            let text = format!("{} ({})", names.join(" = "), shorten(&parts.join(", "), 100));
            students
                .iter()
                .for_each(|student| graded[*student].remarks.push(format!("In common are {what}: {text}.")));
            text
        };
        let listed: Vec<String> = common.into_iter().map(of).collect();
        Note::about(what, listed)
    }

    /// Answers whose signatures name another student, and none of those whose it is.
    fn signed_by_another(&self, graded: &mut [Graded]) -> Option<Note> {
        let class = &self.course.class;
        let of = |(student, one): (usize, &Submission)| {
            let signatures = one.answers.iter().filter(|(id, _)| id.starts_with("student-"));
            let signed: BTreeSet<usize> =
                signatures.filter_map(|(_, answer)| class.only_mentioned(&answer.to_string())).collect();
            let is_own = |signed: &usize| {
                *signed == student
                    || one.owner.iter().flatten().any(|owner| owner == signed)
                    || class.group(student).contains(signed)
            };
            if signed.is_empty() || signed.iter().any(is_own) {
                return None;
            }
            let names: Vec<String> = signed.iter().map(|student| self.shown(*student)).collect();
            let names = names.join(", ");
            graded[student].remarks.push(format!("The answers are signed by {names}."));
            Some(format!("{} (by {names})", self.shown(student)))
        };
        Note::about("answers signed by another student", self.each().filter_map(of).collect::<Vec<_>>())
    }
}

//! Notes about the class: what the instructor has to read, to decide or to ask. They have
//! names and judge nothing.

use std::collections::{BTreeMap, BTreeSet};

use common::text::shorten;
use report::{Answer, FieldKind};

use super::Course;
use super::evidence::Submission;
use super::grader::Graded;
use super::note::Note;
use super::owners::Counting;
use super::reason::Reason;
use super::wording::plain;

/// Equal texts of at least so many characters are named.
const COPIED: usize = 40;
/// From so many answers on, an item that nobody has right is named.
const MANY: usize = 5;

/// A note about the class, and of a student's own note its part for that.
type OfClass = (&'static str, fn(&Reason) -> Option<&str>);

/// Which of the students' own notes are also one about the class.
const OF_CLASS: [OfClass; 4] = [
    ("without a submission", |note| matches!(note, Reason::NothingHandedIn).then_some("")),
    ("records that were changed, or of another version of the kit", |note| {
        matches!(note, Reason::ChangedRecord(_)).then_some("")
    }),
    ("no records of the own machine", |note| matches!(note, Reason::NoMachineRecords).then_some("")),
    (
        "answered fields that this assignment does not ask for; give the right --assignment",
        |note| match note {
            Reason::NotAsked(ids) => Some(ids),
            _ => None,
        },
    ),
];

/// What is compared.
pub(super) struct Seen<'s> {
    pub(super) course: &'s Course<'s>,
    pub(super) submissions: &'s [Submission],
    pub(super) counting: &'s [Counting<'s>],
}

impl Seen<'_> {
    /// All notes. What a student has in common with another is also added to the `graded` row.
    pub(super) fn notes(&self, graded: &mut [Graded]) -> Vec<Note> {
        let (class, fields) = (&self.course.class, &self.course.fields);
        let of_class = OF_CLASS.map(|(what, part)| {
            let of_student = |(student, graded): (usize, &Graded)| {
                Some(named(class.shown(student), graded.notes.iter().find_map(part)?))
            };
            Note::about(what, graded.iter().enumerate().filter_map(of_student))
        });
        let others = |student, one: &Submission| {
            let machines = self.course.machines.as_ref();
            machines.map(|machines| machines.others(student, one, class)).unwrap_or_default()
        };
        let is_text = |id: &String| {
            let kind = fields.iter().find(|field| field.id == *id).map(|field| field.kind);
            matches!(kind, Some(FieldKind::Text | FieldKind::Line))
        };
        let texts = |one: &Submission| {
            let long =
                one.answers.iter().filter(|(id, _)| is_text(id)).filter_map(|(id, answer)| match answer {
                    Answer::Text(text) => Some((id.clone(), plain(text))),
                    Answer::Value(_) => None,
                });
            long.filter(|(_, text)| self.course.rubric.asked.own(text) > COPIED).collect()
        };
        let equal_texts = format!("equal texts of {COPIED} characters or more");
        let seen = [
            self.not_used(),
            self.of_each(graded, "records of another machine than the own one", others),
            self.of_each(graded, "answers signed by another student", |student, one| {
                self.signed(student, one)
            }),
            self.in_common(graded, &equal_texts, texts),
            self.in_common(graded, "records of one measurement", |one| one.evidence.ids()),
            self.in_common(graded, "equal files of exercises", |one| one.sources.own()),
        ];
        of_class.into_iter().chain(seen).flatten().collect()
    }

    /// The students with a submission, and the one that counts; one that several share is
    /// that of the first.
    fn each(&self) -> impl Iterator<Item = (usize, &Submission)> {
        let mut seen = BTreeSet::new();
        let counted = self.counting.iter().enumerate();
        let counted = counted.filter_map(|(student, one)| Some((student, (*one.as_ref().ok()?)?)));
        counted.filter(move |(_, one)| seen.insert(std::ptr::from_ref(*one)))
    }

    /// Submissions in whose place another one of the student counts.
    fn not_used(&self) -> Option<Note> {
        let used: BTreeSet<_> = self.each().map(|(_, one)| std::ptr::from_ref(one)).collect();
        let is_other = |one: &&Submission| {
            let mut owners = one.owner.iter().flatten().peekable();
            let is_open = |student: &usize| self.counting[*student].is_err();
            !used.contains(&std::ptr::from_ref(*one)) && owners.peek().is_some() && !owners.any(is_open)
        };
        let names =
            self.submissions.iter().filter(is_other).map(|one| format!("'{}'", shorten(&one.name, 60)));
        Note::about("submissions that do not count, because another one does", names)
    }

    /// The students of whom `names` gives others, who are in their rows too.
    fn of_each(
        &self,
        graded: &mut [Graded],
        what: &str,
        names: impl Fn(usize, &Submission) -> Vec<String>,
    ) -> Option<Note> {
        let mut listed = Vec::new();
        for (student, one) in self.each() {
            let others = names(student, one).join(", ");
            if !others.is_empty() {
                graded[student].remarks.push(format!("Note: {what}: {others}."));
                listed.push(named(self.course.class.shown(student), &others));
            }
        }
        Note::about(what, listed)
    }

    /// Students whose submissions have one of the `parts` (its name, its content) in common.
    fn in_common(
        &self,
        graded: &mut [Graded],
        what: &str,
        parts: impl Fn(&Submission) -> Vec<(String, String)>,
    ) -> Option<Note> {
        let class = &self.course.class;
        let mut seen = BTreeMap::<(String, String), BTreeSet<usize>>::new();
        for (student, one) in self.each() {
            parts(one).into_iter().for_each(|part| _ = seen.entry(part).or_default().insert(student));
        }
        let mut common = BTreeMap::<BTreeSet<usize>, Vec<String>>::new();
        for ((part, _), students) in seen {
            let is_of_group = students.first().is_some_and(|one| students.is_subset(&class.group(*one)));
            if !is_of_group {
                common.entry(students).or_default().push(part);
            }
        }
        let of = |(students, parts): (BTreeSet<usize>, Vec<String>)| {
            let names: Vec<String> = students.iter().map(|student| class.shown(*student)).collect();
            let text = named(names.join(" = "), &parts.join(", "));
            students.iter().for_each(|one| graded[*one].remarks.push(format!("Note: {what}: {text}.")));
            text
        };
        Note::about(what, common.into_iter().map(of).collect::<Vec<_>>())
    }

    /// The students who sign the answers of another one, if none of those whose they are does.
    fn signed(&self, student: usize, one: &Submission) -> Vec<String> {
        let class = &self.course.class;
        let signatures = one.answers.iter().filter(|(id, _)| id.starts_with("student-"));
        let signed: BTreeSet<usize> =
            signatures.filter_map(|(_, answer)| class.only_mentioned(&answer.to_string())).collect();
        let own: BTreeSet<usize> = one.owner.iter().flatten().copied().chain(class.group(student)).collect();
        let others = signed.iter().filter(|_| signed.is_disjoint(&own));
        others.map(|student| class.shown(*student)).collect()
    }
}

/// A name, and in brackets what it is about.
fn named(name: String, part: &str) -> String {
    if part.is_empty() { name } else { format!("{name} ({})", shorten(part, 100)) }
}

/// Items that nobody has right, because the rubric or the key may be wrong, and students without a grade.
pub(super) fn after_reading(course: &Course<'_>, graded: &[Graded]) -> Vec<Note> {
    let with_grade = || graded.iter().filter(|graded| graded.refused.is_none());
    let nobody = course.rubric.items.iter().enumerate().filter_map(|(place, item)| {
        let marks = with_grade().map(|graded| &graded.marks[place]);
        let points: Vec<f64> = marks.filter(|mark| mark.is_judged()).map(|mark| mark.points).collect();
        let is_odd = !item.by_hand() && points.len() >= MANY && points.iter().all(|points| *points == 0.0);
        let (id, number) = (&item.id, points.len());
        is_odd.then(|| {
            format!("{id}: nobody of {number} who answered is right: check the rubric and the key").into()
        })
    });
    let refused = |(student, graded): (usize, &Graded)| {
        graded.refused.as_ref().map(|why| format!("'{}': {why}", course.class.shown(student)))
    };
    let no_grade = Note::about("no grade", graded.iter().enumerate().filter_map(refused));
    nobody.chain(no_grade).collect()
}

//! Notes about the class: what came in, what is asked and what was used are compared here,
//! in one place. They have names and counts, and judge nothing.

use std::collections::{BTreeMap, BTreeSet};

use common::text::shorten;
use report::{Answer, not_asked};

use super::Course;
use super::evidence::Submission;
use super::grader::Graded;
use super::owners::Counting;
use super::reason::Reason;

/// Equal texts of at least so many characters are named.
const COPIED: usize = 40;
/// Most ids or pairs that a note lists.
const LISTED: usize = 10;

/// What is compared.
pub(super) struct Seen<'s> {
    pub(super) course: &'s Course<'s>,
    pub(super) submissions: &'s [Submission],
    pub(super) counting: &'s [Counting],
    pub(super) graded: &'s [Graded],
}

impl Seen<'_> {
    /// All notes, each said once.
    pub(super) fn notes(&self) -> Vec<String> {
        let list = |what: &str, is_listed: &dyn Fn(&Graded) -> bool| {
            let listed = (0..self.graded.len()).filter(|student| is_listed(&self.graded[*student]));
            self.course.class.note(what, listed.map(|student| self.shown(student)))
        };
        let has = |reason: Reason| move |graded: &Graded| graded.notes.contains(&reason);
        let to_read = |graded: &Graded| graded.refused.is_none() && graded.has_unread();
        let late = |graded: &Graded| graded.late.is_some_and(|late| late > 0.0);
        let changed =
            |graded: &Graded| graded.notes.iter().any(|note| matches!(note, Reason::ChangedRecord(_)));
        let notes = [
            list("without a submission", &has(Reason::NothingHandedIn)),
            list("nothing that can be read was handed in (the notes say why)", &has(Reason::NoAnswersFound)),
            list("answers to read, which have no points yet (texts.html)", &to_read),
            list("late (hours are in grades.csv)", &late),
            list("the time of hand-in is not known", &has(Reason::TimeUnknown)),
            list("records that were changed, or of another version of the kit", &changed),
            self.not_used(),
            self.others_records(),
            list("no records of the own machine", &has(Reason::NoMachineRecords)),
            self.of_machines(),
            self.of_no_machine(),
            self.not_asked(),
            self.without_value(),
            self.signed_by_another(),
        ];
        notes.into_iter().flatten().chain(self.equal_texts()).chain(self.of_groups()).collect()
    }

    fn shown(&self, student: usize) -> String {
        self.course.class.shown(student)
    }

    /// The submission that counts for a student.
    fn of(&self, student: usize) -> Option<&Submission> {
        self.submissions.get(self.counting[student].as_ref().ok()?.place?)
    }

    /// The students with a submission, and it; one that several share is that of the first.
    fn each(&self) -> impl Iterator<Item = (usize, &Submission)> {
        let mut seen = BTreeSet::new();
        let place = |student: usize| self.counting[student].as_ref().ok()?.place;
        let first = move |student: usize| seen.insert(place(student)?).then_some(student);
        let students: Vec<usize> = (0..self.counting.len()).filter_map(first).collect();
        students.into_iter().filter_map(|student| Some((student, self.of(student)?)))
    }

    /// Submissions in whose place another one of the student counts.
    fn not_used(&self) -> Option<String> {
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
        let names: Vec<String> = self.submissions.iter().enumerate().filter_map(other).collect();
        let listed = names.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
        (!names.is_empty()).then(|| {
            format!("submissions that do not count, because another one does: {}: {listed}", names.len())
        })
    }

    fn others_records(&self) -> Option<String> {
        let of = |(student, graded): (usize, &Graded)| {
            let names = graded.others.join(", ");
            (!names.is_empty()).then(|| format!("{} (of {names})", self.shown(student)))
        };
        let listed = self.graded.iter().enumerate().filter_map(of);
        self.course.class.note("records of another machine than the own one", listed)
    }

    fn of_machines(&self) -> Option<String> {
        let by_records = "each submission is graded by the machine of its sealed records, of whoever that is";
        let without_key = "without --key, the answers about sealed machines are left for you to read";
        match &self.course.machines {
            Some(machines) => machines.by_records().then(|| by_records.to_owned()),
            None => self.course.rubric.needs_machine().then(|| without_key.to_owned()),
        }
    }

    /// A key that no record is of may be that of another year.
    fn of_no_machine(&self) -> Option<String> {
        let machines = self.course.machines.as_ref()?;
        let is_needed = self.course.rubric.needs_machine() && machines.measured(self.submissions).1 == 0;
        is_needed.then(|| {
            "no submission has a record of a machine of the key, so nothing shows that it is the key of this class"
                .to_owned()
        })
    }

    /// Fields that students answered, and the assignment does not have.
    fn not_asked(&self) -> Option<String> {
        let is_asked = |id: &str| self.course.fields.iter().any(|field| field == id);
        let all = self.each().map(|(student, one)| (student, not_asked(&one.answers, is_asked)));
        let all: Vec<(usize, Vec<String>)> = all.filter(|(_, ids)| !ids.is_empty()).collect();
        let ids: BTreeSet<&String> = all.iter().flat_map(|(_, ids)| ids).collect();
        let ids: Vec<&str> = ids.into_iter().take(LISTED).map(String::as_str).collect();
        let what = format!(
            "answered fields that this assignment does not ask for ({}); give the right --assignment",
            shorten(&ids.join(", "), 200)
        );
        self.course.class.note(&what, all.iter().map(|(student, _)| self.shown(*student)))
    }

    /// Items for a number that nothing shows the right value of.
    fn without_value(&self) -> Option<String> {
        let items = self.course.rubric.items.iter().filter(|item| item.kind.is_some() && item.by_hand());
        let ids: Vec<&str> = items.map(|item| item.id.as_str()).collect();
        (!ids.is_empty()).then(|| {
            let ids = shorten(&ids.join(", "), 200);
            format!(
                "numbers with points and no right value in the rubric, which are left for you to read: {ids}"
            )
        })
    }

    /// Answers whose signatures name another student, and none of those whose it is.
    fn signed_by_another(&self) -> Option<String> {
        let class = &self.course.class;
        let of = |(student, one): (usize, &Submission)| {
            let signatures = one.answers.iter().filter(|(id, _)| id.starts_with("student-"));
            let signed: BTreeSet<usize> =
                signatures.filter_map(|(_, answer)| class.only_mentioned(&answer.to_string())).collect();
            let is_own = |signed: &usize| {
                *signed == student
                    || one.owner.iter().flatten().any(|owner| owner == signed)
                    || self.course.groups.of(student).is_some_and(|(_, members)| members.contains(signed))
            };
            if signed.is_empty() || signed.iter().any(is_own) {
                return None;
            }
            let names: Vec<String> = signed.iter().map(|student| self.shown(*student)).collect();
            Some(format!("{} (by {})", self.shown(student), names.join(", ")))
        };
        class.note("answers signed by another student", self.each().filter_map(of))
    }

    /// Free texts that several submissions have.
    fn equal_texts(&self) -> Option<String> {
        let texts = &self.course.texts;
        let mut seen = BTreeMap::<(&String, String), BTreeSet<usize>>::new();
        for (student, one) in self.each() {
            for (id, answer) in one.answers.iter().filter(|(id, _)| texts.contains(*id)) {
                let Answer::Text(text) = answer else { continue };
                let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
                let text = words.collect::<Vec<_>>().join(" ").to_lowercase();
                if text.chars().count() >= COPIED {
                    seen.entry((id, text)).or_default().insert(student);
                }
            }
        }
        let mut fields = BTreeMap::<BTreeSet<usize>, Vec<&str>>::new();
        for ((id, _), students) in seen.into_iter().filter(|(_, students)| students.len() > 1) {
            fields.entry(students).or_default().push(id);
        }
        let of = |(students, ids): (BTreeSet<usize>, Vec<&str>)| {
            let names: Vec<String> =
                students.iter().take(LISTED).map(|student| self.shown(*student)).collect();
            let more = if students.len() > LISTED {
                format!(" and {} more", students.len() - LISTED)
            } else {
                String::new()
            };
            format!("{}{more} ({})", names.join(" = "), shorten(&ids.join(", "), 100))
        };
        let groups: Vec<String> = fields.into_iter().take(LISTED).map(of).collect();
        (!groups.is_empty())
            .then(|| format!("equal texts of {COPIED} characters or more: {}", groups.join("; ")))
    }

    /// Groups whose members handed in different answers.
    fn of_groups(&self) -> Option<String> {
        let differs = |(name, members): (&String, &BTreeSet<usize>)| {
            let mut answers = members.iter().filter_map(|student| Some(&self.of(*student)?.answers));
            let first = answers.next()?;
            answers.any(|other| other != first).then(|| shorten(name, 60))
        };
        let groups: Vec<String> = self.course.groups.members.iter().filter_map(differs).collect();
        (!groups.is_empty()).then(|| {
            let names = shorten(&groups.join(", "), 400);
            format!(
                "different submissions in one group: {} of {} groups: {names}",
                groups.len(),
                self.course.groups.members.len()
            )
        })
    }
}

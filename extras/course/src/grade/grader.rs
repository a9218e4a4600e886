//! From what a student handed in to the grade: the student's machine, records and points.

use std::collections::BTreeSet;

use common::text::shorten;
use report::{Check, Expected, Figure, OfLevel, not_asked};

use super::Course;
use super::evidence::{self, Submission};
use super::judge::{self, Mark};
use super::owners::Counting;
use super::reason::Reason;
use super::rubric::Rubric;
use crate::class::{Class, only};
use crate::draw::{Answers, Drawn, Geometry, Key};

/// One student's grade.
#[derive(Debug, Clone, Default)]
pub(super) struct Graded {
    /// In the rubric's order.
    pub(super) marks: Vec<Mark>,
    /// What one must know to trust the grade; the student sees it too.
    pub(super) notes: Vec<Reason>,
    /// What the instructor alone must know: what it is, and which other students.
    pub(super) remarks: Vec<(&'static str, String)>,
    /// Why there is no grade; a clause.
    pub(super) refused: Option<String>,
    /// The name of the submission that counts.
    pub(super) source: Option<String>,
    /// Whether it has some that only a person can read.
    pub(super) unreadable: bool,
}

impl Graded {
    /// Adds a remark that names others, if there are some.
    fn remark(&mut self, what: &'static str, others: &[String]) {
        self.remarks.extend((!others.is_empty()).then(|| (what, others.join(", "))));
    }

    /// The sum of the points.
    pub(super) fn points(&self) -> f64 {
        self.marks.iter().map(|mark| mark.points).sum()
    }

    /// The points that could be reached: without items that cannot be computed from the
    /// records.
    pub(super) fn most(&self) -> f64 {
        // an empty sum is -0.0
        self.marks.iter().filter_map(|mark| mark.max_points).sum::<f64>() + 0.0
    }

    /// All feedback to the student, on one line.
    pub(super) fn feedback(&self, rubric: &Rubric) -> String {
        let items = rubric.items.iter().zip(&self.marks).filter(|(_, mark)| mark.max_points.is_some());
        let items = items.map(|(item, mark)| {
            let label = item.label.trim_end_matches(['.', '?']);
            let Mark { points, reason, comment, .. } = mark;
            format!("{label}: {} {reason} {comment}", decimal(*points)).trim_end().to_owned()
        });
        let notes = self.notes.iter().map(Reason::to_string);
        items.chain(notes).collect::<Vec<_>>().join(" ")
    }

    /// All details of the grade, for the instructor.
    pub(super) fn all_notes(&self) -> String {
        let mut notes = Vec::from_iter(self.refused.as_ref().map(|why| format!("No grade: {why}.")));
        // Texts, too, where they are all that may give points.
        let is_cause = |mark: &&Mark| mark.unread && (mark.max_points.is_some() || self.points() == 0.0);
        let unread = self.marks.iter().filter(is_cause).count();
        notes.extend((unread > 0 && notes.is_empty()).then(|| format!("Answers to read: {unread}.")));
        notes.extend(self.notes.iter().map(Reason::to_string));
        notes.extend(self.remarks.iter().map(|(what, others)| format!("Note: {what}: {others}.")));
        notes.join(" ")
    }
}

/// A number of points, with at most two decimals.
pub(super) fn decimal(points: f64) -> String {
    ((points * 100.0).round() / 100.0).to_string()
}

/// The machines of a key, with their students.
pub(super) struct Machines<'k> {
    key: &'k Key,
    owners: Vec<Option<usize>>,
}

impl<'k> Machines<'k> {
    /// The key's names are those of the roster's column that `course mystery` had.
    pub(super) fn of(key: &'k Key, class: &Class) -> Machines<'k> {
        let owner = |machine: &Answers| class.by_name(&key.column, &machine.name);
        Machines { key, owners: key.machines.iter().map(owner).collect() }
    }

    /// Whose machine has that tag.
    fn named(&self, tag: &str) -> Option<&str> {
        Some(&self.key.machines.iter().find(|machine| machine.seal == tag)?.name)
    }

    /// The machine that a student's submission was measured on; with a group, one of a member.
    fn machine(&self, student: usize, submission: &Submission, class: &Class) -> Result<&'k Answers, String> {
        let (tags, group) = (submission.evidence.machines(), class.group(student));
        let of_owner = |owner: &usize| self.owners.iter().position(|one| *one == Some(*owner));
        let owners = submission.owner.iter().flatten().chain([&student]).chain(&group);
        let machines: Vec<_> = owners.filter_map(of_owner).map(|place| &self.key.machines[place]).collect();
        let measured = machines.iter().find(|machine| tags.contains(&*machine.seal));
        measured.or(machines.first()).copied().ok_or_else(|| {
            let column = &self.key.column;
            format!("the key has no machine of this student: make one, or correct the column '{column}'")
        })
    }
}

impl Course<'_> {
    /// Grades one student by the submission that counts, which may be that of the group.
    pub(super) fn grade(&self, student: usize, counting: &Counting<'_>, all: &[Submission]) -> Graded {
        let marks = judge::marks(&self.rubric, &[].into(), &Expected::new());
        let mut graded = Graded { marks, ..Graded::default() };
        let counted = counting.as_ref().map_err(String::clone);
        graded.refused = counted.and_then(|one| self.judge(student, *one, all, &mut graded)).err();
        graded
    }

    /// The students who sign the answers of another one, if none of those whose they are does.
    fn signed(&self, student: usize, one: &Submission) -> Vec<String> {
        let class = &self.class;
        let signed = one.signed();
        let signed: BTreeSet<usize> = signed.iter().filter_map(|text| only(&class.mentioned(text))).collect();
        let own: BTreeSet<usize> = one.owner.iter().flatten().copied().chain(class.group(student)).collect();
        let others = signed.iter().filter(|_| signed.is_disjoint(&own));
        others.map(|student| class.shown(*student)).collect()
    }

    /// Compares the answers with the student's machine and records.
    /// Fails if that cannot be done without a person.
    fn judge(
        &self,
        student: usize,
        counted: Option<&Submission>,
        all: &[Submission],
        graded: &mut Graded,
    ) -> Result<(), String> {
        let Some(submission) = counted else {
            // A submission without an owner may be of this student.
            if all.iter().any(|one| one.owner.is_err()) {
                return Err("a submission has no owner yet, and may be of this student".to_owned());
            }
            graded.notes.push(Reason::NothingHandedIn);
            return Ok(());
        };
        graded.source = Some(submission.name.clone());
        graded.notes.extend((!submission.is_of(student)).then_some(Reason::ByGroup));
        graded.remark("answers signed by another student", &self.signed(student, submission));
        graded.notes.extend(submission.notes.iter().cloned());
        if submission.is_empty() && !self.exercises {
            graded.notes.push(Reason::NoAnswersFound);
        }
        if let Some(why) = submission.unreadable() {
            graded.unreadable = true;
            let shown = format!("(see {})", submission.name);
            graded.marks.iter_mut().for_each(|mark| (mark.unread, mark.answer) = (true, shown.clone()));
            return Err(why.to_owned());
        }
        if self.exercises {
            if submission.sources.marks.is_empty() {
                return Err("no file of an exercise was found; read it and give points".to_owned());
            }
            graded.marks.clone_from(&submission.sources.marks);
            return Ok(());
        }
        if !submission.is_empty() && !submission.given().any(|(id, _)| self.asks(id)) {
            let why =
                "none of its answers is asked for in this assignment; give the right one with --assignment";
            return Err(why.to_owned());
        }
        let strange = not_asked(&submission.answers, |id| self.asks(id));
        if !strange.is_empty() {
            graded.notes.push(Reason::NotAsked(shorten(&strange.join(", "), 300)));
        }
        let (evidence, size) = (&submission.evidence, self.assignment.matrix());
        let machines = self.machines.as_ref();
        let machine =
            machines.map(|machines| machines.machine(student, submission, &self.class)).transpose()?;
        let (records, notes) = evidence.counting(machine.map(|machine| &*machine.seal), size);
        graded.notes.extend(notes);
        if let Some((machines, machine)) = machines.zip(machine) {
            let tags = evidence.machines();
            if !tags.is_empty() && tags.iter().all(|tag| machines.named(tag).is_none()) {
                return Err("its sealed records were made on machines that the key does not have, so it may be the key of another class".to_owned());
            }
            graded.notes.extend(tags.is_empty().then_some(Reason::NoMachineRecords));
            let others = tags.iter().filter(|tag| **tag != machine.seal);
            let others =
                others.map(|tag| shorten(machines.named(tag).unwrap_or("no student of the key"), 60));
            graded.remark("records of another machine than the own one", &others.collect::<Vec<_>>());
        }
        let mut expected = report::expected(|product| evidence::product(&records, product));
        let bytes = 2.0 * f64::from(size).powi(2);
        expected.insert(Figure::MatrixBytes, Some(Check::of(Figure::MatrixBytes.kind(), bytes, 0.0)));
        expected.extend(machine.map(geometry).unwrap_or_default());
        graded.marks = judge::marks(&self.rubric, &submission.answers, &expected);
        // A range may be guessed, and records of the own machine show that it was measured.
        for (item, mark) in self.rubric.items.iter().zip(&mut graded.marks) {
            let is_guess =
                machine.is_some() && records.is_empty() && item.expect.is_some_and(Figure::is_of_machine);
            if is_guess && matches!(mark.reason, Reason::RangeRight(_)) {
                (mark.points, mark.reason) = (0.0, Reason::NoOwnRecords);
            }
        }
        Ok(())
    }
}

/// Leaves an item out of the sum of all if nobody's records can show it, because times are
/// modelled; if some can, those whose cannot are read by the instructor.
pub(super) fn same_sum(graded: &mut [Graded], rubric: &Rubric) {
    for (place, item) in rubric.items.iter().enumerate() {
        let is_left_out = |mark: &Mark| mark.reason == Reason::ModelledTime;
        let is_shown = graded.iter().any(|graded| graded.marks[place].right.is_some());
        if !graded.iter().any(|graded| is_left_out(&graded.marks[place])) {
            continue;
        }
        for mark in graded.iter_mut().map(|graded| &mut graded.marks[place]) {
            if !is_shown {
                (mark.points, mark.max_points, mark.unread) = (0.0, None, false);
                mark.reason = Reason::ModelledTime;
            } else if is_left_out(mark) {
                (mark.max_points, mark.unread) = (Some(item.points), !mark.answer.is_empty());
            }
        }
    }
}

/// The caches of a sealed machine.
fn geometry(machine: &Answers) -> Expected {
    let Drawn { levels: [one, two], memory_ns } = machine.drawn;
    let mut figures =
        vec![(Figure::Memory, memory_ns), (Figure::LineElements, one.geometry.line_bytes as f64 / 2.0)];
    for (number, level, next) in [(1, one, two.hit_ns), (2, two, memory_ns)] {
        let Geometry { size_bytes, line_bytes, ways } = level.geometry;
        let of_level = [
            (OfLevel::Size, size_bytes as f64),
            (OfLevel::Line, line_bytes as f64),
            (OfLevel::Ways, ways as f64),
            (OfLevel::Sets, size_bytes as f64 / (line_bytes * ways) as f64),
            (OfLevel::HitNs, level.hit_ns),
            (OfLevel::PenaltyNs, next - level.hit_ns),
        ];
        figures.extend(of_level.map(|(what, value)| (Figure::Level(number, what), value)));
    }
    let check = |(figure, value): (Figure, f64)| (figure, Some(Check::of(figure.kind(), value, 0.0)));
    figures.into_iter().map(check).collect()
}

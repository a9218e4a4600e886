//! From what a student handed in to the grade: the student's machine, records and points.

use std::collections::{BTreeSet, HashMap};

use common::failure::Failure;
use common::text::shorten;
use exercises::{TASKS, Task};
use report::Assignment;

use super::class::Class;
use super::evidence::{self, Evidence, Truth};
use super::judge::{self, Mark};
use super::latest::Owned;
use super::reason::{Reason, joined};
use super::rubric::{self, Records, Rubric};
use super::submissions::Submission;
use super::times::Due;
use crate::commands::handin::is_answer;
use crate::instructor::key::{Answers, Key};

/// The size of the matrix products if the assignment gives none.
const MATRIX: u32 = 512;

/// One student's grade.
#[derive(Debug, Clone, Default)]
pub(super) struct Graded {
    /// In the rubric's order.
    pub(super) marks: Vec<Mark>,
    /// What one must know to trust the grade; the student sees it too.
    pub(super) notes: Vec<Reason>,
    /// The same for the instructor alone: these sentences name other students.
    pub(super) remarks: Vec<String>,
    /// Why there is no grade.
    pub(super) refused: Option<String>,
    /// The name of the submission that counts.
    pub(super) source: Option<String>,
    /// Whether it has answers.
    pub(super) answered: bool,
    /// Whether it has some that only a person can read.
    pub(super) unreadable: bool,
    /// Whether there are answers, but none to a question of this assignment.
    pub(super) other_assignment: bool,
    /// Hours after it was due.
    pub(super) late: Option<f64>,
    /// The share of the points that remains for a late submission.
    pub(super) share: f64,
    /// Whether all sealed records are of machines that are not in the key; `None` without
    /// sealed records.
    pub(super) unknown_machine: Option<bool>,
    /// The tag of the sealed machine by which it is graded.
    pub(super) machine: Option<String>,
}

impl Graded {
    /// The sum of the points.
    pub(super) fn points(&self) -> f64 {
        let sum: f64 = self.marks.iter().map(|mark| mark.points).sum();
        (self.share * sum * 1e6).round() / 1e6
    }

    /// The points that could be reached: without items that cannot be computed from the
    /// records.
    pub(super) fn most(&self) -> f64 {
        self.marks.iter().filter_map(|mark| mark.most).sum()
    }

    /// All feedback to the student, on one line, in the rubric's language.
    pub(super) fn feedback(&self, rubric: &Rubric) -> String {
        let items = rubric.items.iter().zip(&self.marks).filter(|(_, mark)| mark.most.is_some());
        let mut sentences: Vec<String> = items
            .map(|(item, mark)| {
                format!("{}: {} {}", item.label, decimal(mark.points), mark.reason.text(&rubric.words))
            })
            .collect();
        sentences.push(joined(&self.notes, &rubric.words));
        sentences.join(" ").trim().to_owned()
    }

    /// All details of the grade, for the instructor.
    pub(super) fn all_notes(&self) -> String {
        let refused = self.refused.as_ref().map(|why| format!("No grade: {why}."));
        let notes = self.notes.iter().map(Reason::english);
        refused.into_iter().chain(notes).chain(self.remarks.clone()).collect::<Vec<_>>().join(" ")
    }
}

/// A number of points, with at most two decimals.
pub(super) fn decimal(points: f64) -> String {
    let text = format!("{points:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The machines of a key.
pub(super) struct Machines<'k> {
    key: &'k Key,
    /// By student; `None` if the roster does not have the names that the key has: then a
    /// submission is graded by the machine of its sealed records.
    of_student: Option<HashMap<usize, &'k Answers>>,
}

impl<'k> Machines<'k> {
    /// The key's names are those of the roster's column that `lab mystery` had.
    ///
    /// # Errors
    ///
    /// If the key has no machine of any student, or one name means two students.
    pub(super) fn of(key: &'k Key, class: &Class) -> Result<Machines<'k>, Failure> {
        let header = key.column.as_deref().unwrap_or("student");
        let Ok(join) = class.join(&[header.to_owned()], &[]) else {
            return Ok(Machines { key, of_student: None });
        };
        let mut of_student = HashMap::new();
        for machine in &key.machines {
            let student = join.student(std::slice::from_ref(&machine.name));
            let student = student.map_err(|why| Failure::usage(format!("the key: {why}")))?;
            if let Some(student) = student
                && of_student.insert(student, machine).is_some()
            {
                let name = shorten(&class.names[student], 60);
                return Err(Failure::usage(format!("the key has two machines of '{name}'")));
            }
        }
        if of_student.is_empty() {
            let name = |name: Option<&String>| shorten(name.map_or("", String::as_str), 60);
            return Err(Failure::usage(format!(
                "the key has no machine of any student: it names '{}', the column '{header}' of the roster does not; is it the key of this class?",
                name(key.machines.first().map(|machine| &machine.name)),
            )));
        }
        Ok(Machines { key, of_student: Some(of_student) })
    }

    /// Students by the tag of their machine.
    pub(super) fn owners(&self) -> HashMap<String, usize> {
        let of_student = self.of_student.iter().flatten();
        of_student.map(|(student, machine)| (machine.seal.clone(), *student)).collect()
    }

    /// Whether the key has no machine of the student.
    pub(super) fn lacks(&self, student: usize) -> bool {
        self.of_student.as_ref().is_some_and(|known| !known.contains_key(&student))
    }

    /// Whether machines are those of the records, because the roster lacks the key's names.
    pub(super) fn by_records(&self) -> bool {
        self.of_student.is_none()
    }

    fn with_tag(&self, tag: &str) -> Option<&'k Answers> {
        self.key.machines.iter().find(|machine| machine.seal == tag)
    }

    /// The machine that a student's submission was measured on.
    fn machine(&self, student: usize, submission: &Submission) -> Result<&'k Answers, String> {
        let tags = submission.evidence.machines();
        let Some(of_student) = &self.of_student else {
            let known: Vec<&Answers> = tags.iter().filter_map(|tag| self.with_tag(tag)).collect();
            return match known.as_slice() {
                [machine] => Ok(machine),
                [] => Err("no sealed record shows which machine of the key was measured".to_owned()),
                _ => Err("its records are of several machines of the key".to_owned()),
            };
        };
        // A group measures on the machine of one member.
        let owners = submission.owner.iter().flatten().chain([&student]);
        let candidates: Vec<&Answers> = owners.filter_map(|owner| of_student.get(owner).copied()).collect();
        let measured = candidates.iter().find(|machine| tags.contains(&*machine.seal));
        let machine = measured.or(candidates.first()).copied();
        machine.ok_or_else(|| "the key has no machine of this student".to_owned())
    }
}

/// What all students are graded with.
pub(super) struct Grader<'c> {
    pub(super) rubric: &'c Rubric,
    pub(super) assignment: &'c Assignment,
    pub(super) machines: Option<&'c Machines<'c>>,
    /// Fields of the assignment and the rubric.
    pub(super) asked: &'c [String],
    pub(super) due: Option<Due>,
}

impl Grader<'_> {
    /// Grades one student, whose submission was handed in at the `time`.
    pub(super) fn grade(
        &self,
        student: usize,
        owned: &Owned,
        submissions: &[Submission],
        time: Option<i64>,
    ) -> Graded {
        let mut graded = Graded {
            notes: owned.notes.clone(),
            remarks: owned.remarks.clone(),
            refused: owned.refused.clone(),
            share: 1.0,
            ..Graded::default()
        };
        graded.marks = judge::marks(self.rubric, &[].into(), &Truth::default());
        let Some(submission) = owned.submission.map(|place| &submissions[place]) else {
            if graded.refused.is_none() {
                graded.notes.insert(0, Reason::NothingHandedIn);
            }
            return graded;
        };
        graded.source = Some(submission.name.clone());
        graded.answered = !submission.is_empty();
        graded.notes.extend(submission.notes.iter().cloned());
        if let Some(why) = submission.unreadable() {
            graded.unreadable = true;
            graded.refused = Some(why.to_owned());
            return graded;
        }
        if !graded.answered {
            graded.notes.push(Reason::NoAnswersFound);
        } else {
            let answered = submission.answers.iter().filter(|(id, answer)| is_answer(id, answer));
            let asked: Vec<bool> = answered.map(|(id, _)| self.asked.contains(id)).collect();
            graded.other_assignment = !asked.is_empty() && !asked.contains(&true);
            if graded.other_assignment {
                graded.notes.push(Reason::OtherAssignment);
            }
        }
        let evidence = &submission.evidence;
        let machine = match self.machines.map(|machines| machines.machine(student, submission)) {
            None => None,
            Some(Ok(machine)) => Some(machine),
            Some(Err(_)) if !self.rubric.needs_machine() => None,
            Some(Err(why)) => {
                graded.refused = Some(why);
                return graded;
            }
        };
        graded.machine = machine.map(|machine| machine.seal.clone());
        let size = self.assignment.sizes.matrix.unwrap_or(MATRIX);
        let own = self.machines.map(|_| machine.map(|machine| machine.seal.as_str()));
        let (records, notes) = evidence.counting(own, size);
        let foreign = machine.and_then(|machine| self.foreign(evidence, machine, &mut graded));
        graded.notes.extend(notes.into_iter().chain(foreign));
        let wanted = self.rubric.items.iter().filter_map(|item| {
            let name = item.expect.as_deref()?;
            let (program, figure) = name.strip_prefix(rubric::OF_RECORD)?.split_once('.')?;
            Some((name, program, figure))
        });
        let mut truth = evidence::truth(&records, wanted);
        truth.add(machine.map(geometry).into_iter().flatten());
        truth.add(truth.get("l1.line").map(|line| ("line.elements".to_owned(), line / 2.0)));
        if let Some(solved) = &evidence.exercises {
            let task = |task: &Task| {
                (
                    format!("{}{}", rubric::OF_EXERCISES, task.name),
                    f64::from(u8::from(solved.contains(task.name))),
                )
            };
            truth.add(TASKS.iter().map(task));
        }
        graded.marks = judge::marks(self.rubric, &submission.answers, &truth);
        // Without a key, only changes show, not whose a record is.
        let own = if self.machines.is_some() { !records.is_empty() } else { evidence.changed.is_empty() };
        if self.rubric.records == Records::Own && !own {
            let items = self.rubric.items.iter().zip(&mut graded.marks);
            let measured = items.filter(|(item, _)| item.exercise().is_none()).map(|(_, mark)| mark);
            let counts = |mark: &&mut Mark| mark.points > 0.0 || mark.unread && mark.most.is_some();
            for mark in measured.filter(counts) {
                (mark.points, mark.computed, mark.unread) = (0.0, Some(0.0), false);
                mark.reason = Reason::NoOwnRecords;
            }
        }
        self.late(&mut graded, time);
        graded
    }

    fn late(&self, graded: &mut Graded, time: Option<i64>) {
        let Some(due) = self.due else { return };
        let Some(time) = time else { return graded.notes.push(Reason::TimeUnknown) };
        let late = due.hours_late(time);
        graded.late = Some(late);
        let percent = self.rubric.late_percent;
        if late > 0.0 && percent > 0.0 {
            graded.share = 1.0 - percent / 100.0;
            graded.notes.push(Reason::LateDeduction(decimal(late), decimal(percent)));
        } else if late > 0.0 {
            graded.notes.push(Reason::Late(decimal(late)));
        }
    }

    /// What is wrong with the machine that the records were made on.
    fn foreign(&self, evidence: &Evidence, machine: &Answers, graded: &mut Graded) -> Option<Reason> {
        let tags: BTreeSet<&str> = evidence.machines();
        if tags.is_empty() {
            return Some(Reason::NoMachineRecords);
        }
        let known = |tag: &str| self.machines.and_then(|machines| machines.with_tag(tag));
        graded.unknown_machine = Some(tags.iter().all(|tag| known(tag).is_none()));
        let other = tags.iter().find(|tag| **tag != machine.seal)?;
        Some(match known(other) {
            Some(whose) => {
                let name = shorten(&whose.name, 60);
                graded.remarks.push(format!("These records are of the machine of {name}."));
                Reason::ForeignRecords
            }
            None => Reason::UnknownMachine,
        })
    }
}

/// The caches of a sealed machine, under the rubric's names.
fn geometry(machine: &Answers) -> Vec<(String, f64)> {
    let mut figures = vec![("memory_ns".to_owned(), machine.memory_ns)];
    for (number, level) in (1..).zip(&machine.levels) {
        let next = machine.levels.get(number).map_or(machine.memory_ns, |next| next.hit_ns);
        let of_level = [
            ("size", level.size_bytes as f64),
            ("line", level.line_bytes as f64),
            ("ways", level.ways as f64),
            ("hit_ns", level.hit_ns),
            ("penalty_ns", next - level.hit_ns),
        ];
        figures.extend(of_level.map(|(name, value)| (format!("l{number}.{name}"), value)));
    }
    figures
}

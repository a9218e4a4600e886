//! From what a student handed in to the grade: the student's machine, records and points.

use std::collections::BTreeSet;

use common::failure::Failure;
use common::text::shorten;

use super::graded::Graded;
use super::identity::{Class, Named};
use super::judge::{self, Mark, Truth};
use super::owners::Owned;
use super::rubric::{self, Records, Rubric};
use super::sentence::{Sentence, say};
use super::submissions::Submission;
use super::{evidence, times};
use crate::handed_in::is_answer;
use crate::instructor::key::{Answers, Key};

/// The machines of a key, by student.
pub(super) struct Machines<'k> {
    key: &'k Key,
    /// For each student: their machine, or several, or none.
    pub(super) of_student: Vec<Vec<&'k Answers>>,
}

impl<'k> Machines<'k> {
    /// Names of the key are compared as folder names are.
    ///
    /// # Errors
    ///
    /// If the key has no machine of any student.
    pub(super) fn of(key: &'k Key, class: &Class) -> Result<Machines<'k>, Failure> {
        let mut closest = vec![(usize::MAX, Vec::new()); class.students.len()];
        for machine in &key.machines {
            if let Named::One { student, rank } = class.named(&machine.name) {
                let (best, machines) = &mut closest[student];
                if rank < *best {
                    (*best, *machines) = (rank, Vec::new());
                }
                if rank == *best {
                    machines.push(machine);
                }
            }
        }
        let of_student: Vec<Vec<&Answers>> = closest.into_iter().map(|(_, machines)| machines).collect();
        if of_student.iter().all(Vec::is_empty) {
            let name = |name: Option<&str>| shorten(name.unwrap_or_default(), 60);
            return Err(Failure::usage(format!(
                "the key has no machine of any student: it names '{}', the class '{}'; is it the key of this class, and --name-column the column that lab mystery had?",
                name(key.machines.first().map(|machine| &*machine.name)),
                name(class.students.first().map(|student| &*student.name))
            )));
        }
        Ok(Machines { key, of_student })
    }
}

/// What all students are graded with.
pub(super) struct Context<'c> {
    pub(super) rubric: &'c Rubric,
    pub(super) machines: Option<&'c Machines<'c>>,
    /// Fields of the assignment.
    pub(super) asked: BTreeSet<String>,
    pub(super) policy: &'c times::LatePolicy,
}

impl Context<'_> {
    /// Grades one student.
    pub(super) fn grade(
        &self,
        place: usize,
        student: &str,
        owned: &Owned,
        submissions: &[Submission],
    ) -> Graded {
        let mut graded = Graded {
            student: student.to_owned(),
            notes: owned.notes.clone(),
            remarks: owned.remarks.clone(),
            share: 1.0,
            ..Graded::default()
        };
        let nothing =
            |graded: &mut Graded| graded.marks = judge::marks(self.rubric, &[].into(), &Truth::new());
        if owned.refused.is_some() {
            nothing(&mut graded);
            graded.refused.clone_from(&owned.refused);
            return graded;
        }
        let Some(submission) = owned.submission.and_then(|place| submissions.get(place)) else {
            nothing(&mut graded);
            graded.notes.insert(0, say!("Nothing was handed in."));
            return graded;
        };
        graded.source = Some(submission.name.clone());
        graded.notes.extend(submission.notes.iter().cloned());
        if submission.is_empty() {
            graded.notes.push(say!("No answers were found in what was handed in."));
        } else {
            let asked =
                |id: &String| self.asked.contains(id) || self.rubric.items.iter().any(|item| item.id == *id);
            let answered = || {
                submission
                    .answers
                    .iter()
                    .filter(|(id, text)| is_answer(id, &report::Answer::from(text.as_str())))
            };
            graded.other_assignment = !answered().any(|(id, _)| asked(id));
            if graded.other_assignment {
                graded.notes.push(say!("None of these answers is asked for in this assignment."));
            }
        }
        let mut evidence = submission.evidence();
        let machines = self.machines.map(|machines| machines.of_student[place].as_slice());
        let machine = match self.of_group(owned, &evidence).map_or(machines, Some) {
            None => None,
            Some([machine]) => Some(*machine),
            Some(_) if !self.rubric.needs_machine() => None,
            Some([]) => {
                nothing(&mut graded);
                graded.refused = Some("The key has no machine of this student.".to_owned());
                return graded;
            }
            Some(_) => {
                nothing(&mut graded);
                graded.refused = Some("The key has several machines of this student.".to_owned());
                return graded;
            }
        };
        // Those of others too: a copied record is a hint.
        let ids = evidence.records.iter().map(|record| &record.id).filter(|id| !id.is_empty());
        graded.records = ids.map(|id| shorten(id, 60)).collect();
        let foreign = machine.and_then(|machine| self.foreign(&evidence, machine, &mut graded));
        if self.machines.is_some() {
            graded.notes.extend(evidence.retain_own(machine.map(|machine| &*machine.seal)));
        }
        graded.notes.extend(evidence.doubts());
        graded.notes.extend(foreign);
        let mut truth = evidence.products();
        self.own_figures(&evidence, &mut truth);
        match (machine, self.machines) {
            (Some(machine), _) => truth.extend(behind(machine)),
            (None, None) => truth.extend(evidence.caches()),
            (None, Some(_)) => {}
        }
        if let Some(line) = truth.get("l1.line").copied() {
            truth.insert("line.elements".to_owned(), line / 2.0);
        }
        graded.marks = judge::marks(self.rubric, &submission.answers, &truth);
        // Without a key, only changes show, not whose a record is.
        let own =
            if self.machines.is_some() { !evidence.records.is_empty() } else { evidence.changed.is_empty() };
        if self.rubric.records == Records::Own && !own {
            let counts = |mark: &&mut Mark| mark.points > 0.0 || mark.unread && mark.most.is_some();
            for mark in graded.marks.iter_mut().filter(counts) {
                (mark.points, mark.unread) = (0.0, false);
                mark.reason = say!("No points without records of your own machine.");
            }
        }
        let (share, late) = self.policy.late(owned.time, owned.time_of_file);
        graded.notes.extend(late);
        graded.share = share;
        graded
    }

    /// The machine of a group's submission: the one that its records were made on, else
    /// that of the student who handed it in.
    fn of_group(&self, owned: &Owned, evidence: &evidence::Evidence) -> Option<&[&Answers]> {
        let machines = || {
            let of = |student: &usize| Some(self.machines?.of_student[*student].as_slice());
            owned.measured_by.iter().filter_map(of).filter(|machines| machines.len() == 1)
        };
        let tags: BTreeSet<&str> = evidence.machines().collect();
        machines().find(|machines| tags.contains(&*machines[0].seal)).or(machines().next())
    }

    /// The figures of any program that the rubric needs.
    fn own_figures(&self, evidence: &evidence::Evidence, truth: &mut Truth) {
        for name in self.rubric.items.iter().filter_map(|item| item.expect.as_deref()) {
            let Some((program, figure)) =
                name.strip_prefix(rubric::OF_RECORD).and_then(|rest| rest.split_once('.'))
            else {
                continue;
            };
            let record = evidence.records.iter().rev().find(|record| record.program == program);
            let row = record.and_then(|record| record.rows.first());
            let whole = |row: &common::record::Row| row.whole(figure).map(|number| number as f64);
            if let Some(value) = row.and_then(|row| row.amount(figure).or_else(|| whole(row))) {
                truth.insert(name.to_owned(), value);
            }
        }
    }

    /// What is wrong with the machine that the records were made on.
    fn foreign(
        &self,
        evidence: &evidence::Evidence,
        machine: &Answers,
        graded: &mut Graded,
    ) -> Option<Sentence> {
        let tags: BTreeSet<&str> = evidence.machines().collect();
        if tags.is_empty() {
            return Some(say!("There are no records of the student's own machine."));
        }
        let known = |tag: &str| {
            self.machines.and_then(|machines| machines.key.machines.iter().find(|m| m.seal == tag))
        };
        graded.unknown_machine = Some(tags.iter().all(|tag| known(tag).is_none()));
        let other = tags.iter().find(|tag| **tag != machine.seal)?;
        Some(match known(other) {
            Some(whose) => {
                graded.remarks.push(format!("These records are of the machine of {}.", whose.name));
                say!("Records were made on the machine of another student.")
            }
            None => say!("Records were made on a sealed machine that is not of this class."),
        })
    }
}

/// The caches of a sealed machine, under the rubric's names.
fn behind(machine: &Answers) -> Truth {
    let mut truth = Truth::from([("memory_ns".to_owned(), machine.memory_ns)]);
    for (number, level) in (1..).zip(&machine.levels) {
        let figures = [
            ("size", level.size_bytes as f64),
            ("line", level.line_bytes as f64),
            ("ways", level.ways as f64),
            ("hit_ns", level.hit_ns),
        ];
        truth.extend(figures.map(|(name, value)| (format!("l{number}.{name}"), value)));
        let behind = machine.levels.get(number).map_or(machine.memory_ns, |next| next.hit_ns);
        truth.insert(format!("l{number}.penalty_ns"), behind - level.hit_ns);
    }
    truth
}

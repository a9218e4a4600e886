//! `lab grade`: a class's answers against its machines and its own figures.

mod evidence;
mod files;
mod formats;
mod gradebook;
mod gradescope;
mod groups;
mod identity;
mod judge;
mod overview;
mod owners;
mod rubric;
mod sentence;
mod sheet;
mod submissions;
mod table;
mod times;
mod worksheet;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::text::shorten;
use common::{input, output};

use super::key::{Answers, Key};
use super::names;
use super::roster::{self, Roster, Student};
use crate::handed_in::is_answer;
use crate::run::assigned;
use formats::Convention;
use gradebook::Gradebook;
use groups::Groups;
use identity::Class;
use judge::{Mark, Truth};
use owners::{Decision, Owned};
use rubric::{Records, Rubric};
use sentence::{Sentence, say};
use submissions::Submission;
use worksheet::Worksheet;

/// Tables and pages that are written into `--out`.
const WRITTEN: [&str; 5] = ["grades.csv", "moodle.csv", "items.csv", "likeness.csv", "texts.html"];
/// Names in one sentence on the class.
const MAX_LISTED: usize = 10;

/// Grade a class: points and a reason for each answer, in the formats of courses
///
/// A submission is a folder, a zip archive, a saved report page, an answers.json, or
/// a row of a CSV with a column for each field. It belongs to the student whose name
/// it has, as Moodle, Autolab and Gradescope write names; else to the first student
/// in its answers. Answers are compared with the student's sealed machine (--key) and
/// with the records in the submission. The exit status is about the run, never about
/// the grades.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    roster: Roster,

    /// More columns of the roster with names of students, as those for user name, number, name and e-mail
    #[arg(long = "alias-column", value_name = "COLUMN", requires = "roster")]
    alias_columns: Vec<String>,

    /// Groups that hand in together: CSV with a row for each, or a column 'group'
    #[arg(long, value_name = "FILE", conflicts_with = "student")]
    groups: Option<PathBuf>,

    #[command(flatten)]
    policy: times::Policy,

    /// Grade the submission of this student alone, wherever its folder is
    #[arg(long, value_name = "NAME", conflicts_with = "roster")]
    student: Option<String>,

    /// What is behind the sealed machines: the JSON file that lab mystery wrote
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,

    /// What is asked, and what each answer is worth [default: the guide's assignment]
    #[arg(long, value_name = "FILE")]
    assignment: Option<PathBuf>,

    /// What is right, and how it is judged [default: the rubric of the guide's sheet]
    #[arg(long, value_name = "FILE")]
    rubric: Option<PathBuf>,

    /// Print the rubric of the guide's sheet, to start from
    #[arg(long)]
    print_rubric: bool,

    /// Write grades.csv, and what --as asks for, into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Also as this system reads it: one file for each student, in DIR/SYSTEM/NAME
    #[arg(long = "as", value_enum, value_name = "SYSTEM", requires = "out")]
    conventions: Vec<Convention>,

    /// Fill this worksheet, exported from Moodle, into DIR/moodle.csv
    #[arg(long, value_name = "FILE", requires = "out")]
    worksheet: Option<PathBuf>,

    #[command(flatten)]
    columns: worksheet::Columns,

    /// Points given by hand: a copy of grades.csv with its empty points filled, or a column for each item
    #[arg(long, value_name = "FILE")]
    points: Vec<PathBuf>,

    /// Tell students right or not, and no reason: for all but the last try
    #[arg(long)]
    terse: bool,

    /// Print everything about the grade of this student, and write nothing
    #[arg(long, value_name = "NAME", conflicts_with = "out")]
    explain: Option<String>,

    /// Folders with a submission of each student, or tables with one in each row
    #[arg(value_name = "SUBMISSIONS", required_unless_present = "print_rubric")]
    submissions: Vec<PathBuf>,
}

/// One student's grade.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Graded {
    pub(crate) student: String,
    /// In the rubric's order.
    pub(crate) marks: Vec<Mark>,
    /// What must be known to believe it, one sentence each: for the student too.
    pub(crate) notes: Vec<Sentence>,
    /// The same for the instructor alone: other students are named.
    pub(crate) remarks: Vec<String>,
    /// Why there is no grade.
    pub(crate) refused: Option<String>,
    /// The share of the points that is left after late days.
    share: f64,
    /// Items whose points somebody has given.
    given: BTreeSet<usize>,
    /// The name of the submission that counts.
    source: Option<String>,
    /// What the records in it are known by.
    records: Vec<String>,
    /// Whether all sealed records are of machines that the key does not have; `None`
    /// without sealed records.
    unknown_machine: Option<bool>,
    /// Whether there are answers, and none of them is asked for.
    other_assignment: bool,
}

impl Graded {
    /// Points in all.
    pub(crate) fn points(&self) -> f64 {
        rounded(self.share * self.marks.iter().map(|mark| mark.points).sum::<f64>())
    }

    /// The same as a text; `-` where there is no grade.
    fn shown_points(&self) -> String {
        if self.refused.is_some() { "-".to_owned() } else { self.points().to_string() }
    }

    /// What the student is told, in the rubric's language: points after late days, and
    /// with `terse` no reasons.
    fn for_student(&self, rubric: &Rubric, terse: bool) -> Graded {
        let mut shown = self.clone();
        for mark in &mut shown.marks {
            if terse && !mark.answer.is_empty() && mark.most.is_some_and(|most| most > 0.0) {
                let full = mark.most.is_some_and(|most| mark.points >= most);
                let part = mark.points > 0.0;
                mark.reason = if mark.unread {
                    say!("To be read by somebody.")
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

    /// The points that could be had: without what nobody can compute from the records.
    pub(crate) fn most(&self) -> f64 {
        self.marks.iter().filter_map(|mark| mark.most).sum()
    }

    /// Everything that the student is told, on one line.
    pub(crate) fn feedback(&self, rubric: &Rubric) -> String {
        let items = rubric.items.iter().zip(&self.marks).filter(|(_, mark)| mark.most.is_some());
        let told = items.map(|(item, mark)| format!("{}: {} {}", item.label, mark.points, mark.reason));
        told.chain(self.notes.iter().map(Sentence::to_string)).collect::<Vec<_>>().join(" ")
    }

    /// Everything to know about the grade, for the instructor.
    fn all_notes(&self) -> String {
        let refused = self.refused.as_ref().map(|why| format!("No grade: {why}"));
        let notes = self.notes.iter().map(Sentence::to_string);
        let sentences: Vec<String> = refused.into_iter().chain(notes).chain(self.remarks.clone()).collect();
        sentences.join(" ")
    }
}

/// What is left of a late day's share is not a matter of the last digits.
fn rounded(points: f64) -> f64 {
    (points * 1e6).round() / 1e6
}

/// Reads everything, grades, writes.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.print_rubric {
        return output::print(rubric::GUIDE);
    }
    keep_apart(args)?;
    let assignment = assigned::read(args.assignment.as_deref())?;
    let mut rubric = Rubric::read(args.rubric.as_deref(), &assignment)?;
    let key = args.key.as_deref().map(Key::read).transpose()?;
    let class = Class::new(students(args, key.as_ref())?);
    let explain = args.explain.as_deref().map(|name| explained(&class, name)).transpose()?;
    let machines = key.as_ref().map(|key| Machines::of(key, &class)).transpose()?;
    let worksheet =
        args.worksheet.as_deref().map(|path| Worksheet::read(path, &args.columns, &class)).transpose()?;
    let earlier = args.out.as_ref().map(|out| out.join("grades.csv"));
    let book = Gradebook::read(&args.points, earlier.as_deref(), &class, &rubric)?;
    let (submissions, decision) = handed_in(args, &class, worksheet.as_ref())?;
    let asked: BTreeSet<String> = assignment.fields().into_iter().map(|field| field.id).collect();
    let context = Context { rubric: &rubric, machines: machines.as_ref(), asked, args };
    let mut graded: Vec<Graded> = (0..class.students.len())
        .map(|student| context.grade(student, class.name(student), &decision.owned[student], &submissions))
        .collect();
    let mut notes = on_the_class(args, &graded, &decision, machines.as_ref(), &class)?;
    notes.extend(book.give(&mut graded, &mut rubric));
    graded.iter_mut().for_each(|graded| graded.notes.extend(unread(&rubric, &graded.marks)));
    if let Some(student) = explain {
        return output::print(&overview::explained(&rubric, &graded[student]));
    }
    if let Some(path) = earlier.filter(|_| book.earlier) {
        // Points that this rubric or this class has no place for are not lost.
        let text = input::text(&path)?;
        output::write(&path.with_file_name("grades-earlier.csv"), text.as_bytes())?;
    }
    notes.extend(save(args, &rubric, &graded, worksheet.as_ref())?);
    notes.iter().for_each(|note| output::tell(format!("lab grade: note: {note}")));
    let distribution = overview::distribution(&rubric, &graded);
    output::print(&(table::text(&rubric, &graded) + &distribution))
}

/// The answers that may be right, and have no points before somebody reads them.
fn unread(rubric: &Rubric, marks: &[Mark]) -> Option<Sentence> {
    let unread = rubric.items.iter().zip(marks).filter(|(item, mark)| mark.unread && !item.by_hand);
    let labels: Vec<&str> = unread.map(|(item, _)| item.label.as_str()).collect();
    let note = || say!("To be read by somebody, without points until then: {}.", labels.join("; "));
    (!labels.is_empty()).then(note)
}

/// The place of the student to explain.
fn explained(class: &Class, name: &str) -> Result<usize, Failure> {
    let nobody = || Failure::usage(format!("'{}' does not name one student of the class", shorten(name, 60)));
    class.named(name).one().ok_or_else(nobody)
}

/// Refuses to write where something is read.
fn keep_apart(args: &Args) -> Result<(), Failure> {
    let tables =
        [&args.key, &args.assignment, &args.rubric, &args.worksheet, &args.roster.roster, &args.groups];
    let read = args.submissions.iter().chain(tables.into_iter().flatten()).map(PathBuf::as_path);
    let written: Vec<PathBuf> = args.out.iter().flat_map(|out| WRITTEN.map(|name| out.join(name))).collect();
    let read = read.chain(args.policy.file()).chain(args.points.iter().map(PathBuf::as_path));
    output::keep_apart(read, written.iter().map(PathBuf::as_path))?;
    let Some(out) = &args.out else { return Ok(()) };
    let there = std::path::absolute(out).unwrap_or_else(|_| out.clone());
    let Some(out) = there.ancestors().find_map(|folder| folder.canonicalize().ok()) else { return Ok(()) };
    let within =
        |path: &PathBuf| path.is_dir() && path.canonicalize().is_ok_and(|path| out.starts_with(path));
    match args.submissions.iter().find(|path| within(path)) {
        Some(path) => Err(Failure::usage(format!(
            "grades would be written into the folder of submissions '{}'; name another folder with --out",
            shorten(&path.to_string_lossy(), 120)
        ))),
        None => Ok(()),
    }
}

/// Whom to grade.
fn students(args: &Args, key: Option<&Key>) -> Result<Vec<Student>, Failure> {
    let named = |name: String| Student { name, aliases: Vec::new() };
    if let Some(student) = &args.student {
        let students = roster::unique(std::iter::once(student.clone()), "--student")?;
        return Ok(students.into_iter().map(named).collect());
    }
    let students = args.roster.students(&args.alias_columns)?;
    if !students.is_empty() {
        return Ok(students);
    }
    let key = key.ok_or_else(|| Failure::usage("no students given: use --roster, --student or --key"))?;
    let names = roster::unique(key.machines.iter().map(|machine| machine.name.clone()), "the key")?;
    Ok(names.into_iter().map(named).collect())
}

/// All submissions, and whose they are; where one student is graded, all are theirs.
fn handed_in(
    args: &Args,
    class: &Class,
    worksheet: Option<&Worksheet>,
) -> Result<(Vec<Submission>, Decision), Failure> {
    let times = args.policy.times(class)?;
    if args.student.is_some() {
        let read = |path: &PathBuf| submissions::there(path).map(|()| submissions::one(path));
        let submissions = args.submissions.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let decision = owners::of_one(class, &submissions, &times);
        return Ok((submissions, decision));
    }
    let groups =
        args.groups.as_deref().map(|path| Groups::read(path, class)).transpose()?.unwrap_or_default();
    let submissions = submissions::collect(&args.submissions, args.roster.name_column.as_deref(), class)?;
    let participants = worksheet.map(Worksheet::participants).unwrap_or_default();
    let decision = owners::decide(class, &submissions, &participants, &groups, &times);
    if !decision.any && !submissions.is_empty() {
        return Err(nobodys(args, class, &submissions));
    }
    Ok((submissions, decision))
}

/// Why not one submission is of somebody in the class.
fn nobodys(args: &Args, class: &Class, submissions: &[Submission]) -> Failure {
    let names: Vec<String> =
        submissions.iter().take(3).map(|submission| format!("'{}'", shorten(&submission.name, 60))).collect();
    let is_student = |path: &Path| {
        path.file_name().is_some_and(|name| class.named(&name.to_string_lossy()).one().is_some())
    };
    let folders = || args.submissions.iter().filter(|path| path.is_dir());
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
    let hint = if args.submissions.iter().any(|path| archive(&path)) {
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

/// The machines of a key, by student.
struct Machines<'k> {
    key: &'k Key,
    /// For each student: their machine, or several, or none.
    of_student: Vec<Vec<&'k Answers>>,
}

impl<'k> Machines<'k> {
    /// Names of the key are compared as those of folders are.
    ///
    /// # Errors
    ///
    /// If the key has no machine of anybody.
    fn of(key: &'k Key, class: &Class) -> Result<Machines<'k>, Failure> {
        let mut closest = vec![(usize::MAX, Vec::new()); class.students.len()];
        for machine in &key.machines {
            if let identity::Named::One { student, rank } = class.named(&machine.name) {
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

/// What all students are graded by.
struct Context<'c> {
    rubric: &'c Rubric,
    machines: Option<&'c Machines<'c>>,
    /// Fields of the assignment.
    asked: BTreeSet<String>,
    args: &'c Args,
}

impl Context<'_> {
    /// One student's grade from what was handed in.
    fn grade(&self, place: usize, student: &str, owned: &Owned, submissions: &[Submission]) -> Graded {
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
            let answered = || submission.answers.iter().filter(|(id, text)| is_answer(id, text));
            graded.other_assignment = !answered().any(|(id, _)| asked(id));
            if graded.other_assignment {
                graded.notes.push(say!("None of these answers is asked for in this assignment."));
            }
        }
        let machine = match self.machines.map(|machines| machines.of_student[place].as_slice()) {
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
        let mut evidence = submission.evidence();
        // Those of others too: a copied record is a hint.
        let ids = evidence.records.iter().map(|record| &record.id).filter(|id| !id.is_empty());
        graded.records = ids.map(|id| shorten(id, 60)).collect();
        let foreign = machine.and_then(|machine| self.foreign(&evidence, machine, &mut graded));
        if self.machines.is_some() {
            graded.notes.extend(evidence.keep_own(machine.map(|machine| &*machine.seal)));
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
        // Without a key nobody knows whose a record is, but whether it was changed.
        let own =
            if self.machines.is_some() { !evidence.records.is_empty() } else { evidence.changed.is_empty() };
        if self.rubric.records == Records::Own && !own {
            let counts = |mark: &&mut Mark| mark.points > 0.0 || mark.unread && mark.most.is_some();
            for mark in graded.marks.iter_mut().filter(counts) {
                (mark.points, mark.unread) = (0.0, false);
                mark.reason = say!("No points without records of your own machine.");
            }
        }
        let (share, late) = self.args.policy.late(owned.time, owned.time_of_file);
        graded.notes.extend(late);
        graded.share = share;
        graded
    }

    /// Figures of any program that the rubric asks for.
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

/// What concerns the class, said once.
///
/// # Errors
///
/// If it concerns the whole class.
fn on_the_class(
    args: &Args,
    class: &[Graded],
    decision: &Decision,
    machines: Option<&Machines<'_>>,
    named: &Class,
) -> Result<Vec<String>, Failure> {
    let with_records = class.iter().filter(|graded| graded.unknown_machine.is_some()).count();
    let unknown = class.iter().filter(|graded| graded.unknown_machine == Some(true)).count();
    if args.student.is_none() && unknown > 0 && unknown == with_records && (unknown > 1 || class.len() == 1) {
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
    if args.student.is_none() && others > 0 && others == all && (others > 1 || class.len() == 1) {
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
    for graded in class {
        if let Some(why) = &graded.refused {
            notes.push(format!("no grade for '{}': {why}", shorten(&graded.student, 60)));
        }
    }
    Ok(notes)
}

/// `3 of 300 students: a, b, c`.
fn listed(names: &[String], of: usize) -> String {
    let mut shown = names[..names.len().min(MAX_LISTED)].join(", ");
    if names.len() > MAX_LISTED {
        shown += &format!(" and {} more", names.len() - MAX_LISTED);
    }
    format!("{} of {of} students: {shown}", names.len())
}

/// What is behind a seal, by the names of a rubric.
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

/// Writes what was asked for; returns what there is to say about it.
fn save(
    args: &Args,
    rubric: &Rubric,
    class: &[Graded],
    worksheet: Option<&Worksheet>,
) -> Result<Vec<String>, Failure> {
    let Some(out) = &args.out else { return Ok(Vec::new()) };
    let shown: Vec<Graded> = class.iter().map(|graded| graded.for_student(rubric, args.terse)).collect();
    let filled = worksheet.map(|worksheet| worksheet.fill(rubric, rubric.most(), &shown)).transpose();
    let folder = |path: &Path| {
        std::fs::create_dir_all(path).map_err(|error| {
            Failure::could_not(format!("cannot make the folder '{}': {error}", path.display()))
        })
    };
    folder(out)?;
    let mut notes = Vec::new();
    let write = |name: &str, text: &str| output::write(&out.join(name), text.as_bytes());
    write("grades.csv", &table::csv(rubric, class))?;
    write("items.csv", &overview::items(rubric, class))?;
    let unread = class.iter().any(|graded| graded.marks.iter().any(|mark| mark.unread));
    if unread || rubric.items.iter().any(|item| item.by_hand) {
        write("texts.html", &overview::texts(rubric, class))?;
    }
    let hints = overview::likeness(rubric, class);
    write("likeness.csv", &overview::hints(&hints))?;
    if !hints.is_empty() {
        notes.push(format!(
            "{} hints of likeness between students are in likeness.csv; each can have an honest reason",
            hints.len()
        ));
    }
    for convention in &args.conventions {
        let name = convention.file();
        let system = format!("{convention:?}").to_lowercase();
        for graded in &shown {
            let place = out.join(&system).join(names::file_stem(&graded.student));
            let path = place.join(name);
            if graded.refused.is_some() {
                // A grade of an earlier run does not count any more.
                let _ = std::fs::remove_file(&path);
                continue;
            }
            folder(&place)?;
            // a thousand files that can be made again: not each of them needs to be on the disk by now
            std::fs::write(&path, convention.text(rubric, graded, class.len() == 1)?)
                .map_err(|error| Failure::could_not(format!("cannot write '{}': {error}", path.display())))?;
        }
    }
    if let Some(filled) = filled? {
        notes.extend(filled.notes);
        output::write(&out.join("moodle.csv"), &filled.bytes)?;
    }
    Ok(notes)
}

//! `lab grade`: a class's answers against its machines and its own figures.

mod evidence;
mod formats;
mod judge;
mod quantity;
mod rubric;
mod submissions;
mod table;
mod worksheet;

use std::collections::BTreeSet;
use std::path::PathBuf;

use common::failure::Failure;
use common::output;

use super::key::{Answers, Key};
use super::names;
use super::roster::{self, Roster};
use super::tables::Table;
use crate::run::assigned;
use formats::Convention;
use judge::{Mark, Truth};
use rubric::{Records, Rubric};
use submissions::{Owners, Submission};

/// Grade a class: points and a reason for each answer, in the formats of courses
///
/// A submission is a folder, a saved report page, an answers.json, or a row of a
/// CSV with a column for each field; it is found by the student's name, or by the
/// names in its answers. Answers are held against the student's sealed machine
/// (--key), and against the records in the submission. The exit status is about
/// the run, never about the grades.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    roster: Roster,

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

    /// Folders with a submission of each student, or tables with one in each row
    #[arg(value_name = "SUBMISSIONS", required_unless_present = "print_rubric")]
    submissions: Vec<PathBuf>,
}

/// One student's grade.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Graded {
    pub(crate) student: String,
    /// In the rubric's order.
    pub(crate) marks: Vec<Mark>,
    /// What must be known to believe it, one sentence each.
    pub(crate) notes: Vec<String>,
}

impl Graded {
    /// Points in all.
    pub(crate) fn points(&self) -> f64 {
        self.marks.iter().map(|mark| mark.points).sum()
    }

    /// Everything that the student is told, on one line.
    pub(crate) fn feedback(&self, rubric: &Rubric) -> String {
        let items = rubric.items.iter().zip(&self.marks).filter(|(_, mark)| mark.most.is_some());
        let told = items.map(|(item, mark)| format!("{}: {} {}", item.label, mark.points, mark.reason));
        told.chain(self.notes.iter().cloned()).collect::<Vec<_>>().join(" ")
    }
}

/// Reads everything, grades, writes.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.print_rubric {
        return output::print(rubric::GUIDE);
    }
    let tables = [&args.key, &args.assignment, &args.rubric, &args.worksheet, &args.roster.roster];
    let read = args.submissions.iter().chain(tables.into_iter().flatten());
    let written: Vec<PathBuf> =
        args.out.iter().flat_map(|out| ["grades.csv", "moodle.csv"].map(|name| out.join(name))).collect();
    output::keep_apart(read.map(PathBuf::as_path), written.iter().map(PathBuf::as_path))?;
    let rubric = Rubric::read(args.rubric.as_deref(), &assigned::read(args.assignment.as_deref())?)?;
    let key = args.key.as_deref().map(Key::read).transpose()?;
    let (students, submissions) = handed_in(args, key.as_ref())?;
    let places = owned(args, &students, &submissions);
    let class: Vec<Graded> = students
        .iter()
        .zip(&places)
        .map(|(student, places)| {
            let own: Vec<&Submission> = places.iter().filter_map(|place| submissions.get(*place)).collect();
            grade(student, &own, &rubric, key.as_ref())
        })
        .collect();
    let taken: BTreeSet<usize> = places.into_iter().flatten().collect();
    for stranger in
        (0..).zip(&submissions).filter(|(place, _)| !taken.contains(place)).map(|(_, stranger)| stranger)
    {
        output::tell(format!(
            "lab grade: note: '{}' is of no student of the roster",
            stranger.name.escape_debug()
        ));
    }
    save(args, &rubric, &class)?;
    output::print(&table::text(&rubric, &class))
}

/// The names to grade, and all submissions.
fn handed_in(args: &Args, key: Option<&Key>) -> Result<(Vec<String>, Vec<Submission>), Failure> {
    if let Some(student) = &args.student {
        let students = roster::unique(std::iter::once(student.clone()), "--student")?;
        let of_student =
            args.submissions.iter().map(|path| submissions::there(path).map(|()| submissions::one(path)));
        return Ok((students, of_student.collect::<Result<_, _>>()?));
    }
    let mut students = args.roster.names()?;
    if students.is_empty() {
        let named = key.map(|key| key.machines.iter().map(|m| m.name.clone()).collect());
        students =
            named.ok_or_else(|| Failure::usage("whom to grade? give --roster, --student, or --key"))?;
    }
    let submissions = submissions::collect(&args.submissions, args.roster.name_column.as_deref())?;
    Ok((students, submissions))
}

/// The places of each student's submissions; where one is graded alone, all are theirs.
fn owned(args: &Args, students: &[String], submissions: &[Submission]) -> Vec<BTreeSet<usize>> {
    if args.student.is_some() {
        return vec![(0..submissions.len()).collect()];
    }
    let owners = Owners::of(submissions);
    students.iter().map(|student| owners.places(student)).collect()
}

/// One student's grade from what was handed in.
fn grade(student: &str, own: &[&Submission], rubric: &Rubric, key: Option<&Key>) -> Graded {
    let mut notes = Vec::new();
    let Some(last) = own.iter().max_by(|a, b| a.saved.cmp(&b.saved)) else {
        notes.push("Nothing was handed in.".to_owned());
        return Graded {
            student: student.to_owned(),
            marks: judge::marks(rubric, &[].into(), &Truth::new()),
            notes,
        };
    };
    if own.len() > 1 {
        let when = if last.saved.is_empty() { "the last by name" } else { &last.saved };
        notes.push(format!("{} submissions; the one saved last ({when}) counts.", own.len()));
    }
    notes.extend(last.notes.iter().cloned());
    if last.answers.is_empty() {
        notes.push("No answers were found in what was handed in.".to_owned());
    }
    notes.extend(last.evidence.doubts());
    let machine = key.and_then(|key| key.machines.iter().find(|machine| machine.name == student));
    let foreign = foreign(last, machine, key);
    notes.extend(foreign.clone());
    let mut truth = last.evidence.products();
    truth.extend(machine.map_or_else(|| last.evidence.caches(), behind));
    if let Some(line) = truth.get("l1.line").copied() {
        truth.insert("line.elements".to_owned(), line / 2.0);
    }
    let mut marks = judge::marks(rubric, &last.answers, &truth);
    if rubric.records == Records::Own && (foreign.is_some() || !last.evidence.changed.is_empty()) {
        for mark in marks.iter_mut().filter(|mark| mark.points > 0.0) {
            mark.points = 0.0;
            mark.reason = "No points without records of your own machine.".to_owned();
        }
    }
    Graded { student: student.to_owned(), marks, notes }
}

/// What is wrong with the machine that the records were made on.
fn foreign(submission: &Submission, machine: Option<&Answers>, key: Option<&Key>) -> Option<String> {
    let machine = machine?;
    let mut tags = submission.evidence.machines().peekable();
    if tags.peek().is_none() {
        return Some("There are no records of the student's own machine.".to_owned());
    }
    let other = tags.find(|tag| *tag != machine.seal)?;
    let whose = key.and_then(|key| key.machines.iter().find(|machine| machine.seal == other));
    Some(match whose {
        Some(whose) => format!("Records were made on the machine of {}.", whose.name),
        None => "Records were made on a sealed machine that is not of this class.".to_owned(),
    })
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

/// Writes what was asked for.
fn save(args: &Args, rubric: &Rubric, class: &[Graded]) -> Result<(), Failure> {
    let Some(out) = &args.out else { return Ok(()) };
    let folder = |path: &std::path::Path| {
        std::fs::create_dir_all(path).map_err(|error| {
            Failure::could_not(format!("cannot make the folder '{}': {error}", path.display()))
        })
    };
    folder(out)?;
    output::write(&out.join("grades.csv"), table::csv(rubric, class).as_bytes())?;
    for convention in &args.conventions {
        let name = convention.file();
        let system = format!("{convention:?}").to_lowercase();
        for graded in class {
            let place = out.join(&system).join(names::file_stem(&graded.student));
            folder(&place)?;
            // a thousand files that can be made again: not each of them needs to be on the disk by now
            let path = place.join(name);
            std::fs::write(&path, convention.text(rubric, graded)?)
                .map_err(|error| Failure::could_not(format!("cannot write '{}': {error}", path.display())))?;
        }
    }
    if let Some(path) = &args.worksheet {
        let (text, missing) = worksheet::fill(Table::read(path)?, &args.columns, rubric, class)?;
        for student in missing {
            output::tell(format!(
                "lab grade: note: the worksheet has no row of '{}'",
                student.escape_debug()
            ));
        }
        output::write(&out.join("moodle.csv"), text.as_bytes())?;
    }
    Ok(())
}

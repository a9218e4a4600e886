//! `lab grade`: compares a class's answers with its machines and its own figures.

mod class;
mod context;
mod evidence;
mod files;
mod formats;
mod gradebook;
mod graded;
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

use super::key::Key;
use super::names;
use super::roster::{self, Roster, Student};
use crate::run::assigned;
use context::{Context, Machines};
use formats::Convention;
use gradebook::Gradebook;
use graded::Graded;
use groups::Groups;
use identity::Class;
use judge::Mark;
use owners::Decision;
use rubric::Rubric;
use sentence::{Sentence, say};
use submissions::Submission;
use worksheet::Worksheet;

/// Names of the tables and pages that are written into `--out`.
const WRITTEN: [&str; 5] = ["grades.csv", "moodle.csv", "items.csv", "likeness.csv", "texts.html"];

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

    /// Name more columns of the roster with names of students, in addition to user name, number, name and e-mail
    #[arg(long = "alias-column", value_name = "COLUMN", requires = "roster")]
    alias_columns: Vec<String>,

    /// Read groups that hand in together: CSV with a row for each, or a column 'group'
    #[arg(long, value_name = "FILE", conflicts_with = "student")]
    groups: Option<PathBuf>,

    #[command(flatten)]
    policy: times::LatePolicy,

    /// Grade only the submission of this student, whatever its folder
    #[arg(long, value_name = "NAME", conflicts_with = "roster")]
    student: Option<String>,

    /// Use this key of the sealed machines: the JSON file that lab mystery wrote
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,

    /// Use this assignment: questions and points [default: the guide's]
    #[arg(long, value_name = "FILE")]
    assignment: Option<PathBuf>,

    /// Use this rubric: correct values and how to grade [default: that of the guide's sheet]
    #[arg(long, value_name = "FILE")]
    rubric: Option<PathBuf>,

    /// Print the rubric of the guide's sheet, to start from
    #[arg(long)]
    print_rubric: bool,

    /// Write grades.csv, and the formats of --as, into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Also export for this grading system: one file for each student, in DIR/SYSTEM/NAME
    #[arg(long = "as", value_enum, value_name = "SYSTEM", requires = "out")]
    conventions: Vec<Convention>,

    /// Fill this worksheet, exported from Moodle, into DIR/moodle.csv
    #[arg(long, value_name = "FILE", requires = "out")]
    worksheet: Option<PathBuf>,

    #[command(flatten)]
    columns: worksheet::Columns,

    /// Read points given by hand: a copy of grades.csv with its empty points filled in, or a column for each item
    #[arg(long, value_name = "FILE")]
    points: Vec<PathBuf>,

    /// Feedback says only right or not, without reasons: for all but the last try
    #[arg(long)]
    terse: bool,

    /// Print everything about the grade of this student, and write nothing
    #[arg(long, value_name = "NAME", conflicts_with = "out")]
    explain: Option<String>,

    /// Folders with a submission of each student, or tables with one in each row
    #[arg(value_name = "SUBMISSIONS", required_unless_present = "print_rubric")]
    submissions: Vec<PathBuf>,
}

/// Reads everything, grades, writes.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.print_rubric {
        return output::print(rubric::GUIDE);
    }
    check_distinct(args)?;
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
    let context = Context { rubric: &rubric, machines: machines.as_ref(), asked, policy: &args.policy };
    let mut graded: Vec<Graded> = (0..class.students.len())
        .map(|student| context.grade(student, class.name(student), &decision.owned[student], &submissions))
        .collect();
    let mut notes =
        class::notes(args.student.is_none(), &graded, &decision, machines.as_ref(), &rubric, &class)?;
    notes.extend(book.give(&mut graded, &mut rubric));
    graded.iter_mut().for_each(|graded| graded.notes.extend(unread(&rubric, &graded.marks)));
    if let Some(student) = explain {
        return output::print(&overview::explained(&rubric, &graded[student]));
    }
    if let Some(path) = earlier.filter(|_| book.earlier) {
        // Points that this rubric or this class has no place for would be lost.
        save_copy(&path)?;
    }
    notes.extend(save(args, &rubric, &graded, worksheet.as_ref())?);
    notes.iter().for_each(|note| output::message(format!("lab grade: note: {note}")));
    let distribution = overview::distribution(&rubric, &graded);
    output::print(&(table::text(&rubric, &graded) + &distribution))
}

/// Copies a table of grades to the first free name, unless there is a copy already.
fn save_copy(table: &Path) -> Result<(), Failure> {
    let text = input::text(table)?;
    let path = (1..).map(|number: u32| match number {
        1 => table.with_file_name("grades-earlier.csv"),
        _ => table.with_file_name(format!("grades-earlier-{number}.csv")),
    });
    for path in path {
        if !path.exists() {
            return output::write(&path, text.as_bytes());
        }
        if input::text(&path).is_ok_and(|saved| saved == text) {
            break;
        }
    }
    Ok(())
}

/// A note on the answers that have no points until the instructor has read them.
fn unread(rubric: &Rubric, marks: &[Mark]) -> Option<Sentence> {
    let unread = rubric.items.iter().zip(marks).filter(|(item, mark)| mark.unread && !item.by_hand);
    let labels: Vec<&str> = unread.map(|(item, _)| item.label.as_str()).collect();
    let note = || say!("To be read by the instructor, without points until then: {}.", labels.join("; "));
    (!labels.is_empty()).then(note)
}

/// The position in the class of the student whose grade is explained.
fn explained(class: &Class, name: &str) -> Result<usize, Failure> {
    let nobody = || Failure::usage(format!("'{}' does not name one student of the class", shorten(name, 60)));
    class.named(name).one().ok_or_else(nobody)
}

/// Refuses to write a file that is also read.
fn check_distinct(args: &Args) -> Result<(), Failure> {
    let tables =
        [&args.key, &args.assignment, &args.rubric, &args.worksheet, &args.roster.roster, &args.groups];
    let read = args.submissions.iter().chain(tables.into_iter().flatten()).map(PathBuf::as_path);
    let written: Vec<PathBuf> = args.out.iter().flat_map(|out| WRITTEN.map(|name| out.join(name))).collect();
    let read = read.chain(args.policy.file()).chain(args.points.iter().map(PathBuf::as_path));
    output::check_distinct(read, written.iter().map(PathBuf::as_path))?;
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

/// The students to grade.
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

/// The student's submission in a folder of the whole class; otherwise the path itself. A
/// file with the student's name next to answers does not make a folder one of a class.
fn own(path: &Path, class: &Class) -> Result<PathBuf, Failure> {
    let children = std::fs::read_dir(path).into_iter().flatten().filter_map(|child| Some(child.ok()?.path()));
    let stem = |child: &Path| child.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let of_kit = |child: &Path| ["answers", "report"].iter().any(|name| stem(child).starts_with(name));
    let answered = children.filter(|child| !submissions::one(child).is_empty());
    let (found, others): (Vec<PathBuf>, Vec<PathBuf>) =
        answered.partition(|child| class.named(&stem(child)).one().is_some());
    if others.is_empty() || others.iter().any(|child| of_kit(child)) {
        return Ok(path.to_owned());
    }
    match found.as_slice() {
        [] => Ok(path.to_owned()),
        [child] => Ok(child.clone()),
        _ => Err(Failure::usage(format!(
            "'{}' has several submissions of the student; name one",
            shorten(&path.to_string_lossy(), 120)
        ))),
    }
}

/// All submissions and their owners; if one student is graded, all belong to that student.
fn handed_in(
    args: &Args,
    class: &Class,
    worksheet: Option<&Worksheet>,
) -> Result<(Vec<Submission>, Decision), Failure> {
    let times = args.policy.times(class)?;
    if args.student.is_some() {
        let read = |path: &PathBuf| {
            submissions::there(path)?;
            own(path, class).map(|path| submissions::one(&path))
        };
        let submissions = args.submissions.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let decision = owners::of_one(class, &submissions, &times);
        return Ok((submissions, decision));
    }
    let groups =
        args.groups.as_deref().map(|path| Groups::read(path, class)).transpose()?.unwrap_or_default();
    let submissions = submissions::collect(&args.submissions, args.roster.name_column.as_deref(), class)?;
    let participants = worksheet.map(Worksheet::participants).unwrap_or_default();
    let mut decision = owners::decide(class, &submissions, &participants, &groups, &times);
    let is_name = |name: &&String| {
        let name = names::folded(name);
        !submissions.iter().any(|submission| names::folded(&submission.name) == name)
    };
    let nobodys: Vec<&String> = times.nobodys.iter().filter(is_name).collect();
    if let Some(name) = nobodys.first() {
        let number = nobodys.len();
        decision.unclaimed.push(format!(
            "{number} of the names in --times are of no student and no submission, as '{name}'"
        ));
    }
    if !decision.any && !submissions.is_empty() {
        return Err(class::nobodys(&args.submissions, class, &submissions));
    }
    Ok((submissions, decision))
}

/// Writes the files that the options ask for; returns notes about them.
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
            "{} similarities between students are in likeness.csv; each can have an honest reason",
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
                // A grade of an earlier run no longer counts.
                let _ = std::fs::remove_file(&path);
                continue;
            }
            folder(&place)?;
            // up to a thousand files that can be written again: no need to sync each to
            // disk
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

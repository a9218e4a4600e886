//! `course grade`: compares a class's answers with its machines and its own figures.
//!
//! Nothing is guessed: tables are joined by their headers, submissions by exact names, and
//! everything else is named and left to the instructor. Errors that are strings are clauses:
//! the caller says of which file or student they are.

mod class;
mod evidence;
#[cfg_attr(not(unix), path = "no_exercises.rs")]
mod exercises;
mod export;
mod files;
mod grader;
mod judge;
mod note;
mod notes;
mod output;
mod owners;
mod reason;
mod rubric;
mod submissions;
mod texts;
mod wording;

use std::path::PathBuf;

use common::failure::Failure;
use common::output::{message, print};
use common::text::{counted, shorten};
use report::{Assignment, Question};

use crate::key::Key;
use crate::roster::{self, Listed, Roster};
use class::Class;
use evidence::Submission;
use export::Export;
use grader::{Graded, Machines};
use note::Note;
use notes::Seen;
use output::{Files, GRADES, MAP, NOTES};
use owners::{Counting, Map};
use rubric::Rubric;
use texts::{TEXTS, Texts};

/// Grade a class: points and a reason for each answer
///
/// A submission is a folder, a zip archive, a saved report page, an answers.json, or
/// a row of a CSV with a column for each field. Its owner is the student whose number in
/// the collecting system, or whose exact name, the folder or file has; the others are listed
/// in DIR/map.csv for you to complete. Tables name students by a column that has the
/// header of a roster column. The exit status is 1 while a submission has no owner.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    roster: Roster,

    /// Name the roster's column with the group that each student hands in with
    #[arg(long, value_name = "COLUMN", requires = "roster")]
    group_column: Option<String>,

    /// Use this key of the sealed machines: the JSON file that course mystery wrote
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,

    /// Grade the exercises, which runs the students' programs, in place of the report's questions
    #[arg(long, conflicts_with = "key")]
    exercises: bool,

    /// Use this assignment [default: the guide's]
    #[arg(long, value_name = "FILE")]
    assignment: Option<PathBuf>,

    /// Use these right values: TOML with the id of a field and its value, `s2-2 = 65536`
    #[arg(long, value_name = "FILE")]
    rubric: Option<PathBuf>,

    /// Fill this export, Moodle's grading worksheet or Canvas's gradebook, into DIR/moodle.csv or
    /// DIR/canvas.csv
    #[arg(long, value_name = "FILE")]
    worksheet: Option<PathBuf>,

    /// Name the column to fill [default: 'Grade', or a gradebook's only assignment]
    #[arg(long, value_name = "COLUMN", requires = "worksheet")]
    grade_column: Option<String>,

    /// Write grades.csv, texts.csv, texts.html and notes.txt into this folder; points and comments
    /// that you wrote into its texts.csv are used
    #[arg(short, long, value_name = "DIR", default_value = "grades")]
    output: PathBuf,

    /// Grade although fewer than half of the students have a submission
    #[arg(long)]
    allow_missing: bool,

    /// A folder with a submission of each student, or a table with one in each row
    #[arg(value_name = "SUBMISSIONS")]
    submissions: PathBuf,
}

/// What decides whose a submission is, and what it is worth.
struct Course<'k> {
    class: Class,
    map: Map,
    machines: Option<Machines<'k>>,
    rubric: Rubric,
    assignment: Assignment,
    fields: Vec<Question>,
    /// Whether the exercises are graded.
    exercises: bool,
}

impl Course<'_> {
    /// Whether the assignment has a field with that id.
    fn asks(&self, id: &str) -> bool {
        self.fields.iter().any(|field| field.id == id)
    }
}

/// Reads everything, grades, writes.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    outside(args)?;
    let (mut rubric, assignment) = Rubric::read(args.rubric.as_deref(), args.assignment.as_deref())?;
    if args.exercises {
        rubric.items = exercises::items();
    }
    let key = args.key.as_deref().map(Key::read).transpose()?;
    let mut class = students(args, key.as_ref())?;
    let column = args.grade_column.as_deref();
    let export = args.worksheet.as_deref().map(|path| Export::read(path, &mut class, column));
    let export = export.transpose()?;
    let machines = key.as_ref().map(|key| Machines::of(key, &class)).transpose()?;
    let out = args.output.as_path();
    let map = Map::read(&out.join(MAP), &class)?;
    let by_hand = Texts::read(&out.join(TEXTS), &class, &rubric)?;
    let (fields, exercises) = (assignment.fields(), args.exercises);
    let course = Course { class, map, machines, rubric, assignment, fields, exercises };
    let (mut submissions, mut notes) = course.collect(&args.submissions)?;
    if let Some(machines) = &course.machines {
        machines.of_this_class(&submissions)?;
    }
    let unresolved = unresolved(&submissions, &course.class);
    if unresolved > 0 {
        output::write_one(out, MAP, &course.map.text(&submissions, &course.class))?;
    }
    enough(args, &course.counting(&submissions), unresolved)?;
    if args.exercises {
        exercises::mark(submissions.iter_mut().map(|one| &mut one.sources))?;
    }
    let counting = course.counting(&submissions);
    let grade = |(student, one)| course.grade(student, one, &submissions);
    let mut graded: Vec<Graded> = counting.iter().enumerate().map(grade).collect();
    grader::same_sum(&mut graded, &course.rubric);
    notes.extend(course.map.unknown(&submissions));
    notes.extend(Seen { course: &course, submissions: &submissions, counting: &counting }.notes(&mut graded));
    notes.extend(by_hand.give(&mut graded, &course.rubric, &course.class));
    notes.extend(notes::after_reading(&course, &graded));
    let mut files: Files = [(GRADES, output::csv(&course, &graded))].into_iter().collect();
    files.extend(by_hand.table(&graded, &course.rubric, &course.class).map(|texts| (TEXTS, texts)));
    files.extend(output::page(&course, &graded));
    if let Some(export) = export {
        let name = export.file();
        let (filled, of_export) = export.fill(&course.rubric, &graded, &course.class);
        files.insert(name, filled);
        notes.extend(of_export);
    }
    files.insert(NOTES, notes.iter().map(|note| note.all() + "\n").collect());
    let earlier = output::write(out, &files)?;
    notes.iter().for_each(|note| message(format!("course grade: note: {}", note.on_screen())));
    if notes.iter().any(Note::is_cut) {
        message(format!("course grade: all names are in {}", out.join(NOTES).display()));
    }
    if let Some(path) = earlier {
        message(format!("course grade: the files of the last run are in {}", path.display()));
    }
    let grades = graded.iter().filter(|graded| graded.refused.is_none()).count();
    let all = counted(graded.len(), "student");
    print(&format!("{}: {grades} grades of {all}\n", out.join(GRADES).display()))?;
    complete(args, unresolved)
}

/// Refuses an output folder within the one of submissions: its files would be submissions next time.
fn outside(args: &Args) -> Result<(), Failure> {
    let out = std::path::absolute(&args.output).map_err(Failure::could_not)?;
    let out = out.ancestors().find_map(|folder| folder.canonicalize().ok()).unwrap_or_default();
    let path = &args.submissions;
    if !path.is_dir() || !path.canonicalize().is_ok_and(|path| out.starts_with(path)) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "the grades would be written into the folder of submissions '{}'; name another folder with --output",
        path.display()
    )))
}

/// The students to grade: those of the roster, else those of the key.
fn students(args: &Args, key: Option<&Key>) -> Result<Class, Failure> {
    if let Some(listed) = args.roster.read()? {
        let group = args.group_column.as_deref().map(|name| listed.column(name)).transpose()?;
        return Ok(Class::new(listed, group));
    }
    let key = key.ok_or_else(|| Failure::usage("no students given: use --roster or --key"))?;
    let names = key.machines.iter().map(|machine| ("the key".to_owned(), machine.name.clone()));
    let rows = roster::unique(names, "the key")?.into_iter().map(|name| vec![name]).collect();
    Ok(Class::new(Listed { header: vec![key.column().to_owned()], rows, naming: vec![0] }, None))
}

/// Names each submission without an owner; returns how many they are.
fn unresolved(submissions: &[Submission], class: &Class) -> usize {
    let open = submissions.iter().filter_map(|one| Some((one, one.owner.as_ref().err()?)));
    let named = open.map(|(one, why)| {
        let suggested = one.suggested.map(|student| format!("; suggested: {}", class.shown(student)));
        let suggested = suggested.unwrap_or_default();
        message(format!("course grade: '{}' {why}{suggested}", shorten(&one.name, 60)));
    });
    let number = named.count();
    if number == 1 && submissions.len() == 1 && class.names.len() > 1 {
        message(
            "course grade: it is the only submission; if it has those of the class, unpack it, and give the folder that has one of each student",
        );
    }
    number
}

/// Refuses to grade a class of which fewer than half have a submission: it is probably
/// another folder, or another class.
fn enough(args: &Args, counting: &[Counting<'_>], open: usize) -> Result<(), Failure> {
    let is_found =
        |one: &&Counting<'_>| one.as_ref().map_or(true, |one| one.is_some_and(Submission::has_answers));
    let (found, all) = (counting.iter().filter(is_found).count(), counting.len());
    if found > 0 && 2 * (found + open) >= all || args.allow_missing {
        return Ok(());
    }
    complete(args, open)?;
    Err(Failure::could_not(format!(
        "only {found} of {} handed in answers that can be read; is it the right folder, and the roster's right --name-column? If so, add --allow-missing",
        counted(all, "student")
    )))
}

/// Fails while submissions have no owner.
fn complete(args: &Args, unresolved: usize) -> Result<(), Failure> {
    match unresolved {
        0 => Ok(()),
        number => Err(Failure::could_not(format!(
            "submissions without an owner: {number}; fill in the column 'student' of {} ('-' for nobody), and grade again",
            args.output.join(MAP).display()
        ))),
    }
}

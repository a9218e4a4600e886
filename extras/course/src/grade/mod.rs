//! `course grade`: compares a class's answers with its machines and its own figures.
//!
//! Nothing is guessed: tables are joined by their headers, submissions by exact names, and
//! everything else is named and left to the instructor. Errors that are strings are clauses:
//! the caller says of which file or student they are.

mod evidence;
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

use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::output::{message, print};
use common::text::counted;
use report::{Assignment, Question};

use crate::class::Class;
use crate::draw::Key;
use export::Export;
use grader::{Graded, Machines};
use output::{Files, GRADES, MAP, NOTES};
use owners::Map;
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
    /// Read the class from a CSV: a header, then one student on each line
    #[arg(long, value_name = "FILE")]
    roster: PathBuf,

    /// Name a roster's column that identifies students [default: its only one]
    #[arg(long = "name-column", value_name = "COLUMN")]
    name_columns: Vec<String>,

    /// Name the roster's column with the group that each student hands in with
    #[arg(long, value_name = "COLUMN")]
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

    /// Name the column to fill, which a gradebook needs [default: 'Grade']
    #[arg(long, value_name = "COLUMN", requires = "worksheet")]
    grade_column: Option<String>,

    /// Write grades.csv, texts.csv, texts.html, notes.txt and, if needed, map.csv into this folder;
    /// points and comments in its texts.csv, and names in its map.csv, are used
    #[arg(short, long, value_name = "DIR", default_value = "grades")]
    output: PathBuf,

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
    let mut class = Class::read(&args.roster, &args.name_columns, args.group_column.as_deref())?;
    let column = args.grade_column.as_deref();
    let export = args.worksheet.as_deref().map(|path| Export::read(path, &mut class, column));
    let export = export.transpose()?;
    let machines = key.as_ref().map(|key| Machines::of(key, &class));
    let out = args.output.as_path();
    let map = Map::read(&out.join(MAP), &class)?;
    let by_hand = Texts::read(&out.join(TEXTS), &class, &rubric)?;
    let (fields, exercises) = (assignment.fields(), args.exercises);
    let course = Course { class, map, machines, rubric, assignment, fields, exercises };
    let (mut submissions, mut notes) = course.collect(&args.submissions)?;
    if args.exercises {
        exercises::mark(submissions.iter_mut().map(|one| &mut one.sources))?;
    }
    let counting = course.counting(&submissions);
    let grade = |(student, one)| course.grade(student, one, &submissions);
    let mut graded: Vec<Graded> = counting.iter().enumerate().map(grade).collect();
    grader::same_sum(&mut graded, &course.rubric);
    notes.extend(course.notes(&submissions, &mut graded));
    notes.extend(by_hand.give(&mut graded, &course.rubric, &course.class));
    notes.extend(notes::after_reading(&course, &graded, &submissions));
    let mut files: Files = [(GRADES, output::csv(&course, &graded))].into_iter().collect();
    files.extend(texts::files(&graded, &course.rubric, &course.class));
    if let Some(export) = export {
        let (filled, of_export) = export.fill(&course.rubric, &graded, &course.class);
        files.extend([filled]);
        notes.extend(of_export);
    }
    files.insert(NOTES, notes.iter().map(|note| note.all() + "\n").collect());
    let open = submissions.iter().filter(|one| one.owner.is_err()).count();
    files.extend((open > 0).then(|| (MAP, course.map.text(&submissions))));
    let earlier = output::write(out, &files)?;
    notes.iter().for_each(|note| message(format!("course grade: note: {}", note.on_screen())));
    if let Some(path) = earlier {
        message(format!("course grade: the files of the last run are in {}", path.display()));
    }
    let grades = graded.iter().filter(|graded| graded.refused.is_none()).count();
    let all = counted(graded.len(), "student");
    print(&format!("{}: {grades} grades of {all}\n", out.join(GRADES).display()))?;
    if open == 0 {
        return Ok(());
    }
    Err(Failure::could_not(format!(
        "submissions without an owner: {open}; fill in the column 'student' of {} ('-' for nobody), and grade again",
        out.join(MAP).display()
    )))
}

/// Refuses an output folder within the one of submissions: it would be a submission next time.
fn outside(args: &Args) -> Result<(), Failure> {
    let real = |path: &Path| path.canonicalize().ok();
    let out = std::path::absolute(&args.output).map_err(Failure::could_not)?;
    let (out, path) = (out.ancestors().find_map(real), real(&args.submissions));
    if !args.submissions.is_dir() || !out.zip(path).is_some_and(|(out, path)| out.starts_with(path)) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "the grades would be written into the folder of submissions '{}'; name another folder with --output",
        args.submissions.display()
    )))
}

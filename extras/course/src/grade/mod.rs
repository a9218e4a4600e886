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

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use common::failure::Failure;
use common::output::{message, print};
use common::text::{counted, shorten};
use report::{Assignment, FieldKind};

use crate::key::Key;
use crate::roster::{self, Listed, Roster};
use class::Class;
use evidence::Submission;
use export::Export;
use grader::{Graded, Machines};
use judge::Mark;
use note::Note;
use notes::Seen;
use output::{Files, GRADES, GradedClass, MAP, NOTES};
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
    #[arg(long, value_name = "FILE", requires = "output")]
    worksheet: Option<PathBuf>,

    /// Name the column to fill [default: 'Grade', or a gradebook's only assignment]
    #[arg(long, value_name = "COLUMN", requires = "worksheet")]
    grade_column: Option<String>,

    /// Write grades.csv, texts.csv, texts.html and notes.txt into this folder; points and comments
    /// that you wrote into its texts.csv are used
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Grade although fewer than half of the students have a submission
    #[arg(long)]
    allow_missing: bool,

    /// Folders with a submission of each student, or tables with one in each row
    #[arg(value_name = "SUBMISSIONS", required = true)]
    submissions: Vec<PathBuf>,
}

/// What decides whose a submission is, and what it is worth.
struct Course<'k> {
    class: Class,
    map: Map,
    machines: Option<Machines<'k>>,
    rubric: Rubric,
    assignment: Assignment,
    /// The ids of the assignment's fields.
    fields: Vec<String>,
    /// Those that are filled in with sentences.
    texts: BTreeSet<String>,
    /// Whether the exercises are graded, and their marks by the places of submissions.
    exercises: bool,
    tasks: BTreeMap<usize, Vec<Mark>>,
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
    let out = |name: &str| args.output.as_ref().map(|out| out.join(name));
    let map = Map::read(out(MAP).as_deref(), &class)?;
    let by_hand = Texts::read(out(TEXTS).as_deref(), &class, &rubric)?;
    let fields = assignment.fields();
    let is_text = |kind: FieldKind| matches!(kind, FieldKind::Text | FieldKind::Line);
    let texts = fields.iter().filter(|field| is_text(field.kind)).map(|field| field.id.clone()).collect();
    let fields = fields.into_iter().map(|field| field.id).collect();
    let (exercises, tasks) = (args.exercises, BTreeMap::new());
    let mut course = Course { class, map, machines, rubric, assignment, fields, texts, exercises, tasks };
    let (submissions, mut notes) = course.collect(&args.submissions)?;
    let measured = course.machines.as_ref().map(|machines| machines.measured(&submissions));
    if let Some((with_records @ 2.., 0)) = measured {
        return Err(Failure::usage(format!(
            "{with_records} submissions have sealed records, and none is of a machine of the key: it is the key of another class"
        )));
    }
    let counting = course.counting(&submissions);
    let unresolved = unresolved(&submissions, &course.class);
    if let Some(out) = args.output.as_ref().filter(|_| unresolved > 0) {
        output::write_one(out, MAP, course.map.text(&submissions, &course.class).as_bytes())?;
    }
    enough(args, &counting, &submissions, unresolved)?;
    if args.exercises {
        course.tasks = exercises::marks(&submissions.iter().map(|one| &one.sources).collect::<Vec<_>>())?;
    }
    let grade = |student| course.grade(student, &submissions, &counting[student]);
    let mut graded: Vec<Graded> = (0..counting.len()).map(grade).collect();
    grader::same_sum(&mut graded);
    notes.extend(course.map.unknown(&submissions));
    notes.extend(Seen { course: &course, submissions: &submissions, counting: &counting }.notes(&mut graded));
    notes.extend(nobody_right(&course.rubric, &graded));
    notes.extend(by_hand.give(&mut graded, &course.rubric, &course.class));
    let refused = |(student, graded): (usize, &Graded)| {
        graded.refused.as_ref().map(|why| format!("'{}': {why}", course.class.shown(student)))
    };
    notes.extend(Note::about("no grade", graded.iter().enumerate().filter_map(refused)));
    let shown = GradedClass { course: &course, graded: &graded };
    let overview = shown.text();
    let Some(out) = &args.output else {
        notes.iter().for_each(|note| message(format!("course grade: note: {}", note.all())));
        print(&overview)?;
        return complete(args, unresolved);
    };
    let table = shown.csv();
    notes.extend(output::changes(&out.join(GRADES), &table, &course.class));
    let texts =
        by_hand.table(&graded, &course.rubric, &course.class).map(|texts| (TEXTS, texts.into_bytes()));
    let mut files: Files =
        [(GRADES, table.into_bytes())].into_iter().chain(texts).chain(shown.page()).collect();
    if let Some(export) = export {
        let name = export.file();
        let (filled, of_export) = export.fill(&course.rubric, &graded, &course.class);
        files.insert(name, filled.into_bytes());
        notes.extend(of_export);
    }
    let all: String = notes.iter().map(|note| note.all() + "\n").collect();
    files.insert(NOTES, format!("{all}\n{overview}").into_bytes());
    let earlier = output::write(out, &files)?;
    let is_cut = notes.iter().map(Note::on_screen).filter(|(line, is_cut)| {
        message(format!("course grade: note: {line}"));
        *is_cut
    });
    if is_cut.count() > 0 {
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

/// From so many answers on, an item that nobody has right is named.
const MANY: usize = 5;

/// Items that nobody has right: the rubric or the key may be wrong.
fn nobody_right(rubric: &Rubric, graded: &[Graded]) -> Vec<Note> {
    let of_item = |(place, item): (usize, &rubric::Item)| {
        let marks =
            graded.iter().filter(|graded| graded.refused.is_none()).map(|graded| &graded.marks[place]);
        let judged = |mark: &&Mark| !mark.unread && mark.max_points.is_some() && !mark.answer.is_empty();
        let points: Vec<f64> = marks.filter(judged).map(|mark| mark.points).collect();
        let is_odd = !item.by_hand() && points.len() >= MANY && points.iter().all(|points| *points == 0.0);
        let (id, number) = (&item.id, points.len());
        is_odd.then(|| {
            format!("{id}: nobody of {number} who answered is right: check the rubric and the key").into()
        })
    };
    rubric.items.iter().enumerate().filter_map(of_item).collect()
}

/// Refuses an output folder within one of submissions: its files would be submissions next time.
fn outside(args: &Args) -> Result<(), Failure> {
    let Some(out) = &args.output else { return Ok(()) };
    let out = std::path::absolute(out).map_err(Failure::could_not)?;
    let out = out.ancestors().find_map(|folder| folder.canonicalize().ok()).unwrap_or_default();
    let is_around =
        |path: &&PathBuf| path.is_dir() && path.canonicalize().is_ok_and(|path| out.starts_with(path));
    match args.submissions.iter().find(is_around) {
        Some(path) => Err(Failure::usage(format!(
            "the grades would be written into the folder of submissions '{}'; name another folder with --output",
            path.display()
        ))),
        None => Ok(()),
    }
}

/// The students to grade: those of the roster, else those of the key.
fn students(args: &Args, key: Option<&Key>) -> Result<Class, Failure> {
    if let Some(listed) = args.roster.read()? {
        let group = args.group_column.as_deref().map(|name| listed.column(name)).transpose()?;
        return Ok(Class::new(listed, group));
    }
    let key = key.ok_or_else(|| Failure::usage("no students given: use --roster or --key"))?;
    let names = key.machines.iter().map(|machine| machine.name.clone());
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
fn enough(
    args: &Args,
    counting: &[Counting],
    submissions: &[Submission],
    open: usize,
) -> Result<(), Failure> {
    let is_read = |place: Option<usize>| place.is_some_and(|place| submissions[place].has_answers());
    let is_found = |one: &&Counting| one.as_ref().map_or(true, |counting| is_read(counting.place));
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
    let map = args.output.as_ref().map_or_else(|| PathBuf::from(MAP), |out| out.join(MAP));
    let first = if args.output.is_some() { "" } else { "give --output, " };
    match unresolved {
        0 => Ok(()),
        number => Err(Failure::could_not(format!(
            "submissions without an owner: {number}; {first}fill in the column 'student' of {} ('-' for nobody), and grade again",
            map.display()
        ))),
    }
}

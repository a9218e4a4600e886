//! `lab grade`: compares a class's answers with its machines and its own figures.
//!
//! Nothing is guessed: tables are joined by their headers, submissions by exact names, and
//! everything else is named and left to the instructor.

mod class;
mod evidence;
mod files;
mod grader;
mod gradescope;
mod judge;
mod latest;
mod output;
mod owners;
mod points;
mod reason;
pub(crate) mod rubric;
mod submissions;
mod times;
mod worksheet;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::output::{check_distinct, message, print};
use common::text::{counted, shorten};

use super::key::Key;
use super::roster::{self, Listed, Roster};
use class::{Class, note};
use grader::{Graded, Grader, Machines};
use latest::Owned;
use output::{GRADES, MAP, MOODLE, Shown, WRITTEN};
use owners::{Groups, Map, Owners, Unresolved};
use points::Points;
use reason::Reason;
use rubric::Rubric;
use submissions::{Reading, Submission};
use times::Due;
use worksheet::Worksheet;

/// Grade a class: points and a reason for each answer
///
/// A submission is a folder, a zip archive, a saved report page, an answers.json, or
/// a row of a CSV with a column for each field. Its owner is whom the collecting
/// system names, or whose exact name the folder or file has; the others are listed
/// in DIR/map.csv for you to complete. Tables name students by a column that has the
/// header of a roster column. The exit status is 1 while a submission has no owner.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    roster: Roster,

    /// Read groups that hand in together: CSV with a column 'group' and a row for each member
    #[arg(long, value_name = "FILE")]
    groups: Option<PathBuf>,

    /// Read the times of hand-in: CSV with a column 'time' (2026-11-20T23:59+01:00)
    #[arg(long, value_name = "FILE")]
    times: Option<PathBuf>,

    /// Set when it was due: 2026-11-20T23:59+01:00; times without a zone have this one
    #[arg(long, value_name = "TIME", value_parser = times::due)]
    due: Option<Due>,

    /// Use this key of the sealed machines: the JSON file that lab mystery wrote
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,

    /// Use this rubric (lab assignment --rubric prints the guide's), this assignment, or both
    #[arg(long, visible_alias = "assignment", value_name = "FILE")]
    rubric: Vec<PathBuf>,

    /// Read points given by hand: CSV with a column for each item, or a copy of grades.csv
    #[arg(long, value_name = "FILE")]
    points: Vec<PathBuf>,

    /// Fill this worksheet, exported from Moodle, into DIR/moodle.csv
    #[arg(long, value_name = "FILE", requires = "output")]
    worksheet: Option<PathBuf>,

    /// Write grades.csv, grades.json, texts.html and Gradescope's results.json into this folder
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Grade although fewer than half of the students have a submission
    #[arg(long)]
    allow_missing: bool,

    /// Folders with a submission of each student, or tables with one in each row
    #[arg(value_name = "SUBMISSIONS", required = true)]
    submissions: Vec<PathBuf>,
}

/// Reads everything, grades, writes.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    distinct(args)?;
    let (mut rubric, assignment) = Rubric::read(&args.rubric)?;
    let key = args.key.as_deref().map(Key::read).transpose()?;
    let class = Class::new(students(args, key.as_ref())?);
    let machines = key.as_ref().map(|key| Machines::of(key, &class)).transpose()?;
    let groups =
        args.groups.as_deref().map(|path| Groups::read(path, &class)).transpose()?.unwrap_or_default();
    for (name, members) in &groups.0 {
        let members: Vec<String> =
            members.iter().map(|student| shorten(&class.names[*student], 60)).collect();
        message(format!("lab grade: group '{}': {}", shorten(name, 60), members.join(", ")));
    }
    let times = args.times.as_deref().map(|path| times::file(path, &class, args.due)).transpose()?;
    let worksheet = args.worksheet.as_deref().map(|path| Worksheet::read(path, &rubric, &class, args.due));
    let worksheet = worksheet.transpose()?;
    let out = |name: &str| args.output.as_ref().map(|out| out.join(name));
    let map = Map::read(out(MAP).as_deref(), &class)?;
    let points = Points::read(&args.points, out(GRADES).as_deref(), &class, &rubric)?;
    let mut asked: Vec<String> = assignment.fields().into_iter().map(|field| field.id).collect();
    asked.extend(rubric.items.iter().map(|item| item.id.clone()));
    let of_machines = machines.as_ref().map(Machines::owners).unwrap_or_default();
    let owners = Owners { class: &class, groups: &groups, map: &map, machines: &of_machines };
    let reading = Reading { owners: &owners, due: args.due, fields: &asked };
    let (submissions, mut notes) = reading.collect(&args.submissions)?;
    notes.extend(map.unknown(&submissions.iter().map(|one| one.name.as_str()).collect()));
    let owned = latest::of_class(&submissions, class.names.len(), &groups);
    let unresolved: Vec<Unresolved> = submissions.iter().filter_map(Submission::unresolved).collect();
    name_unresolved(&unresolved, &class);
    let written_map = || map.text(&unresolved, &class);
    enough(args, &owned, &submissions, &unresolved, written_map)?;
    let grader = Grader {
        rubric: &rubric,
        assignment: &assignment,
        machines: machines.as_ref(),
        asked: &asked,
        due: args.due,
    };
    // The times that the instructor gives go before those of systems.
    let time = |student: usize| {
        let of_table = times.as_ref().and_then(|times| times.get(&student).copied());
        let of_system = || submissions[owned[student].submission?].time;
        let of_worksheet = || worksheet.as_ref()?.times.get(&student).copied();
        of_table.or_else(of_system).or_else(of_worksheet)
    };
    if args.due.is_some() && (0..class.names.len()).all(|student| time(student).is_none()) {
        return Err(Failure::usage(
            "no submission has a time of hand-in, so nothing can be compared with --due; give --times",
        ));
    }
    let grade = |student| grader.grade(student, &owned[student], &submissions, time(student));
    let mut graded: Vec<Graded> = (0..class.names.len()).map(grade).collect();
    one_machine_each(&mut graded, machines.as_ref(), &class);
    notes.extend(of_class(&graded, machines.as_ref(), &rubric, &class)?);
    wait_for_map(&mut graded, unresolved.len());
    notes.extend(points.give(&mut graded, &mut rubric, &class));
    notes.extend(points.changed(&graded, &class));
    let shown = Shown { rubric: &rubric, class: &class, graded: &graded };
    if let Some(out) = &args.output {
        let mut files = shown.files(&unresolved);
        if let Some(worksheet) = &worksheet {
            let (filled, of_worksheet) = worksheet.fill(&rubric, &graded, &class);
            files.insert(MOODLE.to_owned(), filled);
            notes.extend(of_worksheet);
        }
        notes.extend(output::write(out, &files)?);
        if !unresolved.is_empty() {
            write_map(out, &written_map())?;
        }
    }
    notes.iter().for_each(|note| message(format!("lab grade: note: {note}")));
    print(&shown.text())?;
    complete(args, unresolved.len())
}

/// Refuses to write a file that is also read.
fn distinct(args: &Args) -> Result<(), Failure> {
    let tables = [&args.key, &args.worksheet, &args.roster.roster, &args.groups, &args.times];
    let read = tables.into_iter().flatten().chain(&args.rubric).chain(&args.points).chain(&args.submissions);
    let written: Vec<PathBuf> =
        args.output.iter().flat_map(|out| WRITTEN.map(|name| out.join(name))).collect();
    check_distinct(read.map(PathBuf::as_path), written.iter().map(PathBuf::as_path))?;
    let Some(out) = &args.output else { return Ok(()) };
    let there = std::path::absolute(out).unwrap_or_else(|_| out.clone());
    let Some(out) = there.ancestors().find_map(|folder| folder.canonicalize().ok()) else { return Ok(()) };
    let within =
        |path: &&PathBuf| path.is_dir() && path.canonicalize().is_ok_and(|path| out.starts_with(path));
    match args.submissions.iter().find(within) {
        Some(path) => Err(Failure::usage(format!(
            "grades would be written into the folder of submissions '{}'; name another folder with --output",
            shorten(&path.to_string_lossy(), 120)
        ))),
        None => Ok(()),
    }
}

/// The students to grade: those of the roster, else those of the key.
fn students(args: &Args, key: Option<&Key>) -> Result<Listed, Failure> {
    if let Some(listed) = args.roster.read()? {
        return Ok(listed);
    }
    let key = key.ok_or_else(|| Failure::usage("no students given: use --roster or --key"))?;
    let names = key.machines.iter().map(|machine| machine.name.clone());
    let listed = Listed::of_names(roster::unique(names, "the key")?);
    let header = key.column.clone().map(|column| vec![column]);
    Ok(Listed { header: header.unwrap_or(listed.header), ..listed })
}

/// Names each submission without an owner.
fn name_unresolved(unresolved: &[Unresolved], class: &Class) {
    for one in unresolved {
        let suggested = one.suggested.map(|student| shorten(&class.names[student], 60));
        let suggested = suggested.map_or(String::new(), |name| format!("; suggested: {name}"));
        message(format!("lab grade: '{}' {}{suggested}", shorten(&one.submission, 60), one.why));
    }
}

/// Refuses to grade a class of which fewer than half have a submission: it is probably
/// another folder, or another class.
fn enough(
    args: &Args,
    owned: &[Owned],
    submissions: &[Submission],
    unresolved: &[Unresolved],
    map: impl FnOnce() -> String,
) -> Result<(), Failure> {
    let is_found = |owned: &&Owned| match owned.submission.map(|place| &submissions[place]) {
        Some(submission) => submission.has_answers(),
        None => owned.refused.is_some(),
    };
    let (found, all, open) = (owned.iter().filter(is_found).count(), owned.len(), unresolved.len());
    if found > 0 && 2 * (found + open) >= all || args.allow_missing {
        return Ok(());
    }
    if let Some(out) = args.output.as_ref().filter(|_| open > 0) {
        write_map(out, &map())?;
        complete(args, open)?;
    }
    let open = if open > 0 { format!(", and {} no owner", have(open)) } else { String::new() };
    let all = counted(all, "student");
    Err(Failure::could_not(format!(
        "only {found} of {all} handed in answers that can be read{open}; is it the right folder, and the roster's right --name-column? If so, add --allow-missing"
    )))
}

/// `1 submission has`, `2 submissions have`.
fn have(submissions: usize) -> String {
    format!("{} {}", counted(submissions, "submission"), if submissions == 1 { "has" } else { "have" })
}

/// Fails while submissions have no owner.
fn complete(args: &Args, unresolved: usize) -> Result<(), Failure> {
    if unresolved == 0 {
        return Ok(());
    }
    let what = match &args.output {
        Some(out) => format!(
            "fill in the column 'student' of {} ('-' for nobody), and grade again",
            out.join(MAP).display()
        ),
        None => "give --output, fill in its map.csv, and grade again".to_owned(),
    };
    Err(Failure::could_not(format!("{} no owner; {what}", have(unresolved))))
}

/// Without the roster's names in the key, a machine shows whose records they are: it must
/// not be that of two submissions.
fn one_machine_each(graded: &mut [Graded], machines: Option<&Machines<'_>>, class: &Class) {
    if !machines.is_some_and(Machines::by_records) {
        return;
    }
    let mut of_machine = BTreeMap::<String, Vec<usize>>::new();
    for (student, graded) in graded.iter().enumerate() {
        graded.machine.iter().for_each(|tag| of_machine.entry(tag.clone()).or_default().push(student));
    }
    for students in of_machine.into_values().filter(|students| students.len() > 1) {
        let names: Vec<String> = students.iter().map(|student| shorten(&class.names[*student], 60)).collect();
        for student in students {
            graded[student].refused = Some(format!("{} have records of one machine", names.join(" and ")));
        }
    }
}

/// While a submission has no owner, a student without one has no grade: it may be theirs.
fn wait_for_map(graded: &mut [Graded], unresolved: usize) {
    let without = |graded: &&mut Graded| graded.source.is_none() && graded.refused.is_none();
    for graded in graded.iter_mut().filter(without).filter(|_| unresolved > 0) {
        graded.notes.clear();
        graded.refused = Some(format!("{} no owner yet, and may be of this student", have(unresolved)));
    }
}

/// Notes about the class, each said once.
///
/// # Errors
///
/// If a problem concerns all submissions.
fn of_class(
    graded: &[Graded],
    machines: Option<&Machines<'_>>,
    rubric: &Rubric,
    class: &Class,
) -> Result<Vec<String>, Failure> {
    let all = graded.len();
    let with_records = graded.iter().filter(|graded| graded.unknown_machine.is_some()).count();
    let unknown = graded.iter().filter(|graded| graded.unknown_machine == Some(true)).count();
    if unknown > 0 && unknown == with_records && (unknown > 1 || all == 1) {
        return Err(Failure::could_not(format!(
            "the sealed records of {unknown} of {unknown} students were made on machines that the key does not have; is that the key of this class?"
        )));
    }
    let answered = graded.iter().filter(|graded| graded.answered).count();
    let others = graded.iter().filter(|graded| graded.other_assignment).count();
    if others > 0 && others == answered && (others > 1 || all == 1) {
        return Err(Failure::could_not(format!(
            "the answers of {others} of {answered} students are for another assignment: none of their fields is asked for; give it with --assignment"
        )));
    }
    let late = |at: usize| graded[at].late.is_some_and(|late| late > 0.0);
    let lists: [(&str, &dyn Fn(usize) -> bool); 4] = [
        ("nothing that can be read was handed in (the notes say why)", &|at| {
            graded[at].source.is_some() && !graded[at].answered
        }),
        ("late (hours are in grades.csv)", &late),
        ("the time of hand-in is not known", &|at| graded[at].notes.contains(&Reason::TimeUnknown)),
        ("the key has no machine", &|at| machines.is_some_and(|machines| machines.lacks(at))),
    ];
    let mut notes = Vec::new();
    for (what, is_listed) in lists {
        let names: Vec<String> =
            (0..all).filter(|at| is_listed(*at)).map(|at| class.names[at].clone()).collect();
        notes.extend(note(what, &names, all));
    }
    if machines.is_some_and(Machines::by_records) {
        notes.push(
            "the roster has no column with the header that the key's names had: each submission is graded by the machine of its sealed records"
                .to_owned(),
        );
    }
    let items = rubric.items.iter().enumerate().filter(|(place, _)| {
        let marks =
            || graded.iter().map(|graded| &graded.marks[*place]).filter(|mark| !mark.answer.is_empty());
        marks().count() > 0 && marks().all(|mark| matches!(mark.reason, Reason::NoEvidence(_)))
    });
    let lacking: Vec<&str> = items.map(|(_, item)| item.id.as_str()).collect();
    if !lacking.is_empty() {
        let hint =
            if machines.is_none() { "; if the machines are sealed, give the key with --key" } else { "" };
        notes.push(format!(
            "the answers to {} are not graded: no submission has records that show what is right{hint}",
            lacking.join(", ")
        ));
    }
    for (name, graded) in class.names.iter().zip(graded) {
        notes.extend(graded.refused.iter().map(|why| format!("no grade for '{}': {why}", shorten(name, 60))));
    }
    Ok(notes)
}

fn write_map(out: &Path, map: &str) -> Result<(), Failure> {
    std::fs::create_dir_all(out).map_err(|error| {
        Failure::could_not(format!("cannot make the folder '{}': {error}", out.display()))
    })?;
    common::output::write(&out.join(MAP), map.as_bytes())
}

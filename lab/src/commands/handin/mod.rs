//! `lab handin`: one archive with everything that is graded.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::record::Record;
use common::system::{date, files};
use common::text::{counted, shorten};
use common::{authentic, encoding, input, output};
use report::{Answer, Answers, Asked, MatrixProgram, Meaning, PAGE, TOTAL_BYTES, is_answer, not_asked};
use serde_json::json;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::answers;

/// The name of the list of contents, and the name of its schema.
const VERSIONS: &str = "versions.json";
const SCHEMA: &str = "cache-lab-kit/handin/1";

/// Make the archive to hand in: answers, page, records, versions
///
/// First press **Save answers** in the page and move answers.json into the report's
/// folder, or name it with --answers. The last line says whether the archive counts. If
/// records of the assignment are missing or do not count, or answers cannot be read, no
/// archive is made; nor without answers, or without the student's number and name.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder that lab run has written
    #[arg(value_name = "FOLDER", default_value = "report")]
    folder: PathBuf,

    /// More records to hand in, which programs wrote
    #[arg(value_name = "FILE")]
    records: Vec<PathBuf>,

    /// Use this file of Save answers, too [default: answers.json in the folder]
    ///
    /// Of an answer that is in several places, the one that was saved last is handed in.
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,

    /// Make the archive although something in it does not count
    #[arg(long)]
    incomplete: bool,

    /// Write this archive [default: FOLDER.zip]
    #[arg(short, long, value_name = "FILE.zip")]
    output: Option<PathBuf>,
}

/// A file of the archive: its name and its content.
type Entry = (String, Vec<u8>);

/// What a student must know before handing in.
#[derive(Debug, Default)]
struct Remarks {
    /// One line for each thing, printed before the verdict.
    notes: Vec<String>,
    /// Why this does not count: clauses of the verdict.
    faults: Vec<String>,
}

impl Remarks {
    /// Adds a fault with its details.
    fn fault(&mut self, clause: String, details: Vec<String>) {
        self.faults.push(clause);
        self.notes.extend(details);
    }
}

/// Collects everything, then writes the archive, or says why not.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let folder = &args.folder;
    if !folder.is_dir() {
        let name = input::name(folder);
        return Err(Failure::could_not(format!(
            "'{name}' is not a folder; run `lab run` first, or name the folder that it wrote"
        )));
    }
    let out = args.output.clone().unwrap_or_else(|| archive_name(folder));
    free(&out)?;
    match collected(args) {
        Ok((entries, what)) => {
            output::write(&out, &archive(&entries)?)?;
            output::print(&format!("{}: {what}\n", out.display()))
        }
        // An archive of an earlier time is not taken for this one.
        Err(Failure::CouldNot(why)) => {
            let earlier =
                set_aside(&out).map(|name| format!("; the archive of an earlier time is now {name}"));
            Err(Failure::could_not(why + &earlier.unwrap_or_default()))
        }
        Err(failure) => Err(failure),
    }
}

/// The archive's files, and what is in it.
fn collected(args: &Args) -> Result<(Vec<Entry>, String), Failure> {
    let page = args.folder.join(PAGE);
    let page = page.is_file().then(|| read(&page)).transpose()?;
    let answers = typed(args)?;
    let asked = page.as_deref().and_then(|page| Asked::in_page(&encoding::decode(page).ok()?));
    let mut remarks = Remarks::default();
    let records = records(args, asked.as_ref(), &mut remarks)?;
    let filled = match &asked {
        Some(asked) => compared(asked, &answers, &mut remarks),
        None => {
            let why = match &page {
                Some(_) => "the page does not list what it asks for".to_owned(),
                None => format!("there is no report.html in '{}'", input::name(&args.folder)),
            };
            remarks.fault(why + ", so nothing is checked", Vec::new());
            String::new()
        }
    };
    let saved = shorten(&answers.saved, 60);
    let minute = saved.get(..16).map(|minute| format!("{} UTC", minute.replace('T', " ")));
    remarks.notes.push(format!("the answers were last saved at {}", minute.unwrap_or(saved)));
    remarks.notes.iter().for_each(|note| output::message(format!("lab handin: note: {note}")));
    let faults = remarks.faults.join("; ");
    if !faults.is_empty() && !args.incomplete {
        return Err(Failure::could_not(format!(
            "do not hand this in: {faults}; correct that and run `lab handin` again, or make the archive all the same with --incomplete"
        )));
    }
    let shown = if page.is_some() { "the page, " } else { "" };
    let contents = format!("{filled}{shown}{}", counted(records.len(), "record"));
    let verdict = match faults.as_str() {
        "" => "Hand in this file.".to_owned(),
        faults => format!("It does not count fully: {faults}."),
    };
    let versions = json!({ "schema": SCHEMA, "kit_version": common::VERSION, "made": date::now() });
    let mut entries = vec![
        (VERSIONS.to_owned(), format!("{versions:#}\n").into_bytes()), // the first: see `free`
        ("answers.json".to_owned(), answers.json().into_bytes()),
    ];
    entries.extend(page.map(|bytes| (PAGE.to_owned(), bytes)));
    entries.extend(records);
    let bytes: u64 = entries.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    if bytes > TOTAL_BYTES {
        return Err(Failure::could_not(format!(
            "{} MiB are too much to hand in; {} MiB are read: leave out records",
            bytes >> 20,
            TOTAL_BYTES >> 20
        )));
    }
    Ok((entries, format!("{contents}. {verdict}")))
}

/// The answers to hand in.
/// Fails if there are none, or a first student's number or name is missing.
fn typed(args: &Args) -> Result<Answers, Failure> {
    let answers = answers::of(&args.folder, args.answers.as_deref())?;
    let (folder, later) = (input::name(&args.folder), later(args, &answers));
    let is_empty = |answers: &Answers| !answers.fields.iter().any(|(id, answer)| is_answer(id, answer));
    if let Some(file) = &args.answers
        && is_empty(&answers::read(file)?)
    {
        return Err(Failure::could_not(format!("no question is answered in {}", input::name(file))));
    }
    let remedy = later.map(|path| {
        format!("{path} has later answers; to use them: lab handin {folder} --answers \"{path}\"")
    });
    if is_empty(&answers) {
        let save = "press Save answers in the page, and put answers.json into that folder".to_owned();
        return Err(Failure::could_not(format!(
            "there are no answers in '{folder}'; {}",
            remedy.unwrap_or(save)
        )));
    }
    remedy.into_iter().for_each(|remedy| output::message(format!("lab handin: note: {remedy}")));
    for what in ["number", "name"] {
        if answers.fields.get(&format!("student-1-{what}")).is_none_or(Answer::is_empty) {
            return Err(Failure::could_not(format!(
                "the {what} of the first student is missing; fill it in on the page, and press Save answers"
            )));
        }
    }
    Ok(answers)
}

/// The file of answers outside the folder that was saved last, if that was after `found`: next to the folder, in the
/// home folder, or in its Downloads, where browsers put it. It is named, not used: it may be of another report.
fn later(args: &Args, found: &Answers) -> Option<String> {
    let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE")).map(PathBuf::from);
    let folder = args.folder.canonicalize().ok()?;
    let places = folder.parent().map(Path::to_owned).into_iter().chain(home.clone());
    let files =
        places.chain(home.map(|home| home.join("Downloads"))).flat_map(|place| answers::saved(&place));
    let read = |path: PathBuf| {
        let answers = answers::read(&path).ok()?;
        let is_later = answers.saved > found.saved && found.clone().join(answers.clone()).is_ok();
        is_later.then(|| (answers.saved, path.display().to_string()))
    };
    files.filter(|path| Some(path) != args.answers.as_ref()).filter_map(read).max().map(|(_, path)| path)
}

/// Fields of a kind that are listed.
const LISTED: usize = 20;

/// Why a record of a matrix product does not count, if its matrices are not the assignment's.
fn other_size(record: &Record, asked: &Asked) -> Option<String> {
    let rows = record.rows.first()?.whole("size")?;
    let is_product = MatrixProgram::ALL.iter().any(|product| product.program() == record.program);
    (is_product && rows != u64::from(asked.matrix)).then(|| {
        format!(
            "its matrices have {rows} rows, not the {} of the assignment; run `lab run` without --quick and --size, and hand in that report",
            asked.matrix
        )
    })
}

/// What the answers are, compared with the page's fields, counted as the page does: `40 of 43 fields, `. Answers
/// that cannot be read are a fault.
fn compared(Asked { fields, .. }: &Asked, answers: &Answers, remarks: &mut Remarks) -> String {
    let mut unread = Vec::new();
    // Filled fields and all: of the guide, and of each section that only some assignments use.
    let mut sections: BTreeMap<Option<&str>, (usize, usize)> = BTreeMap::new();
    for field in fields {
        let (filled, all) = sections.entry(field.optional.as_deref()).or_default();
        *all += 1;
        let Some(answer) = answers.fields.get(&field.id).filter(|answer| !answer.is_empty()) else {
            continue;
        };
        match field.kind.map(|kind| answer.read(kind)) {
            Some(Meaning::ToBeRead(doubt)) => {
                let (label, typed) = (shorten(&field.label, 100), shorten(&answer.to_string(), 60));
                unread.push(format!("{} ({label}): '{typed}': {}", shorten(&field.id, 60), doubt.sentence()));
            }
            _ => *filled += 1,
        }
    }
    let mut said = String::new();
    for (section, (filled, all)) in sections {
        match section {
            Some(_) if filled == 0 => {} // not used
            Some(section) => said += &format!("{filled} of {all} of section '{section}', "),
            None => said += &format!("{filled} of {} filled in, ", counted(all, "field")),
        }
    }
    if !unread.is_empty() {
        let clause = format!("{} cannot be read as a value", counted(unread.len(), "answer"));
        remarks.fault(clause, unread);
    }
    let strange = not_asked(&answers.fields, |id| fields.iter().any(|field| field.id == id));
    if !strange.is_empty() {
        let count = counted(strange.len(), "answer");
        remarks.notes.push(format!("{count} to questions that the page does not ask: {}", listed(&strange)));
    }
    said
}

/// The first of them, and whether there are more.
fn listed(names: &[String]) -> String {
    names[..names.len().min(LISTED)].join("; ") + if names.len() > LISTED { "; and more" } else { "" }
}

/// `report.zip` for `report`; for `.`, the name of the current folder.
fn archive_name(folder: &Path) -> PathBuf {
    let there = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let name = there.file_name().map_or("report".into(), |name| name.to_string_lossy().into_owned());
    PathBuf::from(format!("{name}.zip"))
}

/// Refuses to replace a file that is not an earlier archive of this command.
fn free(out: &Path) -> Result<(), Failure> {
    let Ok(there) = fs::metadata(out) else { return Ok(()) };
    // A zip archive begins with its first file's name, after 30 bytes (APPNOTE 6.3.9).
    let own =
        |bytes: Vec<u8>| bytes.starts_with(b"PK\x03\x04") && bytes.get(30..) == Some(VERSIONS.as_bytes());
    let first = 30 + VERSIONS.len() as u64;
    let earlier = there.is_file() && files::read_at_most(out, first).is_ok_and(own);
    if earlier {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{} exists and was not written by lab handin; name another file with --output",
        input::name(out)
    )))
}

/// Renames an archive of an earlier time: its new name.
fn set_aside(out: &Path) -> Option<String> {
    let name = |number: usize| out.with_extension(format!("earlier-{number}.zip"));
    let place = (1..).map(name).find(|place| !place.exists())?;
    fs::rename(out, &place).ok()?;
    Some(input::name(&place))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    files::read_at_most(path, TOTAL_BYTES + 1).map_err(|error| input::unreadable(path, &error))
}

/// The records in the folder and on the command line.
fn records(args: &Args, asked: Option<&Asked>, remarks: &mut Remarks) -> Result<Vec<Entry>, Failure> {
    let json = |path: &PathBuf| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    let mut paths: Vec<PathBuf> = fs::read_dir(args.folder.join("records"))
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| json(path) && fs::symlink_metadata(path).is_ok_and(|there| there.is_file()))
        .collect();
    paths.sort();
    paths.extend(args.records.iter().cloned());
    let (mut found, mut useless): (Vec<Entry>, _) = (Vec::new(), Vec::new());
    for path in paths {
        let bytes = read(&path)?;
        // A file that is given twice, or a copy of it.
        if found.iter().any(|(_, known)| *known == bytes) {
            continue;
        }
        let text = encoding::decode(&bytes).map_err(|why| why.to_string());
        let record = text.and_then(|text| authentic::read(&text).map_err(|why| why.to_string()));
        let wrong = record.map(|record| asked.and_then(|asked| other_size(&record, asked)));
        let why = wrong.unwrap_or_else(Some);
        useless.extend(why.map(|why| format!("{} does not count: {why}", input::name(&path))));
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let place = |number: usize| match number {
            0 => format!("records/{name}"),
            number => format!("records/{number}-{name}"),
        };
        let taken = |place: &String| found.iter().any(|(name, _)| name == place);
        let place = (0..).map(place).find(|place| !taken(place)).unwrap_or_default();
        found.push((place, bytes));
    }
    if !useless.is_empty() {
        remarks.fault(
            format!(
                "{} of {} {} not count",
                useless.len(),
                counted(found.len(), "record"),
                if useless.len() == 1 { "does" } else { "do" }
            ),
            useless,
        );
    }
    let places = asked.iter().flat_map(|asked| &asked.records).map(|name| format!("records/{name}.json"));
    let missing = Vec::from_iter(places.filter(|place| !found.iter().any(|(name, _)| name == place)));
    if !missing.is_empty() {
        let what = counted(missing.len(), "record");
        let is = if missing.len() == 1 { "is" } else { "are" };
        remarks.fault(format!("{what} of the assignment {is} missing: {}", listed(&missing)), Vec::new());
    }
    Ok(found)
}

/// The entries as a zip archive; the same entries give the same bytes.
fn archive(entries: &[Entry]) -> Result<Vec<u8>, Failure> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let failed =
        |why: &dyn std::fmt::Display| Failure::could_not(format!("the archive cannot be made: {why}"));
    for (name, bytes) in entries {
        zip.start_file(name.as_str(), SimpleFileOptions::default()).map_err(|why| failed(&why))?;
        zip.write_all(bytes).map_err(|why| failed(&why))?;
    }
    Ok(zip.finish().map_err(|why| failed(&why))?.into_inner())
}

//! `lab handin`: one archive with everything that is graded.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::record::Record;
use common::system::{date, files};
use common::text::{counted, shorten};
use common::{authentic, encoding, input, output};
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use report::{Answer, Answers, Asked, AskedField, MatrixProgram, Meaning, TOTAL_BYTES, is_answer, not_asked};
use serde_json::json;

/// The name of the list of contents, and the name of its schema.
const VERSIONS: &str = "versions.json";
const SCHEMA: &str = "cache-lab-kit/handin/1";

/// Make the archive to hand in: answers, page, records, versions
///
/// First press **Save answers** in the page and move answers.json into the report's
/// folder, or name it with --answers. Answers that cannot be read, empty fields and records
/// that do not count are reported. Without answers, without the student's number and name, or
/// if a record of the assignment is missing, nothing is written.
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

    /// Hand in although records of the assignment are missing
    #[arg(long)]
    incomplete: bool,

    /// Write this archive [default: FOLDER.zip]
    #[arg(short, long, value_name = "FILE.zip")]
    output: Option<PathBuf>,
}

/// A file of the archive: its name and its content.
type Entry = (String, Vec<u8>);

/// Collects everything, then writes the archive.
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
    let page = folder.join("report.html");
    let page = page.is_file().then(|| read(&page)).transpose()?;
    let answers = answers(args, page.as_deref())?;
    let asked = page.as_deref().and_then(|page| Asked::in_page(&encoding::decode(page).ok()?));
    let (records, mut missing) = records(args, asked.as_ref())?;
    let number = records.len();
    // As the page counts: an answer that cannot be read is none.
    let unread = asked.as_ref().map(|asked| unread(asked, &answers)).unwrap_or_default();
    let answered = answers.fields.iter().filter(|(id, answer)| is_answer(id, answer)).count() - unread.len();
    let lacking = asked.as_ref().map(|asked| lacking(asked, &records)).unwrap_or_default();
    if !lacking.is_empty() && !args.incomplete {
        return Err(Failure::could_not(format!(
            "records of the assignment are missing in '{}': {}; run `lab run` again, or hand in without them with --incomplete",
            input::name(folder),
            lacking.join(", ")
        )));
    }
    missing.extend(
        lacking.iter().map(|name| format!("{name} is missing; what is graded with it gets no points")),
    );
    match (&page, &asked) {
        (Some(_), Some(asked)) => missing.extend(compared(asked, &answers, unread)),
        (Some(_), None) => {
            missing.push(
                "the page does not list what it asks for, so nothing checks what is missing".to_owned(),
            );
        }
        (None, _) => missing.push(format!("there is no report.html in '{}'", input::name(folder))),
    }
    let shown = if page.is_some() { "the page, " } else { "" };
    let versions = json!({ "schema": SCHEMA, "kit_version": common::VERSION, "made": date::now() });
    let mut entries = vec![
        (VERSIONS.to_owned(), format!("{versions:#}\n").into_bytes()), // the first: see `free`
        ("answers.json".to_owned(), answers.json().into_bytes()),
    ];
    entries.extend(page.map(|bytes| ("report.html".to_owned(), bytes)));
    entries.extend(records);
    let bytes: u64 = entries.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    if bytes > TOTAL_BYTES {
        return Err(Failure::could_not(format!(
            "{} MiB are too much to hand in; {} MiB are read: leave out records",
            bytes >> 20,
            TOTAL_BYTES >> 20
        )));
    }
    let bytes =
        archive(&entries).map_err(|why| Failure::could_not(format!("the archive cannot be made: {why}")))?;
    output::write(&out, &bytes)?;
    missing.iter().for_each(|note| output::message(format!("lab handin: note: {note}")));
    output::message(format!(
        "lab handin: the answers were last saved at {} (UTC)",
        shorten(&answers.saved, 60)
    ));
    let (answered, number) = (counted(answered, "answer"), counted(number, "record"));
    output::print(&format!("{}: {answered}, {shown}{number}. Hand in this file.\n", out.display()))
}

/// Fields of a kind that are listed.
const LISTED: usize = 20;

/// The records that the page names and the folder lacks.
fn lacking(asked: &Asked, records: &[Entry]) -> Vec<String> {
    let places = asked.records.iter().map(|name| format!("records/{name}.json"));
    places.filter(|place| !records.iter().any(|(name, _)| name == place)).collect()
}

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

fn name(field: &AskedField) -> String {
    format!("{} ({})", shorten(&field.id, 60), shorten(&field.label, 100))
}

/// The answers that cannot be read as a value, each with its field and the reason.
fn unread(asked: &Asked, answers: &Answers) -> Vec<String> {
    let read = |field: &AskedField| {
        let answer = answers.fields.get(&field.id)?;
        let Meaning::ToBeRead(doubt) = answer.read(field.kind?) else { return None };
        let typed = shorten(&answer.to_string(), 60);
        Some(format!("{}: '{typed}': {}", name(field), doubt.sentence()))
    };
    asked.fields.iter().filter_map(read).collect()
}

/// What differs between the page's fields and the answers: those that cannot be read, empty fields, and
/// answers to questions that the page does not ask. A section that only some assignments use is not
/// empty if it has no answer: it is not used.
fn compared(Asked { fields, .. }: &Asked, answers: &Answers, unread: Vec<String>) -> Vec<String> {
    let is_empty = |field: &&AskedField| answers.fields.get(&field.id).is_none_or(Answer::is_empty);
    let used =
        BTreeSet::from_iter(fields.iter().filter(|field| !is_empty(field)).map(|field| &field.optional));
    let unused = |field: &&AskedField| field.optional.is_some() && !used.contains(&field.optional);
    let sections =
        BTreeSet::from_iter(fields.iter().filter(unused).filter_map(|field| field.optional.as_deref()));
    let due = Vec::from_iter(fields.iter().filter(|field| !unused(field)));
    let empty = Vec::from_iter(due.iter().copied().filter(is_empty));
    let names = empty.iter().map(|field| name(field));
    let strange = not_asked(&answers.fields, |id| fields.iter().any(|field| field.id == id));
    [
        (!unread.is_empty()).then(|| {
            format!("{} cannot be read as a value: {}", counted(unread.len(), "answer"), listed(unread))
        }),
        (!empty.is_empty())
            .then(|| format!("{} of {} fields are empty: {}", empty.len(), due.len(), listed(names))),
        (!sections.is_empty()).then(|| {
            format!(
                "sections without an answer, which other assignments use: {}",
                listed(sections.into_iter().map(str::to_owned))
            )
        }),
        (!strange.is_empty()).then(|| {
            format!(
                "{} to questions that the page does not ask: {}",
                counted(strange.len(), "answer"),
                listed(strange)
            )
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The first of them, and whether there are more.
fn listed(names: impl IntoIterator<Item = String>) -> String {
    // questions end with a full stop
    let mut names = names.into_iter().map(|name| name.trim_end_matches('.').to_owned());
    let list = Vec::from_iter(names.by_ref().take(LISTED)).join("; ");
    if names.next().is_some() { list + "; and more" } else { list }
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
    let first = HEADER as u64 + 4 + VERSIONS.len() as u64;
    let own = |bytes: Vec<u8>| bytes.starts_with(LOCAL) && bytes.ends_with(VERSIONS.as_bytes());
    let earlier = there.is_file() && files::read_at_most(out, first).is_ok_and(own);
    if earlier {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{} exists and was not written by lab handin; name another file with --output",
        input::name(out)
    )))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    files::read_at_most(path, TOTAL_BYTES + 1).map_err(|error| input::unreadable(path, &error))
}

/// The answers from the file of answers, the folder and the page: of each, the version that
/// was saved last. All must be of one student.
fn answers(args: &Args, page: Option<&[u8]>) -> Result<Answers, Failure> {
    let mut sources: Vec<(String, Answers)> = Vec::new();
    if let Some(page) = page {
        let name = format!("the page in '{}'", input::name(&args.folder));
        let text = encoding::decode(page).map_err(|why| why.to_string());
        let answers = text.and_then(|text| Answers::of_page(&text).map_err(|why| why.to_string()));
        let answers = answers.map_err(|why| {
            Failure::could_not(format!(
                "the answers in {name} cannot be read: {why}; move that page to another folder to hand in without its answers"
            ))
        })?;
        sources.push((name, answers));
    }
    for path in saved_answers(&args.folder).into_iter().chain(args.answers.clone()) {
        let (name, text) = (input::name(&path), input::text(&path)?);
        let answers = Answers::parse(&text).map_err(|why| Failure::could_not(format!("{name}: {why}")))?;
        if args.answers.as_ref() == Some(&path) && answers.fields.values().all(Answer::is_empty) {
            return Err(Failure::could_not(format!("there are no answers in '{name}'")));
        }
        sources.push((name, answers));
    }
    let names = Vec::from_iter(sources.iter().map(|(name, _)| name.clone())).join(" and ");
    let mut found = Answers::default();
    for (_, answers) in sources {
        found.join(answers).map_err(|_| {
            Failure::could_not(format!(
                "{names} are of different students; move the one that is not yours to another folder"
            ))
        })?;
    }
    if !found.fields.iter().any(|(id, answer)| is_answer(id, answer)) {
        let remedy = "press Save answers in the page, then give that file with --answers";
        return Err(Failure::could_not(match args.answers {
            Some(_) => format!(
                "no question is answered in {names}; answer some, press Save answers in the page, and give that file with --answers"
            ),
            None => format!("there are no answers in '{}'; {remedy}", input::name(&args.folder)),
        }));
    }
    for what in ["number", "name"] {
        if found.fields.get(&format!("student-1-{what}")).is_none_or(Answer::is_empty) {
            return Err(Failure::could_not(format!(
                "the {what} of the first student is missing; fill it in on the page, press Save answers, and give that file with --answers"
            )));
        }
    }
    Ok(found)
}

/// `answers.json`, and the names that browsers choose where that exists: `answers
/// (1).json`.
fn saved_answers(folder: &Path) -> Vec<PathBuf> {
    let is_answers = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let copy = name.strip_prefix("answers").and_then(|name| name.strip_suffix(".json"));
        copy.is_some_and(|copy| copy.chars().all(|c| c.is_ascii_digit() || " ()-".contains(c)))
            && path.is_file()
    };
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(is_answers);
    paths.sort();
    paths
}

/// The records in the folder and on the command line, and what is missing.
fn records(args: &Args, asked: Option<&Asked>) -> Result<(Vec<Entry>, Vec<String>), Failure> {
    let folder = args.folder.join("records");
    let json = |path: &PathBuf| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| json(path) && fs::symlink_metadata(path).is_ok_and(|there| there.is_file()))
        .collect();
    paths.sort();
    paths.extend(args.records.iter().cloned());
    let (mut found, mut missing): (Vec<Entry>, _) = (Vec::new(), Vec::new());
    if paths.is_empty() {
        missing.push("there are no records in it; hit rates and speed-ups are graded with them".to_owned());
    }
    for path in paths {
        let bytes = read(&path)?;
        // A file that is given twice, or a copy of it.
        if found.iter().any(|(_, known)| *known == bytes) {
            continue;
        }
        let shown = input::name(&path);
        let text = encoding::decode(&bytes).map_err(|why| why.to_string());
        let record = text.and_then(|text| authentic::read(&text).map_err(|why| why.to_string()));
        let wrong = record.map(|record| asked.and_then(|asked| other_size(&record, asked)));
        if let Some(why) = wrong.unwrap_or_else(Some) {
            missing.push(format!("{shown} will not count as a record: {why}"));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let place = |number: usize| match number {
            0 => format!("records/{name}"),
            number => format!("records/{number}-{name}"),
        };
        let taken = |place: &String| found.iter().any(|(name, _)| name == place);
        let place = (0..).map(place).find(|place| !taken(place)).unwrap_or_default();
        found.push((place, bytes));
    }
    Ok((found, missing))
}

/// The signs of a zip archive: a file, its row in the table at the end, and the end.
const LOCAL: &[u8] = b"PK\x03\x04";
const ROW: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
/// Bytes that the first two have in common, after the sign.
const HEADER: usize = 26;

/// The entries as a zip archive (APPNOTE 6.3.9), deflated; the same entries give the same bytes.
fn archive(entries: &[Entry]) -> Result<Vec<u8>, String> {
    let (mut files, mut table) = (Vec::new(), Vec::new());
    let size = |size: usize| u32::try_from(size).map(u32::to_le_bytes).map_err(|why| why.to_string());
    let count = u16::try_from(entries.len()).map_err(|_| "it has too many files")?.to_le_bytes();
    for (name, bytes) in entries {
        let mut deflated = DeflateEncoder::new(Vec::new(), Compression::default());
        deflated.write_all(bytes).map_err(|error| error.to_string())?;
        let deflated = deflated.finish().map_err(|error| error.to_string())?;
        let mut sum = Crc::new();
        sum.update(bytes);
        let length = u16::try_from(name.len()).map_err(|_| "a name in it is too long")?.to_le_bytes();
        // Version 2.0, names in UTF-8, deflated, at midnight of 1 January 1980.
        let mut header = vec![20, 0, 0, 8, 8, 0, 0, 0, 33, 0];
        header.extend(sum.sum().to_le_bytes());
        header.extend([size(deflated.len())?, size(bytes.len())?].concat());
        header.extend([length, [0; 2]].concat());
        table.extend([ROW, &[20, 0], &header, &[0; 10], &size(files.len())?, name.as_bytes()].concat());
        files.extend([LOCAL, &header, name.as_bytes(), &deflated].concat());
    }
    let [at, length] = [size(files.len())?, size(table.len())?];
    Ok([&*files, &table, END, &[0; 4], &count, &count, &length, &at, &[0; 2]].concat())
}

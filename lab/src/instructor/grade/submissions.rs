//! What students handed in: folders, archives, files and tables, in the ways that
//! courses collect them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use common::authentic::{self, Unread};
use common::failure::Failure;
use common::input;
use common::text::shorten;
use report::{Answer, Answers};
use serde_json::Value;

use super::evidence::Evidence;
use super::files::{self, File, FileKind};
use super::gradescope::{self, Submitter};
use super::identity::{Class, Named};
use super::sentence::{Sentence, say};
use super::times;
use crate::handed_in::is_answer;
use crate::instructor::tables::Table;

/// Largest size of one answer, and of all answers of a submission, in bytes.
const ANSWER_BYTES: usize = 16 << 10;
const ANSWERS_BYTES: usize = 128 << 10;
/// Largest number of answers in one submission.
const MAX_ANSWERS: usize = 1000;

/// A submission: everything handed in under one name.
#[derive(Debug, Default)]
pub(crate) struct Submission {
    /// The name of its folder or file, or the cell of a table.
    pub(crate) name: String,
    /// The collecting system's suffix after the student's name.
    pub(super) ending: Ending,
    /// The name before the suffix.
    pub(super) before: String,
    /// The student's names, as the collecting system gives them.
    pub(super) submitters: Option<Vec<Submitter>>,
    /// Whether these are alternatives, of which at most one is right.
    pub(super) contradictory: bool,
    /// Answers by the ids of their fields.
    pub(crate) answers: BTreeMap<String, String>,
    /// When the last answer was typed, by the student's clock: ISO 8601, or empty.
    pub(crate) saved: String,
    /// When it was handed in: by the collecting system's clock, else the time of its files.
    pub(super) time: Option<i64>,
    /// Whether the time is that of a file.
    pub(super) time_of_file: bool,
    /// What was not read.
    pub(crate) notes: Vec<Sentence>,
    paths: Vec<PathBuf>,
}

/// How a system's names of folders and files end.
#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ending {
    #[default]
    None,
    /// `Ana Silva_4711_assignsubmission_file`: the participant's number.
    Moodle(String),
    /// `ana@example.org_3_handin.zip`: the version.
    Autolab(u64),
    /// `silvaana_LATE_345_67890_answers.json`: the number of the user.
    Canvas(String),
}

/// All submissions in `paths`: folders with one for each student, or tables with
/// one in each row.
///
/// # Errors
///
/// If a path cannot be read.
pub(super) fn collect(
    paths: &[PathBuf],
    column: Option<&str>,
    class: &Class,
) -> Result<Vec<Submission>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(in_folder(path)?);
        } else if files::ending(&path.to_string_lossy()) == "csv" {
            let table = Table::read(path)?;
            found.extend(
                rows(&table, column, class)
                    .map_err(|why| Failure::usage(format!("{}: {why}", input::name(path))))?,
            );
        } else {
            there(path)?;
            found.push(one(path));
        }
    }
    Ok(found)
}

/// Refuses a path that does not exist.
pub(crate) fn there(path: &Path) -> Result<(), Failure> {
    let nothing = || Failure::could_not(format!("there are no submissions at '{}'", path.display()));
    if path.exists() { Ok(()) } else { Err(nothing()) }
}

/// The submission in a folder or a file.
pub(crate) fn one(path: &Path) -> Submission {
    Submission::read(&shown(path), vec![path.to_owned()])
}

/// One submission for each folder and file; several files of one participant in a system's
/// export are one submission.
fn in_folder(folder: &Path) -> Result<Vec<Submission>, Failure> {
    let mut metadata = gradescope::read(folder)?;
    let mut collected: BTreeMap<(Ending, String), Vec<PathBuf>> = BTreeMap::new();
    let mut found = Vec::new();
    for path in children(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name == gradescope::FILE {
            continue;
        }
        if let Some(known) = metadata.remove(&name) {
            let mut submission = one(&path);
            submission.submitters = Some(known.submitters);
            if known.time.is_some() {
                (submission.time, submission.time_of_file) = (known.time, false);
            }
            found.push(submission);
            continue;
        }
        match label(&shown(&path)) {
            (before, ending @ (Ending::Moodle(_) | Ending::Canvas(_))) => {
                collected.entry((ending, before)).or_default().push(path);
            }
            _ => found.push(one(&path)),
        }
    }
    for paths in collected.into_values() {
        let name = paths.first().map(|path| shown(path)).unwrap_or_default();
        found.push(Submission::read(&name, paths));
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// The name of a folder, or of a file without its extension.
fn shown(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let kind = files::ending(&name);
    if !path.is_dir() && ["json", "html", "htm", "csv", "zip", "txt"].contains(&kind.as_str()) {
        name[..name.len() - kind.len() - 1].to_owned()
    } else {
        name
    }
}

/// Splits the name of a folder or file into the student's name and the system's suffix.
fn label(name: &str) -> (String, Ending) {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((before, _)) = name.split_once("_assignsubmission_")
        && let Some((before, number)) = before.rsplit_once('_')
        && digits(number)
    {
        return (before.to_owned(), Ending::Moodle(number.to_owned()));
    }
    if let Some((user, rest)) = name.split_once('@')
        && let Some((host, rest)) = rest.split_once('_')
        && let (version, Some(_)) = rest.split_once('_').map_or((rest, None), |(v, file)| (v, Some(file)))
        && digits(version)
        && let Ok(version) = version.parse()
        && !host.is_empty()
    {
        return (format!("{user}@{host}"), Ending::Autolab(version));
    }
    let parts: Vec<&str> = name.split('_').filter(|part| *part != "LATE").collect();
    if let [before, user, submission, _, ..] = parts[..]
        && !before.is_empty()
        && digits(user)
        && digits(submission)
    {
        return (before.to_owned(), Ending::Canvas(user.to_owned()));
    }
    (name.to_owned(), Ending::None)
}

fn children(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let refused =
        |error: std::io::Error| Failure::could_not(format!("cannot read '{}': {error}", folder.display()));
    let entries: Result<Vec<_>, _> = fs::read_dir(folder).map_err(refused)?.collect();
    let mut paths: Vec<PathBuf> = entries.map_err(refused)?.into_iter().map(|entry| entry.path()).collect();
    paths.retain(|path| !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')));
    paths.sort();
    Ok(paths)
}

/// One submission for each row, with a column for each field. The columns in which most
/// cells name a student give the row's owner; if they disagree, the row has none.
///
/// # Errors
///
/// If a time of hand-in cannot be read; a clause.
fn rows(table: &Table, column: Option<&str>, class: &Class) -> Result<Vec<Submission>, String> {
    let cell = |row: &Vec<String>, at: usize| row.get(at).cloned().unwrap_or_default();
    let names_most = |at: &usize| {
        let named = table.rows.iter().filter(|row| class.named(&cell(row, *at)).one().is_some());
        2 * named.count() > table.rows.len() && !table.header[*at].trim().starts_with("student-")
    };
    let naming: Vec<usize> = (0..table.header.len()).filter(names_most).collect();
    let first = column.and_then(|column| table.column(column)).or(naming.first().copied()).unwrap_or(0);
    let time = table.header.iter().position(|header| times::is_time(header));
    let cells: Vec<&str> =
        table.rows.iter().map(|row| time.and_then(|at| row.get(at)).map_or("", String::as_str)).collect();
    let read = times::column(&cells, true).map_err(|place| {
        format!(
            "'{}' in the column '{}' is not a time that can be read; write 2026-11-20T23:59Z, or rename the column if it has no times of hand-in",
            shorten(cells[place], 40),
            shorten(time.map_or("", |at| &table.header[at]), 40)
        )
    })?;
    // The collecting system's column, where students also type their names.
    let is_address = |at: &usize| {
        let cells = || table.rows.iter().map(|row| cell(row, *at));
        2 * cells().filter(|cell| cell.contains('@')).count() > table.rows.len()
            && cells().any(|cell| class.named(&cell).one().is_some())
    };
    let address = (0..table.header.len()).find(is_address);
    let of_row = |(row, at): (&Vec<String>, Option<i64>)| {
        let named = |at: &usize| class.named(&cell(row, *at)).one();
        let found = [first].into_iter().chain(naming.iter().copied()).find(|at| named(at).is_some());
        let mut submission = Submission { name: cell(row, found.unwrap_or(first)), ..Submission::default() };
        let students: BTreeSet<usize> = naming.iter().chain([&first]).filter_map(named).collect();
        if students.len() > 1 {
            let texts = naming.iter().map(|at| Submitter { name: cell(row, *at), ..Submitter::default() });
            submission.submitters = Some(texts.collect());
            submission.contradictory = true;
        } else if let Some(email) = address.map(|at| cell(row, at))
            && class.named(&email) == Named::Nobody
        {
            let mut names = naming.iter().filter(|at| Some(**at) != address).map(|at| cell(row, *at));
            let [name, number] = [(); 2].map(|()| names.next().unwrap_or_default());
            submission.submitters = Some(vec![Submitter { name, number, email }]);
        }
        submission.before.clone_from(&submission.name);
        submission.saved = table.column("saved").map(|at| cell(row, at)).unwrap_or_default();
        submission.time = at;
        for (id, text) in table.header.iter().zip(row) {
            submission.answer(id.trim(), text.clone(), true);
        }
        submission.bound();
        submission
    };
    Ok(table.rows.iter().zip(read).map(of_row).collect())
}

impl Submission {
    fn read(name: &str, paths: Vec<PathBuf>) -> Submission {
        let (before, ending) = label(name);
        let mut submission =
            Submission { name: name.to_owned(), before, ending, time_of_file: true, ..Submission::default() };
        let unread = files::visit(&paths, &[FileKind::Json, FileKind::Page, FileKind::Table], |file| {
            submission.read_answers(&file)
        });
        submission.notes.extend(unread.notes);
        if submission.is_empty() && !unread.others.is_empty() {
            let others = unread.others.join(", ");
            submission.notes.push(say!("Not read: {}; .json, .html, .csv and .zip are.", others));
        }
        submission.bound();
        submission.paths = paths;
        submission
    }

    /// Whether there is no answer; the student's name is none.
    pub(super) fn is_empty(&self) -> bool {
        !self.answers.iter().any(|(id, text)| is_answer(id, &Answer::from(text.as_str())))
    }

    /// The records in it.
    pub(super) fn evidence(&self) -> Evidence {
        let mut evidence = Evidence::default();
        files::visit(&self.paths, &[FileKind::Json, FileKind::Table], |file| match file.kind {
            FileKind::Json if !is_answers(&file) || Answers::parse(&file.text).is_err() => {
                match authentic::read(&file.text) {
                    Ok(record) => evidence.records.push(record),
                    Err(Unread::Changed(_)) => evidence.changed.push(file.name.to_owned()),
                    // summaries and other JSON files
                    Err(_) => {}
                }
            }
            FileKind::Table if authentic::check(&file.text).is_err() => {
                evidence.changed.push(file.name.to_owned());
            }
            _ => {}
        });
        evidence
    }

    fn read_answers(&mut self, file: &File<'_>) {
        let name = shorten(file.name, 60);
        let answers = match file.kind {
            FileKind::Json if is_answers(file) => match parse(&file.text) {
                Ok(answers) => answers,
                Err(_) if authentic::read(&file.text).is_ok() => return,
                Err(why) => return self.notes.push(say!("{} was not read: {}.", name, why)),
            },
            FileKind::Json => return,
            FileKind::Page => match Answers::in_page(&file.text) {
                Some(Ok(answers)) => answers,
                _ if self.is_empty() => {
                    return self.notes.push(say!("{} holds no answers; was the page saved with them?", name));
                }
                _ => return,
            },
            FileKind::Table => return self.read_table(file),
        };
        self.time = self.time.max(file.time);
        let newer = times::plausible(&answers.saved) && answers.saved > self.saved;
        for (id, answer) in answers.fields {
            self.answer(&id, answer.to_string(), newer);
        }
        if newer || self.saved.is_empty() {
            self.saved = shorten(&answers.saved, 40);
        }
    }

    /// `field,answer` on each line.
    fn read_table(&mut self, file: &File<'_>) {
        let mut reader = Table::reader(&file.text);
        let mut rows = reader.records().map_while(Result::ok);
        let Some(header) = rows.next() else { return };
        let column = |name: &str| header.iter().position(|cell| cell.trim().eq_ignore_ascii_case(name));
        let Some((field, answer)) = column("field").zip(column("answer")) else { return };
        self.time = self.time.max(file.time);
        for row in rows {
            if let (Some(field), Some(answer)) = (row.get(field), row.get(answer)) {
                self.answer(field.trim(), answer.to_owned(), false);
            }
        }
    }

    /// Stores one answer; an earlier one is replaced only if this one is `newer`.
    fn answer(&mut self, id: &str, mut text: String, newer: bool) {
        if text.len() > ANSWER_BYTES {
            let end = (0..=ANSWER_BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            text.truncate(end);
            self.notes.push(say!(
                "The answer '{}' is longer than {} KiB and was cut.",
                shorten(id, 40),
                ANSWER_BYTES >> 10
            ));
        }
        if newer || !self.answers.contains_key(id) && self.answers.len() <= MAX_ANSWERS {
            self.answers.insert(id.chars().take(100).collect(), text);
        }
    }

    /// Limits the answers to as many as one student can type.
    fn bound(&mut self) {
        let mut bytes = 0;
        let all = self.answers.len();
        self.answers.retain(|id, text| {
            bytes += id.len() + text.len();
            bytes <= ANSWERS_BYTES
        });
        let cut = all - self.answers.len();
        if cut > 0 || all > MAX_ANSWERS {
            self.notes.push(say!(
                "The answers are longer than {} KiB; {} were left out.",
                ANSWERS_BYTES >> 10,
                cut
            ));
        }
        self.notes.truncate(12);
    }
}

fn is_answers(file: &File<'_>) -> bool {
    Answers::are_named_in(&file.text) || file.name.to_lowercase().starts_with("answers")
}

/// The answers in a file; a number may be given instead of a text.
fn parse(text: &str) -> Result<Answers, String> {
    let refused = match Answers::parse(text) {
        Ok(answers) => return Ok(answers),
        Err(why) => why.to_string(),
    };
    // A key that occurs twice is an error: it is not known which answer is meant.
    let twice = |error: serde_json::Error| error.to_string().contains("duplicate field");
    if serde_json::from_str::<Answers>(text).err().is_some_and(twice) {
        return Err("it has one part twice".to_owned());
    }
    let mut value: Value = serde_json::from_str(text).map_err(|_| refused.clone())?;
    let Some(fields) = value.get_mut("fields").and_then(Value::as_object_mut) else { return Err(refused) };
    for text in fields.values_mut() {
        match text {
            Value::Number(_) | Value::Bool(_) => *text = text.to_string().into(),
            Value::Null => *text = "".into(),
            _ => {}
        }
    }
    Answers::parse(&value.to_string()).map_err(|why| why.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_endings_are_cut_and_nothing_else() {
        let moodle = |id: &str| Ending::Moodle(id.to_owned());
        for (name, before, ending) in [
            ("Ana Silva_4711_assignsubmission_file_", "Ana Silva", moodle("4711")),
            ("Team 1-Ana Silva_4711_assignsubmission_onlinetext", "Team 1-Ana Silva", moodle("4711")),
            ("silvaana_345_67890_answers", "silvaana", Ending::Canvas("345".to_owned())),
            ("silvaana_LATE_345_67890_my_answers-1", "silvaana", Ending::Canvas("345".to_owned())),
            ("silvaana_345_67890", "silvaana_345_67890", Ending::None),
            ("Ana_1_assignsubmission_file_b_2_assignsubmission_x", "Ana", moodle("1")),
            ("ann_marie_7_assignsubmission_file", "ann_marie", moodle("7")),
            ("ann_assignsubmission_file", "ann_assignsubmission_file", Ending::None),
            ("john_doe@x.pt_3_handin", "john_doe@x.pt", Ending::Autolab(3)),
            ("a_1@x.pt_10_hand_in", "a_1@x.pt", Ending::Autolab(10)),
            ("john@x.pt_3", "john@x.pt_3", Ending::None),
            ("john@x.pt_late_3", "john@x.pt_late_3", Ending::None),
            ("john@x.pt_99999999999999999999_x", "john@x.pt_99999999999999999999_x", Ending::None),
            ("@_1_x", "@_1_x", Ending::None),
            ("ann_marie", "ann_marie", Ending::None),
            ("_1_assignsubmission_", "", moodle("1")),
        ] {
            assert_eq!(label(name), (before.to_owned(), ending), "{name}");
        }
    }

    #[test]
    fn numbers_are_read_where_texts_belong() {
        let of = |fields: &str| {
            parse(&format!(r#"{{"format":"cache-lab-answers","version":2,"fields":{fields}}}"#))
        };
        let answers = of(r#"{"a": 65536, "b": "16 B", "c": null, "d": 0.50}"#).unwrap();
        let texts: Vec<String> = answers.fields.values().map(Answer::to_string).collect();
        assert_eq!(texts, ["65536", "16 B", "", "0.5"]);
        for wrong in [r#"{"a": ["1"]}"#, r#"{"a": 1e999}"#, r#"{}, "fields": {"a": "1"}"#] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}

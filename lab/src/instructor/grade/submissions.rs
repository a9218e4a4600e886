//! What students handed in: folders, archives, files and rows of tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use common::authentic::{self, Unread};
use common::failure::Failure;
use common::input;
use common::text::shorten;
use report::{Answer, Answers};

use super::class::{Class, Found};
use super::evidence::Evidence;
use super::files::{self, File, FileKind};
use super::gradescope::{self, Submitter};
use super::reason::Reason;
use super::times::{self, Due};
use crate::handed_in::is_answer;
use crate::instructor::tables::Table;

/// Largest size of one answer, and of all answers of a submission, in bytes.
const ANSWER_BYTES: usize = 16 << 10;
const ANSWERS_BYTES: usize = 128 << 10;
/// Largest number of answers in one submission.
const MAX_ANSWERS: usize = 1000;

/// A submission: everything handed in under one name.
#[derive(Debug, Default)]
pub(super) struct Submission {
    /// The name of its folder or file without the collecting system's ending.
    pub(super) name: String,
    /// The names that may be a student's.
    pub(super) names: Vec<String>,
    /// Whose it is, as the collecting system says.
    pub(super) stated: Stated,
    /// The collecting system's number of it, which rises.
    pub(super) version: Option<u64>,
    /// When it was handed in, by the collecting system's clock.
    pub(super) time: Option<i64>,
    pub(super) answers: BTreeMap<String, Given>,
    pub(super) evidence: Evidence,
    /// What was not read.
    pub(super) notes: Vec<Reason>,
}

/// The owner of a submission, as the system that collected it states it.
#[derive(Debug, Default)]
pub(super) enum Stated {
    #[default]
    Nothing,
    Submitters(Vec<Submitter>),
    /// The row of a table.
    Row(Found),
}

/// An answer as it was given.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Given {
    /// On the report's page.
    Typed(Answer),
    /// As a cell of a form's table.
    Cell(String),
}

impl Given {
    /// Whether the field `id` has an answer; the student's name is none.
    pub(super) fn is_answer(&self, id: &str) -> bool {
        match self {
            Given::Typed(answer) => is_answer(id, answer),
            Given::Cell(text) => is_answer(id, &Answer::from(text.as_str())),
        }
    }

    /// The answer as a text.
    pub(super) fn text(&self) -> String {
        match self {
            Given::Typed(answer) => answer.to_string(),
            Given::Cell(text) => text.clone(),
        }
    }
}

/// How submissions are read.
pub(super) struct Reading<'r> {
    pub(super) class: &'r Class,
    pub(super) due: Option<Due>,
    /// The ids of the fields that count.
    pub(super) fields: &'r [String],
    pub(super) with_key: bool,
}

impl Reading<'_> {
    /// All submissions in `paths`: folders with one for each student, or tables with one in
    /// each row. The notes name columns of tables that belong to no question.
    ///
    /// # Errors
    ///
    /// If a path cannot be read, or holds no submission.
    pub(super) fn collect(&self, paths: &[PathBuf]) -> Result<(Vec<Submission>, Vec<String>), Failure> {
        let (mut found, mut notes) = (Vec::new(), Vec::new());
        for path in paths {
            let there = found.len();
            if path.is_dir() {
                self.folder(path, &mut found)?;
            } else if files::ending(&path.to_string_lossy()) == "csv" {
                let table = Table::read(path)?;
                let rows = self.rows(&table, &input::name(path), &mut notes);
                found.extend(rows.map_err(|why| Failure::usage(format!("{}: {why}", input::name(path))))?);
            } else if path.exists() {
                found.push(self.one(path));
            }
            if found.len() == there {
                return Err(Failure::could_not(format!(
                    "there are no submissions in '{}'; is it the right folder?",
                    input::name(path)
                )));
            }
        }
        Ok((found, notes))
    }

    /// A submission for each folder and file; several files of one participant in a
    /// system's export are one submission.
    fn folder(&self, folder: &Path, found: &mut Vec<Submission>) -> Result<(), Failure> {
        let mut metadata = gradescope::read(folder)?;
        let mut collected: BTreeMap<String, (Label, Vec<PathBuf>)> = BTreeMap::new();
        for path in children(folder)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name == gradescope::FILE {
                continue;
            }
            if let Some(known) = metadata.remove(&name) {
                let stated = Stated::Submitters(known.submitters);
                found.push(Submission { stated, time: known.time, ..self.one(&path) });
                continue;
            }
            let label = label(&path);
            collected.entry(label.key.clone()).or_insert((label, Vec::new())).1.push(path);
        }
        found.extend(collected.into_values().map(|(label, paths)| self.read(label, &paths)));
        Ok(())
    }

    /// The submission in a folder or a file.
    fn one(&self, path: &Path) -> Submission {
        self.read(label(path), &[path.to_owned()])
    }

    /// Reads all files of a submission once.
    fn read(&self, label: Label, paths: &[PathBuf]) -> Submission {
        let mut submission = Submission {
            name: label.key,
            names: label.names,
            version: label.version,
            ..Submission::default()
        };
        let (mut answers, mut records, mut changed) = (None::<Answers>, Vec::new(), Vec::new());
        let mut notes = Vec::new();
        let unread = files::visit(paths, |file| {
            let read = match file.kind {
                FileKind::Page => page(&file, answers.is_some()),
                FileKind::Json if Answers::are_named_in(&file.text) => parse(&file).map(Some),
                FileKind::Json => {
                    match authentic::parse(&file.text).or_else(|_| authentic::read(&file.text)) {
                        Ok(record) => records.push(record),
                        Err(Unread::Changed(_)) => changed.push(file.name.to_owned()),
                        Err(_) if file.name.to_lowercase().starts_with("answers") => {
                            notes.extend(parse(&file).err());
                        }
                        // summaries and other JSON files
                        Err(_) => {}
                    }
                    Ok(None)
                }
            };
            match (read, answers.take()) {
                (Ok(Some(new)), Some(known)) => answers = Some(known.joined(new)),
                (Ok(Some(new)), None) => answers = Some(new),
                (Ok(None), known) => answers = known,
                (Err(why), known) => {
                    answers = known;
                    notes.push(why);
                }
            }
        });
        let given = answers.unwrap_or_default().fields.into_iter();
        submission.answers = given.map(|(id, answer)| (id, Given::Typed(answer))).collect();
        submission.notes = unread.notes;
        submission.notes.extend(notes);
        if submission.is_empty() && !unread.others.is_empty() {
            submission.notes.push(Reason::OtherKinds(unread.others.join(", ")));
        }
        submission.bound();
        submission.evidence = Evidence::of(records, changed, self.with_key);
        submission
    }

    /// One submission for each row, with a column for each field.
    ///
    /// # Errors
    ///
    /// If no column names students, or a time cannot be read; a clause.
    fn rows(&self, table: &Table, file: &str, notes: &mut Vec<String>) -> Result<Vec<Submission>, String> {
        let time = times::column(&table.header)?;
        let field = |header: &String| {
            let same = |id: &&String| id.eq_ignore_ascii_case(header.trim());
            self.fields.iter().find(same).cloned()
        };
        let fields: Vec<Option<String>> = table.header.iter().map(field).collect();
        let asked: Vec<usize> =
            (0..fields.len()).filter(|at| fields[*at].is_some() || time == Some(*at)).collect();
        let join = self.class.join(&table.header, &asked)?;
        let unknown =
            |at: &usize| !asked.contains(at) && self.class.join(&table.header[*at..=*at], &[]).is_err();
        let unknown: Vec<String> =
            (0..fields.len()).filter(unknown).map(|at| table.header[at].clone()).collect();
        if !unknown.is_empty() {
            notes.push(format!(
                "{file}: no question has the id of the columns '{}'",
                shorten(&unknown.join("', '"), 200)
            ));
        }
        if fields.iter().all(Option::is_none) {
            return Err("no column has the id of a question".to_owned());
        }
        let of_row = |row: &Vec<String>| {
            let name = join.shown(row);
            let cell = time.map_or("", |at| row.get(at).map_or("", String::as_str));
            let time = times::read(cell, self.due);
            if time.is_none() && !times::is_none(cell) {
                return Err(times::unreadable(&name, cell));
            }
            let answer =
                |(id, cell): (&Option<String>, &String)| Some((id.clone()?, Given::Cell(cell.clone())));
            let mut submission = Submission {
                stated: Stated::Row(join.student(self.class, row)),
                answers: fields.iter().zip(row).filter_map(answer).collect(),
                name,
                time,
                ..Submission::default()
            };
            submission.bound();
            Ok(submission)
        };
        table.rows.iter().map(of_row).collect()
    }
}

impl Submission {
    /// Whether there is no answer; the student's name is none.
    pub(super) fn is_empty(&self) -> bool {
        !self.answers.iter().any(|(id, given)| given.is_answer(id))
    }

    /// Limits the answers to as many as one student can type.
    fn bound(&mut self) {
        let (mut bytes, all) = (0, self.answers.len());
        for (id, given) in &mut self.answers {
            let (Given::Typed(Answer::Text(text)) | Given::Cell(text)) = given else { continue };
            if text.len() > ANSWER_BYTES {
                let end = (0..=ANSWER_BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
                text.truncate(end);
                self.notes.push(Reason::LongAnswer(shorten(id, 40), (ANSWER_BYTES >> 10).to_string()));
            }
        }
        let mut number = 0;
        self.answers.retain(|id, given| {
            bytes += id.len() + given.text().len();
            number += 1;
            bytes <= ANSWERS_BYTES && number <= MAX_ANSWERS
        });
        if self.answers.len() < all {
            self.notes.push(Reason::ManyAnswers((all - self.answers.len()).to_string()));
        }
        self.notes.truncate(12);
    }
}

/// The answers in a page; `known` if others were found before.
fn page(file: &File<'_>, known: bool) -> Result<Option<Answers>, Reason> {
    match Answers::in_page(&file.text) {
        Some(Ok(answers)) => Ok(Some(answers)),
        Some(Err(why)) => Err(Reason::AnswersUnread(shorten(file.name, 60), why.to_string())),
        None if known => Ok(None),
        None => Err(Reason::PageWithoutAnswers(shorten(file.name, 60))),
    }
}

fn parse(file: &File<'_>) -> Result<Answers, Reason> {
    Answers::parse(&file.text).map_err(|why| Reason::AnswersUnread(shorten(file.name, 60), why.to_string()))
}

/// What the name of a folder or file says.
#[derive(Debug, PartialEq)]
struct Label {
    /// All files with the same key are one submission.
    key: String,
    names: Vec<String>,
    version: Option<u64>,
}

/// Cuts off the documented endings of names: Moodle's
/// (`Ana Silva_4711_assignsubmission_file_`; with blind marking `Participant_4711_…` for
/// the participant whom the worksheet calls `Participant 4711`), Autolab's
/// (`ana@example.org_3_handin.zip`), Canvas's (`silvaana_345_67890_answers.json`), and the
/// file's extension.
fn label(path: &Path) -> Label {
    let full = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((before, _)) = full.split_once("_assignsubmission_")
        && let Some((name, number)) = before.rsplit_once('_')
        && digits(number)
    {
        let names = vec![name.to_owned(), format!("{name} {number}")];
        return Label { key: before.to_owned(), names, version: None };
    }
    if let Some((user, rest)) = full.split_once('@')
        && let [host, version, _, ..] = rest.splitn(3, '_').collect::<Vec<&str>>()[..]
        && let Ok(version) = version.parse()
        && !host.is_empty()
    {
        return Label { names: vec![format!("{user}@{host}")], key: full, version: Some(version) };
    }
    let parts: Vec<&str> = full.split('_').filter(|part| *part != "LATE").collect();
    if let [name, user, submission, _, ..] = parts[..]
        && !name.is_empty()
        && digits(user)
        && digits(submission)
    {
        return Label { key: format!("{name}_{user}"), names: vec![name.to_owned()], version: None };
    }
    let mut names = vec![full.clone()];
    if !path.is_dir() {
        let shown = full.strip_suffix(".txt").unwrap_or(&full);
        let stem = shown.rsplit_once('.').map_or(shown, |(stem, _)| stem);
        names.push(stem.to_owned());
        names.dedup();
    }
    Label { names, key: full, version: None }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_endings_are_cut_and_nothing_else() {
        for (file, key, names, version) in [
            ("Ana Silva_4711_assignsubmission_file_", "Ana Silva_4711", "Ana Silva|Ana Silva 4711", None),
            ("Participant_11_assignsubmission_file_", "Participant_11", "Participant|Participant 11", None),
            ("ann_marie_7_assignsubmission_onlinetext", "ann_marie_7", "ann_marie|ann_marie 7", None),
            ("ann_assignsubmission_file", "ann_assignsubmission_file", "ann_assignsubmission_file", None),
            ("silvaana_345_67890_answers.json", "silvaana_345", "silvaana", None),
            ("silvaana_LATE_345_67890_my_answers-1.json", "silvaana_345", "silvaana", None),
            ("silvaana_345_67890", "silvaana_345_67890", "silvaana_345_67890", None),
            ("john_doe@x.pt_3_hand_in.zip", "john_doe@x.pt_3_hand_in.zip", "john_doe@x.pt", Some(3)),
            ("john@x.pt_3", "john@x.pt_3", "john@x.pt_3|john@x", None),
            ("john@x.pt_late_3", "john@x.pt_late_3", "john@x.pt_late_3|john@x", None),
            ("john.doe.json.txt", "john.doe.json.txt", "john.doe.json.txt|john.doe", None),
            ("ann_marie", "ann_marie", "ann_marie", None),
            ("@_1_x", "@_1_x", "@_1_x", None),
        ] {
            let names = names.split('|').map(str::to_owned).collect();
            assert_eq!(label(Path::new(file)), Label { key: key.to_owned(), names, version }, "{file}");
        }
    }
}

//! What students handed in: folders and files, in the ways that courses collect
//! them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use common::authentic::{self, Unread};
use common::failure::Failure;
use common::system::files;
use report::Answers;

use super::evidence::Evidence;
use crate::instructor::names;
use crate::instructor::tables::Table;

/// Bytes of one file, and files of one submission.
const MOST: u64 = 32 << 20;
const FILES: usize = 500;
/// Folders within folders that are looked into.
const DEPTH: usize = 4;

/// What was handed in under one name.
#[derive(Debug, Default)]
pub(crate) struct Submission {
    /// The name of its folder or file, or the cell of a table.
    pub(crate) name: String,
    /// Answers by the ids of their fields.
    pub(crate) answers: BTreeMap<String, String>,
    /// When the last answer was typed, ISO 8601; empty if unknown.
    pub(crate) saved: String,
    pub(crate) evidence: Evidence,
    /// What could not be read.
    pub(crate) notes: Vec<String>,
}

/// All submissions in `paths`: folders with one for each student, or tables with
/// one in each row.
///
/// # Errors
///
/// If a path cannot be read.
pub(crate) fn collect(paths: &[PathBuf], column: Option<&str>) -> Result<Vec<Submission>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(children(path)?.iter().map(|child| one(child)));
        } else if ending(path) == "csv" {
            found.extend(rows(&Table::read(path)?, column));
        } else {
            there(path)?;
            found.push(one(path));
        }
    }
    Ok(found)
}

/// Refuses a path at which nothing lies.
pub(crate) fn there(path: &Path) -> Result<(), Failure> {
    let nothing = || Failure::could_not(format!("there are no submissions at '{}'", path.display()));
    if path.exists() { Ok(()) } else { Err(nothing()) }
}

/// The submission in a folder or a file.
pub(crate) fn one(path: &Path) -> Submission {
    let name = if path.is_dir() { path.file_name() } else { path.file_stem() };
    let name = name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut submission = Submission { name, ..Submission::default() };
    let mut files = Vec::new();
    walk(path, 0, &mut files);
    for file in files {
        submission.read(&file);
    }
    submission
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

/// The files under `path`; links lead nowhere.
fn walk(path: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(there) = fs::symlink_metadata(path) else { return };
    if there.is_file() && found.len() < FILES {
        found.push(path.to_owned());
    } else if there.is_dir() && depth < DEPTH {
        children(path).unwrap_or_default().iter().for_each(|child| walk(child, depth + 1, found));
    }
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// One submission for each row: a column for each field.
fn rows(table: &Table, column: Option<&str>) -> Vec<Submission> {
    let place = column.and_then(|column| table.column(column)).unwrap_or(0);
    let of_row = |row: &Vec<String>| {
        let cells = table.header.iter().zip(row).map(|(id, text)| (id.trim().to_owned(), text.clone()));
        let saved = table.column("saved").and_then(|at| row.get(at)).cloned().unwrap_or_default();
        let name = row.get(place).cloned().unwrap_or_default();
        Submission { name, answers: cells.collect(), saved, ..Submission::default() }
    };
    table.rows.iter().map(of_row).collect()
}

impl Submission {
    fn read(&mut self, path: &Path) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let ending = ending(path);
        if !["json", "html", "htm", "csv"].contains(&ending.as_str()) {
            return;
        }
        let text = match files::read_at_most(path, MOST + 1) {
            Ok(bytes) if bytes.len() as u64 <= MOST => String::from_utf8_lossy(&bytes).into_owned(),
            Ok(_) => return self.notes.push(format!("{name} is too large to be read.")),
            Err(error) => return self.notes.push(format!("{name} cannot be read: {error}.")),
        };
        match ending.as_str() {
            "json" => self.read_json(&name, &text),
            "csv" if authentic::check(&text).is_err() => self.evidence.changed.push(name),
            "csv" => self.read_table(&text),
            _ => match Answers::in_page(&text) {
                Some(Ok(answers)) => self.join(answers),
                _ => self.notes.push(format!("{name} holds no answers; was the page saved with them?")),
            },
        }
    }

    fn read_json(&mut self, name: &str, text: &str) {
        if let Ok(answers) = Answers::parse(text) {
            return self.join(answers);
        }
        match authentic::read(text) {
            Ok(record) => self.evidence.records.push(record),
            Err(Unread::Changed(_)) => self.evidence.changed.push(name.to_owned()),
            Err(_) if name == "answers.json" => self.notes.push(format!("{name} cannot be read as answers.")),
            // summaries and the like
            Err(_) => {}
        }
    }

    /// `field,answer` on each line.
    fn read_table(&mut self, text: &str) {
        let Ok(table) = Table::parse(text) else { return };
        let [Some(field), Some(answer)] = ["field", "answer"].map(|name| table.column(name)) else { return };
        for row in &table.rows {
            if let (Some(field), Some(answer)) = (row.get(field), row.get(answer)) {
                self.answers.insert(field.trim().to_owned(), answer.clone());
            }
        }
    }

    /// Where both have a field, the text saved last stands.
    fn join(&mut self, answers: Answers) {
        if answers.saved >= self.saved {
            self.saved = answers.saved;
            self.answers.extend(answers.fields);
        } else {
            for (id, text) in answers.fields {
                self.answers.entry(id).or_insert(text);
            }
        }
    }

    /// What tells whose it is: its name, with what Moodle puts behind it and without,
    /// and the names and numbers in its answers.
    fn signs(&self) -> BTreeSet<Sign> {
        let before = self.name.split('_').next().unwrap_or_default();
        let signed = (1..=3).flat_map(|n| ["number", "name"].map(|what| format!("student-{n}-{what}")));
        let named = signed.filter_map(|id| Some(Sign::of(self.answers.get(&id)?)?.0));
        [&self.name, before]
            .into_iter()
            .filter_map(Sign::of)
            .flat_map(|(name, file)| [name, file])
            .chain(named)
            .collect()
    }
}

/// A name, or the name of a file that stands for it, as they are compared: in one
/// spelling, case ignored.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sign {
    Name(String),
    File(String),
}

impl Sign {
    /// Both for `name`, if it is one.
    fn of(name: &str) -> Option<(Sign, Sign)> {
        let name = names::normalised(name).ok()?;
        Some((Sign::Name(name.to_lowercase()), Sign::File(names::file_stem(&name).to_lowercase())))
    }
}

/// Whose is what: by places in a list of submissions.
#[derive(Debug)]
pub(crate) struct Owners(BTreeMap<Sign, Vec<usize>>);

impl Owners {
    pub(crate) fn of(submissions: &[Submission]) -> Owners {
        let mut places = BTreeMap::<Sign, Vec<usize>>::new();
        for (place, submission) in submissions.iter().enumerate() {
            submission.signs().into_iter().for_each(|sign| places.entry(sign).or_default().push(place));
        }
        Owners(places)
    }

    /// The places of the student's submissions, in their order.
    pub(crate) fn places(&self, student: &str) -> BTreeSet<usize> {
        let signs = Sign::of(student).map(|(name, file)| [name, file]);
        signs.iter().flatten().filter_map(|sign| self.0.get(sign)).flatten().copied().collect()
    }
}

//! What students handed in: folders, archives, files and rows of tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::input;
use common::text::shorten;
use report::{Answer, Answers};

use super::evidence::Evidence;
use super::files::{self, FileKind, Unread};
use super::gradescope::{self, Known};
use super::owners::{Owners, Stated, Unresolved};
use super::reason::Reason;
use super::times::{self, Due};
use crate::commands::handin::is_answer;
use crate::exercise;
use crate::instructor::tables::{Row, Table};

/// Largest size of all answers of a submission, in bytes: more than one student can type.
const ANSWERS_BYTES: usize = 128 << 10;
/// Largest number of notes about one submission.
const MAX_NOTES: usize = 12;

/// A submission: everything handed in under one name.
#[derive(Debug)]
pub(super) struct Submission {
    /// The name of its folder or file without the collecting system's ending.
    pub(super) name: String,
    /// Whose it is, or why nobody knows.
    pub(super) owner: Result<Vec<usize>, String>,
    /// The student whom it may be of.
    pub(super) suggested: Option<usize>,
    /// The collecting system's number of it, which rises.
    pub(super) version: Option<i64>,
    /// When it was handed in, by the collecting system's clock.
    pub(super) time: Option<i64>,
    pub(super) answers: BTreeMap<String, Answer>,
    pub(super) evidence: Evidence,
    /// What was not read.
    pub(super) notes: Vec<Reason>,
}

/// How submissions are read.
pub(super) struct Reading<'r> {
    pub(super) owners: &'r Owners<'r>,
    pub(super) due: Option<Due>,
    /// The ids of the fields that count.
    pub(super) fields: &'r [String],
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
            let name = input::name(path);
            let of_path = if path.is_dir() {
                self.folder(path)?
            } else if files::ending(&path.to_string_lossy()) == "csv" {
                Table::read_with(path, |table| self.rows(table, &name, &mut notes))?
            } else if path.exists() {
                self.read(label(path), std::slice::from_ref(path), None).into_iter().collect()
            } else {
                Vec::new()
            };
            if of_path.is_empty() {
                return Err(Failure::could_not(format!(
                    "there are no submissions in '{name}'; is it the right folder?"
                )));
            }
            found.extend(of_path);
        }
        Ok((found, notes))
    }

    /// A submission for each folder and file; several files of one participant in a
    /// system's export are one submission.
    fn folder(&self, folder: &Path) -> Result<Vec<Submission>, Failure> {
        let mut metadata = gradescope::read(folder)?;
        type Collected = (Label, Vec<PathBuf>, Option<Known>);
        let mut collected: BTreeMap<(bool, String), Collected> = BTreeMap::new();
        for path in children(folder)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name != gradescope::FILE {
                let (known, label) = (metadata.remove(&name), label(&path));
                let is_stated = known.is_some();
                let key = (is_stated, if is_stated { name } else { label.key.clone() });
                collected.entry(key).or_insert((label, Vec::new(), known)).1.push(path);
            }
        }
        Ok(collected
            .into_values()
            .filter_map(|(label, paths, known)| self.read(label, &paths, known))
            .collect())
    }

    /// Reads all files of a submission once; `None` if there is not one.
    fn read(&self, label: Label, paths: &[PathBuf], known: Option<Known>) -> Option<Submission> {
        let (time, stated) = match known {
            Some(known) => (known.time, Stated::Submitters(known.submitters)),
            None => (None, Stated::Names(label.names)),
        };
        let (mut answers, mut evidence) = (Answers::default(), Evidence::default());
        let (mut notes, mut bare_pages) = (Vec::new(), Vec::new());
        let unread = files::visit(paths, |name, kind, text| {
            let shown = || shorten(name, 60);
            let named = || name.to_lowercase().starts_with("answers");
            let read = match kind {
                FileKind::Page => match Answers::in_page(text) {
                    Some(read) => read,
                    None => return bare_pages.push(Reason::PageWithoutAnswers(shown())),
                },
                _ => match exercise::solved(text) {
                    Some(Ok(solved)) => return evidence.exercises.get_or_insert_default().extend(solved),
                    Some(Err(why)) => return notes.push(Reason::AnswersUnread(shown(), why)),
                    None if Answers::are_named_in(text) || !evidence.add(name, text) && named() => {
                        Answers::parse(text)
                    }
                    // a record, a summary or another JSON file
                    None => return,
                },
            };
            match read {
                Ok(read) if answers.are_of_another_student(&read) => {
                    notes.push(Reason::OtherStudent(shown()));
                }
                Ok(read) => answers = std::mem::take(&mut answers).joined(read),
                Err(why) => notes.push(Reason::AnswersUnread(shown(), why.to_string())),
            }
        });
        if unread.is_empty {
            return None;
        }
        if answers.fields.is_empty() {
            notes.extend(bare_pages);
        }
        let read = (evidence, unread, notes);
        Some(self.submission(label.key, stated, answers.fields, read, (label.version, time)))
    }

    /// A submission with its owner.
    fn submission(
        &self,
        name: String,
        stated: Stated,
        mut answers: BTreeMap<String, Answer>,
        (evidence, unread, mut notes): (Evidence, Unread, Vec<Reason>),
        (version, time): (Option<i64>, Option<i64>),
    ) -> Submission {
        let bytes: usize = answers.iter().map(|(id, answer)| id.len() + answer.to_string().len()).sum();
        if bytes > ANSWERS_BYTES {
            answers.clear();
            notes.push(Reason::LongAnswers((ANSWERS_BYTES >> 10).to_string()));
        }
        notes.extend(unread.notes);
        if !unread.others.is_empty() && !answers.iter().any(|(id, answer)| is_answer(id, answer)) {
            notes.push(Reason::OtherKinds(unread.others.join(", ")));
        }
        if notes.len() > MAX_NOTES {
            let more = notes.len() - MAX_NOTES + 1;
            notes.truncate(MAX_NOTES - 1);
            notes.push(Reason::OthersUnread(more.to_string()));
        }
        let signed = ["student-1-number", "student-1-name"];
        let signed = signed.into_iter().filter_map(|id| answers.get(id)).map(Answer::to_string);
        let suggested = self.owners.suggested(&name, &stated, &evidence, signed);
        let owner = self.owners.owner(&name, &stated);
        Submission { name, owner, suggested, version, time, answers, evidence, notes }
    }

    /// One submission for each row, with a column for each field.
    ///
    /// # Errors
    ///
    /// If no column names students, or a time cannot be read; a clause.
    fn rows(&self, table: &Table, file: &str, notes: &mut Vec<String>) -> Result<Vec<Submission>, String> {
        let class = self.owners.class;
        let time = table.column(&times::HEADERS)?;
        let field = |header: &String| {
            let same = |id: &&String| id.eq_ignore_ascii_case(header.trim());
            self.fields.iter().find(same).cloned()
        };
        let fields: Vec<Option<String>> = table.header.iter().map(field).collect();
        if fields.iter().all(Option::is_none) {
            return Err("no column has the id of a question".to_owned());
        }
        for id in fields.iter().flatten() {
            table.column(&[id])?;
        }
        let own: Vec<usize> =
            (0..fields.len()).filter(|at| fields[*at].is_some() || time == Some(*at)).collect();
        let join = class.join(&table.header, &own)?;
        let unknown = |at: &usize| !own.contains(at) && class.join(&table.header[*at..=*at], &[]).is_err();
        let unknown: Vec<&str> =
            (0..fields.len()).filter(unknown).map(|at| table.header[at].as_str()).collect();
        if !unknown.is_empty() {
            notes.push(format!(
                "{file}: no question has the id of the columns '{}'",
                shorten(&unknown.join("', '"), 200)
            ));
        }
        let of_row = |row: &Row| {
            let name = join.shown(&row.cells);
            let time = times::cell(time.map_or("", |at| row.cell(at)), &name, self.due)?;
            let answer =
                |(id, cell): (&Option<String>, &String)| Some((id.clone()?, Answer::Text(cell.clone())));
            let answers = fields.iter().zip(&row.cells).filter_map(answer).collect();
            let stated = Stated::Row(join.students(&row.cells));
            Ok(self.submission(name, stated, answers, Default::default(), (None, time)))
        };
        table.rows.iter().map(of_row).collect()
    }
}

impl Submission {
    /// What the instructor must know to say whose it is, if nobody knows.
    pub(super) fn unresolved(&self) -> Option<Unresolved> {
        let (submission, suggested) = (self.name.clone(), self.suggested);
        self.owner.clone().err().map(|why| Unresolved { submission, suggested, why })
    }

    /// Why only a person can read its answers; a clause.
    pub(super) fn unreadable(&self) -> Option<&'static str> {
        let has = |is: fn(&Reason) -> bool| self.notes.iter().any(is);
        if has(|note| matches!(note, Reason::OtherStudent(_))) {
            return Some("it has the answers of two students; read them and give points");
        }
        // All notes but those of pages without answers are of files that were not read.
        let unread = self.is_empty() && has(|note| !matches!(note, Reason::PageWithoutAnswers(_)));
        unread.then_some("what was handed in cannot be read; read it and give points")
    }

    /// Whether there are answers, though only a person may be able to read them.
    pub(super) fn has_answers(&self) -> bool {
        let is_of_answers =
            |note: &Reason| matches!(note, Reason::AnswersUnread(..) | Reason::LongAnswers(_));
        !self.is_empty() || self.notes.iter().any(is_of_answers)
    }

    /// Whether there is no answer, and no exercise; the student's name is none.
    pub(super) fn is_empty(&self) -> bool {
        self.evidence.exercises.is_none() && !self.answers.iter().any(|(id, answer)| is_answer(id, answer))
    }
}

/// What the name of a folder or file says.
#[derive(Debug, PartialEq)]
struct Label {
    /// All files with the same key are one submission.
    key: String,
    names: Vec<String>,
    version: Option<i64>,
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

//! What students handed in: folders, archives, files and rows of tables.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::input;
use common::text::shorten;
use report::{Answer, Answers};

use super::Course;
use super::evidence::{EXERCISES, Evidence, PASSED, Submission};
use super::files::{self, FileKind};
use super::gradescope::{self, Known};
use super::reason::Reason;
use super::rubric::OF_EXERCISES;
use super::times;
use crate::commands::handin::is_answer;
use crate::exercise;
use crate::instructor::tables::{Row, Table};

/// Largest size of all answers of a submission, in bytes: more than one student can type.
const ANSWERS_BYTES: usize = 128 << 10;
/// Largest number of notes about one submission.
const MAX_NOTES: usize = 12;

impl Course<'_> {
    /// All submissions in `paths`: folders with one for each student, or tables with one in
    /// each row. The notes name columns of tables that belong to no question.
    /// Fails if a path cannot be read, or holds no submission.
    pub(super) fn collect(&self, paths: &[PathBuf]) -> Result<(Vec<Submission>, Vec<String>), Failure> {
        let (mut found, mut notes) = (Vec::new(), Vec::new());
        for path in paths {
            let name = input::name(path);
            let of_path = if path.is_dir() {
                self.folder(path)?
            } else if files::ending(&path.to_string_lossy()) == "csv" {
                Table::read_with(path, |table| self.rows(&table, &name, &mut notes))?
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
        let cannot = |error| Failure::could_not(format!("cannot read '{}': {error}", folder.display()));
        for path in files::children(folder, usize::MAX).map_err(cannot)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name != gradescope::FILE {
                let (known, label) = (metadata.remove(&name), label(&path));
                let key = (known.is_some(), if known.is_some() { name } else { label.key.clone() });
                collected.entry(key).or_insert((label, Vec::new(), known)).1.push(path);
            }
        }
        let submissions = collected.into_values();
        Ok(submissions.filter_map(|(label, paths, known)| self.read(label, &paths, known)).collect())
    }

    /// Reads all files of a submission once; `None` if there is not one.
    fn read(&self, label: Label, paths: &[PathBuf], known: Option<Known>) -> Option<Submission> {
        let (mut answers, mut evidence) = (Answers::default(), Evidence::default());
        let (mut notes, mut bare_pages, mut solved) = (Vec::new(), Vec::new(), Vec::new());
        let unread = files::visit(paths, |name, kind, text| {
            let shown = || shorten(name, 60);
            let named = || name.to_lowercase().starts_with("answers");
            let read = match kind {
                FileKind::Page => match Answers::in_page(text) {
                    Some(read) => read,
                    None => return bare_pages.push(Reason::PageWithoutAnswers(shown())),
                },
                _ => match exercise::solved(text) {
                    Some(Ok(tasks)) => {
                        let tasks = tasks.into_iter().map(|name| format!("{OF_EXERCISES}{name}"));
                        return solved.extend(tasks.chain([EXERCISES.to_owned()]));
                    }
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
        let mut answers = answers.fields;
        answers.retain(|id, _| !id.starts_with(OF_EXERCISES) && id != EXERCISES);
        answers.extend(solved.into_iter().map(|task| (task, Answer::from(PASSED))));
        if answers.is_empty() {
            notes.extend(bare_pages);
        }
        let bytes: usize = answers.iter().map(|(id, answer)| id.len() + answer.to_string().len()).sum();
        if bytes > ANSWERS_BYTES {
            answers.clear();
            notes.push(Reason::LongAnswers((ANSWERS_BYTES >> 10).to_string()));
        }
        notes.extend(unread.notes);
        if !unread.others.is_empty() && !answers.iter().any(|(id, answer)| is_answer(id, answer)) {
            notes.push(Reason::OtherKinds(shorten(&unread.others.join(", "), 300)));
        }
        if notes.len() > MAX_NOTES {
            let more = notes.len() - MAX_NOTES + 1;
            notes.truncate(MAX_NOTES - 1);
            notes.push(Reason::OthersUnread(more.to_string()));
        }
        let (found, mut values) = match &known {
            Some(known) => (self.submitters(&known.submitters), Vec::new()),
            None => (self.named(&label.names), label.names),
        };
        let submitters = known.iter().flat_map(|known| known.submitters.iter().flatten());
        values.extend(submitters.map(|(_, value)| value.clone()));
        let signed = ["student-1-number", "student-1-name"].into_iter().filter_map(|id| answers.get(id));
        values.extend(signed.map(Answer::to_string));
        let suggested = self.suggested(&evidence.machines(), &values);
        let owner = self.decided(&label.key, found);
        let time = known.and_then(|known| known.time);
        Some(Submission { name: label.key, owner, suggested, time, answers, evidence, notes })
    }

    /// One submission for each row, with a column for each field.
    /// Fails if no column names students, or a time cannot be read.
    fn rows(&self, table: &Table, file: &str, notes: &mut Vec<String>) -> Result<Vec<Submission>, String> {
        let time = table.column(&times::HEADERS)?;
        let mut fields: Vec<(usize, &String)> = Vec::new();
        for id in &self.fields {
            fields.extend(table.column(&[id])?.map(|at| (at, id)));
        }
        if fields.is_empty() {
            return Err("no column has the id of a question".to_owned());
        }
        let own: Vec<usize> = fields.iter().map(|(at, _)| *at).chain(time).collect();
        let join = self.class.join(&table.header, &own)?;
        let known = own.iter().chain(join.columns.iter().map(|(at, _)| at)).collect::<Vec<_>>();
        let others = (0..table.header.len()).filter(|at| !known.contains(&at));
        let others: Vec<&str> = others.map(|at| table.header[at].as_str()).collect();
        if !others.is_empty() {
            let others = shorten(&others.join("', '"), 200);
            notes.push(format!("{file}: no question has the id of the columns '{others}'"));
        }
        let of_row = |row: &Row| {
            let name = join.shown(&row.cells);
            let time = times::cell(time.map_or("", |at| row.cell(at)), &name, self.due)?;
            let answer = |(at, id): &(usize, &String)| ((*id).clone(), Answer::from(row.cell(*at)));
            let answers: BTreeMap<_, _> = fields.iter().map(answer).collect();
            let owner = self.decided(&name, self.one(join.students(&row.cells), "is not in the roster"));
            let (suggested, evidence, notes) = Default::default();
            Ok(Submission { name, owner, suggested, time, answers, evidence, notes })
        };
        table.rows.iter().map(of_row).collect()
    }
}

/// What the name of a folder or file says.
#[derive(Debug, PartialEq)]
struct Label {
    /// All files with the same key are one submission.
    key: String,
    names: Vec<String>,
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
        return Label { key: before.to_owned(), names };
    }
    if let Some((user, rest)) = full.split_once('@')
        && let [host, version, _] = rest.splitn(3, '_').collect::<Vec<&str>>()[..]
        && digits(version)
        && !host.is_empty()
    {
        return Label { names: vec![format!("{user}@{host}")], key: full };
    }
    let parts: Vec<&str> = full.split('_').filter(|part| *part != "LATE").collect();
    if let [name, user, submission, _, ..] = parts[..]
        && !name.is_empty()
        && digits(user)
        && digits(submission)
    {
        return Label { key: format!("{name}_{user}"), names: vec![name.to_owned()] };
    }
    let mut names = vec![full.clone()];
    if !path.is_dir() {
        let shown = full.strip_suffix(".txt").unwrap_or(&full);
        let stem = shown.rsplit_once('.').map_or(shown, |(stem, _)| stem);
        names.push(stem.to_owned());
        names.dedup();
    }
    Label { names, key: full }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_endings_are_cut_and_nothing_else() {
        for (file, key, names) in [
            ("Ana Silva_4711_assignsubmission_file_", "Ana Silva_4711", "Ana Silva|Ana Silva 4711"),
            ("Participant_11_assignsubmission_file_", "Participant_11", "Participant|Participant 11"),
            ("ann_marie_7_assignsubmission_onlinetext", "ann_marie_7", "ann_marie|ann_marie 7"),
            ("ann_assignsubmission_file", "ann_assignsubmission_file", "ann_assignsubmission_file"),
            ("silvaana_345_67890_answers.json", "silvaana_345", "silvaana"),
            ("silvaana_LATE_345_67890_my_answers-1.json", "silvaana_345", "silvaana"),
            ("silvaana_345_67890", "silvaana_345_67890", "silvaana_345_67890"),
            ("john_doe@x.pt_3_hand_in.zip", "john_doe@x.pt_3_hand_in.zip", "john_doe@x.pt"),
            ("john@x.pt_3", "john@x.pt_3", "john@x.pt_3|john@x"),
            ("john@x.pt_late_3", "john@x.pt_late_3", "john@x.pt_late_3|john@x"),
            ("john.doe.json.txt", "john.doe.json.txt", "john.doe.json.txt|john.doe"),
            ("ann_marie", "ann_marie", "ann_marie"),
            ("@_1_x", "@_1_x", "@_1_x"),
        ] {
            let names = names.split('|').map(str::to_owned).collect();
            assert_eq!(label(Path::new(file)), Label { key: key.to_owned(), names }, "{file}");
        }
    }
}

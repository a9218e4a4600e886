//! What students handed in: folders, archives, files and rows of tables.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::input;
use common::text::shorten;
use report::{Answer, Answers, Question, is_answer};

use super::Course;
use super::evidence::{Evidence, Submission};
use super::exercises::Sources;
use super::files::{self, FileKind};
use super::note::Note;
use super::owners::Owner;
use super::reason::Reason;
use crate::systems::label;
use crate::tables::{Row, Table};

/// Largest size of all answers of a submission, in bytes: more than one student can type.
const ANSWERS_BYTES: usize = 128 << 10;
/// Files of systems next to the submissions, which nobody handed in.
const OF_SYSTEMS: [&str; 4] = ["index.html", "Thumbs.db", "desktop.ini", "submission_metadata.yml"];
/// Largest number of notes about one submission.
const MAX_NOTES: usize = 12;

impl Course<'_> {
    /// All submissions in `path`: a folder with one for each student, or a table with one in
    /// each row. The notes name columns of the table that belong to no question.
    /// Fails if the path cannot be read, or holds no submission.
    pub(super) fn collect(&self, path: &Path) -> Result<(Vec<Submission>, Vec<Note>), Failure> {
        let (name, mut notes) = (input::name(path), Vec::new());
        let found = if path.is_dir() {
            let paths = files::children(path, usize::MAX).map_err(|error| input::unreadable(path, &error))?;
            self.files(&paths)
        } else {
            Table::read_with(path, |table| self.rows(&table, &name, &mut notes))?
        };
        if found.is_empty() {
            return Err(Failure::could_not(format!(
                "there are no submissions in '{name}'; is it the right folder?"
            )));
        }
        Ok((found, notes))
    }

    /// A submission for each folder and file; several files of one student in a
    /// system's export are one submission.
    fn files(&self, paths: &[PathBuf]) -> Vec<Submission> {
        let mut collected = BTreeMap::<(String, Owner), (Vec<PathBuf>, Vec<String>)>::new();
        for path in paths {
            let full = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if OF_SYSTEMS.iter().any(|name| full.eq_ignore_ascii_case(name)) {
                continue;
            }
            let label = label(&full, !path.is_dir());
            let owner = self.decided(&full, self.labelled(&label));
            let name = if owner.is_ok() { label.key.clone() } else { full.clone() };
            let (paths, names) = collected.entry((name, owner)).or_default();
            paths.push(path.clone());
            names.push(full);
        }
        let submission = |(named, (paths, files)): (_, (Vec<PathBuf>, _))| {
            Some(Submission { files, ..self.read(named, &paths)? })
        };
        collected.into_iter().filter_map(submission).collect()
    }

    /// Reads all files of a submission once; `None` if there is not one.
    fn read(&self, (name, owner): (String, Owner), paths: &[PathBuf]) -> Option<Submission> {
        let (mut answers, mut evidence) = (Answers::default(), Evidence::default());
        let (mut sources, mut others) = (Sources::default(), Vec::new());
        let (mut notes, mut bare_pages) = (Vec::new(), Vec::new());
        let unread = files::visit(paths, |name, kind, text| {
            let shown = || shorten(name, 60);
            let named = || name.to_lowercase().starts_with("answers");
            let read = match kind {
                FileKind::Source if self.exercises => return sources.add(name, text),
                FileKind::Source | FileKind::Other => return others.push(shown()),
                _ if self.exercises => return others.push(shown()),
                FileKind::Page => match Answers::in_page(text) {
                    Some(read) => read,
                    None => return bare_pages.push(Reason::PageWithoutAnswers(shown())),
                },
                _ if Answers::are_named_in(text) || !evidence.add(name, text) && named() => {
                    Answers::parse(text)
                }
                // a record, a summary or another JSON file
                _ => return,
            };
            match read {
                Ok(read) => {
                    let joined = answers.join(read);
                    notes.extend(joined.err().map(|_| Reason::OtherStudent(shown())));
                }
                Err(why) => notes.push(Reason::AnswersUnread(shown(), why.to_string())),
            }
        });
        let mut answers = answers.fields;
        if answers.is_empty() {
            notes.extend(bare_pages);
        }
        let bytes: usize = answers.iter().map(|(id, answer)| id.len() + answer.to_string().len()).sum();
        if bytes > ANSWERS_BYTES {
            answers.clear();
            notes.push(Reason::LongAnswers((ANSWERS_BYTES >> 10).to_string()));
        }
        notes.extend(unread?);
        // They may be what is missing: answers, or records of the machine.
        let lacks_records = self.machines.is_some() && evidence.machines().is_empty();
        let lacks = lacks_records || !answers.iter().any(|(id, answer)| is_answer(id, answer));
        if !others.is_empty() && lacks && sources.is_empty() {
            let others = shorten(&others.join(", "), 300);
            notes.push(if self.exercises { Reason::NoTask(others) } else { Reason::OtherKinds(others) });
        }
        if notes.len() > MAX_NOTES {
            let more = notes.len() - MAX_NOTES + 1;
            notes.truncate(MAX_NOTES - 1);
            notes.push(Reason::OthersUnread(more.to_string()));
        }
        let mut values = label(&name, paths[0].is_file()).names;
        values.extend(
            answers.iter().filter(|(id, _)| id.starts_with("student-")).map(|(_, answer)| answer.to_string()),
        );
        let suggested =
            owner.as_ref().err().and_then(|_| self.suggested(&name, &evidence.machines(), &values));
        let files = Vec::new();
        Some(Submission { name, files, owner, suggested, answers, evidence, sources, notes })
    }

    /// One submission for each row, with a column for each field.
    /// Fails if no column names students.
    fn rows(&self, table: &Table, file: &str, notes: &mut Vec<Note>) -> Result<Vec<Submission>, String> {
        let mut fields: Vec<(usize, &String)> = Vec::new();
        for Question { id, .. } in &self.fields {
            fields.extend(table.column(&[id])?.map(|at| (at, id)));
        }
        if fields.is_empty() {
            return Err("no column has the id of a question".to_owned());
        }
        let own: Vec<usize> = fields.iter().map(|(at, _)| *at).collect();
        let join = self.class.join(&table.header, &own)?;
        let others = join.others(&table.header, &own);
        notes.extend(
            others.map(|others| format!("{file}: no question has the id of the columns {others}").into()),
        );
        // Several rows of a student need names of their own.
        let mut times = HashMap::<_, usize>::new();
        table.rows.iter().for_each(|row| *times.entry(join.shown(&row.cells)).or_default() += 1);
        let of_row = |row: &Row| {
            let mut name = join.shown(&row.cells);
            if times[&name] > 1 {
                name += &format!(" ({file}:{})", row.line);
            }
            let answer = |(at, id): &(usize, &String)| ((*id).clone(), Answer::from(row.cell(*at)));
            let answers: BTreeMap<_, _> = fields.iter().map(answer).collect();
            let owner = self.decided(&name, self.one(join.students(&row.cells), "is not in the roster"));
            let (files, suggested, evidence, sources, notes) = Default::default();
            Submission { name, files, owner, suggested, answers, evidence, sources, notes }
        };
        Ok(table.rows.iter().map(of_row).collect())
    }
}

//! What students handed in: folders, archives, files and rows of tables.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::input;
use common::text::shorten;
use report::{Answer, Answers, Question};

use super::Course;
use super::evidence::{Evidence, Submission};
use super::exercises::Sources;
use super::files::{self, FileKind};
use super::note::Note;
use super::owners::Owner;
use super::reason::Reason;
use crate::systems::label;
use crate::tables::{Row, Table};

/// Files of systems next to the submissions, which nobody handed in.
const OF_SYSTEMS: [&str; 4] = ["index.html", "Thumbs.db", "desktop.ini", "submission_metadata.yml"];

/// Files of a submission that are named as not read.
const MAX_UNREAD: usize = 20;

impl Course<'_> {
    /// All submissions in `path`: a folder with one for each student, or a table with one in
    /// each row. The notes name columns of the table that belong to no question.
    /// Fails if the path cannot be read, or holds no submission.
    pub(super) fn collect(&self, path: &Path) -> Result<(Vec<Submission>, Vec<Note>), Failure> {
        let (name, mut notes, mut names) = (input::name(path), Vec::new(), BTreeSet::new());
        let found = if path.is_dir() {
            let paths = files::children(path, usize::MAX).map_err(|error| input::unreadable(path, &error))?;
            names.extend(paths.iter().map(|path| name_of(path)));
            self.files(&paths)
        } else {
            Table::read_with(path, |table| self.rows(&table, &name, &mut notes))?
        };
        if found.is_empty() {
            return Err(Failure::could_not(format!(
                "there are no submissions in '{name}'; is it the right folder?"
            )));
        }
        names.extend(found.iter().map(|one| one.name.clone()));
        notes.extend(self.map.unknown(&names));
        Ok((found, notes))
    }

    /// A submission for each folder and file; several files of one student in a
    /// system's export are one submission.
    fn files(&self, paths: &[PathBuf]) -> Vec<Submission> {
        let mut collected = BTreeMap::<(String, Owner), Vec<PathBuf>>::new();
        for path in paths {
            let full = name_of(path);
            if OF_SYSTEMS.iter().any(|name| full.eq_ignore_ascii_case(name)) {
                continue;
            }
            let label = label(&full, !path.is_dir());
            let owner = self.decided(&full, self.labelled(&label));
            let name = if owner.is_ok() { label.key } else { full };
            collected.entry((name, owner)).or_default().push(path.clone());
        }
        let read = |((_, owner), paths): ((_, Owner), Vec<PathBuf>)| self.read(owner, &paths);
        collected.into_iter().filter_map(read).collect()
    }

    /// Reads all files of a submission once; `None` if there is not one.
    fn read(&self, owner: Owner, paths: &[PathBuf]) -> Option<Submission> {
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
            match read.map(|read| answers.join(read)) {
                Ok(Ok(())) => {}
                Ok(Err(_)) => notes.push(Reason::OtherStudent(shown())),
                Err(why) => notes.push(Reason::Unread(shown(), why)),
            }
        });
        let name = paths.first().map(|path| name_of(path)).unwrap_or_default();
        let mut read = Submission { name, owner, answers: answers.fields, evidence, sources, notes };
        if read.answers.is_empty() {
            read.notes.extend(bare_pages);
        }
        read.notes.extend(unread?);
        read.sources.lacks_some = !read.notes.is_empty();
        let mut unread = 0;
        read.notes.retain(|note| {
            unread += usize::from(matches!(note, Reason::Unread(..)));
            unread <= MAX_UNREAD || !matches!(note, Reason::Unread(..))
        });
        if unread > MAX_UNREAD {
            let why = "they are more than a list can name".to_owned();
            read.notes.push(Reason::Unread(format!("{} more", unread - MAX_UNREAD), why));
        }
        // They may be what is missing: answers, or records of the machine.
        let lacks_records = self.machines.is_some() && read.evidence.machines().is_empty();
        if !others.is_empty() && (read.is_empty() || lacks_records) && read.sources.is_empty() {
            let kinds = if self.exercises { ".rs, .c" } else { ".json, .html" };
            read.notes.push(Reason::OtherKinds(shorten(&others.join(", "), 300), kinds.to_owned()));
        }
        Some(read)
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
        let others =
            join.others(&table.header, &own).into_iter().map(|name| format!("'{}'", shorten(name, 60)));
        notes.extend(Note::about(format!("{file}: columns that have the id of no question"), others));
        // Several rows of a student need names of their own.
        let mut times = HashMap::<_, usize>::new();
        table.rows.iter().for_each(|row| *times.entry(join.shown(row)).or_default() += 1);
        let of_row = |row: &Row| {
            let mut name = join.shown(row);
            if times[&name] > 1 {
                name += &format!(" ({file}:{})", row.line);
            }
            let answer = |(at, id): &(usize, &String)| ((*id).clone(), Answer::from(row.cell(*at)));
            let answers = fields.iter().map(answer).collect();
            let owner = self.decided(&name, self.one(join.students(row), "is not in the roster"));
            let (evidence, sources, notes) = Default::default();
            Submission { name, owner, answers, evidence, sources, notes }
        };
        Ok(table.rows.iter().map(of_row).collect())
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

//! What students handed in: folders, archives, files and rows of tables.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::input;
use common::text::shorten;
use report::{Answer, Answers};

use super::Course;
use super::evidence::{Evidence, Submission};
use super::files::{self, FileKind};
use super::gradescope::{self, Known};
use super::owners::Owner;
use super::reason::Reason;
use super::times;
use crate::tables::{Row, Table};
use report::is_answer;

/// Largest size of all answers of a submission, in bytes: more than one student can type.
const ANSWERS_BYTES: usize = 128 << 10;
/// Files of systems next to the submissions, which nobody handed in.
const OF_SYSTEMS: [&str; 3] = ["index.html", "Thumbs.db", "desktop.ini"];
/// Largest number of notes about one submission.
const MAX_NOTES: usize = 12;

impl Course<'_> {
    /// All submissions in `paths`: folders with one for each student, or tables with one in
    /// each row. The notes name columns of tables that belong to no question.
    /// Fails if a path cannot be read, or holds no submission.
    pub(super) fn collect(&self, paths: &[PathBuf]) -> Result<(Vec<Submission>, Vec<String>), Failure> {
        let (mut found, mut notes, mut listed) = (Vec::new(), Vec::new(), Vec::new());
        for path in paths {
            let cannot = |error| Failure::could_not(format!("cannot read '{}': {error}", path.display()));
            listed.push(match path.is_dir() {
                true => files::children(path, usize::MAX).map_err(cannot)?,
                false => path.exists().then(|| path.clone()).into_iter().collect(),
            });
        }
        let mut times = HashMap::<_, usize>::new();
        listed.iter().flatten().for_each(|path| *times.entry(path.file_name()).or_default() += 1);
        for (path, listed) in paths.iter().zip(&listed) {
            let name = input::name(path);
            let of_path = if !path.is_dir() && files::ending(&path.to_string_lossy()) == "csv" {
                Table::read_with(path, |table| self.rows(&table, &name, paths.len() > 1, &mut notes))?
            } else {
                self.files(gradescope::read(path)?, listed, |path| times[&path.file_name()] > 1)
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
    fn files(
        &self,
        mut metadata: HashMap<String, Known>,
        paths: &[PathBuf],
        is_repeated: impl Fn(&Path) -> bool,
    ) -> Vec<Submission> {
        let mut collected =
            BTreeMap::<(String, Owner), (Vec<PathBuf>, Vec<String>, Label, Option<Known>)>::new();
        for path in paths {
            let full = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if full == gradescope::FILE || OF_SYSTEMS.iter().any(|name| full.eq_ignore_ascii_case(name)) {
                continue;
            }
            let (known, label) = (metadata.remove(&full), label(path));
            let found = match &known {
                Some(known) => self.submitters(&known.submitters),
                None => self.named(&label.names),
            };
            // Where two folders have the name, it needs that of the folder.
            let shown = |name: &str| match is_repeated(path) {
                true => path.with_file_name(name).display().to_string(),
                false => name.to_owned(),
            };
            let owner = self.decided(&shown(&full), found);
            // Other files than Canvas's may have such names: these are joined for a student only.
            let is_joined = known.is_none() && (label.is_certain || owner.is_ok());
            let name = shown(if is_joined { &label.key } else { &full });
            let owner = self.decided(&name, owner);
            let empty = (Vec::new(), Vec::new(), label, known);
            let (paths, names, ..) = collected.entry((name, owner)).or_insert(empty);
            paths.push(path.clone());
            names.push(shown(&full));
        }
        let submissions = collected.into_iter().filter_map(|(named, (paths, files, label, known))| {
            Some(Submission { files, ..self.read(named, &paths, label, known)? })
        });
        submissions.collect()
    }

    /// Reads all files of a submission once; `None` if there is not one.
    fn read(
        &self,
        (name, owner): (String, Owner),
        paths: &[PathBuf],
        label: Label,
        known: Option<Known>,
    ) -> Option<Submission> {
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
        if unread.is_empty {
            return None;
        }
        let mut answers = answers.fields;
        if answers.is_empty() {
            notes.extend(bare_pages);
        }
        let bytes: usize = answers.iter().map(|(id, answer)| id.len() + answer.to_string().len()).sum();
        if bytes > ANSWERS_BYTES {
            answers.clear();
            notes.push(Reason::LongAnswers((ANSWERS_BYTES >> 10).to_string()));
        }
        notes.extend(unread.notes);
        // They may be what is missing: answers, or records of the machine.
        let lacks_records = self.machines.is_some() && evidence.machines().is_empty();
        let lacks = lacks_records || !answers.iter().any(|(id, answer)| is_answer(id, answer));
        if !unread.others.is_empty() && lacks {
            notes.push(Reason::OtherKinds(shorten(&unread.others.join(", "), 300)));
        }
        if notes.len() > MAX_NOTES {
            let more = notes.len() - MAX_NOTES + 1;
            notes.truncate(MAX_NOTES - 1);
            notes.push(Reason::OthersUnread(more.to_string()));
        }
        let submitters = known.iter().flat_map(|known| known.submitters.iter().flatten());
        let submitters = submitters.map(|(_, value)| value.clone());
        let signed = ["student-1-number", "student-1-name"].into_iter().filter_map(|id| answers.get(id));
        let values = label.names.into_iter().chain(submitters).chain(signed.map(Answer::to_string));
        let suggested = self.suggested(&name, &evidence.machines(), values);
        let time = known.and_then(|known| known.time);
        Some(Submission { name, files: Vec::new(), owner, suggested, time, answers, evidence, notes })
    }

    /// One submission for each row, with a column for each field.
    /// Fails if no column names students, or a time cannot be read.
    fn rows(
        &self,
        table: &Table,
        file: &str,
        is_of_several: bool,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Submission>, String> {
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
        let others = join.others(&own);
        notes.extend(others.map(|others| format!("{file}: no question has the id of the columns {others}")));
        // Several rows of a student need names of their own.
        let mut times = HashMap::<_, usize>::new();
        table.rows.iter().for_each(|row| *times.entry(join.shown(&row.cells)).or_default() += 1);
        let of_row = |row: &Row| {
            let mut name = join.shown(&row.cells);
            let handed_in = times::cell(time.map_or("", |at| row.cell(at)), &name, self.due)?;
            if times[&name] > 1 || is_of_several {
                name += &format!(" ({file}:{})", row.line);
            }
            let answer = |(at, id): &(usize, &String)| ((*id).clone(), Answer::from(row.cell(*at)));
            let answers: BTreeMap<_, _> = fields.iter().map(answer).collect();
            let owner = self.decided(&name, self.one(join.students(&row.cells), "is not in the roster"));
            let (files, suggested, evidence, notes) = Default::default();
            Ok(Submission { name, files, owner, suggested, time: handed_in, answers, evidence, notes })
        };
        table.rows.iter().map(of_row).collect()
    }
}

/// What the name of a folder or file says.
struct Label {
    /// All files with the same key are one submission.
    key: String,
    /// Whether only the collecting system writes such names.
    is_certain: bool,
    names: Vec<String>,
}

/// Cuts off the documented endings of names: Moodle's
/// (`Ana Silva_4711_assignsubmission_file_`; with blind marking `Participant_4711_…` for
/// the participant whom the worksheet calls `Participant 4711`), Canvas's
/// (`silvaana_345_67890_answers.json`), and the file's extension.
fn label(path: &Path) -> Label {
    let full = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((before, _)) = full.split_once("_assignsubmission_")
        && let Some((name, number)) = before.rsplit_once('_')
        && digits(number)
    {
        let names = vec![name.to_owned(), format!("{name} {number}")];
        return Label { key: before.to_owned(), is_certain: true, names };
    }
    let parts: Vec<&str> = full.split('_').filter(|part| *part != "LATE").collect();
    if let [name, user, submission, _, ..] = parts[..]
        && !name.is_empty()
        && digits(user)
        && digits(submission)
    {
        return Label { key: format!("{name}_{user}"), is_certain: false, names: vec![name.to_owned()] };
    }
    let mut names = vec![full.clone()];
    if !path.is_dir() {
        let shown = full.strip_suffix(".txt").unwrap_or(&full);
        let stem = shown.rsplit_once('.').map_or(shown, |(stem, _)| stem);
        names.push(stem.to_owned());
        names.dedup();
    }
    Label { names, is_certain: true, key: full }
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
            ("john@x.pt_3", "john@x.pt_3", "john@x.pt_3|john@x"),
            ("john.doe.json.txt", "john.doe.json.txt", "john.doe.json.txt|john.doe"),
            ("ann_marie", "ann_marie", "ann_marie"),
            ("@_1_x", "@_1_x", "@_1_x"),
        ] {
            let names: Vec<String> = names.split('|').map(str::to_owned).collect();
            let found = label(Path::new(file));
            assert_eq!((found.key.as_str(), found.names), (key, names), "{file}");
        }
    }
}

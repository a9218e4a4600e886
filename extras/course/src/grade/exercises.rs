//! The exercises in a submission: its files of tasks, in any folder or archive, checked as
//! `exercises` checks them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use common::failure::Failure;
use common::text::shorten;
use exercises::score::{Score, score};
use exercises::task::{Language, TASKS, Task};

use super::judge::{Judgement, Mark};
use super::reason::Reason;
use super::rubric::Item;

/// The task and the language of a file with that name, which a browser may have changed to
/// `rows (1).rs` or `rows.rs.txt`.
fn task_of(name: &str) -> Option<(&'static Task, Language)> {
    let name = name.to_lowercase();
    let (stem, ending) = name.strip_suffix(".txt").unwrap_or(&name).rsplit_once('.')?;
    let stem = stem.split_once(" (").map_or(stem, |(stem, _)| stem);
    let all = TASKS.iter().flat_map(|task| Language::ALL.map(|language| (task, language)));
    all.into_iter().find(|(task, language)| task.name == stem && language.ending() == ending)
}

/// Whether a file may be one of an exercise.
pub(super) fn is_source(name: &str) -> bool {
    let is_of = |language: Language| name.to_lowercase().ends_with(&format!(".{}", language.ending()));
    task_of(name).is_some() || Language::ALL.into_iter().any(is_of)
}

/// The items of a rubric: one for each task.
pub(super) fn items() -> Vec<Item> {
    let item = |task: &Task| Item {
        id: task.name.to_owned(),
        label: task.asks.to_owned(),
        points: task.points.into(),
        is_task: true,
        ..Item::default()
    };
    TASKS.iter().map(item).collect()
}

/// Files of tasks that a student handed in: the different texts of each name.
#[derive(Debug, Default)]
pub(super) struct Sources {
    files: BTreeMap<String, BTreeSet<String>>,
    /// Names of sources that are of no task.
    others: BTreeSet<String>,
    /// One for each task, once they were checked; none without files.
    pub(super) marks: Vec<Mark>,
}

impl Sources {
    pub(super) fn add(&mut self, name: &str, text: &str) {
        match task_of(name) {
            Some((task, language)) => {
                _ = self.files.entry(task.file(language)).or_default().insert(text.to_owned())
            }
            None => _ = self.others.insert(shorten(name, 60)),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.others.is_empty()
    }

    /// The texts of a file that are not as it was handed out.
    fn changed(&self, name: &str) -> Vec<&String> {
        let texts = self.files.get(name).into_iter().flatten();
        texts.filter(|text| !is_handed_out(name, text)).collect()
    }

    /// The student's own files: their names, and their texts without blanks.
    pub(super) fn own(&self) -> Vec<(String, String)> {
        let own = |name: &String| {
            let plain = self.changed(name).into_iter().map(|text| text.split_whitespace().collect());
            plain.map(|text| (name.clone(), text)).collect::<Vec<_>>()
        };
        self.files.keys().flat_map(own).collect()
    }

    /// Gives a mark for each task. The files are written into `folder`.
    fn mark(&mut self, folder: &Path) -> Result<(), Failure> {
        for (name, texts) in &self.files {
            let text = self.changed(name).first().copied().or_else(|| texts.first());
            common::output::write(&folder.join(name), text.map_or("", String::as_str).as_bytes())?;
        }
        self.marks = TASKS.iter().map(|task| self.mark_of(task, folder)).collect();
        Ok(())
    }

    fn mark_of(&self, task: &'static Task, folder: &Path) -> Mark {
        let names = Language::ALL.map(|language| task.file(language));
        let there: Vec<&str> =
            names.iter().filter(|name| self.files.contains_key(*name)).map(String::as_str).collect();
        let judgement = match names.iter().find(|name| self.changed(name).len() > 1) {
            Some(name) => (None, Reason::TwoFiles(name.clone())),
            None if !there.is_empty() => judged(&score(task, folder, false)),
            None if self.others.is_empty() => (Some(0.0), Reason::NoTaskFile(names.join(", "))),
            // Another name may be a mistake.
            None => {
                let others: Vec<&str> = self.others.iter().map(String::as_str).collect();
                (None, Reason::OtherName(shorten(&others.join(", "), 200)))
            }
        };
        Mark::new(task.points.into(), judgement, there.join(", "))
    }
}

fn is_handed_out(name: &str, text: &str) -> bool {
    let same = |starter: &str| starter.split_whitespace().eq(text.split_whitespace());
    task_of(name).is_some_and(|(task, language)| same(&task.starter(language)))
}

/// No share of the points if the check itself could not be made.
fn judged(score: &Score) -> Judgement {
    let found = || shorten(score.found(), 300);
    match &score.checked {
        Ok(passed) => (Some(1.0), Reason::Passed(passed.misses.to_string())),
        Err(wrong) if wrong.reason == exercises::Reason::Check => (None, Reason::NotChecked(found())),
        Err(wrong) if wrong.reason == exercises::Reason::Unchanged => (Some(0.0), Reason::AsHandedOut),
        Err(_) => (Some(0.0), Reason::Open(found())),
    }
}

/// Gives marks to each submission with files of tasks, several at once.
/// Fails if their files cannot be written.
pub(super) fn mark<'s>(all: impl Iterator<Item = &'s mut Sources> + Send) -> Result<(), Failure> {
    let all = Mutex::new(all.filter(|sources| !sources.is_empty()));
    let next = || all.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        while let Some(sources) = next() {
            sources.mark(tempfile::tempdir().map_err(Failure::could_not)?.path())?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let number = std::thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..number).map(|_| scope.spawn(work)).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .into_iter()
            .try_for_each(|done| done.unwrap_or_else(|_| Err(Failure::could_not("a check ended early"))))
    })
}

//! The exercises in a submission: its files of tasks, in any folder or archive, checked as
//! `exercises` checks them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use common::failure::Failure;
use common::text::shorten;
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

/// Files of tasks that a student handed in.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// By name, the different texts that are not as they were handed out.
    files: BTreeMap<String, BTreeSet<String>>,
    /// Names of sources that are of no task.
    others: BTreeSet<String>,
    /// Whether something that was handed in could not be read.
    pub(super) lacks_some: bool,
    /// One for each task, once they were checked; none without files.
    pub(super) marks: Vec<Mark>,
}

impl Sources {
    pub(super) fn add(&mut self, name: &str, text: &str) {
        let Some((task, language)) = task_of(name) else {
            self.others.insert(shorten(name, 60));
            return;
        };
        let own = self.files.entry(task.file(language)).or_default();
        if !task.starter(language).split_whitespace().eq(text.split_whitespace()) {
            own.insert(text.to_owned());
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.others.is_empty()
    }

    /// The student's own files: their names, and their texts without blanks.
    pub(super) fn own(&self) -> Vec<(String, String)> {
        let own = self.files.iter().flat_map(|(name, texts)| texts.iter().map(move |text| (name, text)));
        own.map(|(name, text)| (name.clone(), text.split_whitespace().collect())).collect()
    }

    /// Gives a mark for each task. The files are written into a folder.
    fn mark(&mut self) -> Result<(), Failure> {
        let folder = tempfile::tempdir().map_err(Failure::could_not)?;
        for (name, text) in self.files.iter().filter_map(|(name, texts)| Some((name, texts.first()?))) {
            common::output::write(&folder.path().join(name), text.as_bytes())?;
        }
        self.marks = TASKS.iter().map(|task| self.mark_of(task, folder.path())).collect();
        Ok(())
    }

    fn mark_of(&self, task: &'static Task, folder: &Path) -> Mark {
        let names = Language::ALL.map(|language| task.file(language));
        let there: Vec<_> = names.iter().filter_map(|name| self.files.get_key_value(name)).collect();
        let shown = there.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        let judgement = match there.iter().max_by_key(|(_, texts)| texts.len()) {
            Some((name, texts)) if texts.len() > 1 => (None, Reason::TwoFiles((*name).clone())),
            Some((_, texts)) if texts.is_empty() => (Some(0.0), Reason::AsHandedOut),
            Some(_) => judged(task, folder),
            None if self.lacks_some => (None, Reason::NotChecked("a file could not be read".to_owned())),
            None if self.others.is_empty() => (Some(0.0), Reason::NoTaskFile(names.join(", "))),
            // Another name may be a mistake.
            None => {
                let others: Vec<&str> = self.others.iter().map(String::as_str).collect();
                (None, Reason::OtherName(shorten(&others.join(", "), 200)))
            }
        };
        Mark::new(task.points.into(), judgement, shown)
    }
}

/// No share of the points if the check itself could not be made.
#[cfg(unix)]
fn judged(task: &'static Task, folder: &Path) -> Judgement {
    let score = exercises::score::score(task, folder, false);
    let found = || shorten(score.found(), 300);
    match &score.checked {
        Ok(passed) => (Some(1.0), Reason::Passed(passed.misses.to_string())),
        Err(wrong) if wrong.reason == exercises::Reason::Check => (None, Reason::NotChecked(found())),
        Err(_) => (Some(0.0), Reason::Open(found())),
    }
}

#[cfg(not(unix))]
fn judged(_: &'static Task, _: &Path) -> Judgement {
    (None, Reason::NotChecked("it needs Linux".to_owned()))
}

/// Gives marks to each submission with files of tasks, several at once.
/// Fails if their files cannot be written.
pub(super) fn mark<'s>(all: impl Iterator<Item = &'s mut Sources>) -> Result<(), Failure> {
    let mut all: Vec<&mut Sources> = all.filter(|sources| !sources.is_empty()).collect();
    let number = std::thread::available_parallelism().map_or(1, usize::from);
    let each = all.len().div_ceil(number).max(1);
    std::thread::scope(|scope| {
        let work = |part: &mut [&mut Sources]| part.iter_mut().try_for_each(|sources| sources.mark());
        let parts = all.chunks_mut(each).map(|part| scope.spawn(move || work(part)));
        let joined = parts.collect::<Vec<_>>().into_iter().map(std::thread::ScopedJoinHandle::join);
        joined
            .into_iter()
            .try_for_each(|done| done.unwrap_or_else(|_| Err(Failure::could_not("a check ended early"))))
    })
}

//! What the files in a folder are worth.

use std::path::{Path, PathBuf};

use common::system::files;
use serde_json::{Value, json};

use crate::check::{Checked, Passed};
use crate::compile::{MAX_SOURCE, compile};
use crate::program::Program;
use crate::task::{Language, TASKS, Task};
use crate::wrong::{Reason, Wrong};

/// Identifies the result as JSON.
const FORMAT: &str = "cache-lab-exercises/2";

/// What a task's file was found to do.
pub struct Score {
    /// The task.
    pub task: &'static Task,
    /// The file that counts; none if nothing was changed.
    pub source: Option<PathBuf>,
    /// Its check.
    pub checked: Checked,
}

impl Score {
    /// Points of the task.
    pub fn points(&self) -> u32 {
        if self.checked.is_ok() { self.task.points } else { 0 }
    }

    /// What is wrong, without the paths of this machine; empty if it passed.
    pub fn found(&self) -> String {
        let Err(wrong) = &self.checked else { return String::new() };
        match wrong.reason {
            Reason::Compile => wrong.found.lines().next().unwrap_or_default().trim_end_matches(':'),
            Reason::Unchanged => "it is as it was handed out, or not there",
            _ => &wrong.found,
        }
        .to_owned()
    }
}

/// Compiles and checks one file.
///
/// # Errors
///
/// What is wrong with it.
pub fn check(task: &Task, language: Language, source: &Path, shows_output: bool) -> Checked {
    let compiled = compile(task, language, source)?;
    let mut program = Program::start(&compiled.program, compiled.seed, shows_output)?;
    (task.check)(&mut program)
}

/// The files of `task` in `folder` that are not as they are handed out.
fn changed(task: &Task, folder: &Path) -> Result<Vec<(Language, PathBuf)>, Wrong> {
    let mut found = Vec::new();
    for language in Language::ALL {
        let path = folder.join(task.file(language));
        let Ok(about) = path.symlink_metadata() else { continue };
        if !about.is_file() {
            return Err(Wrong::of(Reason::Compile, format!("{} is not a file of its own", path.display())));
        }
        let text = files::read_at_most(&path, MAX_SOURCE)
            .map_err(|error| Wrong::of(Reason::Compile, format!("{}: {error}", path.display())))?;
        if text != task.starter(language).as_bytes() {
            found.push((language, path));
        }
    }
    Ok(found)
}

/// Checks a task's changed files; if there are two, the better one counts.
pub fn score(task: &'static Task, folder: &Path, shows_output: bool) -> Score {
    let files = match changed(task, folder) {
        Ok(files) => files,
        Err(wrong) => return Score { task, source: None, checked: Err(wrong) },
    };
    let checked = files.into_iter().map(|(language, path)| {
        let checked = check(task, language, &path, shows_output);
        Score { task, source: Some(path), checked }
    });
    let rank = |score: &Score| score.checked.as_ref().map_or(u64::MAX, |passed| passed.misses);
    checked.min_by_key(rank).unwrap_or_else(|| {
        let found = format!(
            "{} and .c in {} are as they were handed out, or not there",
            task.file(Language::Rust),
            folder.display()
        );
        let hint = "Read the text at the top of the file, and write the function, in Rust or in C.";
        Score { task, source: None, checked: Err(Wrong::of(Reason::Unchanged, found).or_hint(hint)) }
    })
}

/// Checks all tasks.
pub fn score_all(folder: &Path) -> Vec<Score> {
    TASKS.iter().map(|task| score(task, folder, false)).collect()
}

/// The scores as JSON: the same for the same files on every machine.
pub fn to_json(scores: &[Score]) -> Value {
    let task = |score: &Score| {
        let passed: Option<&Passed> = score.checked.as_ref().ok();
        let wrong = score.checked.as_ref().err();
        json!({
            "name": score.task.name,
            "source": score.source.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy()),
            "passed": passed.is_some(),
            "points": score.points(),
            "max_points": score.task.points,
            "misses": passed.map(|passed| passed.misses),
            "accesses": passed.map(|passed| passed.accesses),
            "facts": passed.map(|passed| &passed.facts),
            "reason": wrong.map(|wrong| wrong.reason.to_string()),
            "found": wrong.map(|_| score.found()),
            "hint": wrong.map(|wrong| wrong.hint),
        })
    };
    json!({
        "format": FORMAT,
        "version": common::VERSION,
        "points": scores.iter().map(Score::points).sum::<u32>(),
        "max_points": TASKS.iter().map(|task| task.points).sum::<u32>(),
        "tasks": scores.iter().map(task).collect::<Vec<_>>(),
    })
}

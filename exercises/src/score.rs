//! What the files in a folder are worth.

use std::path::{Path, PathBuf};

use common::record::Row;
use common::system::files;

use crate::program::{MAX_SOURCE, Program, Ran, scratch};
use crate::task::{Language, Limits, TASKS, Task};
use crate::wrong::{Reason, Wrong};

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

    /// What is wrong; empty if it passed.
    pub fn found(&self) -> &str {
        self.checked.as_ref().err().map_or("", |wrong| &wrong.found)
    }
}

/// What a right solution was found to do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passed {
    /// Sentences.
    pub facts: Vec<String>,
    /// The count to beat: misses of the task's regions.
    pub misses: u64,
}

/// The counts of a right solution, or what is wrong with it.
pub type Checked = Result<Passed, Wrong>;

/// Compiles and checks one file.
///
/// # Errors
///
/// What is wrong with it.
pub fn check(task: &Task, language: Language, source: &Path, shows_output: bool) -> Checked {
    let checked = attempt(task, language, source, shows_output);
    let Err(wrong) = &checked else { return checked };
    if !matches!(wrong.reason, Reason::Compile | Reason::Ended) {
        return checked;
    }
    // Where the file as handed out fails in the same way, the cause is the machine, not the student.
    let folder = scratch()?;
    let source = folder.path().join(task.file(language));
    std::fs::write(&source, task.starter(language)).map_err(Wrong::unmade)?;
    match attempt(task, language, &source, false) {
        Err(other) if matches!(other.reason, Reason::Compile | Reason::Ended | Reason::Check) => {
            Err(Wrong::unmade(format!("the file as handed out cannot be checked either: {}", other.found)))
        }
        _ => checked,
    }
}

fn attempt(task: &Task, language: Language, source: &Path, shows_output: bool) -> Checked {
    let program = Program::compile(task, language, source)?;
    let mut passed = Passed::default();
    for case in task.cases {
        let ran = program.run(case, shows_output)?;
        passed.misses += ran.misses;
        passed.facts.extend(ran.found.lines().map(str::to_owned));
        for limits in case.limits {
            limits.judge(&ran, case.cache, &mut passed)?;
        }
    }
    Ok(passed)
}

impl Limits {
    /// Adds the counts of a region; fails if they are outside of the limits.
    fn judge(&self, ran: &Ran, [size, line, ways]: [usize; 3], passed: &mut Passed) -> Result<(), Wrong> {
        // A function with threads of its own runs in the first one.
        let is_own = |row: &&Row| row.text("region") == self.region && row.whole("thread") == Some(0);
        let row = ran.record.rows.iter().find(is_own);
        let count = |name: &str| row.and_then(|row| row.amount(name)).map(|count| count as u64);
        let (Some(row), Some(loads), Some(stores), Some(misses)) =
            (row, count("loads"), count("stores"), count("l1_misses"))
        else {
            return Err(Wrong::unmade(format!("the program's record has no counts of '{}'", self.region)));
        };
        if row.amount("passes") != Some(self.passes as f64) {
            let found = "your function calls PAPI's functions, which belong to the check";
            return Err(Wrong::of(Reason::Ended, found));
        }
        let [accesses_hint, misses_hint] = self.hints;
        let accesses = format!("{loads} loads and {stores} stores");
        if loads < *self.loads.start() || stores < *self.stores.start() {
            return Err(Wrong::new(
                format!(
                    "{accesses}; the work takes at least {} and {}",
                    self.loads.start(),
                    self.stores.start()
                ),
                "Read and write the elements in your function: accesses of the C library (memcpy), of threads and of other processes are not counted.",
            ));
        }
        if !self.loads.contains(&loads) || !self.stores.contains(&stores) {
            let most = format!("at most {} and {} are allowed", self.loads.end(), self.stores.end());
            return Err(Wrong::new(format!("{accesses}; {most}"), accesses_hint));
        }
        let limit = match (*self.misses.start(), *self.misses.end()) {
            (0, u64::MAX) => String::new(),
            (0, most) => format!("; at most {most} are allowed"),
            (least, _) => format!("; at least {least} are needed"),
        };
        let found = format!(
            "{}: {misses} misses in {} accesses{limit} ({} KiB, {ways} ways, lines of {line} bytes)",
            self.region,
            loads + stores,
            size >> 10
        );
        if !self.misses.contains(&misses) {
            return Err(Wrong::new(found, misses_hint));
        }
        passed.misses += misses;
        passed.facts.push(found);
        Ok(())
    }
}

/// The files of `task` in `folder` that are not as they are handed out.
fn changed(task: &Task, folder: &Path) -> Result<Vec<(Language, PathBuf)>, Wrong> {
    let mut found = Vec::new();
    for language in Language::ALL {
        let path = folder.join(task.file(language));
        let Ok(about) = path.symlink_metadata() else { continue };
        if !about.is_file() {
            return Err(Wrong::of(
                Reason::Compile,
                format!("{} is not a file of its own", task.file(language)),
            ));
        }
        let text = files::read_at_most(&path, MAX_SOURCE)
            .map_err(|error| Wrong::of(Reason::Compile, format!("{}: {error}", task.file(language))))?;
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
        let found = format!("{} and .c are as they were handed out, or not there", task.file(Language::Rust));
        let hint = "Read the text at the top of the file, and write the function, in Rust or in C.";
        Score { task, source: None, checked: Err(Wrong::of(Reason::Unchanged, found).or_hint(hint)) }
    })
}

/// Checks all tasks.
pub fn score_all(folder: &Path) -> Vec<Score> {
    TASKS.iter().map(|task| score(task, folder, false)).collect()
}

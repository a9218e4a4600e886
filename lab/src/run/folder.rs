//! The report's folder. A run measures into a temporary folder next to it (`report.tmp`), and
//! renames that when the report is complete. Whatever ends a run, the old report is whole, and
//! the records of the finished experiments are in the temporary folder. The old report is then
//! in `report-before`, in the place of the one before it; a quick run's takes no full one's place.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs::{self, File as Handle};
use std::io;
use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::record::Record;
use common::saved::BYTES;
use common::system::{files, signals};
use common::{authentic, output};
use report::{File, PAGE};
use serde_json::{Value as Json, json};

use super::earlier_answers::run_of;

/// Marks a temporary folder, and says which run it belongs to.
const STATE: &str = "unfinished.json";

/// The report's folder and the temporary one, locked for this run.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) report: PathBuf,
    temporary: PathBuf,
    /// The experiments that an interrupted run with equal settings has finished.
    pub(super) found: Vec<String>,
    /// Counts the steps, if a terminal shows them.
    pub(super) steps: Option<Steps>,
    _lock: Lock,
}

/// The number of the step that runs, of all.
#[derive(Debug)]
pub(super) struct Steps {
    pub(super) done: Cell<usize>,
    pub(super) all: usize,
}

/// A lock file, removed at the end. The lock itself ends with the process.
#[derive(Debug)]
struct Lock(PathBuf, #[expect(dead_code, reason = "open while locked")] Handle);

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

impl Folder {
    /// Makes or finds the temporary folder of a run, which its `settings` identify; people know it
    /// by its `command`. With `afresh`, discards what is in it.
    /// Fails if it cannot be made, another run uses it, or it has the records of a run with other
    /// settings.
    pub(super) fn open(path: &Path, command: &str, settings: &str, afresh: bool) -> Result<Folder, Failure> {
        let refused = |error: &dyn std::fmt::Display| cannot_write(path, error);
        if path.exists() && !path.is_dir() {
            return Err(refused(&"it is a file"));
        }
        let current = std::env::current_dir().and_then(|current| current.canonicalize());
        if current.is_ok_and(|now| path.canonicalize().is_ok_and(|report| now.starts_with(report))) {
            return Err(refused(&"this command runs inside of it; change to its parent folder"));
        }
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            fs::create_dir_all(parent).map_err(|error| refused(&error))?;
        }
        let report = path.to_owned();
        let [temporary, lock] = [sibling(&report, "", ".tmp"), sibling(&report, ".", ".lock")];
        let locked = files::lock(&lock).map_err(|error| {
            let _ = fs::remove_file(&lock);
            refused(&error)
        })?;
        let locked =
            locked.ok_or_else(|| refused(&"another lab run is measuring into it; wait until it ends"))?;
        let mut folder =
            Folder { report, temporary, found: Vec::new(), steps: None, _lock: Lock(lock, locked) };
        if folder.temporary.join(PAGE).exists() && !folder.temporary.join(STATE).exists() {
            // A kill has interrupted `replace`.
            folder.swap().map_err(|error| refused(&error))?;
        }
        let before = folder.before();
        if before.symlink_metadata().is_ok() && !is_replaceable(&before) {
            let name = before.display();
            return Err(refused(&format!(
                "the present report gets the name '{name}', which has files that are not from lab run; rename it"
            )));
        }
        folder.begin(command, settings, afresh)?;
        Ok(folder)
    }

    /// Reuses the temporary folder, or makes a new one.
    fn begin(&mut self, command: &str, settings: &str, afresh: bool) -> Result<(), Failure> {
        let text = fs::read(self.temporary.join(STATE));
        let stored = text.as_ref().ok().and_then(|text| serde_json::from_slice::<Json>(text).ok());
        let found = self.stored_names();
        let shown = self.temporary.display();
        match stored {
            Some(stored) if !afresh && !found.is_empty() => {
                if stored["settings"] != *settings {
                    return Err(Failure::could_not(format!(
                        "'{shown}' has the records of an interrupted run with other settings (`{}`); repeat that \
                         command to continue it, or discard it with --afresh",
                        stored["command"].as_str().unwrap_or_default()
                    )));
                }
                self.found = found;
                return Ok(());
            }
            None if text.is_err()
                && fs::read_dir(&self.temporary).is_ok_and(|mut all| all.next().is_some()) =>
            {
                return Err(Failure::could_not(format!(
                    "lab run needs the name '{shown}', and that folder is not from lab run; rename it, or choose \
                     another folder with --output"
                )));
            }
            _ => {}
        }
        let text = json!({ "command": command, "settings": settings }).to_string();
        let _ = fs::remove_dir_all(&self.temporary);
        let made = fs::create_dir(&self.temporary)
            .and_then(|()| fs::write(self.temporary.join(STATE), text))
            .and_then(|()| fs::create_dir(self.temporary.join("records")));
        made.map_err(|error| {
            let _ = fs::remove_dir_all(&self.temporary);
            cannot_write(&self.report, &error)
        })
    }

    /// A file of the temporary folder.
    pub(super) fn temporary(&self, name: &str) -> PathBuf {
        self.temporary.join(name)
    }

    /// The experiments whose records are stored.
    pub(super) fn stored_names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.temporary.join("records")).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> =
            names.filter_map(|name| Some(name.strip_suffix(".json")?.to_owned())).collect();
        names.sort();
        names
    }

    /// The record stored under `name`, if it can be read and its seal is valid; otherwise calls
    /// `measure` and stores its record.
    pub(super) fn record(
        &self,
        name: &str,
        measure: impl FnOnce() -> Result<Record, Failure>,
    ) -> Result<Record, Failure> {
        if let Some(Steps { done, all }) = &self.steps {
            done.set(done.get() + 1);
            output::message(format!("{}/{all} {name}", done.get()));
        }
        let path = self.temporary.join("records").join(format!("{name}.json"));
        let bytes = files::read_at_most(&path, BYTES).unwrap_or_default();
        if let Some(stored) = str::from_utf8(&bytes).ok().and_then(|text| authentic::read(text).ok()) {
            return Ok(stored);
        }
        let record = measure()?;
        output::save(&record, &path)?;
        self.announce_end();
        Ok(record)
    }

    /// From now on Ctrl-C says what is stored, and how to go on.
    pub(super) fn announce_end(&self) {
        let stored = match self.stored_names() {
            names if names.is_empty() => "nothing is stored yet".to_owned(),
            names => format!("stored: {}; the same command goes on from there", names.join(", ")),
        };
        signals::say_at_end(format!("\nlab run: ended early; {stored}\n"));
    }

    /// Removes the temporary folder if nothing was measured.
    pub(super) fn tidy(&self) {
        if self.stored_names().is_empty() {
            let _ = fs::remove_dir_all(&self.temporary);
        }
    }

    /// Makes the report of `files`, with the files that the user has put into the old one.
    /// Returns the new name of the old one, if there is one.
    pub(super) fn complete(&self, files: &[File]) -> Result<Option<PathBuf>, Failure> {
        let replaced = self.stage(files).and_then(|()| self.replace());
        replaced.map_err(|error| cannot_write(&self.report, &error))
    }

    fn stage(&self, files: &[File]) -> io::Result<()> {
        for entry in fs::read_dir(self.temporary.join("records"))? {
            // What a kill has left of a file that was being written.
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == "part") {
                fs::remove_file(path)?;
            }
        }
        for (name, bytes) in files {
            let path = self.temporary.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&path))?;
            fs::write(path, bytes)?;
        }
        for entry in fs::read_dir(&self.report).into_iter().flatten() {
            let path = entry?.path();
            let copy = self.temporary.join(path.file_name().unwrap_or_default());
            // Answers, and the user's notes; copied anew if an interrupted run has copied them.
            if path.is_file() && files.iter().all(|(name, _)| self.temporary.join(name) != copy) {
                fs::copy(&path, &copy)?;
            }
        }
        Ok(())
    }

    /// Puts the temporary folder in the place of the report. If this is interrupted between the two
    /// renames, the next run completes it.
    fn replace(&self) -> io::Result<Option<PathBuf>> {
        let state = fs::read(self.temporary.join(STATE))?;
        fs::remove_file(self.temporary.join(STATE))?;
        let had_report = self.report.exists();
        self.swap().inspect_err(|_| _ = fs::write(self.temporary.join(STATE), state))?;
        Ok(had_report.then(|| self.before()))
    }

    /// The report becomes the earlier one, which is removed, and the temporary folder the report. Of a
    /// quick run's report and an earlier full one, the full one stays.
    fn swap(&self) -> io::Result<()> {
        let before = self.before();
        let is_quick = |folder: &Path| run_of(folder).is_some_and(|run| run.quick);
        if self.report.exists() {
            let is_lesser = is_quick(&self.report) && is_replaceable(&self.report);
            if before.exists() && is_lesser && !is_quick(&before) {
                fs::remove_dir_all(&self.report)?;
            } else {
                if before.exists() {
                    fs::remove_dir_all(&before)?;
                }
                fs::rename(&self.report, &before)?;
            }
        }
        fs::rename(&self.temporary, &self.report)
    }

    /// The place of the earlier report.
    fn before(&self) -> PathBuf {
        sibling(&self.report, "", "-before")
    }
}

/// Whether a folder is an earlier report without folders of the user, whose files the report has
/// too.
fn is_replaceable(folder: &Path) -> bool {
    let is_own = |path: PathBuf| !path.is_dir() || path.ends_with("records") || path.ends_with("pictures");
    let mut paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    folder.join(PAGE).is_file() && paths.all(is_own)
}

/// The name of `path`, between `before` and `after`.
fn sibling(path: &Path, before: &str, after: &str) -> PathBuf {
    let mut name = OsString::from(before);
    name.push(path.file_name().unwrap_or_default());
    name.push(after);
    path.with_file_name(name)
}

fn cannot_write(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::could_not(format!(
        "cannot write the report into '{}': {error}; choose another folder with --output",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(text: &str) -> Vec<File> {
        [PAGE, "records/a.json"].map(|name| (name.to_owned(), text.as_bytes().to_vec())).to_vec()
    }

    fn open(path: &Path, settings: &str, afresh: bool) -> Result<Folder, Failure> {
        Folder::open(path, &format!("lab run {settings}"), settings, afresh)
    }

    #[test]
    fn one_earlier_report_is_kept_and_the_users_files_are_copied() {
        let place = tempfile::tempdir().unwrap();
        let at = place.path().join("r");
        let read = |name: &str| fs::read_to_string(place.path().join(name)).unwrap();
        open(&at, "", false).unwrap().complete(&report("old")).unwrap();
        fs::write(at.join("answers.json"), "mine").unwrap();
        let run = open(&at, "", false).unwrap();
        assert!(open(&at, "", false).unwrap_err().to_string().contains("another lab run"));
        run.complete(&report("new")).unwrap();
        drop(run);
        for (name, text) in [("r", "new"), ("r-before", "old")] {
            let texts = [PAGE, "records/a.json", "answers.json"].map(|file| read(&format!("{name}/{file}")));
            assert_eq!(texts, [text, text, "mine"]);
            assert_eq!(fs::read_dir(place.path().join(name)).unwrap().count(), 3);
        }
        open(&at, "", false).unwrap().complete(&report("newer")).unwrap();
        assert_eq!((read("r/report.html"), read("r-before/report.html")), ("newer".into(), "new".into()));
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2);
        fs::create_dir(place.path().join("r-before/photos")).unwrap();
        assert!(open(&at, "", false).unwrap_err().to_string().contains("r-before"));
    }

    #[test]
    fn quick_runs_leave_the_report_of_a_full_one() {
        let place = tempfile::tempdir().unwrap();
        let at = place.path().join("r");
        let run = |number: u32, quick: bool| {
            let run = format!(r#"{{"report":"","measured":"{number}","quick":{quick}}}"#);
            let page = format!("<script type=\"application/json\" id=\"run\">{run}</script>");
            open(&at, "", false).unwrap().complete(&report(&page)).unwrap();
            run_of(&place.path().join("r-before")).map(|run| run.measured)
        };
        let before = [false, true, true, false, true, false, false].into_iter().zip(1..);
        let earlier: Vec<_> = before.map(|(quick, number)| run(number, quick)).collect();
        assert_eq!(
            earlier,
            [None, Some("1"), Some("1"), Some("1"), Some("4"), Some("4"), Some("6")]
                .map(|run| run.map(str::to_owned))
        );
    }

    #[test]
    fn damaged_records_are_measured_again_and_a_folder_of_another_kind_is_left_alone() {
        let place = tempfile::tempdir().unwrap();
        let [at, temporary] = ["r", "r.tmp"].map(|name| place.path().join(name));
        let record = |machine: &str| Ok(Record::new("spark", machine));
        open(&at, "a", false).unwrap().record("spark", || record("one")).unwrap();
        let second = open(&at, "a", false).unwrap();
        assert_eq!(second.record("spark", || record("two")).unwrap().machine, "one");
        fs::write(second.temporary("records/spark.json"), "{\"half").unwrap();
        assert_eq!(second.record("spark", || record("two")).unwrap().machine, "two");
        drop(second);
        let third = open(&at, "a", true).unwrap();
        assert!(third.found.is_empty());
        third.tidy();
        drop(third);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
        fs::create_dir(&temporary).unwrap();
        fs::write(temporary.join("mine"), "").unwrap();
        assert!(open(&at, "a", true).unwrap_err().to_string().contains("r.tmp"));
    }

    /// What a kill between two steps of `replace` leaves: no report, and a complete one that has
    /// the temporary name.
    #[test]
    fn an_interrupted_replacement_is_finished_by_the_next_run() {
        let place = tempfile::tempdir().unwrap();
        let [at, temporary, old] = ["r", "r.tmp", "r-before"].map(|name| place.path().join(name));
        open(&at, "", false).unwrap().complete(&report("one")).unwrap();
        fs::rename(&at, &temporary).unwrap();
        open(&at, "", false).unwrap().complete(&report("two")).unwrap();
        assert_eq!(fs::read_dir(&place).unwrap().count(), 2);
        assert_eq!(fs::read(at.join(PAGE)).unwrap(), b"two");
        assert_eq!(fs::read(old.join(PAGE)).unwrap(), b"one");
    }
}

//! The report's folder. A run measures into a temporary folder next to it (`report.tmp`), and
//! renames that when the report is complete: whatever ends a run, the old report is whole. The old
//! report then has the time of its run in its name. A quick run's report takes no full one's place.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs::{self, File as Handle};
use std::io;
use std::path::{Path, PathBuf};

use common::encoding;
use common::failure::Failure;
use common::output;
use common::record::Record;
use common::saved::BYTES;
use common::system::date::unlike_any_other;
use common::system::{date, files};
use report::{File, PAGE, Run};

/// Locked while a run measures into the temporary folder, which it marks.
const LOCK: &str = "lock";

/// The report's folder and the temporary one, locked for this run.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) report: PathBuf,
    temporary: PathBuf,
    /// Counts the steps, if a terminal shows them.
    pub(super) steps: Option<Steps>,
    /// Open while locked.
    lock: Option<Handle>,
}

/// The number of the step that runs, of all.
#[derive(Debug)]
pub(super) struct Steps {
    pub(super) done: Cell<usize>,
    pub(super) all: usize,
}

impl Drop for Folder {
    /// Removes the temporary folder if nothing was measured.
    fn drop(&mut self) {
        if self.lock.take().is_some() && !has_entries(&self.temporary.join("records")) {
            let _ = fs::remove_dir_all(&self.temporary);
        }
    }
}

impl Folder {
    /// Makes the temporary folder of a run, without what an interrupted run has left in it.
    /// Fails if it cannot be made, another run uses it, or a quick run would replace a full one's report.
    pub(super) fn open(path: &Path, is_quick: bool) -> Result<Folder, Failure> {
        let refused = |error: &dyn std::fmt::Display| cannot_write(path, error);
        if path.exists() && !path.is_dir() {
            return Err(refused(&"it is a file"));
        }
        let current = std::env::current_dir().and_then(|current| current.canonicalize());
        if current.is_ok_and(|now| path.canonicalize().is_ok_and(|report| now.starts_with(report))) {
            return Err(refused(&"this command runs inside of it; change to its parent folder"));
        }
        if is_quick && run_of(path).is_some_and(|run| !run.quick) {
            return Err(refused(&"it has the report of a full run, and --quick makes a smaller one"));
        }
        let temporary = sibling(path, ".tmp");
        if has_entries(&temporary) && !temporary.join(LOCK).exists() {
            return Err(Failure::could_not(format!(
                "lab run needs the name '{}', and that folder is not from lab run; rename it, or choose another \
                 folder with --output",
                temporary.display()
            )));
        }
        let locked = fs::create_dir_all(&temporary).and_then(|()| files::lock(&temporary.join(LOCK)));
        let lock = locked
            .map_err(|error| refused(&error))?
            .ok_or_else(|| refused(&"another lab run is measuring into it; wait until it ends"))?;
        let folder = Folder { report: path.to_owned(), temporary, steps: None, lock: Some(lock) };
        folder.empty().map_err(|error| refused(&error))?;
        Ok(folder)
    }

    /// Removes what an interrupted run has left. Of a run that was killed between the two renames the
    /// report is complete, and gets its name.
    fn empty(&self) -> io::Result<()> {
        if self.temporary.join(PAGE).exists() && !self.report.exists() {
            fs::create_dir(&self.report)?;
            for entry in fs::read_dir(&self.temporary)? {
                let entry = entry?;
                if entry.file_name() != LOCK {
                    fs::rename(entry.path(), self.report.join(entry.file_name()))?;
                }
            }
        }
        for entry in fs::read_dir(&self.temporary)? {
            let path = entry?.path();
            if path.is_dir() {
                fs::remove_dir_all(path)?;
            } else if !path.ends_with(LOCK) {
                fs::remove_file(path)?;
            }
        }
        fs::create_dir(self.temporary.join("records"))
    }

    /// A file of the temporary folder.
    pub(super) fn temporary(&self, name: &str) -> PathBuf {
        self.temporary.join(name)
    }

    /// Measures, and stores the record under `name`.
    pub(super) fn record(
        &self,
        name: &str,
        measure: impl FnOnce() -> Result<Record, Failure>,
    ) -> Result<Record, Failure> {
        if let Some(Steps { done, all }) = &self.steps {
            done.set(done.get() + 1);
            output::message(format!("{}/{all} {name}", done.get()));
        }
        let record = measure()?;
        output::save(&record, &self.temporary.join("records").join(format!("{name}.json")))?;
        Ok(record)
    }

    /// Makes the report of `files`, with the files that the user has put into the old one.
    /// Returns the new name of the old one, if there is one.
    pub(super) fn complete(mut self, files: &[File]) -> Result<Option<PathBuf>, Failure> {
        let replaced = self.stage(files).and_then(|()| self.replace());
        replaced.map_err(|error| cannot_write(&self.report, &error))
    }

    fn stage(&self, files: &[File]) -> io::Result<()> {
        for entry in fs::read_dir(&self.report).into_iter().flatten() {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default();
            // Answers, and the user's notes.
            if path.is_file() && name != LOCK && files.iter().all(|(own, _)| Path::new(own) != name) {
                fs::copy(&path, self.temporary.join(name))?;
            }
        }
        for (name, bytes) in files {
            let path = self.temporary.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&path))?;
            files::write_atomically(&path, bytes).map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// Puts the temporary folder in the place of the report.
    fn replace(&mut self) -> io::Result<Option<PathBuf>> {
        let old = self.report.exists().then(|| self.earlier());
        if let Some(old) = &old {
            fs::rename(&self.report, old)?;
        }
        // Windows renames no folder with an open file.
        self.lock = None;
        fs::rename(&self.temporary, &self.report)?;
        fs::remove_file(self.report.join(LOCK))?;
        Ok(old)
    }

    /// The report's name for browsers, under which they store its answers: that of the page in its place, or a new one.
    pub(super) fn name_of_report(&self) -> String {
        let known = run_of(&self.report).map(|run| run.report).filter(|report| !report.is_empty());
        known.unwrap_or_else(|| format!("{:016x}", unlike_any_other()))
    }

    /// A free name for the present report, with the time of its run.
    fn earlier(&self) -> PathBuf {
        let measured = run_of(&self.report).map(|run| run.measured).filter(|time| !time.is_empty());
        let mut name = format!("-{}", measured.unwrap_or_else(date::now));
        name.retain(|c| c.is_ascii_alphanumeric() || c == '-');
        while sibling(&self.report, &name).symlink_metadata().is_ok() {
            name += "-again";
        }
        sibling(&self.report, &name)
    }
}

/// Whether a folder is there and not empty.
pub(super) fn has_entries(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

/// The name of `path`, with `after` behind it.
fn sibling(path: &Path, after: &str) -> PathBuf {
    let mut name = OsString::from(path.file_name().unwrap_or_default());
    name.push(after);
    path.with_file_name(name)
}

fn cannot_write(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::could_not(format!(
        "cannot write the report into '{}': {error}; choose another folder with --output",
        path.display()
    ))
}

/// The run whose report is in `folder`.
fn run_of(folder: &Path) -> Option<Run> {
    let page = files::read_at_most(&folder.join(PAGE), BYTES).ok()?;
    Run::of_page(&encoding::decode(&page).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(text: &str) -> Vec<File> {
        [PAGE, "records/a.json"].map(|name| (name.to_owned(), text.as_bytes().to_vec())).to_vec()
    }

    fn page(number: u32, is_quick: bool) -> String {
        let run = format!(r#"{{"report":"{number}","measured":"{number}","quick":{is_quick}}}"#);
        format!("<script type=\"application/json\" id=\"run\">{run}</script>")
    }

    #[test]
    fn every_earlier_report_stays_and_the_users_files_are_copied() {
        let place = tempfile::tempdir().unwrap();
        let at = place.path().join("r");
        let read = |name: &str| fs::read_to_string(place.path().join(name)).unwrap();
        let run =
            |number: u32| Folder::open(&at, false).unwrap().complete(&report(&page(number, false))).unwrap();
        assert_eq!(run(1), None);
        fs::write(at.join("answers.json"), "mine").unwrap();
        let now = Folder::open(&at, false).unwrap();
        assert_eq!(now.name_of_report(), "1");
        assert!(Folder::open(&at, false).unwrap_err().to_string().contains("another lab run"));
        now.complete(&report(&page(1, true))).unwrap();
        run(3);
        for (name, text) in [("r-1", page(1, false)), ("r-1-again", page(1, true)), ("r", page(3, false))] {
            let texts = [PAGE, "records/a.json", "answers.json"].map(|file| read(&format!("{name}/{file}")));
            assert_eq!(texts, [text.clone(), text, "mine".to_owned()]);
            assert_eq!(fs::read_dir(place.path().join(name)).unwrap().count(), 3);
        }
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 3);
    }

    #[test]
    fn a_quick_run_replaces_no_full_one() {
        let place = tempfile::tempdir().unwrap();
        let at = place.path().join("r");
        for (number, is_quick) in [(1, true), (2, true), (3, false), (4, false)] {
            Folder::open(&at, is_quick).unwrap().complete(&report(&page(number, is_quick))).unwrap();
        }
        assert!(Folder::open(&at, true).unwrap_err().to_string().contains("the report of a full run"));
        assert_eq!(fs::read_to_string(at.join(PAGE)).unwrap(), page(4, false));
    }

    #[test]
    fn what_an_interrupted_run_left_is_removed_and_a_folder_of_another_kind_is_not() {
        let place = tempfile::tempdir().unwrap();
        let [at, temporary] = ["r", "r.tmp"].map(|name| place.path().join(name));
        let first = Folder::open(&at, false).unwrap();
        assert_ne!(first.name_of_report(), first.name_of_report(), "a new report has a new name");
        first.record("spark", || Ok(Record::new("spark", "one"))).unwrap();
        drop(first);
        assert!(temporary.join("records/spark.json").exists());
        drop(Folder::open(&at, false).unwrap());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
        fs::create_dir(&temporary).unwrap();
        fs::write(temporary.join("mine"), "").unwrap();
        assert!(Folder::open(&at, false).unwrap_err().to_string().contains("r.tmp"));
    }

    /// What a kill between the two renames of `replace` leaves: no report, and a complete one that has
    /// the temporary name.
    #[test]
    fn an_interrupted_replacement_is_finished_by_the_next_run() {
        let place = tempfile::tempdir().unwrap();
        let [at, temporary] = ["r", "r.tmp"].map(|name| place.path().join(name));
        Folder::open(&at, false).unwrap().complete(&report(&page(1, false))).unwrap();
        fs::rename(&at, &temporary).unwrap();
        fs::write(temporary.join(LOCK), "").unwrap();
        Folder::open(&at, false).unwrap().complete(&report("two")).unwrap();
        assert_eq!(fs::read_dir(&place).unwrap().count(), 2);
        assert_eq!(fs::read(at.join(PAGE)).unwrap(), b"two");
        assert_eq!(fs::read(place.path().join("r-1").join(PAGE)).unwrap(), page(1, false).as_bytes());
    }
}

//! The report's folder. A new report is written in full to a temporary folder and then
//! replaces the old one in one step, so a reader never sees a mixture of both. Other files
//! in the folder stay, and so does a copy of the old page.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::output;
use common::system::files;
use report::{File, PAGE};

use super::turn::Turn;
use super::unfinished;

/// The list of a report's files: those that the next report does not have are removed with
/// the old one.
const LIST: &str = "records/files.txt";

/// The report's folder, while a run writes into it.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    path: PathBuf,
    /// Whether this run made it.
    made: bool,
    /// Must be taken before anything is written or removed.
    pub(crate) turn: Turn,
}

impl Folder {
    /// Makes the folder, if there is none.
    pub(crate) fn make(path: &Path) -> Result<Folder, Failure> {
        let folder = Folder { path: path.to_owned(), made: !path.exists(), turn: Turn::default() };
        fs::create_dir_all(path).map_err(|error| folder.refused(&error))?;
        Ok(folder)
    }

    /// The path of the folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The report's page.
    pub(crate) fn page(&self) -> PathBuf {
        self.path.join(PAGE)
    }

    /// The experiments that an unfinished run has left.
    pub(crate) fn stored(&self) -> Vec<String> {
        unfinished::names(&self.unfinished())
    }

    /// Removes what is of no use: an unfinished report, and if nothing was measured,
    /// everything of this run.
    pub(crate) fn tidy(&self) {
        let _ = fs::remove_dir_all(self.next());
        if self.stored().is_empty() {
            let _ = fs::remove_dir_all(self.unfinished());
            self.unmake();
        }
    }

    /// Removes the folder if this run made it and it is empty.
    pub(crate) fn unmake(&self) {
        if self.made {
            let _ = fs::remove_dir(&self.path);
        }
    }

    /// Replaces the report by `files`: all of them, or none. That finishes the run.
    pub(crate) fn fill(&self, files: &[File]) -> Result<(), Failure> {
        let mut replaced = self.turn.take();
        let filled = self.free_for(files).and_then(|()| self.stage(files)).and_then(|()| self.replace(files));
        *replaced = filled.is_ok();
        if filled.is_err() {
            let _ = fs::remove_dir_all(self.next());
        }
        filled.map_err(|error| self.refused(&error))
    }

    /// Checks that no folder or file is in the way of a file.
    fn free_for(&self, files: &[File]) -> io::Result<()> {
        for path in files.iter().map(|(name, _)| self.path.join(name)) {
            let folder = path.parent().unwrap_or(&path);
            let taken =
                if path.is_dir() { Some(&*path) } else { Some(folder).filter(|f| f.exists() && !f.is_dir()) };
            if let Some(taken) = taken {
                let what = if path.is_dir() { "folder" } else { "file" };
                return Err(io::Error::other(format!("a {what} has the name '{}'", taken.display())));
            }
        }
        Ok(())
    }

    /// Writes all files to the temporary folder.
    fn stage(&self, files: &[File]) -> io::Result<()> {
        let _ = fs::remove_dir_all(self.next());
        let list: String = files.iter().map(|(name, _)| format!("{name}\n")).collect();
        let list = (LIST.to_owned(), list.into_bytes());
        for (name, bytes) in files.iter().chain([&list]) {
            let path = self.next().join(name);
            fs::create_dir_all(path.parent().unwrap_or(&path))?;
            fs::write(path, bytes)?;
        }
        Ok(())
    }

    /// Exchanges the two folders; where the system cannot do that, moves file by file.
    fn replace(&self, files: &[File]) -> io::Result<()> {
        if self.exchange().is_ok() {
            return Ok(());
        }
        if let Some(page) = self.earlier() {
            let place = self.path.join(page);
            fs::create_dir_all(place.parent().unwrap_or(&place))?;
            fs::copy(self.page(), place)?;
        }
        let old = self.listed();
        // The page last: until then the old one stays.
        let (page, others): (Vec<_>, Vec<_>) =
            files.iter().map(|(name, _)| &**name).partition(|name| *name == PAGE);
        for name in others.into_iter().chain([LIST]).chain(page) {
            let path = self.path.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&path))?;
            fs::rename(self.next().join(name), path)?;
        }
        for gone in old.iter().filter(|old| files.iter().all(|(name, _)| name != *old)) {
            let _ = fs::remove_file(self.path.join(gone));
        }
        unfinished::forget(&self.unfinished())
    }

    /// Replaces the report's folder by the temporary one in one step.
    fn exchange(&self) -> io::Result<()> {
        let here = self.path.canonicalize()?;
        let (Some(parent), Some(name)) = (here.parent(), here.file_name()) else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        if std::env::current_dir()?.canonicalize()?.starts_with(&here) {
            // A shell in the folder would then be in the old one.
            return Err(io::ErrorKind::Unsupported.into());
        }
        let next = self.next();
        fs::set_permissions(&next, fs::metadata(&here)?.permissions())?;
        let left_out = self.left_out();
        carry(&here, &next, &left_out)?;
        if let Some(page) = self.earlier() {
            let place = next.join(page);
            fs::create_dir_all(place.parent().unwrap_or(&place))?;
            fs::hard_link(self.page(), place)?;
        }
        let beside = parent.join(format!(".{}.being-replaced", name.to_string_lossy()));
        // Left by a run that was killed between two of the steps below.
        let _ = fs::remove_dir_all(&beside);
        fs::rename(&next, &beside)?;
        if let Err(error) = files::exchange(&beside, &here) {
            fs::rename(&beside, &next)?;
            return Err(error);
        }
        // Files that were added to the folder in the meantime.
        let _ = carry(&beside, &here, &left_out);
        let _ = fs::remove_dir_all(&beside);
        Ok(())
    }

    /// What is not carried over into the next report: the data of this run, and the files
    /// of the old report.
    fn left_out(&self) -> Vec<PathBuf> {
        let own = [unfinished::NAME, LIST, PAGE].map(PathBuf::from);
        self.listed().into_iter().map(PathBuf::from).chain(own).collect()
    }

    /// The files of the old report.
    fn listed(&self) -> Vec<String> {
        let list = fs::read_to_string(self.path.join(LIST)).unwrap_or_default();
        list.lines()
            .filter(|name| !name.contains("..") && !name.starts_with('/'))
            .map(str::to_owned)
            .collect()
    }

    /// The new name of the old page, if there is one: a student may have typed into it.
    fn earlier(&self) -> Option<String> {
        output::earlier(&self.path, PAGE).filter(|_| self.page().exists())
    }

    fn unfinished(&self) -> PathBuf {
        self.path.join(unfinished::NAME)
    }

    fn next(&self) -> PathBuf {
        self.unfinished().join("next")
    }

    fn refused(&self, error: &io::Error) -> Failure {
        let path = self.path.display();
        Failure::could_not(format!(
            "cannot write the report into '{path}': {error}; choose another folder with --output"
        ))
    }
}

/// Hard-links the files in `from` to `to`, except those in `left_out` and those that `to`
/// has already.
fn carry(from: &Path, to: &Path, left_out: &[PathBuf]) -> io::Result<()> {
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(from.join(&folder))? {
            let entry = entry?;
            let name = folder.join(entry.file_name());
            let new = to.join(&name);
            if left_out.contains(&name) {
                continue;
            }
            if entry.file_type()?.is_dir() {
                if !new.exists() {
                    fs::create_dir(&new)?;
                    fs::set_permissions(&new, entry.metadata()?.permissions())?;
                }
                open.push(name);
            } else if !new.exists() {
                fs::hard_link(entry.path(), &new)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(text: &str, more: &[&str]) -> Vec<File> {
        let names = [PAGE, "records/a.json", "summary.tsv"].into_iter().chain(more.iter().copied());
        names.map(|name| (name.to_owned(), text.as_bytes().to_vec())).collect()
    }

    fn begin(path: &Path) -> (Folder, unfinished::Unfinished) {
        let folder = Folder::make(path).unwrap();
        let turn = folder.turn.clone();
        (folder, unfinished::Unfinished::take(path, turn).unwrap())
    }

    fn tree(path: &Path) -> Vec<String> {
        let mut all = Vec::new();
        let mut open = vec![path.to_owned()];
        while let Some(folder) = open.pop() {
            for path_of in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path_of.is_dir() {
                    open.push(path_of);
                } else {
                    all.push(path_of.strip_prefix(path).unwrap().to_string_lossy().into_owned());
                }
            }
        }
        all.sort();
        all
    }

    #[test]
    fn a_report_is_replaced_whole_and_nothing_else_is_touched() {
        let place = tempfile::tempdir().unwrap();
        let at = place.path().join("r");
        begin(&at).0.fill(&report("old", &["records/sometimes.csv"])).unwrap();
        fs::write(at.join("answers.json"), "mine").unwrap();
        fs::write(at.join("records/own.txt"), "mine").unwrap();
        begin(&at).0.fill(&report("new", &[])).unwrap();
        let names = [
            "answers.json",
            "earlier/report-1.html",
            "records/a.json",
            LIST,
            "records/own.txt",
            PAGE,
            "summary.tsv",
        ];
        assert_eq!(tree(&at), names);
        let read = |name: &str| fs::read_to_string(at.join(name)).unwrap();
        assert_eq!(["answers.json", "records/own.txt"].map(read), ["mine"; 2]);
        assert_eq!([PAGE, "records/a.json", "summary.tsv"].map(read), ["new"; 3]);
        assert_eq!(read("earlier/report-1.html"), "old");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "nothing but the folder");
    }

    #[test]
    fn what_cannot_be_written_leaves_the_old_report() {
        for (taken, folder_there) in [("summary.tsv", true), ("records", false)] {
            let place = tempfile::tempdir().unwrap();
            let at = place.path().join("r");
            begin(&at).0.fill(&[(PAGE.into(), b"old".to_vec())]).unwrap();
            if folder_there {
                fs::create_dir(at.join(taken)).unwrap();
            } else {
                fs::remove_dir_all(at.join(taken)).unwrap();
                fs::write(at.join(taken), "").unwrap();
            }
            let (folder, _lock) = begin(&at);
            let refused = folder.fill(&report("new", &[])).unwrap_err().to_string();
            assert!(refused.contains(taken), "{refused}");
            assert_eq!(fs::read(folder.page()).unwrap(), b"old");
            folder.tidy();
            assert!(!at.join(unfinished::NAME).exists());
        }
    }

    #[test]
    fn what_is_tidied_away_while_a_run_writes_stays_away() {
        for _ in 0..50 {
            let place = tempfile::tempdir().unwrap();
            let (folder, unfinished) = begin(&place.path().join("new"));
            let (writes, written) = std::sync::mpsc::channel();
            let run = std::thread::spawn(move || {
                while unfinished.draw("spark", &Default::default()).is_some() {
                    let _ = writes.send(());
                }
            });
            written.recv().unwrap();
            let turn = folder.turn.take();
            folder.tidy();
            assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
            drop(turn);
            run.join().unwrap();
        }
    }

    #[test]
    fn a_run_that_measured_nothing_leaves_no_trace() {
        let place = tempfile::tempdir().unwrap();
        let (folder, _lock) = begin(&place.path().join("new"));
        folder.tidy();
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
        fs::write(place.path().join("file"), "").unwrap();
        let nested = Folder::make(&place.path().join("file/r")).unwrap_err();
        assert!(nested.to_string().contains("file/r"), "{nested}");
    }
}

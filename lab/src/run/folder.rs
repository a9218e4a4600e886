//! The report's folder. Everything is written beside first and renamed in one
//! go, the page last: an earlier report is never half replaced.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use common::failure::Failure;
use report::{File, PAGE};

/// A folder that can be written to.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes the folder and tries it out, before minutes are spent measuring.
    pub(crate) fn prepare(path: &Path) -> Result<Folder, Failure> {
        let folder = Folder { path: path.to_owned() };
        fs::create_dir_all(path)
            .and_then(|()| fs::create_dir_all(folder.beside()))
            .and_then(|()| fs::write(folder.beside().join(PAGE), b""))
            .and_then(|()| fs::remove_dir_all(folder.beside()))
            .map_err(|error| folder.refused(&error))?;
        Ok(folder)
    }

    /// The report's page.
    pub(crate) fn page(&self) -> PathBuf {
        self.path.join(PAGE)
    }

    /// Writes all `files`, or none.
    pub(crate) fn fill(&self, files: &[File]) -> Result<(), Failure> {
        let written = self.stage(files).and_then(|()| self.move_in(files));
        // What could not be moved is of no use any more.
        let _ = fs::remove_dir_all(self.beside());
        written.map_err(|error| self.refused(&error))
    }

    fn stage(&self, files: &[File]) -> io::Result<()> {
        for (name, bytes) in files {
            let path = self.beside().join(name);
            fs::create_dir_all(path.parent().unwrap_or(&path))?;
            fs::write(path, bytes)?;
        }
        Ok(())
    }

    fn move_in(&self, files: &[File]) -> io::Result<()> {
        let (page, others): (Vec<_>, Vec<_>) = files.iter().partition(|(name, _)| name == PAGE);
        for (name, _) in others.into_iter().chain(page) {
            let path = self.path.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&path))?;
            fs::rename(self.beside().join(name), path)?;
        }
        Ok(())
    }

    fn beside(&self) -> PathBuf {
        self.path.join(format!(".being-written-{}", std::process::id()))
    }

    fn refused(&self, error: &io::Error) -> Failure {
        let path = self.path.display();
        Failure::could_not(format!(
            "cannot write the report into '{path}': {error}; choose another folder with --out"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_replaced_whole_and_nothing_else_is_touched() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::prepare(&place.path().join("r")).unwrap();
        folder.fill(&[(PAGE.into(), b"old".to_vec())]).unwrap();
        fs::write(place.path().join("r/own.txt"), "mine").unwrap();
        folder.fill(&[(PAGE.into(), b"new".to_vec()), ("records/a.json".into(), b"{}".to_vec())]).unwrap();
        assert_eq!(fs::read(folder.page()).unwrap(), b"new");
        assert_eq!(fs::read_dir(place.path().join("r")).unwrap().count(), 3, "page, records, own file");
    }

    #[test]
    fn what_cannot_be_written_leaves_the_old_report() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::prepare(place.path()).unwrap();
        folder.fill(&[(PAGE.into(), b"old".to_vec())]).unwrap();
        // A file stands where a folder is needed.
        fs::write(place.path().join("records"), "").unwrap();
        let files = [(PAGE.into(), b"new".to_vec()), ("records/a.json".into(), b"{}".to_vec())];
        assert!(matches!(folder.fill(&files), Err(Failure::CouldNot(_))));
        assert_eq!(fs::read(folder.page()).unwrap(), b"old");
        let nested = Folder::prepare(&place.path().join("records/r")).unwrap_err();
        assert!(nested.to_string().contains("records/r"), "{nested}");
    }
}

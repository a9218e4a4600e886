//! Writes files atomically.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use figures::text::shorten;
use thiserror::Error;

use crate::date::unlike_any_other;

/// Longest name of a file in a message, in characters.
const NAME: usize = 120;

/// A file that cannot be written.
#[derive(Debug, Error)]
#[error("cannot write '{}': {error}; choose a folder that you may write to, with free space", shorten(&.path.to_string_lossy(), NAME))]
pub struct WriteError {
    path: PathBuf,
    error: io::Error,
}

/// Writes a file under a temporary name in the same folder and renames it, so that a reader
/// never sees a partial file, even after a crash. A symbolic link still points to its
/// target, a replaced file has its old permissions, and a device or a pipe is written to
/// directly.
/// Fails if the folder cannot be written to, or is full; the sentence names the file.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write(path, bytes, None)
}

/// Writes a file like [`write_atomically`]; on Unix, only its owner can read it.
/// Fails as that function does.
pub fn write_privately(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write(path, bytes, private(0o600))
}

fn write(path: &Path, bytes: &[u8], permissions: Option<fs::Permissions>) -> Result<(), WriteError> {
    let replace = |path: &Path, permissions| TemporaryFile::write(path, bytes, permissions)?.rename(path);
    let written = match (fs::metadata(path), fs::canonicalize(path)) {
        (Ok(there), Ok(target)) if there.is_file() => {
            replace(&target, permissions.or(Some(there.permissions())))
        }
        (Ok(_), _) => OpenOptions::new().append(true).open(path).and_then(|mut file| file.write_all(bytes)),
        (Err(error), _) if error.kind() != io::ErrorKind::NotFound => Err(error),
        // A dangling link: the file is made at its target.
        _ if path.is_symlink() => File::create(path).and_then(|mut file| file.write_all(bytes)),
        _ => replace(path, permissions),
    };
    written.map_err(|error| WriteError { path: path.to_owned(), error })
}

/// A folder that only its owner can read, on Unix; it is removed at the end.
#[derive(Debug)]
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Makes one where temporary files are.
    ///
    /// # Errors
    ///
    /// If it cannot be made.
    pub fn new() -> io::Result<TemporaryFolder> {
        let path = std::env::temp_dir().join(format!("cache-lab-{:016x}", unlike_any_other()));
        fs::create_dir_all(&path)?;
        private(0o700).map_or(Ok(()), |permissions| fs::set_permissions(&path, permissions))?;
        Ok(TemporaryFolder(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "not everywhere")]
fn private(mode: u32) -> Option<fs::Permissions> {
    Some(std::os::unix::fs::PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
fn private(_: u32) -> Option<fs::Permissions> {
    None
}

/// Checks that [`write_atomically`] can write to `path`: before an hour of measuring.
/// Changes nothing.
/// Fails as [`write_atomically`] does, except that a full disk is not detected.
pub fn try_place(path: &Path) -> Result<(), WriteError> {
    let tried = match fs::metadata(path) {
        Ok(_) => OpenOptions::new().append(true).open(path).map(drop),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Err(_) => TemporaryFile::write(path, b"", None).map(drop),
    };
    tried.map_err(|error| WriteError { path: path.to_owned(), error })
}

/// A temporary file next to its final name, removed unless it is renamed.
struct TemporaryFile {
    path: Option<PathBuf>,
}

impl TemporaryFile {
    /// Writes it under a name that nobody can predict.
    fn write(path: &Path, bytes: &[u8], permissions: Option<fs::Permissions>) -> io::Result<TemporaryFile> {
        if path.file_name().is_none() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let path = folder.join(format!(".{:016x}.part", unlike_any_other()));
        let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        let temporary = TemporaryFile { path: Some(path) };
        permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions))?;
        file.write_all(bytes)?;
        file.sync_all()?;
        Ok(temporary)
    }

    fn rename(mut self, path: &Path) -> io::Result<()> {
        let from = self.path.take().unwrap_or_default();
        fs::rename(&from, path).inspect_err(|_| self.path = Some(from))
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
        }
    }
}

/// Opens the file at `path`, or makes it, and locks it for this process until it is closed;
/// `None` if another process has locked it. On a file system without locks everybody gets
/// it.
/// Fails if it cannot be made.
pub fn lock(path: &Path) -> io::Result<Option<File>> {
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(Some(file)),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// The content of a file, up to `most` bytes: an endless one cannot fill the memory.
/// Fails if it cannot be read.
pub fn read_at_most(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.json");
        write_atomically(&path, b"one").unwrap();
        write_atomically(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let missing = folder.path().join("none/r.json");
        assert!(write_atomically(&missing, b"x").unwrap_err().to_string().contains("none/r.json"));
        assert!(write_atomically(folder.path(), b"x").is_err());
        assert!(write_atomically(Path::new(".."), b"x").is_err());
        let long = folder.path().join("n".repeat(250));
        write_atomically(&long, b"x").unwrap();
        assert_eq!(fs::read(&long).unwrap(), b"x");
    }

    #[test]
    fn a_place_is_tried_without_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other, new] = ["one", "none/other", "new"].map(|name| folder.path().join(name));
        fs::write(&one, "old").unwrap();
        assert!(try_place(&one).is_ok() && try_place(&new).is_ok());
        assert!(try_place(&other).is_err() && try_place(folder.path()).is_err());
        assert_eq!(fs::read(&one).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_permissions_and_what_is_no_file_are_left_as_they_are() {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let [target, link, dangling] = ["target", "link", "dangling"].map(|name| folder.path().join(name));
        fs::write(&target, "old").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
        symlink("target", &link).unwrap();
        symlink("made", &dangling).unwrap();
        write_atomically(&link, b"new").unwrap();
        write_atomically(&dangling, b"new").unwrap();
        assert!(link.is_symlink() && dangling.is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert_eq!(fs::read(folder.path().join("made")).unwrap(), b"new");
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
        let null = Path::new("/dev/null");
        write_atomically(null, b"x").unwrap();
        assert!(fs::metadata(null).unwrap().file_type().is_char_device());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_endless_file_is_read_up_to_its_limit() {
        assert_eq!(read_at_most(Path::new("/dev/zero"), 1000).unwrap().len(), 1000);
        let full = write_atomically(Path::new("/dev/full"), b"x").unwrap_err().to_string();
        assert!(full.contains("/dev/full") && full.contains("space"), "{full}");
    }
}

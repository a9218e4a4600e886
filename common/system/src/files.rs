//! Files, written whole or not at all.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use figures::text::shorten;
use thiserror::Error;

use crate::os::{Here, Os};

/// Characters of a file's name in a message.
const NAME: usize = 120;

/// A file that cannot be written.
#[derive(Debug, Error)]
#[error("cannot write '{}': {error}; choose a folder that you may write to, with free space", shorten(&.path.to_string_lossy(), NAME))]
pub struct WriteError {
    path: PathBuf,
    error: io::Error,
}

/// Writes a file next to its place and renames it, so that a reader or a crash
/// never meets half of it. A symbolic link keeps pointing where it does, a file
/// that is replaced keeps its permissions, and what is no file (a device, a
/// pipe) is written to.
///
/// # Errors
///
/// If the folder cannot be written to, or is full; the sentence names the file.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let written = match (fs::metadata(path), fs::canonicalize(path)) {
        (Ok(there), Ok(target)) if there.is_file() => replace(&target, bytes, Some(there.permissions())),
        (Ok(_), _) => OpenOptions::new().append(true).open(path).and_then(|mut file| file.write_all(bytes)),
        (Err(error), _) if error.kind() != io::ErrorKind::NotFound => Err(error),
        // A link to nothing yet: the file is made where it points to.
        _ if path.is_symlink() => File::create(path).and_then(|mut file| file.write_all(bytes)),
        _ => replace(path, bytes, None),
    };
    written.map_err(|error| WriteError { path: path.to_owned(), error })
}

/// Writes a file as [`write_atomically`] does; on Unix, its owner alone may read it.
///
/// # Errors
///
/// As there.
pub fn write_privately(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let written = match fs::canonicalize(path) {
        Ok(there) if !there.is_file() => return write_atomically(path, bytes),
        Ok(there) => replace(&there, bytes, private(0o600)),
        Err(_) => replace(path, bytes, private(0o600)),
    };
    written.map_err(|error| WriteError { path: path.to_owned(), error })
}

/// Makes a folder, with those above it; on Unix, its owner alone may look into it.
///
/// # Errors
///
/// If it cannot be made.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)?;
    private(0o700).map_or(Ok(()), |permissions| fs::set_permissions(path, permissions))
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

/// Writes several files as [`write_atomically`] does, none of them before all are
/// on the disk.
///
/// # Errors
///
/// As there; nothing is replaced then.
pub fn write_together(files: &[(PathBuf, Vec<u8>)]) -> Result<(), WriteError> {
    let mut staged = Vec::new();
    for (path, bytes) in files {
        let part = Part::write(path, bytes, fs::metadata(path).ok().map(|there| there.permissions()));
        staged.push((part.map_err(|error| WriteError { path: path.clone(), error })?, path));
    }
    for (part, path) in staged {
        part.rename(path).map_err(|error| WriteError { path: path.clone(), error })?;
    }
    Ok(())
}

/// Whether [`write_atomically`] will find a place at `path`: to be asked before an
/// hour of measuring. Nothing is changed.
///
/// # Errors
///
/// As [`write_atomically`], except that there must be space yet.
pub fn try_place(path: &Path) -> Result<(), WriteError> {
    let tried = match fs::metadata(path) {
        Ok(_) => OpenOptions::new().append(true).open(path).map(drop),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Err(_) => Part::write(path, b"", None).map(drop),
    };
    tried.map_err(|error| WriteError { path: path.to_owned(), error })
}

/// Puts a new file in the place of `path`.
fn replace(path: &Path, bytes: &[u8], permissions: Option<fs::Permissions>) -> io::Result<()> {
    Part::write(path, bytes, permissions)?.rename(path)
}

/// A file next to its later place, gone unless it is renamed.
struct Part {
    beside: Option<PathBuf>,
}

impl Part {
    /// Writes it, under a name that nobody can foresee.
    fn write(path: &Path, bytes: &[u8], permissions: Option<fs::Permissions>) -> io::Result<Part> {
        if path.file_name().is_none() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let beside = folder.join(format!(".{:016x}.part", RandomState::new().hash_one(path)));
        let mut file = OpenOptions::new().write(true).create_new(true).open(&beside)?;
        let part = Part { beside: Some(beside) };
        permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions))?;
        file.write_all(bytes)?;
        file.sync_all()?;
        Ok(part)
    }

    fn rename(mut self, path: &Path) -> io::Result<()> {
        let beside = self.beside.take().unwrap_or_default();
        fs::rename(&beside, path).inspect_err(|_| self.beside = Some(beside))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(beside) = &self.beside {
            let _ = fs::remove_file(beside);
        }
    }
}

/// The file at `path`, made where there is none and held for this process alone
/// until it is closed; none where another process holds it. On a file system
/// without locks everybody gets it.
///
/// # Errors
///
/// If it cannot be made.
pub fn lock(path: &Path) -> io::Result<Option<File>> {
    loop {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // Whoever held it may have removed it since it was opened here.
        let token = format!("{:016x}", RandomState::new().hash_one(path));
        file.set_len(0)?;
        file.write_all(token.as_bytes())?;
        // Windows removes no file that is open, and lets nobody read a locked one.
        if cfg!(windows) {
            return Ok(Some(file));
        }
        match fs::read_to_string(path) {
            Ok(text) if text == token => return Ok(Some(file)),
            // Another's, or none: made again.
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
}

/// Gives two files or folders each other's name, in one step: nobody ever meets
/// one of the names missing.
///
/// # Errors
///
/// If the system or the file system cannot, or may not.
pub fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    Here::exchange(one, other)
}

/// What is in a file, up to `most` bytes: an endless one does not fill the memory.
///
/// # Errors
///
/// If it cannot be read.
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
    fn several_files_are_replaced_together_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "none/other"].map(|name| folder.path().join(name));
        fs::write(&one, "old").unwrap();
        let files = [(one.clone(), b"new".to_vec()), (other.clone(), b"new".to_vec())];
        assert!(write_together(&files).unwrap_err().to_string().contains("other"));
        assert!(try_place(&one).is_ok() && try_place(&other).is_err() && try_place(folder.path()).is_err());
        assert_eq!(fs::read(&one).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        fs::create_dir(folder.path().join("none")).unwrap();
        assert!(try_place(&other).is_ok() && !other.exists());
        write_together(&files).unwrap();
        assert_eq!([&one, &other].map(|path| fs::read(path).unwrap()), [b"new", b"new"]);
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

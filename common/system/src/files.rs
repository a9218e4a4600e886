//! Files, written whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file that cannot be written.
#[derive(Debug, Error)]
#[error("cannot write '{}': {error}; choose a place you may write to", .path.display())]
pub struct WriteError {
    path: PathBuf,
    error: io::Error,
}

/// Writes a file beside its place and renames it, so that a reader or a crash
/// never meets half of it.
///
/// # Errors
///
/// If the folder cannot be written to; the sentence names the file.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let refused = |error: io::Error| WriteError { path: path.to_owned(), error };
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let name = path.file_name().ok_or_else(|| refused(io::ErrorKind::InvalidInput.into()))?;
    let beside = folder.join(format!(".{}.{}.part", name.to_string_lossy(), std::process::id()));
    let written = std::fs::File::create(&beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        refused(error)
    })
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
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let missing = folder.path().join("none/r.json");
        assert!(write_atomically(&missing, b"x").unwrap_err().to_string().contains("none/r.json"));
    }
}

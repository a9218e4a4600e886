//! Reads saved files.

use std::io::{self, Read};
use std::path::Path;

use figures::encoding::{self, Encoding, NotText};
use figures::text::shorten;
use records::saved::limits::{BYTES, NAME};
use records::saved::{Saved, SavedError};
use system::files;

use crate::failure::Failure;

/// The sweep saved at `path`; `-` is standard input.
///
/// # Errors
///
/// If the file cannot be read, or contains no sweep; the sentence names it.
pub fn sweep(path: &Path) -> Result<Saved, Failure> {
    let name = name(path);
    let bytes = bytes(path).map_err(|error| {
        Failure::could_not(format!("cannot read {name}: {error}; give a file that cm1 or spark has written"))
    })?;
    Saved::read(&bytes).map_err(|error: SavedError| Failure::could_not(format!("{name}: {error}")))
}

/// A file's name for messages.
pub fn name(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        shorten(&path.to_string_lossy(), 2 * NAME)
    }
}

/// The text of a file in any [`encoding`], without a byte order mark and with LF at the end
/// of every line; `-` is standard input.
///
/// # Errors
///
/// If it cannot be read, is too large, or is not text.
pub fn text(path: &Path) -> Result<String, Failure> {
    decoded(path, encoding::decode)
}

/// The same unchanged, for writing it back: with its byte order mark and line endings.
///
/// # Errors
///
/// The same as for [`text`].
pub fn exact_text(path: &Path) -> Result<(String, Encoding), Failure> {
    decoded(path, encoding::decode_exact)
}

fn decoded<T>(path: &Path, decode: fn(&[u8]) -> Result<T, NotText>) -> Result<T, Failure> {
    let name = name(path);
    let bytes = bytes(path).map_err(|error| Failure::could_not(format!("cannot read {name}: {error}")))?;
    if bytes.len() as u64 > BYTES {
        return Err(Failure::could_not(format!(
            "{name} has more than {} MiB; is it the right file?",
            BYTES >> 20
        )));
    }
    decode(&bytes).map_err(|why| Failure::could_not(format!("{name}: {why}")))
}

/// The content of the file, limited to one byte more than the reader accepts, so that an
/// endless one is refused.
fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    if path != Path::new("-") {
        return files::read_at_most(path, BYTES + 1);
    }
    let mut bytes = Vec::new();
    io::stdin().take(BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

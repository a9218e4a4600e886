//! Saved files on their way in.

use std::io::{self, Read};
use std::path::Path;

use figures::text::shorten;
use records::saved::limits::{BYTES, NAME};
use records::saved::{Saved, SavedError};
use system::files;

use crate::failure::Failure;

/// The sweep saved at `path`; `-` is standard input.
///
/// # Errors
///
/// If the file cannot be read, or holds no sweep; the sentence names it.
pub fn sweep(path: &Path) -> Result<Saved, Failure> {
    let name = name(path);
    let bytes = bytes(path).map_err(|error| {
        Failure::could_not(format!("cannot read {name}: {error}; give a file that cm1 or spark has written"))
    })?;
    let saved = Saved::parse(&String::from_utf8_lossy(&bytes));
    saved.map_err(|error: SavedError| Failure::could_not(format!("{name}: {error}")))
}

/// What a file is called in messages.
pub fn name(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        shorten(&path.to_string_lossy(), 2 * NAME)
    }
}

/// The text of a file that somebody made by hand or exported.
///
/// # Errors
///
/// If it cannot be read, is larger than anything meant, or is not UTF-8.
pub fn text(path: &Path) -> Result<String, Failure> {
    let name = name(path);
    let bytes = bytes(path).map_err(|error| Failure::could_not(format!("cannot read {name}: {error}")))?;
    if bytes.len() as u64 > BYTES {
        return Err(Failure::could_not(format!(
            "{name} has more than {} MiB; is it the right file?",
            BYTES >> 20
        )));
    }
    String::from_utf8(bytes).map_err(|_| {
        Failure::could_not(format!("{name} is not text in UTF-8; save it again in that encoding"))
    })
}

/// What is in the file: at most one byte more than the reader takes, so that an
/// endless one is refused.
fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    if path != Path::new("-") {
        return files::read_at_most(path, BYTES + 1);
    }
    let mut bytes = Vec::new();
    io::stdin().take(BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

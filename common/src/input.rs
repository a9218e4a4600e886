//! Reads saved files.

use std::io::{self, Read};
use std::path::Path;

use figures::encoding;
use figures::text::shorten;
use records::saved::{BYTES, Saved};
use system::files;

use crate::failure::Failure;

/// Longest name of a file in a message, in characters.
const LONGEST_NAME: usize = 120;

/// The sweep in the `text` of the file `path`.
/// Fails if it contains no sweep; the sentence names the file.
pub fn parsed(path: &Path, text: &str) -> Result<Saved, Failure> {
    Saved::parse(text).map_err(|error| Failure::could_not(format!("{}: {error}", name(path))))
}

/// A file's name for messages.
pub fn name(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        shorten(&path.to_string_lossy(), LONGEST_NAME)
    }
}

/// The text of a file in any [`encoding`], without a byte order mark and with LF at the end
/// of every line; `-` is standard input.
/// Fails if it cannot be read, is too large, or is not text.
pub fn text(path: &Path) -> Result<String, Failure> {
    let (name, bytes) = (name(path), bytes(path)?);
    if bytes.len() as u64 > BYTES {
        return Err(Failure::could_not(format!(
            "{name} has more than {} MiB; is it the right file?",
            BYTES >> 20
        )));
    }
    encoding::decode(&bytes).map_err(|why| Failure::could_not(format!("{name}: {why}")))
}

/// The content of the file, limited to one byte more than the reader accepts, so that an
/// endless one is refused.
fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let unread = |error| unreadable(path, &error);
    if path != Path::new("-") {
        return files::read_at_most(path, BYTES + 1).map_err(unread);
    }
    let mut bytes = Vec::new();
    io::stdin().take(BYTES + 1).read_to_end(&mut bytes).map_err(unread)?;
    Ok(bytes)
}

/// The failure for a file that cannot be read.
pub fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let missing = "there is no such file; check its name, and the folder that you are in";
    let reason = match error.kind() {
        io::ErrorKind::NotFound => missing.to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder; give a file".to_owned(),
        _ => format!("{error}; copy it again, or give another file"),
    };
    Failure::could_not(format!("cannot read {}: {reason}", name(path)))
}

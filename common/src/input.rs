//! Saved files on their way in.

use std::io::Read;
use std::path::Path;

use records::saved::Saved;

use crate::failure::Failure;

/// The sweep saved at `path`; `-` is standard input.
///
/// # Errors
///
/// If the file cannot be read, or holds no sweep; the sentence names it.
pub fn sweep(path: &Path) -> Result<Saved, Failure> {
    let name = if path == Path::new("-") { "standard input".into() } else { path.to_string_lossy() };
    let bytes = bytes(path).map_err(|error| {
        Failure::could_not(format!("cannot read {name}: {error}; give a file that cm1 or spark has written"))
    })?;
    Saved::parse(&String::from_utf8_lossy(&bytes))
        .map_err(|error| Failure::could_not(format!("{name}: {error}")))
}

fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    if path != Path::new("-") {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    Ok(bytes)
}

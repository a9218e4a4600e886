//! `submission_metadata.yml` of Gradescope's export, which says whose each folder is.
//!
//! Ruby writes it, always in the same way, so the few lines that matter are read by their
//! indentation. A value on several lines, or with escapes, is left empty. Students choose
//! their names, so only e-mail addresses and numbers count.

use std::collections::HashMap;
use std::path::Path;

use common::failure::Failure;
use common::input;

use super::times;

/// What the file is called.
pub(super) const FILE: &str = "submission_metadata.yml";

/// The keys that identify a student, as in Gradescope's roster.
const KEYS: [&str; 2] = ["email", "sid"];

/// A student who handed in: some of the keys with their values.
pub(super) type Submitter = Vec<(&'static str, String)>;

/// What is known of one folder or file.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) submitters: Vec<Submitter>,
    pub(super) time: Option<i64>,
}

/// The export's metadata in `folder`, by the names of folders; empty if there is none.
/// Fails if it cannot be read.
pub(super) fn read(folder: &Path) -> Result<HashMap<String, Known>, Failure> {
    let path = folder.join(FILE);
    match std::fs::symlink_metadata(&path) {
        Ok(there) if there.is_file() => Ok(parse(&input::text(&path)?)),
        _ => Ok(HashMap::new()),
    }
}

fn parse(text: &str) -> HashMap<String, Known> {
    let mut found: Vec<(&str, Known)> = Vec::new();
    let mut in_submitters = false;
    for line in text.lines() {
        let rest = line.trim_start_matches(' ');
        // Ruby begins the items of a list below the key, not right of it.
        let (indent, item) = (line.len() - rest.len(), rest.strip_prefix("- "));
        if indent == 0 && item.is_none() {
            // What follows a name that cannot be read is nobody's.
            found.push((rest.strip_suffix(':').and_then(scalar).unwrap_or_default(), Known::default()));
            in_submitters = false;
        }
        let Some((_, known)) = found.last_mut() else { continue };
        if indent == 2 && item.is_none() {
            in_submitters = rest == ":submitters:";
            let time = rest.strip_prefix(":created_at:").and_then(|time| scalar(time.trim()));
            known.time = known.time.or(time.and_then(|time| times::read(time, None)));
        }
        if !in_submitters || indent > 6 {
            continue;
        }
        if item.is_some() {
            known.submitters.push(Submitter::new());
        }
        let pair = item.unwrap_or(rest).strip_prefix(':').and_then(|pair| pair.split_once(':'));
        let Some(((key, value), last)) = pair.zip(known.submitters.last_mut()) else { continue };
        let key = KEYS.into_iter().find(|known| *known == key);
        last.extend(key.zip(scalar(value.trim()).map(str::to_owned)));
    }
    found.retain(|(name, _)| !name.is_empty());
    found.into_iter().map(|(name, known)| (name.to_owned(), known)).collect()
}

/// A value of one line without escapes: plain, or in quotes that end on it.
fn scalar(text: &str) -> Option<&str> {
    let value = match text.chars().next()? {
        quote @ ('\'' | '"') => {
            text[1..].strip_suffix(quote).filter(|value| !value.contains([quote, '\\']))?
        }
        '|' | '>' | '&' | '*' | '!' | '{' | '[' | '%' | '@' | '`' | '~' => return None,
        _ => text,
    };
    (!value.is_empty() && value != "null").then_some(value)
}

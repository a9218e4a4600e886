//! `submission_metadata.yml` of Gradescope's export, which says whose each folder is.
//!
//! Ruby writes it, always in the same way, so the few lines that matter are read by their
//! indentation. A value on several lines is left empty.

use std::collections::HashMap;
use std::path::Path;

use common::failure::Failure;
use common::input;

use super::times;

/// What the file is called.
pub(super) const FILE: &str = "submission_metadata.yml";

/// A student who handed in, as Gradescope names them: its own keys and their values.
pub(super) type Submitter = Vec<(&'static str, String)>;

/// The keys that identify a student, as in Gradescope's roster; the surest first.
const KEYS: [&str; 3] = ["email", "sid", "name"];

/// What is known of one folder or file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) submitters: Vec<Submitter>,
    pub(super) time: Option<i64>,
}

/// The export's metadata in `folder`, by the names of folders; empty if there is none.
///
/// # Errors
///
/// If it cannot be read.
pub(super) fn read(folder: &Path) -> Result<HashMap<String, Known>, Failure> {
    let path = folder.join(FILE);
    match std::fs::symlink_metadata(&path) {
        Ok(there) if there.is_file() => Ok(parse(&input::text(&path)?)),
        _ => Ok(HashMap::new()),
    }
}

fn parse(text: &str) -> HashMap<String, Known> {
    let mut found: Vec<(String, Known)> = Vec::new();
    let mut in_submitters = false;
    for line in text.lines() {
        let rest = line.trim_start_matches(' ');
        // Ruby begins the items of a list below the key, not right of it.
        let (indent, item) = (line.len() - rest.len(), rest.strip_prefix("- "));
        if indent == 0 && item.is_none() {
            // What follows a name that cannot be read is nobody's.
            let name = rest.strip_suffix(':').and_then(scalar).unwrap_or_default();
            found.push((name, Known::default()));
            in_submitters = false;
        }
        let Some((_, known)) = found.last_mut() else { continue };
        if indent == 2 && item.is_none() {
            in_submitters = rest == ":submitters:";
            let time = rest.strip_prefix(":created_at:").and_then(|time| scalar(time.trim()));
            known.time = known.time.or(time.and_then(|time| times::read(&time, None)));
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
        last.extend(key.zip(scalar(value.trim()).filter(|value| !value.is_empty())));
        last.sort_by_key(|(key, _)| KEYS.iter().position(|known| known == key));
    }
    found.into_iter().filter(|(name, _)| !name.is_empty()).collect()
}

/// A value of one line: plain, or in quotes that end on it.
fn scalar(text: &str) -> Option<String> {
    if let Some(inner) = text.strip_prefix('\'') {
        return Some(inner.strip_suffix('\'')?.replace("''", "'"));
    }
    if let Some(inner) = text.strip_prefix('"') {
        // JSON's escapes, and two more of YAML's
        let inner = inner.strip_suffix('"')?.replace("\\x", "\\u00").replace("\\ ", " ");
        return serde_json::from_str(&format!("\"{inner}\"")).ok();
    }
    if ["", "~", "null"].contains(&text) {
        return Some(String::new());
    }
    let plain = !text.starts_with(['|', '>', '&', '*', '!', '{', '[', '%', '@', '`']);
    plain.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradescopes_own_lines_are_read() {
        let text = "---\nsubmission_17:\n  :submitters:\n  - :name: Ana Silva\n    :sid: '0042'\n    :email: ana@x.pt\n  \
                    - :name: \"In\\xEAs: S\\u00E1\"\n    :sid: \n    :email: ines@x.pt\n  \
                    :created_at: 2026-11-20 23:59:30.123456000 Z\n  :score: 3.0\n  :results:\n    output: |-\n      \
                    :submitters:\n      - :name: Victim\n    :tests:\n    - :name: Victim\n\nsubmission_18:\n  \
                    :submitters:\n  - :name: \"a long name that\n      YAML folds\"\n    :sid: ob\n    :email: \n";
        let known = parse(text);
        let of = |name: &str| {
            let shown =
                |one: &Submitter| one.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>().join(" ");
            known[name].submitters.iter().map(shown).collect::<Vec<_>>()
        };
        assert_eq!(of("submission_17"), ["ana@x.pt 0042 Ana Silva", "ines@x.pt Inês: Sá"]);
        assert_eq!(known["submission_17"].time, Some(1_795_219_170));
        assert_eq!(of("submission_18"), ["ob"]);
        for wrong in ["x", "  :submitters:", "  - :sid: 1\n"] {
            assert!(parse(wrong).is_empty(), "{wrong}");
        }
        assert!(parse("a:\n  :submitters:\n    :sid: 1\n")["a"].submitters.is_empty());
        let unclear = parse("a:\n  :score: 1\n\"b\n  c\":\n  :submitters:\n  - :sid: 1\n");
        assert!(unclear["a"].submitters.is_empty());
    }
}

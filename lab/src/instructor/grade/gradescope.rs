//! `submission_metadata.yml` of Gradescope's export, which says whose each folder is.
//!
//! Ruby writes it, always in the same way, so the few lines that matter are read by their
//! indentation. Any other form is an error; a value on several lines is left empty.

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
        Ok(there) if there.is_file() => {
            let text = input::text(&path)?;
            parse(&text).map_err(|why| Failure::could_not(format!("{}: {why}", input::name(&path))))
        }
        _ => Ok(HashMap::new()),
    }
}

fn parse(text: &str) -> Result<HashMap<String, Known>, String> {
    let mut found: Vec<(String, Known)> = Vec::new();
    let mut in_submitters = false;
    for (number, line) in (1..).zip(text.lines()) {
        let rest = line.trim_start_matches(' ');
        let indent = line.len() - rest.len();
        if rest.is_empty() || rest.starts_with('#') || rest == "---" && indent == 0 {
            continue;
        }
        let wrong = |what: &str| format!("line {number}: {what}");
        if indent == 0 && !rest.starts_with('-') {
            let key = rest.strip_suffix(':').and_then(scalar);
            found.push((key.ok_or_else(|| wrong("is not 'NAME:' of a submission"))?, Known::default()));
            in_submitters = false;
            continue;
        }
        let Some((_, known)) = found.last_mut() else { return Err(wrong("comes before a submission")) };
        let item = rest.strip_prefix("- ");
        if indent == 2 && item.is_none() {
            in_submitters = rest == ":submitters:";
            if let Some(time) = rest.strip_prefix(":created_at:") {
                known.time = scalar(time.trim()).and_then(|time| times::read(&time, None));
            }
            continue;
        }
        // Ruby begins the items of a list below the key, not right of it.
        let pair = match (indent, item) {
            _ if !in_submitters => continue,
            (2 | 4, Some(pair)) => {
                known.submitters.push(Submitter::new());
                pair
            }
            (4 | 6, None) => rest,
            _ => continue,
        };
        let Some((key, value)) = pair.strip_prefix(':').and_then(|pair| pair.split_once(':')) else {
            continue;
        };
        let last = known.submitters.last_mut().ok_or_else(|| wrong("names no student"))?;
        let value = scalar(value.trim()).filter(|value| !value.is_empty());
        if let Some((key, value)) = KEYS.into_iter().find(|known| *known == key).zip(value) {
            last.push((key, value));
        }
    }
    for (_, known) in &mut found {
        let rank = |key: &str| KEYS.iter().position(|known| *known == key);
        known.submitters.iter_mut().for_each(|submitter| submitter.sort_by_key(|(key, _)| rank(key)));
    }
    Ok(found.into_iter().collect())
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
        let known = parse(text).unwrap();
        let of = |name: &str| {
            let shown =
                |one: &Submitter| one.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>().join(" ");
            known[name].submitters.iter().map(shown).collect::<Vec<_>>()
        };
        assert_eq!(of("submission_17"), ["ana@x.pt 0042 Ana Silva", "ines@x.pt Inês: Sá"]);
        assert_eq!(known["submission_17"].time, Some(1_795_219_170));
        assert_eq!(of("submission_18"), ["ob"]);
        for wrong in ["x", "  :submitters:", "a:\n  :submitters:\n    :sid: 1\n"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert!(parse("").unwrap().is_empty());
    }
}

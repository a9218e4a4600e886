//! Names of students, and the files for them.

use std::collections::HashMap;

use common::text::{is_unprintable, shorten};
use unicode_normalization::UnicodeNormalization;

/// Longest name in bytes: with `.toml` after it, every file system accepts it.
const LONGEST: usize = 200;

/// A name in normal form (Unicode's NFC), with one space for any blanks in it, and none around it.
/// Fails if it is empty, or cannot be shown in a list; a clause.
pub(super) fn normalised(name: &str) -> Result<String, String> {
    let given = name.trim();
    let name = spaced(given);
    let shown = shorten(given, 60);
    if name.is_empty() {
        return Err("a name is empty".to_owned());
    }
    if given.contains(is_unprintable) {
        return Err(format!("'{shown}' has a control character, or one that turns the direction of writing"));
    }
    if name.len() > LONGEST {
        return Err(format!("'{shown}' is longer than {LONGEST} bytes"));
    }
    Ok(name)
}

/// The words of a name in normal form, with one space between them.
fn spaced(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").nfc().collect()
}

/// A name for comparisons without case. Letters that any language pairs as capital and small
/// are equal (dotted and dotless i, ß and SS), so two names that differ in one of these
/// have one form: the caller must count how many students have it.
pub(super) fn folded(name: &str) -> String {
    let upper = spaced(name).to_uppercase();
    upper.to_lowercase().replace("i\u{307}", "i").replace('ı', "i").nfc().collect()
}

/// A file name for `name`, readable and never a path: letters, marks and digits of any
/// script stay; other characters become `-`.
pub(super) fn file_stem(name: &str) -> String {
    let kept =
        |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.') || !c.is_ascii() && !c.is_whitespace();
    let stem: String = name.chars().map(|c| if kept(c) { c } else { '-' }).collect();
    let stem = stem.trim_matches(['.', '-']);
    if stem.is_empty() { "student".to_owned() } else { stem.to_owned() }
}

/// The names in normal form, each given with its place in a file.
/// Fails if there is none, one is empty or cannot be shown, or two would be the same file on
/// some file system; a clause.
pub(super) fn unique(given: impl Iterator<Item = (String, String)>) -> Result<Vec<String>, String> {
    let (mut names, mut seen) = (Vec::new(), HashMap::new());
    for (place, name) in given {
        let name = normalised(&name).map_err(|why| format!("{place}{why}; correct it"))?;
        if let Some(earlier) = seen.insert(file_stem(&name).to_lowercase(), name.clone()) {
            return Err(format!(
                "'{earlier}' and '{name}' give the same file name; choose another column, such as the student's number"
            ));
        }
        names.push(name);
    }
    if names.is_empty() { Err("it names no student".to_owned()) } else { Ok(names) }
}

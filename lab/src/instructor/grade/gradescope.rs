//! `submission_metadata.yml` of Gradescope's export, which says whose each folder is.
//!
//! Ruby writes it, always in the same way, so the few lines that matter are read by their
//! indentation. Any other form is an error; nothing is guessed.

use std::collections::HashMap;
use std::path::Path;

use common::failure::Failure;
use common::input;

use super::times;

/// What the file is called.
pub(super) const FILE: &str = "submission_metadata.yml";

/// A student who handed in, as Gradescope names them.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Submitter {
    pub(super) name: String,
    pub(super) number: String,
    pub(super) email: String,
}

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

/// Where a line is.
#[derive(PartialEq, Eq)]
enum Place {
    Submission,
    Submitters,
}

fn parse(text: &str) -> Result<HashMap<String, Known>, String> {
    let mut found: Vec<(String, Known)> = Vec::new();
    let mut place = Place::Submission;
    for (number, line) in (1..).zip(text.lines()) {
        let rest = line.trim_start_matches(' ');
        let indent = line.len() - rest.len();
        if rest.is_empty() || rest.starts_with('#') || rest == "---" && indent == 0 {
            continue;
        }
        let wrong = |what: &str| format!("line {number}: {what}");
        if indent == 0 && !rest.starts_with('-') {
            let key = rest.strip_suffix(':').ok_or_else(|| wrong("is not 'NAME:' of a submission"))?;
            found.push((scalar(key).ok_or_else(|| wrong("has a name that is not read"))?, Known::default()));
            place = Place::Submission;
            continue;
        }
        let Some((_, known)) = found.last_mut() else { return Err(wrong("comes before a submission")) };
        let item = rest.strip_prefix("- ");
        if indent == 2 && item.is_none() {
            place = if rest == ":submitters:" { Place::Submitters } else { Place::Submission };
            if let Some(time) = rest.strip_prefix(":created_at:") {
                known.time = scalar(time.trim()).and_then(|time| times::parse(&time));
            }
            continue;
        }
        if place != Place::Submitters {
            continue;
        }
        // Ruby begins the items of a list below the key, not right of it.
        let pair = match (indent, item) {
            (2 | 4, Some(pair)) => {
                known.submitters.push(Submitter::default());
                pair
            }
            (4 | 6, None) => rest,
            _ => continue,
        };
        let Some((key, value)) = pair.strip_prefix(':').and_then(|pair| pair.split_once(':')) else {
            continue;
        };
        let last = known.submitters.last_mut().ok_or_else(|| wrong("names no student"))?;
        let field = match key {
            "name" => &mut last.name,
            "sid" => &mut last.number,
            "email" => &mut last.email,
            _ => continue,
        };
        *field = scalar(value.trim()).ok_or_else(|| wrong("has a value that is not read"))?;
    }
    Ok(found.into_iter().collect())
}

/// A value of one line: plain, or in quotes.
fn scalar(text: &str) -> Option<String> {
    if let Some(inner) = text.strip_prefix('\'') {
        return Some(inner.strip_suffix('\'')?.replace("''", "'"));
    }
    if text.starts_with('"') {
        return escaped(text.strip_prefix('"')?.strip_suffix('"')?);
    }
    if ["", "~", "null"].contains(&text) {
        return Some(String::new());
    }
    let plain = !text.starts_with(['|', '>', '&', '*', '!', '{', '[', '%', '@', '`']);
    plain.then(|| text.to_owned())
}

/// A string as YAML writes it between double quotes.
fn escaped(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        if sign != '\\' {
            out.push(sign);
            continue;
        }
        let digits = match signs.next()? {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            same @ ('"' | '\\' | '/' | ' ') => {
                out.push(same);
                continue;
            }
            't' => {
                out.push('\t');
                continue;
            }
            _ => return None,
        };
        let code: String = signs.by_ref().take(digits).collect();
        out.push(char::from_u32(u32::from_str_radix(&code, 16).ok().filter(|_| code.len() == digits)?)?);
    }
    Some(out)
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
                    :submitters:\n  - :name: O'Brien\n    :sid: ob\n    :email: \n";
        let known = parse(text).unwrap();
        let of = |name: &str, number: &str, email: &str| Submitter {
            name: name.to_owned(),
            number: number.to_owned(),
            email: email.to_owned(),
        };
        assert_eq!(
            known["submission_17"].submitters,
            [of("Ana Silva", "0042", "ana@x.pt"), of("Inês: Sá", "", "ines@x.pt")]
        );
        assert_eq!(known["submission_17"].time, Some(1_795_219_170));
        assert_eq!(known["submission_18"].submitters, [of("O'Brien", "ob", "")]);
        for wrong in
            ["x", "  :submitters:", "a:\n  :submitters:\n  - :name: |\n", "a:\n  :submitters:\n    :sid: 1\n"]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert!(parse("").unwrap().is_empty());
    }
}

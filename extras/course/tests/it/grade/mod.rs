//! A class's submissions, and the grades for each student.

mod evidence;
#[cfg(unix)]
mod exercises;
mod files;
mod handin;
mod notes;
mod outputs;
mod owners;
mod tables;

use std::path::Path;

use crate::kit::{self, lab};

/// Answers worth three points; one point; none.
pub(crate) const RIGHT: &str = r#""s2-2":{"value":"64","unit":"KiB"},"s2-3":{"value":"16","unit":"B"},"s2-4":{"value":"600","unit":"ns"}"#;
pub(crate) const PART: &str = r#""s2-2":{"value":"64","unit":"KiB"}"#;
pub(crate) const WRONG: &str = r#""s2-2":{"value":"1","unit":"KiB"}"#;

/// `answers.json` with these fields.
pub(crate) fn answers(fields: &str) -> String {
    format!(
        r#"{{"format":"cache-lab-answers","version":2,"saved":"2026-03-01T10:00:00Z","fields":{{{fields}}}}}"#
    )
}

/// Writes a file; RIGHT, PART and WRONG are such answers. Fields alone are those of
/// answers.json, sections those of an assignment. A path that ends in `/` is a folder with answers.
pub(crate) fn write(folder: &Path, place: &str, content: &str) {
    let place = if place.ends_with('/') { format!("{place}answers.json") } else { place.to_owned() };
    let path = folder.join(place);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let content = match content {
        "RIGHT" => answers(RIGHT),
        "PART" => answers(PART),
        "WRONG" => answers(WRONG),
        content if content.starts_with("\"s") => answers(content),
        content if content.starts_with("[[section]]") => format!(
            "format = \"cache-lab-assignment/1\"\nlanguage = \"en\"\ntitle = \"t\"\nbase = \"guide\"\n{content}"
        ),
        content => content.to_owned(),
    };
    std::fs::write(path, content).unwrap();
}

/// The exit status, standard output with `notes.txt` of the folder `o`, and standard error.
pub(crate) fn graded(folder: &Path, args: &str) -> (Option<i32>, String, String) {
    let _ = std::fs::remove_file(folder.join("o/notes.txt"));
    let done = lab(folder, &format!("grade {args}"));
    let notes = std::fs::read_to_string(folder.join("o/notes.txt")).unwrap_or_default();
    let out = String::from_utf8_lossy(&done.stdout).into_owned() + &notes;
    (done.status.code(), out, kit::stderr(&done))
}

/// The cell of a student in a table that was written.
pub(crate) fn cell(folder: &Path, file: &str, student: &str, column: &str) -> String {
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    let mut table = csv::Reader::from_reader(text.as_bytes());
    let at = table.headers().unwrap().iter().position(|header| header == column).unwrap();
    table.records().map(Result::unwrap).find(|row| row.iter().any(|cell| cell == student)).unwrap()[at]
        .to_owned()
}

/// A class and what must come of it, as lines: `## what`, `file: content`, `$ arguments = exit status`,
/// `= student points, …`, `> words that are said`, `>> file: words in it`. `\n` is a new line.
#[derive(Default)]
pub(crate) struct Case {
    what: String,
    files: Vec<(String, String)>,
    args: String,
    code: i32,
    points: Vec<(String, String)>,
    says: Vec<String>,
    holds: Vec<(String, String)>,
}

const ROSTER: &str = "user,number,name\nana,1001,Ana Silva\nbea,2002,Bea Sá\n";

/// A line with `\n`, `\t`, `\r`, `\\` and `\u{feff}` as in Rust.
fn plain(line: &str) -> String {
    let mut parts = line.split('\\');
    let mut text = parts.next().unwrap().to_owned();
    while let Some(part) = parts.next() {
        let (sign, rest) = match part.split_at_checked(1) {
            Some(parts) => parts,
            None => ("\\", parts.next().unwrap_or_default()),
        };
        let code = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        match (sign, code) {
            ("u", Some((code, rest))) => {
                text.push(u32::from_str_radix(code, 16).ok().and_then(char::from_u32).unwrap());
                text += rest;
            }
            _ => text += &(["\n", "\t", "\r", "\\"]["ntr\\".find(sign).unwrap()].to_owned() + rest),
        }
    }
    text
}

impl Case {
    pub(crate) fn all(text: &str) -> Vec<Case> {
        text.trim().split("\n\n").map(Case::of).collect()
    }

    fn of(text: &str) -> Case {
        let args = "--name-column user in".to_owned();
        let mut case = Case { args, files: vec![("r.csv".to_owned(), ROSTER.to_owned())], ..Case::default() };
        for line in text.lines() {
            let (sign, rest) = line.split_once(' ').unwrap();
            let pair = |text: &str| {
                let (place, content) = text.split_once(": ").unwrap();
                (plain(place), plain(content))
            };
            match sign {
                "##" => rest.clone_into(&mut case.what),
                "$" => {
                    let (args, code) = rest.split_once(" = ").unwrap_or((rest, "0"));
                    (case.args, case.code) = (args.to_owned(), code.parse().unwrap());
                }
                "=" => {
                    let of = rest.split(", ").map(|one| one.rsplit_once(' ').unwrap());
                    case.points =
                        of.map(|(student, points)| (student.to_owned(), points.to_owned())).collect();
                }
                ">" => case.says.push(plain(rest)),
                ">>" => case.holds.push(pair(rest)),
                _ => case.files.push(pair(line)),
            }
        }
        case
    }

    pub(crate) fn holds_true(&self) {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        self.files.iter().for_each(|(place, content)| write(folder, place, content));
        let (code, out, err) = graded(folder, &format!("--roster r.csv {}", self.args));
        assert_eq!(code, Some(self.code), "{}: {out}{err}", self.what);
        for (student, points) in &self.points {
            let line = out.lines().find(|line| line.split('\t').nth(2) == Some(student));
            let given = line.and_then(|line| line.split('\t').next());
            assert_eq!(given, Some(points.as_str()), "{}, {student}: {out}{err}", self.what);
        }
        for says in &self.says {
            assert!(out.contains(says) || err.contains(says), "{}: '{says}' in {out}{err}", self.what);
        }
        for (file, text) in &self.holds {
            let content = std::fs::read_to_string(folder.join(file)).unwrap_or_else(|_| "no file".to_owned());
            assert!(content.contains(text), "{}, {file}: '{text}' in {content}", self.what);
        }
    }
}

#[test]
fn a_case_is_read_as_it_is_written() {
    let text = "## a: b\nr.csv: a\\nb\\nc\\n\nin/x\\u{308}/: \"a\\\\u00\\n\n$ in = 2\n= ana b -, c 1\n> s\n>> o/f: t\\\\\n\n## c\nf: g";
    let cases = Case::all(text);
    let one = &cases[0];
    assert_eq!((cases.len(), &*one.what, &*one.args, one.code), (2, "a: b", "in", 2));
    assert_eq!(one.files[1].1, "a\nb\nc\n");
    assert_eq!(one.files[2], ("in/x\u{308}/".to_owned(), "\"a\\u00\n".to_owned()));
    assert_eq!(one.points[0], ("ana b".to_owned(), "-".to_owned()));
    assert_eq!((&*one.says[0], &*one.holds[0].1), ("s", "t\\"));
}

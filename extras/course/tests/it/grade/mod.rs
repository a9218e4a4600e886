//! A class's submissions, and the grades for each student.

mod evidence;
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
/// answers.json, items alone those of a rubric, sections those of an assignment. A path that ends in `/` is a folder with
/// answers.
pub(crate) fn write(folder: &Path, place: &str, content: &str) {
    let place = if place.ends_with('/') { format!("{place}answers.json") } else { place.to_owned() };
    let path = folder.join(place);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let content = match content {
        "RIGHT" => answers(RIGHT),
        "PART" => answers(PART),
        "WRONG" => answers(WRONG),
        content if content.starts_with("\"s") => answers(content),
        content if content.starts_with("[[item]]") => {
            format!("format = \"cache-lab-rubric/1\"\n{content}")
        }
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

/// A class and what must come of it.
pub(crate) struct Case {
    pub(crate) what: &'static str,
    pub(crate) roster: &'static str,
    pub(crate) files: &'static [(&'static str, &'static str)],
    pub(crate) args: &'static str,
    pub(crate) code: i32,
    /// Points of students in the printed table, `-` for no grade.
    pub(crate) points: &'static [(&'static str, &'static str)],
    /// Words on standard output or standard error.
    pub(crate) says: &'static [&'static str],
    /// Words in files that were written.
    pub(crate) holds: &'static [(&'static str, &'static str)],
}

pub(crate) const CASE: Case = Case {
    what: "",
    roster: "user,number,name\nana,1001,Ana Silva\nbea,2002,Bea Sá\n",
    files: &[],
    args: "--name-column user in",
    code: 0,
    points: &[],
    says: &[],
    holds: &[],
};

impl Case {
    pub(crate) fn holds_true(&self) {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        write(folder, "r.csv", self.roster);
        self.files.iter().for_each(|(place, content)| write(folder, place, content));
        let (code, out, err) = graded(folder, &format!("--roster r.csv {}", self.args));
        assert_eq!(code, Some(self.code), "{}: {out}{err}", self.what);
        for (student, points) in self.points {
            let line = out.lines().find(|line| line.split('\t').nth(2) == Some(student));
            let given = line.and_then(|line| line.split('\t').next());
            assert_eq!(given, Some(*points), "{}, {student}: {out}{err}", self.what);
        }
        for says in self.says {
            assert!(out.contains(says) || err.contains(says), "{}: '{says}' in {out}{err}", self.what);
        }
        for (file, text) in self.holds {
            let content = std::fs::read_to_string(folder.join(file)).unwrap_or_else(|_| "no file".to_owned());
            assert!(content.contains(text), "{}, {file}: '{text}' in {content}", self.what);
        }
    }
}

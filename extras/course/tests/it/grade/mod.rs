//! A class's submissions, and the grades for each student.

mod evidence;
#[cfg(unix)]
mod exercises;
mod files;
mod handin;
#[cfg(unix)]
mod notes;
mod outputs;
mod owners;
mod tables;

use std::io::Write;
use std::path::Path;
use std::process::Command;

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

/// An archive of these files.
pub(crate) fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Writes a file; `ZIP name content` is an archive of one. RIGHT, PART and WRONG are such answers. Fields alone are those of
/// answers.json, sections those of an assignment. A path that ends in `/` is a folder with answers.
pub(crate) fn write(folder: &Path, place: &str, content: &str) {
    let place = if place.ends_with('/') { format!("{place}answers.json") } else { place.to_owned() };
    let path = folder.join(place);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    if let Some(file) = content.strip_prefix("ZIP ") {
        let (name, content) = file.split_once(' ').unwrap_or((file, ""));
        return std::fs::write(path, zipped(&[(name, content.as_bytes())])).unwrap();
    }
    let content = match content {
        "RIGHT" => answers(RIGHT),
        "PART" => answers(PART),
        "WRONG" => answers(WRONG),
        content if content.starts_with("\"s") => answers(content),
        content if content.starts_with("[[section]]") => {
            format!("format = \"cache-lab-assignment/1\"\nlanguage = \"en\"\ntitle = \"t\"\n{content}")
        }
        content => content.to_owned(),
    };
    std::fs::write(path, content).unwrap();
}

/// The exit status, standard output with a line `points\tof\tstudent\tnotes` for each student
/// and with `notes.txt`, and standard error.
pub(crate) fn graded(folder: &Path, args: &str) -> (Option<i32>, String, String) {
    let output = if args.contains("--output") { "" } else { "--output o" };
    let done = lab(folder, &format!("grade {output} {args}"));
    let mut out = String::from_utf8_lossy(&done.stdout).into_owned();
    if out.contains("o/grades.csv") {
        for row in csv::Reader::from_path(folder.join("o/grades.csv")).unwrap().records().map(Result::unwrap)
        {
            out += &format!("{}\t{}\t{}\t{}\n", &row[1], &row[2], row[0].trim_start_matches('\''), &row[4]);
        }
        out += &std::fs::read_to_string(folder.join("o/notes.txt")).unwrap();
    }
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

const ROSTER: &str = "user,number,name\nana,1001,Ana Silva\nbea,2002,Bea Sá\n";

/// A line with the escapes of JSON.
fn plain(line: &str) -> String {
    serde_json::from_str(&format!("\"{}\"", line.replace('"', "\\\""))).unwrap()
}

/// What `lab handin` or `course grade` with these `arguments = exit status` says.
fn said(folder: &Path, line: &str) -> String {
    let (args, code) = line.split_once(" = ").unwrap_or((line, "0"));
    let (status, out, err) = match args.strip_prefix("handin") {
        Some(_) => {
            let mut command = Command::new(kit::program("lab"));
            command.current_dir(folder).env("HOME", folder.join("home")).args(args.split_whitespace());
            let done = command.output().unwrap();
            (done.status.code(), String::from_utf8_lossy(&done.stdout).into_owned(), kit::stderr(&done))
        }
        None => graded(folder, &format!("--roster r.csv {args}")),
    };
    assert_eq!(status.map(|code| code.to_string()).as_deref(), Some(code), "{line}: {out}{err}");
    out + &err
}

/// Tries classes, with blank lines between them, and what must come of each, as lines: `## what`,
/// `file: content`, `$ arguments = exit status` (or the usual ones), then of these `= student points, …`,
/// `> words that are said`, `! words that are not`, `>> file: words in it`.
pub(crate) fn hold(cases: &str) {
    for case in cases.trim().split("\n\n") {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        write(folder, "r.csv", ROSTER);
        let mut of_last = None;
        for line in case.lines() {
            let (sign, rest) = line.split_once(' ').unwrap();
            let is_check = ["=", ">", "!", ">>"].contains(&sign);
            if sign == "$" || is_check && of_last.is_none() {
                let args = if sign == "$" { rest } else { "--name-column user in" };
                of_last = Some(said(folder, args));
            }
            let said = of_last.as_deref().unwrap_or_default();
            let check = |holds: bool, found: &str| assert!(holds, "{case}\n{line}: {found}");
            match sign {
                "##" | "$" => {}
                ">" => check(said.contains(&plain(rest)), said),
                "!" => check(!said.contains(&plain(rest)), said),
                "=" => {
                    for (student, points) in rest.split(", ").map(|one| one.rsplit_once(' ').unwrap()) {
                        let line = said.lines().find(|line| line.split('\t').nth(2) == Some(student));
                        check(line.is_some_and(|line| line.starts_with(&format!("{points}\t"))), said);
                    }
                }
                _ => {
                    let (place, text) = line.strip_prefix(">> ").unwrap_or(line).split_once(": ").unwrap();
                    let (place, text) = (plain(place), plain(text));
                    if is_check {
                        let content = std::fs::read(folder.join(place)).unwrap_or(b"no file".to_vec());
                        let content = String::from_utf8_lossy(&content);
                        check(content.contains(&text), &content);
                    } else {
                        write(folder, &place, &text);
                    }
                }
            }
        }
        assert!(of_last.is_some(), "{case}");
    }
}

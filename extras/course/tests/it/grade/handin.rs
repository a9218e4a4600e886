//! `lab handin`: what it packs and refuses, and that the grader reads its archive.

use std::path::Path;
use std::process::Command;

use super::{PART, RIGHT, answers, graded, write};
use crate::kit::{program, stderr};

const RECORD: &str = r#"{"schema":"cache-lab-kit/record/2","program":"mm1","version":"0.1.0","settings":{},
    "machine":"a machine","notes":[],"rows":[{"place":{"size":512},"figures":[]}]}"#;

const SIGNED: &str = r#""student-1-number":"1001","student-1-name":"Ann""#;

fn page(fields: &str) -> String {
    element("answers", &answers(fields)) + &element("asked", ASKED)
}

/// What the page asks for.
const ASKED: &str = r#"{"fields":[{"id":"s2-2","label":"Size?","kind":"bytes"},{"id":"s2-3","label":"Line?","kind":"bytes"},
    {"id":"s2-4","label":"Penalty?","kind":"ns"}],"matrix":512,"records":[]}"#;

fn element(id: &str, json: &str) -> String {
    format!("<script type=\"application/json\" id=\"{id}\">{json}</script>")
}

fn handin(folder: &Path, args: &str) -> (Option<i32>, String) {
    let mut command = Command::new(program("lab"));
    let args = ["handin"].into_iter().chain(args.split_whitespace());
    let done = command.current_dir(folder).env("HOME", folder.join("home")).args(args).output().unwrap();
    let message = String::from_utf8_lossy(&done.stdout).into_owned() + &stderr(&done);
    (done.status.code(), message)
}

fn names(folder: &Path, archive: &str) -> Vec<String> {
    let archive = zip::ZipArchive::new(std::fs::File::open(folder.join(archive)).unwrap()).unwrap();
    let mut names: Vec<String> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn one_archive_has_everything_and_is_graded() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let signed = format!("{RIGHT},{SIGNED}");
    write(folder, "report/report.html", &page("\"s2-2\":{\"value\":\"1\",\"unit\":\"KiB\"}"));
    write(folder, "report/records/mm1.json", RECORD);
    write(folder, "report/records/mm1.csv", "a,b\n");
    write(folder, "report/pictures/x.svg", "<svg/>");
    write(folder, "more/mm1.json", &RECORD.replace("a machine", "another"));
    write(folder, "more/copy.json", RECORD);
    write(folder, "saved.json", &answers(&signed).replace("03-01", "03-02"));
    let (code, message) = handin(folder, "report more/mm1.json more/copy.json --answers saved.json");
    assert_eq!(code, Some(0), "{message}");
    assert!(
        message.contains("report.zip: 3 of 3 fields filled in, the page, 2 records. Hand in this file."),
        "{message}"
    );
    let packed = "answers.json records/1-mm1.json records/mm1.json report.html versions.json";
    assert_eq!(names(folder, "report.zip").join(" "), packed);
    // again, replacing the earlier one; under any name it is graded
    assert_eq!(handin(folder, "report --answers saved.json").0, Some(0));
    assert_eq!(handin(folder, "report --answers saved.json --output in/ann/work").0, Some(1));
    std::fs::create_dir_all(folder.join("in/ann")).unwrap();
    assert_eq!(handin(folder, "report --answers saved.json --output in/ann/work.pdf").0, Some(0));
    assert_eq!(handin(folder, "report --answers saved.json --output in/bea").0, Some(0));
    write(folder, "class.csv", "name\nann\nbea\n");
    let (_, table, err) = graded(folder, "--roster class.csv in");
    assert!(table.contains("\n3\t20\tann\t\n3\t20\tbea\tThe answers are signed by ann.\n"), "{table}{err}");
}

#[test]
fn the_answers_saved_last_are_packed_whatever_the_browser_calls_them() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let saved = |name: &str, size, time| {
        let typed = answers(&format!("\"s2-2\":{{\"value\":\"{size}\",\"unit\":\"KiB\"}},{SIGNED}"));
        write(folder, &format!("report/{name}"), &typed.replace("2026-03-01T10:00:00Z", time));
    };
    saved("answers.json", "1", "2026-03-01T10:00:00Z");
    saved("answers (1).json", "64", "2026-03-02T10:00:00Z");
    saved("answers-2.json", "2", "2026-03-01T11:00:00Z");
    saved("answers-of-bea.json", "8", "2026-03-09T10:00:00Z");
    assert_eq!(handin(folder, "report --incomplete").0, Some(0));
    let mut archive = zip::ZipArchive::new(std::fs::File::open(folder.join("report.zip")).unwrap()).unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut archive.by_name("answers.json").unwrap(), &mut text).unwrap();
    assert!(text.contains("\"64\""), "{text}");
}

#[test]
fn missing_parts_are_reported_before_the_hand_in() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let signed = format!("{RIGHT},{SIGNED}");
    write(folder, "empty/report.html", &page(&format!("{SIGNED},\"s2-2\":\" \"")));
    write(folder, "bare/answers.json", &answers(&signed));
    write(folder, "bare/records/x.json", "{}");
    write(folder, "nameless/answers.json", &answers(&format!("{RIGHT},\"student-1-number\":\"1\"")));
    write(folder, "numberless/answers.json", &answers(&format!("{RIGHT},\"student-1-name\":\"A\"")));
    write(folder, "mine.zip", "my notes mention versions.json");
    let mut other = zip::ZipWriter::new(std::fs::File::create(folder.join("other.zip")).unwrap());
    other.start_file("notes/versions.json", zip::write::SimpleFileOptions::default()).unwrap();
    other.finish().unwrap();
    write(folder, "broken/answers.json", "{");
    write(folder, "page/report.html", &page(&format!("{PART},{SIGNED},\"s9\":\"x\"")));
    write(folder, "old/report.html", &page(&signed).replace("\"version\":2", "\"version\":1"));
    write(folder, "cut/report.html", &page(&signed)[..100]);
    write(folder, "bald/report.html", "<html>");
    for name in ["old", "cut", "bald"] {
        write(folder, &format!("{name}/answers.json"), &answers(&signed));
    }
    write(folder, "names.json", &answers(SIGNED));
    for (args, code, says) in [
        ("", 1, "'report' is not a folder; run `lab run` first"),
        ("empty", 1, "there are no answers in 'empty'; press Save answers in the page"),
        ("broken", 1, "broken/answers.json: these are not the answers of a report"),
        ("bare --output mine.zip", 2, "mine.zip exists and was not written by lab handin"),
        ("bare --answers nowhere.json", 1, "cannot read nowhere.json"),
        ("bare nowhere.json", 1, "cannot read nowhere.json"),
        ("bare", 1, "do not hand this in: 1 of 1 record does not count; there is no report.html in 'bare'"),
        ("bare --incomplete", 0, "It does not count fully: 1 of 1 record does not count"),
        ("nameless", 1, "the name of the first student is missing"),
        ("numberless", 1, "the number of the first student is missing"),
        ("bare --output other.zip", 2, "other.zip exists and was not written by lab handin"),
        ("bare", 1, "x.json does not count"),
        ("page", 0, "empty: s2-3 (Line?); s2-4 (Penalty?)"),
        ("page", 0, "page.zip: 1 of 3 fields filled in, the page, 0 records. Hand in this file."),
        ("page", 0, "1 answer to questions that the page does not ask: s9"),
        (
            "old",
            1,
            "the answers in the page in 'old' cannot be read: these answers are cache-lab-answers version 1",
        ),
        ("cut", 1, "the answers in the page in 'cut' cannot be read"),
        ("bald", 1, "it has no place for answers"),
        ("empty --answers names.json", 1, "no question is answered in the page in 'empty' and names.json;"),
    ] {
        let (status, message) = handin(folder, args);
        assert!(status == Some(code) && message.contains(says), "{args}: {status:?} {message}");
    }
    assert_eq!(std::fs::read_to_string(folder.join("mine.zip")).unwrap(), "my notes mention versions.json");
    assert!(["empty", "old", "cut", "bald"].iter().all(|name| !folder.join(format!("{name}.zip")).exists()));
}

#[test]
fn what_does_not_count_is_named_before_the_hand_in() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let typed = format!("{RIGHT},{SIGNED}").replace(r#""value":"64""#, r#""value":"approx. 64""#);
    assert!(typed.contains("approx. 64"), "{typed}");
    let needs = page(&typed).replace(r#""records":[]"#, r#""records":["mm1","ge-1"]"#).replace(
        r#"{"id":"s2-2""#,
        r#"{"id":"ge-1","label":"Steps?","kind":null,"optional":"ge"},{"id":"flops-1","label":"Rate?","kind":null,"optional":"flops"},{"id":"s2-1","label":"Capacity?","kind":"bytes"},{"id":"s2-2""#,
    ).replace(r#""fields":{"#, r#""fields":{"flops-1":"slow","#);
    write(folder, "report/report.html", &needs);
    write(folder, "report/records/mm1.json", &RECORD.replace("\"size\":512", "\"size\":256"));
    let verdict = "do not hand this in: 1 of 1 record does not count; 1 record of the assignment is missing: records/ge-1.json; 1 answer cannot be read as a value";
    let (code, message) = handin(folder, "report");
    assert!(code == Some(1) && message.trim_end().lines().last().unwrap().contains(verdict), "{message}");
    assert!(!folder.join("report.zip").exists());
    let (code, message) = handin(folder, "report --incomplete");
    assert_eq!(code, Some(0), "{message}");
    for says in [
        "mm1.json does not count: its matrices have 256 rows, not the 512",
        "without --quick and --size",
        "'approx. 64",
        "This is not one number",
        "last saved at 2026-03-01 10:00 UTC",
        "report.zip: 2 of 4 fields filled in, 1 of 1 of section 'flops', the page, 1 record. It does not count fully: 1 of 1",
        "empty: s2-1 (Capacity?)\n",
    ] {
        assert!(message.contains(says), "{says}: {message}");
    }
    // An archive of an earlier time is not left where a new one is expected.
    let packed = std::fs::read(folder.join("report.zip")).unwrap();
    let (code, message) = handin(folder, "report");
    assert!(code == Some(1) && message.contains("is now report.earlier-1.zip"), "{message}");
    assert_eq!(std::fs::read(folder.join("report.earlier-1.zip")).unwrap(), packed);
    assert!(!folder.join("report.zip").exists());
}

/// Browsers put the file where they like: it is named with the command that uses it.
#[test]
fn later_answers_in_other_folders_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let typed = answers(&format!("{RIGHT},{SIGNED}"));
    write(folder, "home/Downloads/answers (2).json", &typed);
    write(folder, "bare/report.html", &page(SIGNED).replace("03-01", "01-01"));
    let (code, message) = handin(folder, "bare");
    let says = "Downloads/answers (2).json: lab handin bare --answers";
    assert!(code == Some(1) && message.contains(says), "{message}");
    write(folder, "bare/answers.json", &typed.replace("03-01", "02-01"));
    let (code, message) = handin(folder, "bare");
    assert!(
        code == Some(0) && message.contains("has later answers; to use them: lab handin bare"),
        "{message}"
    );
    write(folder, "home/Downloads/answers (2).json", &typed.replace("1001", "1002"));
    assert!(!handin(folder, "bare").1.contains("later answers"), "they are of another student");
}

#[test]
fn answers_of_two_students_are_never_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "report/report.html", &page(&format!("{RIGHT},{SIGNED}")));
    let others = SIGNED.replace("1001", "1002").replace("Ann", "Bob");
    for saved in ["03-01", "02-01", "04-01"] {
        write(folder, "bob.json", &answers(&format!("{RIGHT},{others}")).replace("03-01", saved));
        let (code, message) = handin(folder, "report --answers bob.json");
        assert!(code == Some(1) && message.contains("are of different students"), "{saved}: {message}");
    }
    write(folder, "empty.json", &answers(""));
    let (code, message) = handin(folder, "report --answers empty.json");
    assert!(code == Some(1) && message.contains("there are no answers in 'empty.json'"), "{message}");
    assert!(!folder.join("report.zip").exists());
}

//! `lab handin`: what it packs and refuses, and that the grader reads its archive.

use std::path::Path;

use super::lab;
use super::owners::{RIGHT, answers};

const RECORD: &str = r#"{"schema":"cache-lab-kit/record/1","program":"mm1","version":"0.1.0","settings":{},
    "machine":"a machine","notes":[],"rows":[{"size":512,"figures":[]}]}"#;

fn page(fields: &[(&str, &str)], saved: &str) -> String {
    let json = answers(fields, &[], saved);
    format!("<html><script type=\"application/json\" id=\"answers\">{json}</script></html>")
}

fn write(folder: &Path, place: &str, text: &str) {
    let path = folder.join(place);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn handin(folder: &Path, args: &str) -> (Option<i32>, String) {
    let words: Vec<&str> = std::iter::once("handin").chain(args.split_whitespace()).collect();
    let done = lab(folder, &words, &[]);
    let told = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    (done.status.code(), told)
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
    write(
        folder,
        "report/report.html",
        &page(&[("s2-2", "1 KiB"), ("s2-3", "16 B")], "2026-03-01T10:00:00Z"),
    );
    write(folder, "report/records/mm1.json", RECORD);
    write(folder, "report/records/mm1.csv", "a,b\n");
    write(folder, "report/pictures/x.svg", "<svg/>");
    write(folder, "more/mm1.json", RECORD);
    write(folder, "saved.json", &answers(RIGHT, &[("student-1-name", "ann")], "2026-03-02T10:00:00Z"));
    let (code, told) = handin(folder, "report more/mm1.json --answers saved.json");
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("report.zip: 3 answers, the page, 2 records. Hand in this file."), "{told}");
    assert!(!told.contains("note"), "{told}");
    assert_eq!(
        names(folder, "report.zip"),
        ["answers.json", "records/1-mm1.json", "records/mm1.json", "report.html", "versions.json"]
    );
    // again, replacing the earlier one
    assert_eq!(handin(folder, "report --answers saved.json").0, Some(0));
    write(folder, "class.csv", "name\nann\n");
    std::fs::create_dir_all(folder.join("in/ann")).unwrap();
    std::fs::copy(folder.join("report.zip"), folder.join("in/ann/report.zip")).unwrap();
    let done = lab(folder, &["grade", "--roster", "class.csv", "in"], &[]);
    let table = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(table.contains("\n3\t20\tann\t\n"), "{table}");
}

#[test]
fn the_answers_saved_last_are_packed_whatever_the_browser_calls_them() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let saved = |name: &str, size, time| {
        write(folder, &format!("report/{name}"), &answers(&[("s2-2", size)], &[], time));
    };
    saved("answers.json", "1 KiB", "2026-03-01T10:00:00Z");
    saved("answers (1).json", "64 KiB", "2026-03-02T10:00:00Z");
    saved("answers-2.json", "2 KiB", "2026-03-01T11:00:00Z");
    saved("answers-of-bea.json", "8 KiB", "2026-03-09T10:00:00Z");
    assert_eq!(handin(folder, "report").0, Some(0));
    let mut archive = zip::ZipArchive::new(std::fs::File::open(folder.join("report.zip")).unwrap()).unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut archive.by_name("answers.json").unwrap(), &mut text).unwrap();
    assert!(text.contains("64 KiB"), "{text}");
}

#[test]
fn missing_parts_are_reported_before_the_hand_in() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "empty/report.html", &page(&[("student-1-name", "ann"), ("s2-2", " ")], ""));
    write(folder, "bare/answers.json", &answers(RIGHT, &[("s2-1", "")], ""));
    write(folder, "bare/records/x.json", "{}");
    write(folder, "mine.zip", "not an archive of this command");
    write(folder, "broken/answers.json", "{");
    for number in 0..70 {
        write(folder, &format!("many/records/{number}.json"), RECORD);
    }
    write(folder, "many/answers.json", &answers(RIGHT, &[], ""));
    for (args, code, says) in [
        ("", 1, "'report' is not a folder; run `lab run` first"),
        ("empty", 1, "there are no answers in 'empty'; press Save answers in the page"),
        ("broken", 1, "broken/answers.json: these are not the answers of a report"),
        ("bare --out mine.zip", 2, "mine.zip exists and was not written by lab handin"),
        ("many", 1, "71 files with 0 MiB are too much to hand in; 64 files"),
        ("bare --answers nowhere.json", 1, "cannot read nowhere.json"),
        ("bare nowhere.json", 1, "cannot read nowhere.json"),
        ("bare", 0, "note: there is no report.html in 'bare'"),
        ("bare", 0, "note: no student's name or number is filled in"),
        ("bare", 0, "note: 1 answers were emptied: s2-1"),
        ("bare", 0, "x.json will not count as a record"),
    ] {
        let (status, told) = handin(folder, args);
        assert!(status == Some(code) && told.contains(says), "{args}: {status:?} {told}");
    }
    assert_eq!(std::fs::read_to_string(folder.join("mine.zip")).unwrap(), "not an archive of this command");
    assert!(!folder.join("empty.zip").exists());
}

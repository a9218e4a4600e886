//! A report and its folder after an interrupted run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::SHORT;
use crate::kit::{lab, stderr};

/// Answers as the page saves them: an invalid file would stop every later run.
const TYPED: &str = r#"{"format": "cache-lab-answers", "version": 2, "saved": "2026-03-01T10:00:00Z", "fields": {"s2-2": "64 KiB"}}"#;

/// Files by their names in a folder.
pub(crate) type Files = BTreeMap<PathBuf, Vec<u8>>;

/// All files of a folder by their names, except the data of an unfinished run and the pages
/// of earlier reports.
pub(crate) fn files(folder: &Path) -> Files {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(place) = open.pop() {
        for path in fs::read_dir(place).into_iter().flatten().map(|entry| entry.unwrap().path()) {
            let name = path.strip_prefix(folder).unwrap().to_owned();
            if path.is_dir() {
                open.push(path);
            } else if !name.starts_with(".unfinished") && !name.starts_with("earlier") {
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The report's answers that are filled in.
pub(crate) fn filled(report: &Path) -> Vec<String> {
    let summary = fs::read_to_string(report.join("summary.tsv")).unwrap();
    summary
        .lines()
        .filter_map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            (!columns[2].is_empty()).then(|| format!("{} {}", columns[0], columns[1]))
        })
        .collect()
}

/// A report of matrices of 16 by 16, with answers next to it, and its files.
pub(crate) fn old_report(folder: &Path) -> Files {
    let output = lab(folder, &format!("{SHORT} --size 16"));
    assert!(output.status.success(), "{}", stderr(&output));
    fs::write(folder.join("report/answers.json"), TYPED).unwrap();
    files(&folder.join("report"))
}

/// Fails unless all files belong to the old report, or all to the new one.
pub(crate) fn whole(report: &Path, old: &Files) -> &'static str {
    let now = files(report);
    assert_eq!(now[Path::new("answers.json")], TYPED.as_bytes());
    if now[Path::new("report.html")] == old[Path::new("report.html")] {
        assert!(now == *old, "the old page is mixed with files of another report");
        return "old";
    }
    assert!(now.keys().eq(old.keys()), "{:?}", now.keys());
    for (name, bytes) in now.iter().filter(|(name, _)| name.extension().is_some_and(|e| e == "json")) {
        assert!(name.ends_with("answers.json") || *bytes != old[name], "{} is the old one", name.display());
    }
    "new"
}

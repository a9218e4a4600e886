//! The answers that a student typed: in the page of a report's folder, and in the files that the page saved.

use std::fs;
use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::input;
use report::{Answers, PAGE};

/// The answers in the page in `folder`, in its files of answers and in the file `more`: of each, the version that was
/// saved last.
/// Fails if one of them cannot be read, because its answers would be lost, or if they are of different students.
pub(crate) fn of(folder: &Path, more: Option<&Path>) -> Result<Answers, Failure> {
    let page = Some(folder.join(PAGE)).filter(|page| page.exists());
    let (mut found, mut names) = (Answers::default(), Vec::new());
    for path in page.into_iter().chain(saved(folder)).chain(more.map(Path::to_owned)) {
        names.push(input::name(&path));
        found.join(read(&path)?).map_err(|_| {
            let names = names.join(" and ");
            Failure::could_not(format!(
                "{names} are of different students; move the one that is not yours to another folder"
            ))
        })?;
    }
    Ok(found)
}

/// The answers in a page, or in a file of answers.
pub(crate) fn read(path: &Path) -> Result<Answers, Failure> {
    let text = input::text(path)?;
    let read = if path.ends_with(PAGE) { Answers::of_page(&text) } else { Answers::parse(&text) };
    read.map_err(|why| {
        let name = input::name(path);
        Failure::could_not(format!(
            "the answers in {name} cannot be read: {why}; to go on without them, move that file to another folder"
        ))
    })
}

/// The files of answers in a folder: `answers.json`, and the names that browsers choose where that exists:
/// `answers (1).json`.
pub(crate) fn saved(folder: &Path) -> Vec<PathBuf> {
    let is_answers = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let copy = name.strip_prefix("answers").and_then(|name| name.strip_suffix(".json"));
        copy.is_some_and(|copy| copy.chars().all(|c| c.is_ascii_digit() || " ()-".contains(c)))
            && path.is_file()
    };
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths = Vec::from_iter(entries.filter_map(|entry| Some(entry.ok()?.path())));
    paths.retain(is_answers);
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_and_files_are_joined_and_what_cannot_be_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        let typed = |id: &str, text: &str| {
            format!(
                r#"{{"format":"cache-lab-answers","version":2,"saved":"2026","fields":{{"{id}":"{text}"}}}}"#
            )
        };
        let script = |json: &str| format!("<script type=\"application/json\" id=\"answers\">{json}</script>");
        let refused = || of(folder.path(), None).unwrap_err().to_string();
        assert_eq!(of(folder.path(), None).unwrap(), Answers::default());
        write("answers.json", &typed("s2-1", "32 KiB"));
        write("answers (1).json", &typed("s2-3", "64 B"));
        write(PAGE, &script(&typed("s2-2", "32 KiB")));
        let ids = Vec::from_iter(of(folder.path(), None).unwrap().fields.into_keys());
        assert_eq!(ids, ["s2-1", "s2-2", "s2-3"]);
        write(PAGE, &script(&typed("student-1-number", "1")));
        write("answers.json", &typed("student-1-number", "2"));
        assert!(refused().contains("different students"));
        write("answers.json", "{\"half");
        assert!(refused().contains("answers.json cannot be read"));
        for damaged in ["<html>", &script("{")[..46]] {
            write(PAGE, damaged);
            assert!(refused().contains(PAGE), "{damaged}");
        }
    }
}

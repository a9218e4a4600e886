//! The answers that a student typed into an earlier report in the same folder.

use std::io::ErrorKind;
use std::path::Path;

use common::encoding;
use common::failure::Failure;
use common::saved::BYTES;
use common::system::date::unlike_any_other;
use common::system::files;
use report::{Answers, AnswersError, PAGE, Run};

/// The file that the page's "Save answers" writes.
const FILE: &str = "answers.json";

/// The answers in `folder`'s page and in its `answers.json`, merged; empty if there is
/// neither.
/// Fails if one of them cannot be read, because its answers would be lost, or if they are of
/// different students.
pub(super) fn read_from(folder: &Path) -> Result<Answers, Failure> {
    let mut answers = read(&folder.join(PAGE), &Answers::of_page)?;
    answers.join(read(&folder.join(FILE), &Answers::parse)?).map_err(|_| {
        let folder = folder.display();
        Failure::could_not(format!(
            "{PAGE} and {FILE} in '{folder}' are of different students; move the one that is not yours to another folder"
        ))
    })?;
    Ok(answers)
}

/// The run whose report is in `folder`.
pub(super) fn run_of(folder: &Path) -> Option<Run> {
    let page = files::read_at_most(&folder.join(PAGE), BYTES).ok()?;
    Run::of_page(&encoding::decode(&page).ok()?)
}

/// The report's name for browsers: that of the page in `folder`, or a new one.
pub(super) fn report_of(folder: &Path) -> String {
    let known = run_of(folder).map(|run| run.report).filter(|report| !report.is_empty());
    known.unwrap_or_else(|| format!("{:016x}", unlike_any_other()))
}

fn read(path: &Path, parse: &dyn Fn(&str) -> Result<Answers, AnswersError>) -> Result<Answers, Failure> {
    let read = match files::read_at_most(path, BYTES) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Answers::default()),
        Err(error) => Err(error.to_string()),
        Ok(bytes) => encoding::decode(&bytes)
            .map_err(|why| why.to_string())
            .and_then(|text| parse(&text).map_err(|why| why.to_string())),
    };
    read.map_err(|why| {
        let path = path.display();
        Failure::could_not(format!(
            "the answers in '{path}' cannot be copied into the new page: {why}; move that file away, or choose another folder with --output"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_report_keeps_its_name_and_another_has_another() {
        let [one, other] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        assert_ne!(report_of(one.path()), report_of(other.path()));
        let run = r#"<script type="application/json" id="run">{"report":"a1","measured":"2026","quick":false}</script>"#;
        fs::write(one.path().join(PAGE), run).unwrap();
        assert_eq!(report_of(one.path()), "a1");
    }

    #[test]
    fn page_and_file_are_joined_and_what_cannot_be_read_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        let typed = |id: &str, text: &str| {
            format!(
                r#"{{"format":"cache-lab-answers","version":2,"saved":"2026","fields":{{"{id}":"{text}"}}}}"#
            )
        };
        let script = |json: &str| format!("<script type=\"application/json\" id=\"answers\">{json}</script>");
        let refused = || read_from(folder.path()).unwrap_err().to_string();
        assert_eq!(read_from(folder.path()).unwrap(), Answers::default());
        write(FILE, &typed("s2-1", "32 KiB"));
        write(PAGE, &script(&typed("s2-2", "32 KiB")));
        let ids: Vec<String> = read_from(folder.path()).unwrap().fields.into_keys().collect();
        assert_eq!(ids, ["s2-1", "s2-2"]);
        write(PAGE, &script(&typed("student-1-number", "1")));
        write(FILE, &typed("student-1-number", "2"));
        assert!(refused().contains("different students"));
        write(FILE, "{\"half");
        assert!(refused().contains("answers.json") && refused().contains("--output"));
        for damaged in ["<html>", &script("{")[..46]] {
            write(PAGE, damaged);
            assert!(refused().contains(PAGE), "{damaged}");
        }
    }
}

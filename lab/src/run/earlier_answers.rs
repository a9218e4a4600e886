//! The answers that a student typed into an earlier report in the same folder.

use std::io::ErrorKind;
use std::path::Path;

use common::encoding;
use common::failure::Failure;
use common::system::files;
use report::{Answers, AnswersError, PAGE};

/// The file that the page's "Save answers" writes.
const FILE: &str = "answers.json";
/// Largest page or file of answers that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// The answers in `folder`'s page and in its `answers.json`, merged; empty if there is
/// neither.
///
/// # Errors
///
/// If one of them cannot be read, because its answers would be lost, or if they are of different
/// students.
pub(super) fn read_from(folder: &Path) -> Result<Answers, Failure> {
    let in_page = |text: &str| Answers::in_page(text).unwrap_or_else(|| Ok(Answers::default()));
    let page = read(&folder.join(PAGE), &in_page)?;
    let file = read(&folder.join(FILE), &Answers::parse)?;
    if page.are_of_another_student(&file) {
        let folder = folder.display();
        return Err(Failure::could_not(format!(
            "{PAGE} and {FILE} in '{folder}' are of different students; move the one that is not yours to another folder"
        )));
    }
    Ok(page.joined(file))
}

fn read(path: &Path, parse: &dyn Fn(&str) -> Result<Answers, AnswersError>) -> Result<Answers, Failure> {
    let read = match files::read_at_most(path, MAX_BYTES) {
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

    fn typed(saved: &str, id: &str) -> String {
        format!(
            r#"{{"format":"cache-lab-answers","version":2,"saved":"{saved}","fields":{{"{id}":"32 KiB"}}}}"#
        )
    }

    #[test]
    fn page_and_file_are_joined_and_what_cannot_be_read_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let read = || read_from(folder.path()).unwrap().json();
        assert_eq!(read(), Answers::default().json());
        fs::write(place(FILE), typed("2026-11-20", "s2-1")).unwrap();
        assert!(read().contains("s2-1"));
        let script = |answers| format!("<script type=\"application/json\" id=\"answers\">{answers}</script>");
        fs::write(place(PAGE), script(typed("2026-11-21", "s2-2"))).unwrap();
        assert!(read().contains("s2-1") && read().contains("s2-2"));
        let signed = |number| typed("2026-11-22", "student-1-number").replace("32 KiB", number);
        fs::write(place(PAGE), script(signed("1"))).unwrap();
        fs::write(place(FILE), signed("2")).unwrap();
        assert!(read_from(folder.path()).unwrap_err().to_string().contains("different students"));
        fs::write(place(FILE), "{\"half").unwrap();
        let refused = read_from(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("answers.json") && refused.contains("--output"), "{refused}");
    }
}

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
const MOST: u64 = 64 << 20;

/// The answers in `folder`'s page and in its `answers.json`, merged; empty if there is
/// neither.
///
/// # Errors
///
/// If one of them cannot be read: its answers would be lost.
pub(super) fn read_from(folder: &Path) -> Result<Answers, Failure> {
    let page = read(folder, PAGE, |text| Answers::in_page(text).unwrap_or_else(|| Ok(Answers::default())))?;
    let file = read(folder, FILE, Answers::parse)?;
    Ok(page.joined(file))
}

fn read(
    folder: &Path,
    name: &str,
    parse: impl Fn(&str) -> Result<Answers, AnswersError>,
) -> Result<Answers, Failure> {
    let path = folder.join(name);
    let refused = |error: String| {
        let path = path.display();
        Failure::could_not(format!(
            "the answers in '{path}' cannot be copied into the new page: {error}; move that file away, or choose another folder with --output"
        ))
    };
    match files::read_at_most(&path, MOST) {
        Ok(bytes) => {
            let text = encoding::decode(&bytes).map_err(|why| refused(why.to_string()))?;
            parse(&text).map_err(|error| refused(error.to_string()))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Answers::default()),
        Err(error) => Err(refused(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[allow(clippy::field_reassign_with_default, reason = "the other fields are the crate's own")]
    fn typed(saved: &str, id: &str, text: &str) -> Answers {
        let mut answers = Answers::default();
        answers.saved = saved.to_owned();
        answers.fields.insert(id.to_owned(), text.into());
        answers
    }

    #[test]
    fn page_and_file_are_joined_and_what_cannot_be_read_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        assert_eq!(read_from(folder.path()).unwrap(), Answers::default());
        fs::write(place(PAGE), "a page of an earlier version").unwrap();
        assert_eq!(read_from(folder.path()).unwrap(), Answers::default());
        fs::write(place(FILE), typed("2026-11-20", "s2-1", "32 KiB").json()).unwrap();
        assert_eq!(read_from(folder.path()).unwrap().fields["s2-1"], report::Answer::from("32 KiB"));
        let page = format!(
            "<script type=\"application/json\" id=\"answers\">{}</script>",
            typed("2026-11-21", "s2-2", "64 KiB").json()
        );
        fs::write(place(PAGE), page).unwrap();
        assert_eq!(read_from(folder.path()).unwrap().fields.len(), 2);
        fs::write(place(FILE), "{\"half").unwrap();
        let told = read_from(folder.path()).unwrap_err().to_string();
        assert!(told.contains("answers.json") && told.contains("--output"), "{told}");
    }
}

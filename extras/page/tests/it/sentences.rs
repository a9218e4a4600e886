//! What a program needs of an error is data: none searches the sentence.

use std::fs;
use std::path::{Path, PathBuf};

/// What an error is called, and what searches a text, in Rust and in JavaScript.
const NAMES: &str = "error why reason failure refusal message note";
const SEARCHES: &str = "contains starts_with ends_with strip_prefix strip_suffix split_once rsplit_once \
                        trim_end_matches match replaceAll split includes startsWith endsWith";

/// The sources of the programs; their tests may search.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if !name.starts_with('.') && !["target", "tests", "examples", "fuzz"].contains(&name) {
                sources(&path, found);
            }
        } else if (name.ends_with(".rs") && name != "tests.rs") || name.ends_with(".js") {
            found.push(path);
        }
    }
}

#[test]
fn no_program_searches_the_sentence_of_an_error() {
    let mut found = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), &mut found);
    assert!(found.len() > 300, "{}", found.len());
    let forms = ["", ".to_string()", "?", ".message"];
    let of = |form| NAMES.split(' ').map(move |name| format!("{name}{form}."));
    let begins = Vec::from_iter(forms.into_iter().flat_map(of));
    let of = |begin| SEARCHES.split(' ').map(move |search| format!("{begin}{search}("));
    let mut searched = Vec::from_iter(begins.iter().flat_map(of));
    searched.extend(["message ===", "message !==", ".test(error", ".test(message"].map(str::to_owned));
    for path in found {
        let text = fs::read_to_string(&path).unwrap();
        let program = text.split("#[cfg(test)]").next().unwrap();
        let search = searched.iter().find(|search| program.contains(*search));
        assert_eq!(search, None, "{}", path.display());
    }
}

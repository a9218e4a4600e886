//! Folders of sources, and what the program says of them.

use std::path::Path;
use std::process::{Command, Output};

use exercises::task::{Language, TASKS};
use serde_json::Value;

/// Runs `exercises` with `arguments` in `folder`.
pub(crate) fn run(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_exercises"));
    command.current_dir(folder).args(arguments.split_whitespace()).output().unwrap()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Whether C files can be compiled on this machine; a test that needs it skips itself otherwise.
pub(crate) fn has_c() -> bool {
    let lab = Path::new(env!("CARGO_BIN_EXE_exercises")).with_file_name("lab");
    let compiles =
        Command::new(lab).args(["cc", "--version"]).output().is_ok_and(|output| output.status.success());
    if !compiles {
        skip::skip("no lab next to exercises, or no C compiler");
    }
    compiles
}

/// The scores of sources, by task.
pub(crate) fn scores(sources: &[(String, String)]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in sources {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let output = run(folder.path(), "--sources . --format json");
    assert!(output.status.success(), "{output:?}");
    let scores: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let tasks = scores["tasks"].as_array().unwrap().clone();
    let points: u64 = tasks.iter().map(|task| task["points"].as_u64().unwrap()).sum();
    assert_eq!(scores["points"], points);
    tasks
}

/// The model answers.
pub(crate) fn solutions(language: Language) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("solutions");
    let read = |name: String| (name.clone(), std::fs::read_to_string(folder.join(name)).unwrap());
    TASKS.iter().map(|task| read(task.file(language))).collect()
}

/// The finding and the hint of a task that is open.
pub(crate) fn says(score: &Value) -> String {
    let text = |name: &str| score[name].as_str().unwrap_or_default().to_owned();
    format!("{} | {}", text("found"), text("hint"))
}

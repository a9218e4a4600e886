//! Folders of sources, and what the program says of them.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;

use exercises::score::{Score, score_all};
use exercises::task::{Language, TASKS};

const PROGRAM: &str = env!("CARGO_BIN_EXE_exercises");

/// Builds `lab` and its library, with a link next to the tests; false, and a line in the list of skipped tests,
/// where no exercise can be checked.
pub(crate) fn can_check() -> bool {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        skip::skip("exercises are checked on Linux on x86-64 alone");
        return false;
    }
    if !Command::new("cc").arg("--version").output().is_ok_and(|ran| ran.status.success()) {
        skip::skip("there is no cc: apt install gcc");
        return false;
    }
    static BUILT: OnceLock<()> = OnceLock::new();
    BUILT.get_or_init(|| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--offline", "--package", "papi", "--package", "lab"]);
        let is_release = Path::new(PROGRAM).parent().is_some_and(|folder| folder.ends_with("release"));
        assert!(cargo.args(is_release.then_some("--release")).status().unwrap().success());
        let own = std::env::current_exe().unwrap().with_file_name("lab");
        _ = std::os::unix::fs::symlink(Path::new(PROGRAM).with_file_name("lab"), own);
    });
    true
}

/// Runs `exercises` with `arguments` in `folder`.
pub(crate) fn run(folder: &Path, arguments: &str) -> Output {
    Command::new(PROGRAM).current_dir(folder).args(arguments.split_whitespace()).output().unwrap()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The scores of sources, by task.
pub(crate) fn scores(sources: &[(String, String)]) -> Vec<Score> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in sources {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    score_all(folder.path())
}

/// The model answers.
pub(crate) fn solutions(language: Language) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("solutions");
    let read = |name: String| (name.clone(), std::fs::read_to_string(folder.join(name)).unwrap());
    TASKS.iter().map(|task| read(task.file(language))).collect()
}

/// The reason, the finding and the hint of a task that is open.
pub(crate) fn says(score: &Score) -> String {
    let wrong = score.checked.as_ref().err();
    wrong.map_or_else(String::new, |wrong| format!("{}: {} | {}", wrong.reason, wrong.found, wrong.hint))
}

//! The commands.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use exercises::task::{Language, TASKS};

use crate::kit::{can_check, run, solutions, stdout};

fn solution(name: &str) -> String {
    solutions(Language::Rust).into_iter().find(|(file, _)| file == name).unwrap().1
}

#[test]
fn a_student_begins_checks_and_asks() {
    if !can_check() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("my-exercises");
    let list = run(folder.path(), "");
    let text = stdout(&list);
    for task in TASKS {
        assert!(text.lines().any(|line| line.starts_with(task.name) && line.contains("open")), "{text}");
        let mut files = Language::ALL.iter().map(|language| own.join(task.file(*language)));
        assert!(files.all(|file| file.exists()), "{text}");
    }
    assert!(String::from_utf8_lossy(&list.stderr).starts_with("next: read my-exercises/rows.rs"), "{list:?}");

    let file = own.join("rows.rs");
    std::fs::write(&file, "pub fn sum(_: usize, _: usize, x: &[f64]) -> f64 { println!(\"seen\"); x[0] }")
        .unwrap();
    let check = run(folder.path(), "check rows");
    assert_eq!(check.status.code(), Some(1));
    let text = stdout(&check);
    assert!(
        text.starts_with("rows (my-exercises/rows.rs): open\n  found: ") && !text.contains("All elements"),
        "{text}"
    );
    assert!(String::from_utf8_lossy(&check.stderr).contains("seen"), "{check:?}");
    assert!(stdout(&run(folder.path(), "hint rows")).contains("hint: All elements"));
    std::fs::write(&file, solution("rows.rs")).unwrap();
    let check = run(folder.path(), "check rows");
    assert!(
        check.status.success() && stdout(&check).contains("why: The inner loop runs along a row"),
        "{check:?}"
    );

    // A file that is not there is handed out again.
    std::fs::remove_file(&file).unwrap();
    run(folder.path(), "");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), TASKS[0].starter(Language::Rust));
}

#[test]
fn watching_checks_at_each_save() {
    if !can_check() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my-exercises/pad.rs");
    std::fs::create_dir(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "pub fn pitch(columns: usize) -> usize { columns / 0 }").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_exercises"));
    command.args(["check", "pad", "--watch"]).current_dir(folder.path()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.starts_with("pad") && line.ends_with("open")));
    std::fs::write(&file, solution("pad.rs")).unwrap();
    assert!(lines.any(|line| line.contains("passed")));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn unknown_names_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), "check rowz");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("'rows'"), "{output:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was written");
}

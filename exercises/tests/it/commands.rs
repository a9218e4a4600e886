//! The commands.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use exercises::task::{Language, TASKS};

use crate::kit::{run, solutions, stdout};

fn solution(name: &str) -> String {
    solutions(Language::Rust).into_iter().find(|(file, _)| file == name).unwrap().1
}

#[test]
fn a_student_begins_checks_asks_and_resets() {
    let folder = tempfile::tempdir().unwrap();
    let list = run(folder.path(), "");
    let text = stdout(&list);
    for task in TASKS {
        assert!(text.lines().any(|line| line.starts_with(task.name) && line.contains("open")), "{text}");
        assert!(
            Language::ALL.iter().all(|language| folder
                .path()
                .join("my-exercises")
                .join(task.file(*language))
                .exists())
        );
    }
    assert!(String::from_utf8_lossy(&list.stderr).starts_with("next: read my-exercises/rows.rs"), "{list:?}");

    let file = folder.path().join("my-exercises/rows.rs");
    std::fs::write(&file, "pub fn sum(mem: &mut crate::memory::Memory, x: crate::memory::Matrix) -> f64 { println!(\"seen\"); mem.load(x.at(0, 0)) }").unwrap();
    let check = run(folder.path(), "check rows");
    assert_eq!(check.status.code(), Some(1));
    let text = stdout(&check);
    assert!(
        text.starts_with("rows (my-exercises/rows.rs): open\n  found: ") && !text.contains("All elements"),
        "{text}"
    );
    assert!(String::from_utf8_lossy(&check.stderr).contains("seen"), "{check:?}");
    assert!(stdout(&run(folder.path(), "hint rows")).contains("hint: All elements"));
    let refused = run(folder.path(), "solution rows");
    assert!(refused.status.code() == Some(1) && refused.stdout.is_empty(), "{refused:?}");

    std::fs::write(&file, solution("rows.rs")).unwrap();
    let check = run(folder.path(), "check rows");
    assert!(
        check.status.success() && stdout(&check).contains("why: The inner loop runs along a row"),
        "{check:?}"
    );
    assert!(stdout(&run(folder.path(), "solution rows")).contains("A model answer"));

    for copy in ["rows.rs.1", "rows.rs.2"] {
        std::fs::write(&file, format!("// {copy}")).unwrap();
        assert!(run(folder.path(), "reset rows").status.success());
        let text = std::fs::read_to_string(file.with_file_name(copy)).unwrap();
        assert_eq!(text, format!("// {copy}"));
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), TASKS[0].starter(Language::Rust));
}

#[test]
fn watching_checks_at_each_save() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pad.rs");
    std::fs::write(&file, "pub fn pitch(columns: usize) -> usize { columns / 0 }").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_exercises"));
    command
        .args(["check", "pad", "--watch", "--sources", "."])
        .current_dir(folder.path())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.starts_with("pad") && line.ends_with("open")));
    std::fs::write(&file, solution("pad.rs")).unwrap();
    assert!(lines.any(|line| line.contains("passed")));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_class_gets_a_table_and_a_scoreboard_without_names() {
    let folder = tempfile::tempdir().unwrap();
    let (pad, soa) = (solution("pad.rs"), solution("soa.rs"));
    let wasteful = "pub fn pitch(columns: usize) -> usize { 8 * (columns.div_ceil(8) | 1) }".to_owned();
    for (student, name, text) in [
        ("ana", "pad.rs", &pad),
        ("ben", "pad.rs", &wasteful),
        ("ben", "soa.rs", &soa),
        ("=1+1", "pad.rs", &"oops".to_owned()),
    ] {
        std::fs::create_dir_all(folder.path().join("in").join(student)).unwrap();
        std::fs::write(folder.path().join("in").join(student).join(name), text).unwrap();
    }
    // What a student says of the points is not read.
    std::fs::write(folder.path().join("in/ana/exercises.json"), "{\"points\": 14}").unwrap();
    let output = run(folder.path(), "class in --scoreboard board.html");
    let text = stdout(&output);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|column| *column == name).unwrap();
    let cells =
        |row: usize| ["points", "pad", "pad_misses", "pad_reason", "soa"].map(|name| rows[row][column(name)]);
    assert_eq!((rows.len(), rows[2][0], rows[3][0]), (4, "\"ana\"", "\"ben\""));
    assert_eq!(cells(1), ["0", "0", "", "compile", "0"]);
    assert!(!rows[1][0].starts_with("\"="), "no formula: {text}");
    assert_eq!(cells(2), ["1", "1", "448", "", "0"]);
    assert_eq!(cells(3), ["2", "1", "448", "", "1"]);
    let board = std::fs::read_to_string(folder.path().join("board.html")).unwrap();
    assert!(board.contains("<td>448<td>607<td>2") && !board.contains("ana"), "{board}");
}

#[test]
fn unknown_names_and_folders_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, words) in [("check rowz", "'rows'"), ("--sources none", "no folder 'none'")] {
        let output = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(words), "{output:?}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was written");
}

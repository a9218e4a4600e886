//! Exercises in submissions: found in any folder and archive, and nobody gets a false 0.

use std::fs;
use std::path::Path;

use exercises::task::{Language, TASKS};

use super::{cell, graded, write, zipped};

/// The model answer of a task in Rust.
fn solution(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../exercises/solutions");
    fs::read_to_string(folder.join(name)).unwrap()
}

/// Builds what checks exercises, next to `course`.
fn checker() {
    let folder = Path::new(env!("CARGO_BIN_EXE_course")).parent().unwrap();
    let mut cargo = std::process::Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--offline", "--package", "papi", "--package", "lab"]);
    assert!(cargo.args(folder.ends_with("release").then_some("--release")).status().unwrap().success());
}

#[test]
fn files_are_found_wherever_students_put_them() {
    checker();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (pad, soa) = (solution("pad.rs"), solution("soa.rs"));
    let starter = TASKS.iter().find(|task| task.name == "pad").unwrap().starter(Language::Rust);
    write(folder, "r.csv", "name\nana\nbea\ncarl\ndan\neve\nfay\ngil\nhal\nivo\n");
    write(folder, "in/ana/my-exercises/pad.rs", &pad);
    write(folder, "in/ana/my-exercises/soa.rs", &format!("{soa}// of ana\n"));
    fs::create_dir_all(folder.join("in/bea")).unwrap();
    fs::write(folder.join("in/bea/my-exercises.zip"), zipped(&[("my-exercises/pad.rs", pad.as_bytes())]))
        .unwrap();
    fs::write(folder.join("in/carl.zip"), zipped(&[("target/work/pad.rs", b"pub fn pitch() {}")])).unwrap();
    write(folder, "in/dan/pad.rs", &starter);
    write(folder, "in/eve/answers.pdf", "%PDF");
    write(folder, "in/fay/answers.json", "{}");
    write(folder, "in/gil/pad.rs", &pad);
    write(folder, "in/gil/old/pad.rs", "// another");
    write(folder, "in/hal/Pad (1).rs.txt", &pad);
    write(folder, "in/bea/row.rs", "// rows, by another name");
    write(folder, "in/hal/handed-out/pad.rs", &starter);
    let (code, notes, err) = graded(folder, "--exercises --roster r.csv --output o in");
    assert_eq!(code, Some(0), "{err}");
    let of = |student: &str, column: &str| cell(folder, "o/grades.csv", student, column);
    for (student, points, reason) in [
        ("ana", "2", "Passed, with 448 misses."),
        ("bea", "1", "Passed, with 448 misses."),
        ("carl", "0", "Not passed: "),
        ("dan", "0", "The file is as it was handed out."),
        ("eve", "-", ""),
        ("fay", "-", ""),
        ("gil", "0", "To be read by the instructor: there are two different files pad.rs."),
        ("hal", "1", "Passed, with 448 misses."),
        ("ivo", "0", "No answer."),
    ] {
        let found = (of(student, "points"), of(student, "pad_reason"));
        assert!(found.0 == points && found.1.contains(reason), "{student}: {found:?} {notes}");
        assert_eq!(of(student, "max_points"), "14");
    }
    assert_eq!(of("gil", "soa_reason"), "None of these files was handed in: soa.rs, soa.c.");
    let other = "To be read by the instructor: there are only files of other names: row.rs.";
    assert_eq!([of("bea", "rows_points"), of("bea", "rows_reason")], ["", other]);
    for line in [
        "equal files of exercises: 1: ana = bea = gil = hal (pad.rs)\n",
        "no grade: 2: 'eve': what was handed in cannot be read",
        "without a submission: 1: ivo\n",
    ] {
        assert!(notes.contains(line), "{line}: {notes}");
    }
    assert!(
        of("eve", "notes").contains("No file of an exercise was found in what was handed in: answers.pdf.")
    );
}

/// A submission with files of exercises alone is nothing to grade as a report, and no 0.
#[test]
fn a_report_that_has_only_exercises_is_no_zero() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "r.csv", "name\nana\nbea\n");
    write(folder, "in/ana/my-exercises/pad.rs", "// mine");
    write(folder, "in/bea/", "RIGHT");
    let (code, out, err) = graded(folder, "--roster r.csv in");
    assert!(
        code == Some(0) && out.contains("-\t20\tana\t") && out.contains("Not read: pad.rs;"),
        "{out}{err}"
    );
}

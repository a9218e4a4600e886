//! A course's own assignment: printed, changed, run.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

fn lab(program: &Path, folder: &Path, args: &str) -> Output {
    Command::new(program).current_dir(folder).args(args.split(' ')).output().unwrap()
}

fn printed(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

const RECORD: &str = r#"{"program": "mine", "version": "0.1.0", "settings": {"threads": 2}, "machine": "m", "notes": [],
 "rows": [{"place": {"size": 100}, "figures": [{"name": "mflops", "amount": 612.345, "source": "timing"}]}]}"#;

/// The program of a new crate, in the folder of `lab`: it needs only the option --record.
const PROGRAM: &str = r#"#!/bin/sh
[ "$1" = fails ] && { echo "mine: no luck" >&2; exit 1; }
echo "$1 $2" >> ran.txt
while [ $# -gt 1 ]; do [ "$1" = --record ] && cat record.json > "$2"; shift; done
"#;

const SECTION: &str = r#"
[[section]]
id = "mine"
title = "Ours <1>"
text = "It runs `mine`."
run = ["mine 100 {machine}", "mine 200 {counters}"]
chart = [{ x = "size", y = "mflops" }]

[[question]]
id = "mine-best"
section = "mine"
kind = "line"
label = "Which is **best**?"
why = "Why?"
points = 3

[[question]]
id = "s2-more"
section = "2"
label = "And what of this?"
"#;

/// A folder with lab, a program next to it, and an assignment that runs it.
fn place(folder: &Path) -> std::path::PathBuf {
    let program = folder.join("lab");
    std::fs::write(folder.join("record.json"), RECORD).unwrap();
    std::fs::write(folder.join("mine"), PROGRAM).unwrap();
    std::fs::set_permissions(folder.join("mine"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let guide = printed(lab(Path::new(env!("CARGO_BIN_EXE_lab")), folder, "assignment"));
    let own =
        guide.replace("# matrix = 1024", "matrix = 16").replace("students = 3", "students = 1") + SECTION;
    std::fs::write(folder.join("own.toml"), own).unwrap();
    // a program that this process has open for writing is also open in another test's child
    // while that starts, and cannot be run then
    printed(Command::new("cp").args([Path::new(env!("CARGO_BIN_EXE_lab")), &program]).output().unwrap());
    program
}

const RUN: &str = "run --hasten 1000 --machine i5-7500";

#[test]
fn a_section_of_ones_own_is_run_shown_and_asked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let program = place(folder);
    printed(lab(&program, folder, &format!("{RUN} --assignment own.toml")));
    assert_eq!(std::fs::read_to_string(folder.join("ran.txt")).unwrap(), "100 i5-7500\n200 auto\n");
    let page = std::fs::read_to_string(folder.join("report/report.html")).unwrap();
    for part in [
        "<h2 id=\"mine\">Ours &lt;1&gt;",
        "href=\"#mine\"",
        "It runs <code>mine</code>.",
        "612.3",
        "Which is <b>best</b>?",
        " id=\"mine-best-why\"",
        "student-1-name",
        "N = 16",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.find(" id=\"s2-more\"") < page.find("id=\"s311\""), "at the end of its section");
    assert!(page.contains(" id=\"s2-more\"") && !page.contains("student-2-name"));
    for file in ["records/mine-1.json", "records/mine-2.csv", "pictures/mine.svg"] {
        assert!(folder.join("report").join(file).is_file(), "{file}");
    }
}

#[test]
fn what_cannot_be_carried_out_is_reported_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let program = place(folder);
    let own = std::fs::read_to_string(folder.join("own.toml")).unwrap();
    let write =
        |name: &str, from: &str, to: &str| std::fs::write(folder.join(name), own.replace(from, to)).unwrap();
    write("absent.toml", "\"mine 100", "\"yours 100");
    write("wrong.toml", "[sizes]", "[sizes]\nlarge = 1");
    write("fails.toml", "\"mine 100 {machine}\"", "\"mine fails\"");
    write("column.toml", "y = \"mflops\"", "y = \"nope\"");
    for (args, code, says) in [
        ("--assignment absent.toml", 1, "'yours'"),
        ("--assignment wrong.toml", 2, "wrong.toml: line"),
        ("--assignment column.toml", 1, "no row has 'nope'; they have program, size, mflops"),
        ("--assignment fails.toml", 1, "`mine fails` failed: mine: no luck"),
    ] {
        let ran = lab(&program, folder, &format!("{RUN} --size 16 {args}"));
        let message = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(code), "{args}: {message}");
        assert!(message.contains(says), "{args}: {message}");
        let measured = args.contains("column");
        assert_eq!(folder.join("report.tmp/records").exists(), measured, "{args}");
        assert!(!folder.join("report").exists());
    }
}

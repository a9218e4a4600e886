//! `lab stat` as a student runs it.
#![cfg(unix)]

use crate::kit::{lab, stderr};

#[test]
fn a_program_runs_unchanged_and_its_figures_follow() {
    let folder = tempfile::tempdir().unwrap();
    let output = lab(folder.path(), "stat --runs 3 --record r.json -- echo hello");
    let text = stderr(&output);
    assert_eq!((output.status.code(), &*output.stdout), (Some(0), &b"hello\nhello\nhello\n"[..]), "{text}");
    for part in ["echo hello (exit status: 0)", "wall_s ", "user_s ", "minor_page_faults ", "PAPI_TOT_INS"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let record = std::fs::read_to_string(folder.path().join("r.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    let figures = record["rows"][0]["figures"].as_array().unwrap();
    let figure = |name: &str| figures.iter().find(|figure| figure["name"] == name).unwrap();
    assert_eq!(figure("wall_s")["runs"].as_array().unwrap().len(), 3);
    assert!(figure("minor_page_faults")["amount"].as_f64().unwrap() >= 1.0, "{record}");
    // Counted, or missing with a reason; never 0.
    let instructions = figure("PAPI_TOT_INS");
    let reason = instructions["reason"].as_str().is_some_and(|reason| !reason.is_empty());
    assert!(reason || instructions["amount"].as_f64().unwrap() > 1000.0, "{instructions}");
}

#[test]
fn its_exit_status_is_passed_on_and_wrong_commands_are_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("seven.sh"), "exit 7\n").unwrap();
    std::fs::write(folder.path().join("killed.sh"), "kill -TERM $$\n").unwrap();
    for (args, code, says) in [
        ("-- sh seven.sh", 7, "sh seven.sh (exit status: 7)"),
        ("--runs 5 -- sh killed.sh", 128 + 15, "sh killed.sh (signal: 15"),
        ("-- none-such", 1, "there is no program 'none-such'"),
        ("-- ./seven.sh", 1, "'./seven.sh' is not an executable program"),
        ("sh seven.sh", 7, "sh seven.sh (exit status: 7)"),
        ("", 2, "COMMAND"),
        ("--events PAPI_NONE -- true", 2, "PAPI_NONE"),
        ("--compare -- true", 2, "--compare needs two commands"),
        ("--compare -- true --", 2, "--compare needs two commands"),
        ("--chart a.svg -- true", 2, "draws nothing"),
    ] {
        let output = lab(folder.path(), &format!("stat {args}"));
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{args}: {text}");
        assert!(text.contains(says), "{args}: {text}");
    }
}

#[test]
fn who_ends_it_ends_the_program_too() {
    let folder = tempfile::tempdir().unwrap();
    let script = "trap 'echo ended; exit 7' TERM; kill -TERM $PPID; for i in $(seq 600); do sleep 0.1; done";
    std::fs::write(folder.path().join("waits.sh"), script).unwrap();
    let output = lab(folder.path(), "stat --runs 3 -- sh waits.sh");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "ended\n");
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&output.status),
        Some(15),
        "{}",
        stderr(&output)
    );
}

#[test]
fn two_commands_run_in_turns() {
    let folder = tempfile::tempdir().unwrap();
    let output = lab(folder.path(), "stat --runs 2 --compare -- echo a -- echo b");
    let text = stderr(&output);
    assert_eq!(output.stdout, b"a\nb\na\nb\n");
    assert!(text.contains("the second divided by the first\n  wall_s "), "{text}");
    let refused = lab(folder.path(), "stat --record none/r.json -- touch ran");
    assert!(refused.status.code() == Some(1) && !folder.path().join("ran").exists(), "nothing was run");
    let failed = lab(folder.path(), "stat --runs 3 --record r.json -- false");
    assert!(stderr(&failed).contains("1 of 3 runs"), "{}", stderr(&failed));
    let record = std::fs::read(folder.path().join("r.json")).unwrap();
    let record: serde_json::Value = serde_json::from_slice(&record).unwrap();
    assert_eq!(
        (&record["rows"][0]["finished_runs"], &record["rows"][0]["exit_status"]),
        (&1.into(), &1.into())
    );
    let not_run = stderr(&lab(folder.path(), "stat --compare -- false -- true"));
    assert!(not_run.contains("true (not run)") && !not_run.contains("divided by"), "{not_run}");
    let quoted = lab(folder.path(), "stat --model -- ./a.out $HOME;x");
    assert!(quoted.stdout.windows(13).any(|part| part == b"out '$HOME;x'"), "{quoted:?}");
    let traced = lab(folder.path(), "stat --model -- ./a.out 5");
    let text = String::from_utf8(traced.stdout).unwrap();
    assert!(
        text.starts_with("valgrind --tool=lackey") && text.contains("./a.out 5\nlab trace a.trace"),
        "{text}"
    );
}

//! Interrupted runs: `lab run` killed while it measures, or a second one into the same folder; sweeps
//! ended by a signal.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::kit::{self, lab, stderr};

/// A whole assignment in about two seconds.
const SHORT: &str = "run --quick --hasten 40 --machine i5-7500";

/// Answers as the page saves them: an invalid file would stop every later run.
const TYPED: &str =
    r#"{"format":"cache-lab-answers","version":2,"saved":"2026-03-01T10:00:00Z","fields":{"s2-2":"64 KiB"}}"#;

/// A program and its arguments, with the default actions of a terminal for all signals, however
/// these tests were started.
fn begun(folder: &Path, line: &str) -> Child {
    let (program, args) = line.split_once(' ').unwrap();
    let mut command = Command::new("env");
    command.arg("--default-signal").arg(kit::program(program)).args(args.split_whitespace());
    command.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until that is so.
fn wait_until(is_so: impl Fn() -> bool) {
    let from = Instant::now();
    while !is_so() {
        assert!(from.elapsed() < Duration::from_secs(60), "it does not come");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn send(signal: &str, process: u32) {
    let sent = Command::new("kill").args(["-s", signal, &process.to_string()]).status();
    assert!(sent.unwrap().success(), "{signal}");
}

/// The page and answers of a report, and the size of its matrices.
fn report(folder: &Path) -> [String; 3] {
    let read = |name: &str| fs::read_to_string(folder.join("report").join(name)).unwrap();
    let record: Json = serde_json::from_str(&read("records/mm3.json")).unwrap();
    [read("report.html"), read("answers.json"), record["rows"][0]["place"]["size"].to_string()]
}

/// A second run into the folder is refused; what ends the first one leaves the old report, and the next run makes a new
/// one with its answers.
#[test]
fn whatever_ends_a_run_the_old_report_and_its_answers_are_whole() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    kit::printed(folder, &format!("{SHORT} --size 16"));
    fs::write(folder.join("report/answers.json"), TYPED).unwrap();
    let old = report(folder);
    let longer = format!("{SHORT} --size 192");
    for (signal, number) in [("INT", 2), ("KILL", 9)] {
        let spark = folder.join("report.tmp/records/spark.json");
        let _ = fs::remove_file(&spark); // of the run before
        let run = begun(folder, &format!("lab {longer}"));
        wait_until(|| spark.exists());
        send("STOP", run.id());
        let second = lab(folder, &longer);
        assert!(second.status.code() == Some(1) && stderr(&second).contains("another lab run"));
        send(signal, run.id());
        send("CONT", run.id());
        assert_eq!(run.wait_with_output().unwrap().status.signal(), Some(number));
        assert_eq!(report(folder), old);
    }
    kit::printed(folder, &format!("{SHORT} --size 24"));
    let [page, answers, size] = report(folder);
    assert!(page.contains("64 KiB") && page != old[0]);
    assert_eq!((answers.as_str(), size.as_str()), (TYPED, "24"));
    assert_eq!(fs::read_dir(folder).unwrap().count(), 2, "the report, and the old one under another name");
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_a_sweep_which_retains_what_it_measured() {
    let folder = tempfile::tempdir().unwrap();
    for (line, file, rows) in [
        ("lab ge --sizes 100,150 --variants ge1,ge3 --runs 9999 --output INT", "INT/ge.json", 4),
        ("lab dgemm --sizes 64..2048:64 --variants jki --counters none --output TERM", "TERM/dgemm.json", 32),
        ("cm1 --max 8M --counters none --runs 100 --record HUP.json", "HUP.json", 195),
        ("spark --max 8M --runs 100 --record INT.json", "INT.json", 210),
    ] {
        let run = begun(folder.path(), line);
        // Its system says when it handles SIGINT (2).
        wait_until(|| {
            let status = fs::read_to_string(format!("/proc/{}/status", run.id())).unwrap();
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
            u64::from_str_radix(caught, 16).unwrap() >> 1 & 1 == 1
        });
        send(file.split(['.', '/']).next().unwrap(), run.id());
        let ended = run.wait_with_output().unwrap();
        assert!(ended.status.signal().is_some(), "{line}: {}, {}", ended.status, stderr(&ended));
        assert!(stderr(&ended).contains("interrupt again"), "{}", stderr(&ended));
        let record: Json = serde_json::from_slice(&fs::read(folder.path().join(file)).unwrap()).unwrap();
        let measured = record["rows"].as_array().unwrap().len();
        assert!((1..rows).contains(&measured) || line.starts_with("dgemm"), "{line}: {measured} rows");
    }
}

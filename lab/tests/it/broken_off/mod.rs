//! Interrupted runs: `lab run` killed at any moment, or a second one into the same folder; sweeps
//! ended by a signal.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::kit::{self, lab, stderr};

/// A whole assignment in about two seconds.
const SHORT: &str = "run --quick --hasten 40 --machine i5-7500";

/// Answers as the page saves them: an invalid file would stop every later run.
const TYPED: &str =
    r#"{"format":"cache-lab-answers","version":2,"saved":"2026-03-01T10:00:00Z","fields":{"s2-2":"64 KiB"}}"#;

/// With the default actions of a terminal for all signals, however these tests were
/// started.
fn begun(folder: &Path, args: &str) -> Child {
    let mut command = Command::new("env");
    command.args(["--default-signal", env!("CARGO_BIN_EXE_lab")]).args(args.split_whitespace());
    command.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until the file is there.
fn await_file(path: &Path) {
    let from = Instant::now();
    while !path.exists() {
        assert!(from.elapsed() < Duration::from_secs(60), "{} does not come", path.display());
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Whether the page is the new report's; fails unless all files belong to the same report and
/// the answers are there.
fn is_new(report: &Path, old: &str) -> bool {
    let read = |name: &str| fs::read_to_string(report.join(name)).unwrap();
    assert_eq!(read("answers.json"), TYPED);
    let page = read("report.html");
    assert!(page.contains("64 KiB") || page == old, "the page has lost the answers");
    let json = |name: &str| -> serde_json::Value { serde_json::from_str(&read(name)).unwrap() };
    let size = json("summary.json")["matrix_size"].clone();
    assert_eq!(size, if page == old { 16 } else { 24 });
    for name in ["mm1", "mm2", "mm2-transposing", "mm3"] {
        assert_eq!(json(&format!("records/{name}.json"))["rows"][0]["size"], size, "{name}");
    }
    assert!(!report.join("unfinished.json").exists());
    page != old
}

/// A report of matrices of 16 by 16 with answers next to it; returns its page.
fn old_report(folder: &Path) -> String {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            fs::remove_dir_all(entry.path()).unwrap();
        }
    }
    let output = lab(folder, &format!("{SHORT} --size 16"));
    assert!(output.status.success(), "{}", stderr(&output));
    fs::write(folder.join("report/answers.json"), TYPED).unwrap();
    fs::read_to_string(folder.join("report/report.html")).unwrap()
}

/// Kills runs at random moments; after each kill the report is whole, and the same command
/// makes the new one.
fn killed(kills: usize, seed: u64) {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report");
    let (mut random, mut long, mut seen) = (seed, Duration::from_secs(2), BTreeMap::new());
    let mut old = old_report(folder.path());
    let command = format!("{SHORT} --size 24");
    for _ in 0..kills {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let from = Instant::now();
        let mut run = begun(folder.path(), &command);
        std::thread::sleep(long.mul_f64(1.2 * (random >> 33) as f64 / (1u64 << 31) as f64));
        let _ = run.kill();
        let ended = run.wait_with_output().unwrap();
        // Killed, or finished with a report; a run that refuses to start would pass all
        // later checks.
        assert!(ended.status.code().is_none_or(|code| code == 0), "{}", stderr(&ended));
        let stored = fs::read_dir(folder.path().join("report.tmp/records")).map_or(0, Iterator::count);
        let is_new_now = is_new(&report, &old);
        *seen.entry(format!("{stored} stored, new report: {is_new_now}")).or_insert(0) += 1;
        if ended.status.success() {
            long = from.elapsed();
            assert!(is_new_now);
        } else {
            let again = lab(folder.path(), &command);
            assert!(again.status.success(), "{}", stderr(&again));
            let goes_on = stderr(&again).contains("goes on with an interrupted run");
            assert_eq!(goes_on, stored > 0 && folder.path().join("report-1").exists(), "{}", stderr(&again));
            assert!(is_new(&report, &old));
        }
        old = old_report(folder.path());
    }
    println!("{kills} kills: {seen:#?}");
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_report_or_the_new_one() {
    killed(2, 1);
}

#[test]
#[ignore = "takes some minutes"]
fn fifty_kills() {
    killed(50, 2);
}

#[test]
fn a_run_ended_by_a_signal_is_continued_by_the_same_command() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report");
    let command = format!("{SHORT} --size 192");
    let run = begun(folder.path(), &command);
    let spark = folder.path().join("report.tmp/records/spark.json");
    await_file(&spark);
    let send = |signal: &str| {
        let sent = Command::new("kill").args(["-s", signal, &run.id().to_string()]).status();
        assert!(sent.unwrap().success(), "{signal}");
    };
    send("STOP");
    let second = lab(folder.path(), &command);
    assert!(second.status.code() == Some(1) && stderr(&second).contains("another lab run"));
    send("INT");
    send("CONT");
    assert_eq!(run.wait_with_output().unwrap().status.signal(), Some(2));
    let stored = fs::read(&spark).unwrap();

    let other = lab(folder.path(), SHORT);
    assert_eq!(other.status.code(), Some(1));
    assert!(stderr(&other).contains(&command) && stderr(&other).contains("--afresh"), "{}", stderr(&other));
    let again = lab(folder.path(), &command);
    assert!(again.status.success() && stderr(&again).contains("stored: "), "{}", stderr(&again));
    assert_eq!(fs::read(report.join("records/spark.json")).unwrap(), stored);
    let page = fs::read_to_string(report.join("report.html")).unwrap();
    assert!(page.contains("an interrupted run had measured these before"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Waits until the process handles SIGINT (2), according to its system.
#[cfg(target_os = "linux")]
fn await_listening(process: u32) {
    let from = Instant::now();
    loop {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
        if u64::from_str_radix(caught, 16).unwrap() >> 1 & 1 == 1 {
            return;
        }
        assert!(from.elapsed() < Duration::from_secs(60), "it does not listen");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_a_sweep_which_retains_what_it_measured() {
    let folder = tempfile::tempdir().unwrap();
    for (line, saved, rows) in [
        ("lab ge --sizes 100,150 --variants ge1,ge3 --runs 9999 --output INT", "INT/ge.json", 4),
        ("lab dgemm --sizes 64..2048:64 --variants jki --counters none --output TERM", "TERM/dgemm.json", 32),
        ("cm1 --max 8M --counters none --runs 100 --record HUP.json", "HUP.json", 195),
        ("spark --max 8M --runs 100 --record INT.json", "INT.json", 210),
        ("dgemm all 700 --counters none --runs 99 --record TERM.json", "TERM.json", 30),
    ] {
        let mut words = line.split_whitespace();
        let mut command = Command::new("env");
        command.arg("--default-signal").arg(kit::program(words.next().unwrap())).args(words);
        let run = command.current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let run = run.spawn().unwrap();
        await_listening(run.id());
        let signal = saved.split(['.', '/']).next().unwrap();
        assert!(Command::new("kill").args(["-s", signal, &run.id().to_string()]).status().unwrap().success());
        let ended = run.wait_with_output().unwrap();
        assert!(ended.status.signal().is_some(), "{line}: {}, {}", ended.status, stderr(&ended));
        assert!(stderr(&ended).contains("interrupt again"), "{}", stderr(&ended));
        let record: serde_json::Value =
            serde_json::from_slice(&fs::read(folder.path().join(saved)).unwrap()).unwrap();
        let measured = record["rows"].as_array().unwrap().len();
        assert!((1..rows).contains(&measured) || line.starts_with("dgemm"), "{line}: {measured} rows");
    }
}

//! Interrupted runs: `lab run` killed at any moment, or a second one into the same folder; sweeps
//! ended by a signal.

use std::collections::BTreeMap;
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

/// Whether the page is the new report's; fails unless all files belong to the same report and
/// the answers are there.
fn is_new(report: &Path, old: &str) -> bool {
    let read = |name: &str| fs::read_to_string(report.join(name)).unwrap();
    assert_eq!(read("answers.json"), TYPED);
    let page = read("report.html");
    assert!(page.contains("64 KiB") || page == old, "the page has lost the answers");
    for name in ["mm1", "mm2", "mm2-transposing", "mm3"] {
        let record: Json = serde_json::from_str(&read(&format!("records/{name}.json"))).unwrap();
        assert_eq!(record["rows"][0]["place"]["size"], if page == old { 16 } else { 24 }, "{name}");
    }
    page != old
}

/// Kills runs at random moments; after each kill the report, of matrices of 16 by 16 with answers
/// next to it, is whole, and the same command makes the new one.
fn killed(kills: usize, seed: u64) {
    let (mut random, mut long, mut seen) = (seed, Duration::from_secs(2), BTreeMap::new());
    let command = format!("{SHORT} --size 24");
    let before = tempfile::tempdir().unwrap();
    kit::printed(before.path(), &format!("{SHORT} --size 16"));
    fs::write(before.path().join("report/answers.json"), TYPED).unwrap();
    let old = fs::read_to_string(before.path().join("report/report.html")).unwrap();
    for _ in 0..kills {
        let folder = tempfile::tempdir().unwrap();
        let report = folder.path().join("report");
        let mut copy = Command::new("cp");
        assert!(
            copy.args(["-r", "report"]).arg(&report).current_dir(before.path()).status().unwrap().success()
        );
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let from = Instant::now();
        let mut run = begun(folder.path(), &format!("lab {command}"));
        std::thread::sleep(long.mul_f64(1.2 * (random >> 33) as f64 / (1u64 << 31) as f64));
        let _ = run.kill();
        let ended = run.wait_with_output().unwrap();
        // Killed, or finished with a report; a run that refuses to start would pass all
        // later checks.
        assert!(ended.status.code().is_none_or(|code| code == 0), "{}", stderr(&ended));
        let is_new_now = is_new(&report, &old);
        *seen.entry(format!("new report: {is_new_now}")).or_insert(0) += 1;
        if ended.status.success() {
            long = from.elapsed();
            assert!(is_new_now);
        } else {
            kit::printed(folder.path(), &command);
            assert!(is_new(&report, &old));
        }
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
fn a_second_run_into_the_same_folder_is_refused_and_ctrl_c_leaves_no_report() {
    let folder = tempfile::tempdir().unwrap();
    let command = format!("{SHORT} --size 192");
    let run = begun(folder.path(), &format!("lab {command}"));
    wait_until(|| folder.path().join("report.tmp/records/spark.json").exists());
    send("STOP", run.id());
    let second = lab(folder.path(), &command);
    assert!(second.status.code() == Some(1) && stderr(&second).contains("another lab run"));
    send("INT", run.id());
    send("CONT", run.id());
    assert_eq!(run.wait_with_output().unwrap().status.signal(), Some(2));
    assert!(!folder.path().join("report").exists());
    kit::printed(folder.path(), SHORT);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
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

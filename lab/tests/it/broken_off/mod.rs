//! Interrupted runs: `lab run` ended by a signal, by a kill at any moment, by another run;
//! sweeps ended by a signal.

mod kills;
mod report;
#[cfg(target_os = "linux")]
mod steps;

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::kit::{self, lab, stderr};
use report::filled;

/// A whole assignment in about two seconds.
const SHORT: &str = "run --quick --hasten 40 --machine i5-7500";

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

#[test]
fn a_signal_ends_a_run_and_resume_goes_on_from_there() {
    let folder = tempfile::tempdir().unwrap();
    for signal in ["INT", "TERM", "HUP"] {
        let out = format!("report-{signal}");
        let report = folder.path().join(&out);
        let run = begun(folder.path(), &format!("{SHORT} --size 256 --output {out}"));
        await_file(&report.join(".unfinished/spark.json"));
        assert!(Command::new("kill").args(["-s", signal, &run.id().to_string()]).status().unwrap().success());
        let ended = run.wait_with_output().unwrap();
        assert!(ended.status.signal().is_some(), "{signal}: {}", ended.status);
        let told = stderr(&ended);
        assert!(told.contains(&format!("`lab run --resume --output {out}`")), "{told}");

        let again = lab(folder.path(), &format!("{SHORT} --output {out}"));
        assert_eq!(again.status.code(), Some(1));
        assert!(
            stderr(&again).contains("--resume") && stderr(&again).contains("--afresh"),
            "{}",
            stderr(&again)
        );
        let kept = fs::read(report.join(".unfinished/spark.json")).unwrap();
        let kept: serde_json::Value = serde_json::from_slice(&kept).unwrap();

        let resumed = lab(folder.path(), &format!("run --resume --output {out}"));
        assert!(resumed.status.success(), "{}", stderr(&resumed));
        let spark = fs::read_to_string(report.join("records/spark.json")).unwrap();
        assert_eq!(kept["record"].as_str().unwrap(), spark.trim_end());
        assert!(!report.join(".unfinished").exists());
        assert_eq!(lab(folder.path(), &format!("run --resume --output {out}")).status.code(), Some(2));
    }
    let names = ["INT", "TERM", "HUP"].map(|signal| filled(&folder.path().join(format!("report-{signal}"))));
    assert!(names[0].len() > 20 && names.iter().all(|filled| *filled == names[0]));
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
    for (line, kept, rows) in [
        ("lab ge --sizes 100,150 --variants ge1,ge3 --runs 9999 --output INT", "INT/ge.json", 4),
        ("lab dgemm --sizes 64..2048 --variants jki --counters none --output TERM", "TERM/dgemm.json", 11),
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
        let signal = kept.split(['.', '/']).next().unwrap();
        assert!(Command::new("kill").args(["-s", signal, &run.id().to_string()]).status().unwrap().success());
        let ended = run.wait_with_output().unwrap();
        assert!(ended.status.signal().is_some(), "{line}: {}, {}", ended.status, stderr(&ended));
        assert!(stderr(&ended).contains("interrupt again"), "{}", stderr(&ended));
        let record: serde_json::Value =
            serde_json::from_slice(&fs::read(folder.path().join(kept)).unwrap()).unwrap();
        let measured = record["rows"].as_array().unwrap().len();
        assert!((1..rows).contains(&measured) || line.starts_with("dgemm"), "{line}: {measured} rows");
    }
}

#[test]
fn a_run_that_is_ended_at_once_leaves_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let run = begun(folder.path(), "run --counters model");
    await_file(&folder.path().join("report/.unfinished/run.json"));
    assert!(Command::new("kill").arg(run.id().to_string()).status().unwrap().success());
    let ended = run.wait_with_output().unwrap();
    assert!(
        ended.status.signal().is_some() && stderr(&ended).contains("nothing was measured"),
        "{}",
        stderr(&ended)
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_second_run_into_the_same_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = begun(folder.path(), &format!("{SHORT} --size 16"));
    await_file(&folder.path().join("report/.unfinished/run.json"));
    let second = lab(folder.path(), &format!("{SHORT} --size 16"));
    assert_eq!(second.status.code(), Some(1));
    assert!(stderr(&second).contains("another lab run"), "{}", stderr(&second));
    assert!(first.wait().unwrap().success());
    assert!(folder.path().join("report/report.html").exists());
}

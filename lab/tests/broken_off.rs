//! What is broken off: `lab run` by a signal, by a kill at any moment, by another;
//! sweeps by a signal.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[cfg(target_os = "linux")]
mod built;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A whole assignment in about two seconds.
const SHORT: &str = "run --quick --hasten 40 --machine i5-7500";

fn lab(folder: &Path, args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    command.current_dir(folder).args(args.split_whitespace());
    command
}

fn done(folder: &Path, args: &str) -> Output {
    lab(folder, args).output().unwrap()
}

/// With all signals as a terminal has them, whoever started these tests.
fn begun(folder: &Path, args: &str) -> Child {
    let mut command = Command::new("env");
    command.args(["--default-signal", env!("CARGO_BIN_EXE_lab")]).args(args.split_whitespace());
    command.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Waits until the file is there.
fn await_file(path: &Path) {
    let from = Instant::now();
    while !path.exists() {
        assert!(from.elapsed() < Duration::from_secs(60), "{} does not come", path.display());
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// All files of a folder, by their names in it; what an unfinished run keeps, and
/// pages of earlier reports, apart.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(place) = open.pop() {
        for path in fs::read_dir(place).into_iter().flatten().map(|entry| entry.unwrap().path()) {
            let name = path.strip_prefix(folder).unwrap().to_owned();
            if path.is_dir() {
                open.push(path);
            } else if !name.starts_with(".unfinished") && !name.starts_with("earlier") {
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The figures of the sheet that are filled in.
fn filled(report: &Path) -> Vec<String> {
    let summary = fs::read_to_string(report.join("summary.tsv")).unwrap();
    summary
        .lines()
        .filter_map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            (!columns[2].is_empty()).then(|| format!("{} {}", columns[0], columns[1]))
        })
        .collect()
}

/// A report of matrices of 16 by 16, with answers beside it, and its files.
fn old_report(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let output = done(folder, &format!("{SHORT} --size 16"));
    assert!(output.status.success(), "{}", stderr(&output));
    fs::write(folder.join("report/answers.json"), "typed").unwrap();
    files(&folder.join("report"))
}

/// Fails unless the report is the old one in full, or the new one in full.
fn whole(report: &Path, old: &BTreeMap<PathBuf, Vec<u8>>) -> &'static str {
    let now = files(report);
    assert_eq!(now[Path::new("answers.json")], b"typed");
    if now[Path::new("report.html")] == old[Path::new("report.html")] {
        assert!(now == *old, "the old page stands beside what is not its own");
        return "old";
    }
    assert!(now.keys().eq(old.keys()), "{:?}", now.keys());
    for (name, bytes) in now.iter().filter(|(name, _)| name.extension().is_some_and(|e| e == "json")) {
        assert!(name.ends_with("answers.json") || *bytes != old[name], "{} is the old one", name.display());
    }
    "new"
}

#[test]
fn a_signal_ends_a_run_and_resume_goes_on_from_there() {
    let folder = tempfile::tempdir().unwrap();
    for signal in ["INT", "TERM", "HUP"] {
        let out = format!("report-{signal}");
        let report = folder.path().join(&out);
        let run = begun(folder.path(), &format!("{SHORT} --size 256 --out {out}"));
        await_file(&report.join(".unfinished/spark.json"));
        assert!(Command::new("kill").args(["-s", signal, &run.id().to_string()]).status().unwrap().success());
        let ended = run.wait_with_output().unwrap();
        assert!(ended.status.signal().is_some(), "{signal}: {}", ended.status);
        let told = stderr(&ended);
        assert!(told.contains(&format!("`lab run --resume --out {out}`")), "{told}");

        let again = done(folder.path(), &format!("{SHORT} --out {out}"));
        assert_eq!(again.status.code(), Some(1));
        assert!(
            stderr(&again).contains("--resume") && stderr(&again).contains("--afresh"),
            "{}",
            stderr(&again)
        );
        let kept = fs::read(report.join(".unfinished/spark.json")).unwrap();
        let kept: serde_json::Value = serde_json::from_slice(&kept).unwrap();

        let resumed = done(folder.path(), &format!("run --resume --out {out}"));
        assert!(resumed.status.success(), "{}", stderr(&resumed));
        let spark = fs::read_to_string(report.join("records/spark.json")).unwrap();
        assert_eq!(kept["record"].as_str().unwrap(), spark.trim_end());
        assert!(!report.join(".unfinished").exists());
        assert_eq!(done(folder.path(), &format!("run --resume --out {out}")).status.code(), Some(2));
    }
    let names = ["INT", "TERM", "HUP"].map(|signal| filled(&folder.path().join(format!("report-{signal}"))));
    assert!(names[0].len() > 30 && names.iter().all(|filled| *filled == names[0]));
}

/// Waits until the process listens to SIGINT (2), as its system tells.
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
fn a_signal_ends_a_sweep_which_keeps_what_it_measured() {
    let folder = tempfile::tempdir().unwrap();
    for (line, kept, rows) in [
        ("lab ge --sizes 100,150 --variants ge1,ge3 --runs 9999 --out INT", "INT/ge.json", 4),
        ("lab dgemm --sizes 64..2048 --variants jki --counters none --out TERM", "TERM/dgemm.json", 11),
        ("cm1 --max 8M --counters none --runs 100 --record HUP.json", "HUP.json", 195),
        ("spark --max 8M --runs 100 --record INT.json", "INT.json", 210),
        ("dgemm all 700 --counters none --runs 99 --record TERM.json", "TERM.json", 30),
    ] {
        let mut words = line.split_whitespace();
        let mut command = Command::new("env");
        command.arg("--default-signal").arg(built::program(words.next().unwrap())).args(words);
        let run = command.current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let run = run.spawn().unwrap();
        await_listening(run.id());
        let signal = kept.split(['.', '/']).next().unwrap();
        assert!(Command::new("kill").args(["-s", signal, &run.id().to_string()]).status().unwrap().success());
        let ended = run.wait_with_output().unwrap();
        assert!(ended.status.signal().is_some(), "{line}: {}, {}", ended.status, stderr(&ended));
        assert!(stderr(&ended).contains("asked again"), "{}", stderr(&ended));
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
    let second = done(folder.path(), &format!("{SHORT} --size 16"));
    assert_eq!(second.status.code(), Some(1));
    assert!(stderr(&second).contains("another lab run"), "{}", stderr(&second));
    assert!(first.wait().unwrap().success());
    assert!(folder.path().join("report/report.html").exists());
}

/// Kills runs at random moments, and others while they replace the report.
fn killed(kills: usize, seed: u64) {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report");
    let mut old = old_report(folder.path());
    let expected = filled(&report);
    let new = format!("{SHORT} --size 24");
    let mut random = seed;
    let mut share = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as f64 / (1u64 << 31) as f64
    };
    let mut seen = BTreeMap::<&str, usize>::new();
    // What a run takes, and what replacing takes once all is measured.
    let (mut long, mut last) = (Duration::from_secs(2), Duration::from_millis(300));
    for kill in 0..kills {
        let ready = kill % 2 == 1 && {
            // Killed behind the last experiment: all that is left is to write.
            let mut run = begun(folder.path(), &format!("{new} --afresh"));
            while run.try_wait().unwrap().is_none() && !report.join(".unfinished/mm3.json").exists() {
                std::thread::sleep(Duration::from_millis(1));
            }
            let _ = run.kill();
            run.wait().unwrap();
            whole(&report, &old) == "old"
        };
        let asked = if ready { "run --resume".to_owned() } else { format!("{new} --afresh") };
        let from = Instant::now();
        let mut run = begun(folder.path(), &asked);
        std::thread::sleep(if ready { last } else { long }.mul_f64(1.2 * share()));
        let _ = run.kill();
        let survived = run.wait().unwrap().success();
        if kill > 0 && kill % 20 == 0 {
            println!("{kill} kills: {seen:?}");
        }
        if survived {
            *(if ready { &mut last } else { &mut long }) = from.elapsed();
        }
        let stands = whole(&report, &old);
        *seen.entry(if survived { "over before the kill" } else { stands }).or_default() += 1;
        if report.join(".unfinished/spark.json").exists() {
            let resumed = done(folder.path(), "run --resume");
            assert!(resumed.status.success(), "{}", stderr(&resumed));
        }
        if fs::read(report.join("report.html")).unwrap() != old[Path::new("report.html")] {
            assert_eq!(whole(&report, &old), "new");
            assert_eq!(filled(&report), expected, "the same figures are filled");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing beside the folder");
            fs::remove_dir_all(&report).unwrap();
            old = old_report(folder.path());
        }
    }
    println!("{kills} kills: {seen:?}");
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_report_or_the_new_one() {
    killed(6, 1);
}

#[test]
#[ignore = "takes about a quarter of an hour"]
fn two_hundred_kills() {
    killed(200, 2);
}

//! Kills at random moments.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::report::{filled, old_report, whole};
use super::{SHORT, begun};
use crate::kit::{lab, stderr};

/// Kills runs at random moments: while they measure, and sometimes while they replace the
/// report. `steps.rs` tests each step of that.
fn killed(kills: usize, seed: u64) {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report");
    let mut old = old_report(folder.path());
    let expected = filled(&report);
    let mut random = seed;
    let mut share = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as f64 / (1u64 << 31) as f64
    };
    let mut seen = BTreeMap::<String, usize>::new();
    let mut long = Duration::from_secs(2);
    for kill in 0..kills {
        let from = Instant::now();
        let mut run = begun(folder.path(), &format!("{SHORT} --size 24 --afresh"));
        std::thread::sleep(long.mul_f64(1.2 * share()));
        let _ = run.kill();
        let ended = run.wait_with_output().unwrap();
        // Killed, or finished with a report; a run that refuses to start would pass all
        // later checks.
        assert!(ended.status.code().is_none_or(|code| code == 0), "{}", stderr(&ended));
        let over = ended.status.success();
        if over {
            long = from.elapsed();
        }
        let stands = whole(&report, &old);
        let kept = fs::read_dir(report.join(".unfinished")).map_or(0, Iterator::count);
        let place = match (over, kept) {
            (true, _) => "over before the kill",
            (false, 0..=2) => "nothing measured",
            (false, _) => "in the midst",
        };
        *seen.entry(format!("{place}, {stands}")).or_default() += 1;
        if kill % 20 == 19 {
            println!("{} kills: {seen:?}", kill + 1);
        }
        if report.join(".unfinished/spark.json").exists() {
            let resumed = lab(folder.path(), "run --resume");
            assert!(resumed.status.success(), "{}", stderr(&resumed));
            assert_eq!(whole(&report, &old), "new");
        }
        assert_eq!(filled(&report), expected, "the same figures are filled");
        if fs::read(report.join("report.html")).unwrap() != old[Path::new("report.html")] {
            for left in [&report, &folder.path().join(".report.being-replaced")] {
                let _ = fs::remove_dir_all(left);
            }
            old = old_report(folder.path());
        }
    }
    println!("{kills} kills: {seen:?}");
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_report_or_the_new_one() {
    killed(4, 1);
}

#[test]
#[ignore = "takes about a quarter of an hour"]
fn two_hundred_kills() {
    killed(200, 2);
}

//! cm1 as a student runs it, and its model compared with real recordings.

use std::collections::BTreeMap;
use std::process::{Command, Output};

use common::saved::Saved;

fn cm1(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cm1")).args(args).output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    let out = cm1(args);
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// Misses per access by size and stride.
fn misses(saved: &Saved) -> BTreeMap<(u64, u64), f64> {
    saved.cells.iter().map(|cell| ((cell.size, cell.stride), cell.misses.unwrap())).collect()
}

const I5: [&str; 4] = ["--machine", "i5-7500", "--counters", "model"];

#[test]
fn prints_the_kits_lines_with_the_new_fields_behind() {
    let text = stdout(&I5);
    assert_eq!(text.lines().count(), 13 + 14 + 15 + 16);
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("cache_size=8192\tstride=1\tavg_misses=0.0000"), "{first}");
    assert!(first.contains("\tevent=PAPI_L1_DCM\tsource=model"), "{first}");
    let saved = Saved::parse(&text).unwrap();
    assert_eq!(saved.event.as_deref(), Some("PAPI_L1_DCM"));
    assert!(saved.notes.is_empty(), "{:?}", saved.notes);
}

/// The median of five recordings on an i5-7500 (32 KiB, 8 ways, 64-byte lines).
#[test]
fn the_model_follows_recorded_hardware() {
    let recorded: Vec<BTreeMap<(u64, u64), f64>> = [
        include_str!("../../../common/tests/data/i5-7500/cm1-l1-1.out"),
        include_str!("../../../common/tests/data/i5-7500/cm1-l1-2.out"),
        include_str!("../../../common/tests/data/i5-7500/cm1-l1-3.out"),
        include_str!("../../../common/tests/data/i5-7500/cm1-l1-4.out"),
        include_str!("../../../common/tests/data/i5-7500/cm1-l1-5.out"),
    ]
    .map(|text| misses(&Saved::parse(text).unwrap()))
    .into();
    let modelled = misses(&Saved::parse(&stdout(&I5)).unwrap());
    for stride in (0..16).map(|power| 1 << power) {
        let cell = (65536, stride);
        let runs: Vec<f64> = recorded.iter().map(|run| run[&cell]).collect();
        let real = common::stats::median(&runs).unwrap();
        let model = modelled[&cell];
        match stride {
            ..=2048 => {
                assert!((model - real).abs() < 0.06, "stride {stride}: model {model}, recorded {real}")
            }
            8192.. => assert!(model < 1e-5, "stride {stride}: model {model}"),
            _ => {}
        }
    }
}

#[test]
fn a_model_of_this_machine_admits_that_it_discovers_nothing() {
    let out = cm1(&["--counters", "model", "--max", "8K", "--repeats", "1"]);
    let notes = String::from_utf8(out.stderr).unwrap();
    assert!(notes.contains("repeat the geometry that the system reports"), "{notes}");
}

#[test]
fn without_counting_the_misses_are_missing_not_zero() {
    let text = stdout(&["--counters", "none", "--sizes", "8K", "--strides", "64", "--repeats", "9999"]);
    assert!(text.contains("avg_misses=not counted (--counters none)"), "{text}");
    assert!(text.contains("\tavg_time=0.") && text.contains("time_source=timing"), "{text}");
}

#[test]
fn wrong_use_is_refused_by_name_with_exit_code_2() {
    let wrong: &[(&[&str], &str)] = &[
        (&["--min", "0"], "0 B"),
        (&["--max", "7X"], "'7X'"),
        (&["--min", "64K", "--max", "8K"], "--max 8 KiB"),
        (&["--sizes", "8K", "--strides", "8K"], "--strides 8192"),
        (&["--event", "PAPI_L9_DCM"], "PAPI_L9_DCM"),
        (&["--machine", "toaster"], "toaster"),
        (&["--chart", "curve.gif", "--max", "8K", "--repeats", "1", "--counters", "model"], "curve.gif"),
        (&["--repeats", "0"], "'0'"),
    ];
    for (args, named) in wrong {
        let out = cm1(args);
        let notes = String::from_utf8(out.stderr).unwrap();
        let is_message = |line: &&str| line.starts_with("error: ") || line.starts_with("cm1: ");
        let message = notes.lines().find(is_message).unwrap_or_default();
        assert_eq!(out.status.code(), Some(2), "{args:?}: {notes}");
        assert!(message.contains(named), "{args:?}: {notes}");
    }
}

//! dgemm as a student runs it.

use std::process::{Command, Output};

use common::record::{Record, Row};
use common::value::Source;
use serde_json::Value as Json;

fn dgemm(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dgemm")).args(args).output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    let out = dgemm(args);
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

fn record(args: &[&str]) -> Record {
    serde_json::from_str(&stdout(&[args, &["--format", "json"]].concat())).unwrap()
}

/// Whether the check of a product finds no error.
fn is_right(row: &Row) -> bool {
    row.value("check").and_then(Json::as_f64).is_some_and(|check| check < 1e-12)
}

#[test]
fn misses_per_iteration_come_as_a_b_and_c() {
    let record = record(&["ijk", "120", "--machine", "lecture"]);
    let row = &record.rows[0];
    assert_eq!(row.reading("misses_per_iteration").unwrap().source(), Some(Source::Model));
    for name in ["misses_per_iteration_a", "misses_per_iteration_b", "misses_per_iteration_c", "l1_misses_b"]
    {
        assert!(row.amount(name).unwrap() > 0.0, "{name}");
    }
    let closed = row.reading("misses_per_iteration_closed").unwrap();
    assert!(closed.amount().unwrap() > 0.0 && closed.source() == Some(Source::Analytic));
    assert_eq!(row.amount("gflops"), None, "a described machine cannot be timed");
    let n = 120.0 * 120.0;
    let counted = ["PAPI_LD_INS", "PAPI_SR_INS"].map(|event| row.amount(event).unwrap());
    assert_eq!(counted, [2.0 * 120.0 * n + n, n]);
}

#[test]
fn all_is_one_record_with_every_rung_and_the_yardstick() {
    let record = record(&["all", "48", "--threads", "2"]);
    assert_eq!(record.program, "dgemm");
    assert_eq!(record.rows.len(), dgemm::VARIANTS.len());
    for (row, variant) in record.rows.iter().zip(dgemm::VARIANTS) {
        assert_eq!(row.text("variant"), variant.name);
        assert_eq!(row.whole("threads"), Some(if variant.name == "threads" { 2 } else { 1 }));
        assert!(row.amount("gflops").unwrap() > 0.0);
        assert!(is_right(row), "{row:?}");
    }
}

#[test]
fn sides_may_differ_and_blocks_be_set() {
    // Long and thin matrices need only memory for their elements.
    for args in [["ijk", "1", "--m", "300000", "--k", "1"], ["ijk", "1", "--m", "1", "--k", "300000"]] {
        stdout(&args);
    }
    let sides = |record: &Record| ["m", "n", "k"].map(|side| record.rows[0].whole(side).unwrap());
    let record = record(&["block-l2", "30", "--m", "20", "--k", "40", "--block", "7"]);
    assert_eq!(sides(&record), [20, 30, 40]);
    assert!(is_right(&record.rows[0]));
}

#[test]
fn kit_lines_set_theory_next_to_the_model() {
    let text = stdout(&["jki", "128", "--machine", "zen3"]);
    for part in [
        "closed form",
        "model",
        "residual",
        "hardware",
        "hit_rate=",
        "source=analytic",
        "the closed form assumes that ",
    ] {
        assert!(text.contains(part), "no '{part}' in\n{text}");
    }
}

#[test]
fn what_is_asked_for_wrongly_is_refused_in_one_line() {
    let wrong: [(&[&str], &str); 6] = [
        (&["ijkl", "10"], "ijk"),
        (&["ijk", "0"], "0 is not in 1"),
        (&["ijk", "ten"], "'ten'"),
        (&["ijk", "10", "--block", "0"], "1..=65536"),
        (&["ijk", "10", "--machine", "abacus"], "abacus"),
        (&["ijk", "10", "--counters", "timing"], "auto"),
    ];
    for (args, told) in wrong {
        let out = dgemm(args);
        let stderr = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains(told), "{args:?}: {stderr}");
        assert!(out.stdout.is_empty());
    }
    let out = dgemm(&["ijk", "9000000"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(String::from_utf8(out.stderr).unwrap().contains("choose a smaller size"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_rung_whose_threads_are_refused_does_not_take_the_others_with_it() {
    // No system has memory for such a stack, so the first thread is refused.
    let out = Command::new(env!("CARGO_BIN_EXE_dgemm"))
        .args(["all", "64", "--threads", "2"])
        .env("RUST_MIN_STACK", (1_u64 << 60).to_string())
        .output()
        .unwrap();
    let [stdout, stderr] = [&out.stdout, &out.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert_eq!(out.status.code(), Some(0), "{stderr}");
    let row = |name: &str| stdout.lines().find(|line| line.starts_with(name)).unwrap();
    assert!(row("threads ").contains(" - "), "{stdout}");
    assert!(!row("ijk ")[..28].contains('-'), "{stdout}");
    assert!(stderr.contains("note: threads is not timed: the system starts no more threads"), "{stderr}");
}

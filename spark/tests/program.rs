//! spark as a student runs it.

#![allow(clippy::unwrap_used)]

use std::process::{Command, Output};

fn spark(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_spark")).args(args).output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    let out = spark(args);
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn prints_the_kits_table_with_the_source_behind() {
    let text = stdout(&["--max", "8K", "--repeats", "2"]);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("size\tstride\telapsed(s)\tcycles"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows.len(), 12 + 13);
    assert_eq!(rows[0][..2], ["4096", "1"]);
    assert_eq!(rows[24][..2], ["8192", "4096"]);
    // A clock in steps of a millisecond cannot time two accesses: the row says so.
    let is_coarse = common::clock::step().0 > 1e-4;
    for row in rows {
        if row[2].starts_with("not counted (below") && is_coarse {
            continue;
        }
        assert!(row[2].parse::<f64>().unwrap() > 0.0 && row[3].parse::<u64>().unwrap() > 0, "{row:?}");
        assert_eq!(row[4], "source=timing");
    }
}

/// The machine of the guide's Figure 1: 64 KiB, 16-byte lines, 360 ns a hit,
/// about 1000 ns a miss.
#[test]
fn a_described_machine_is_timed_by_its_latencies() {
    let line = "--machine sparcstation-1+ --max 256K --strides 4,16,64 --repeats 4 --format csv";
    let text = stdout(&line.split(' ').collect::<Vec<_>>());
    let nanos = |size: &str, stride: &str| -> f64 {
        let row = text.lines().find(|line| line.starts_with(&format!("{size},{stride},"))).unwrap();
        assert!(row.contains("model"), "{row}");
        row.split(',').nth(2).unwrap().parse().unwrap()
    };
    assert!((nanos("16384", "16") / 360.0 - 1.0).abs() < 0.05);
    assert!((nanos("262144", "64") / 990.0 - 1.0).abs() < 0.05);
    assert!(nanos("262144", "4") < nanos("262144", "16"), "four accesses share a line's miss");
}

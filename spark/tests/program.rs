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
    for row in rows {
        assert!(row[2].parse::<f64>().unwrap() > 0.0 && row[3].parse::<u64>().unwrap() > 0, "{row:?}");
        assert_eq!(row[4], "source=timing");
    }
}

#[test]
fn csv_has_the_fields_that_scripts_rely_on() {
    let text = stdout(&["--max", "4K", "--repeats", "2", "--format", "csv"]);
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    assert_eq!(header[..3], ["size_bytes", "stride_bytes", "ns_per_access"]);
    let first: Vec<&str> = text.lines().nth(1).unwrap().split(',').collect();
    assert!(first[2].parse::<f64>().unwrap() > 0.0, "{first:?}");
}

/// The machine of the guide's Figure 1: 64 KiB, 16-byte lines, 360 ns a hit,
/// about 1000 ns a miss.
#[test]
fn a_described_machine_is_timed_by_its_latencies() {
    let text = stdout(&[
        "--machine",
        "sparcstation-1+",
        "--max",
        "256K",
        "--strides",
        "4,16,64",
        "--repeats",
        "4",
        "--format",
        "csv",
    ]);
    let nanos = |size: &str, stride: &str| -> f64 {
        let row = text.lines().find(|line| line.starts_with(&format!("{size},{stride},"))).unwrap();
        assert!(row.contains("model"), "{row}");
        row.split(',').nth(2).unwrap().parse().unwrap()
    };
    assert!((nanos("16384", "16") / 360.0 - 1.0).abs() < 0.05);
    assert!((nanos("262144", "64") / 990.0 - 1.0).abs() < 0.05);
    assert!(nanos("262144", "4") < nanos("262144", "16"), "four accesses share a line's miss");
}

#[test]
fn the_record_and_the_chart_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let (record, chart) = (folder.path().join("r.json"), folder.path().join("c.svg"));
    let args = [
        "--max",
        "4K",
        "--repeats",
        "1",
        "--record",
        record.to_str().unwrap(),
        "--chart",
        chart.to_str().unwrap(),
    ];
    stdout(&args);
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
    assert_eq!(json["program"], "spark");
    assert!(std::fs::read_to_string(chart).unwrap().contains("stride"));
}

#[test]
fn wrong_use_is_reported_in_one_line() {
    let wrong: &[(&[&str], &str)] = &[
        (&["--min", "8M", "--max", "4M"], "--min 8 MiB"),
        (&["--max", "0"], "--max 0 B"),
        (&["--strides", "0"], "--strides 0"),
        (&["--counters", "hardware"], "hardware"),
        (&["--machine", "/no/such/file.toml"], "/no/such/file.toml"),
    ];
    for (args, named) in wrong {
        let out = spark(args);
        let told = String::from_utf8(out.stderr).unwrap();
        let last = told.lines().last().unwrap_or_default();
        assert!(matches!(out.status.code(), Some(1 | 2)), "{args:?}: {told}");
        assert!(last.starts_with("spark: ") && last.contains(named), "{args:?}: {told}");
        assert!(out.stdout.is_empty() || out.stdout == b"size\tstride\telapsed(s)\tcycles\n", "{args:?}");
    }
}

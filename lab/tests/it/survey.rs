//! A lab of machines: a record of each, and one page of all.

use serde_json::Value;

use crate::kit::{self, lab};

#[test]
fn a_machine_is_surveyed_and_merged() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["one.json", "two.json"] {
        let made = lab(folder.path(), &format!("survey --seconds 1 --output {file}"));
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
    let record: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("one.json")).unwrap()).unwrap();
    assert_eq!(
        (&record["schema"], &record["host"]["name"]),
        (&"cache-lab-kit/survey/1".into(), &Value::Null)
    );
    assert_eq!(record["counters"].as_array().unwrap().len(), 5);
    for counter in record["counters"].as_array().unwrap() {
        assert!(counter["counted"] == true || counter["reason"].is_string(), "{counter}");
    }
    assert!(
        record["timings"].as_array().unwrap().iter().all(|timing| timing["seconds"].as_f64() > Some(0.0))
    );
    std::fs::write(folder.path().join("three.json"), "{\"schema\": 1}").unwrap();
    std::fs::write(folder.path().join("cut.json"), "{\"schema\": \"cache-").unwrap();
    let refused = lab(folder.path(), "merge cut.json");
    let told = String::from_utf8(refused.stderr).unwrap();
    assert!(told.contains("cut.json: EOF while parsing"), "{told}");
    let merged = lab(folder.path(), "merge one.json two.json three.json --csv class.csv");
    assert!(merged.status.success());
    let told = String::from_utf8(merged.stderr).unwrap();
    assert!(told.contains("three.json") && !told.contains("one.json"), "{told}");
    let page = std::fs::read_to_string(folder.path().join("class.html")).unwrap();
    let id = record["host"]["id"].as_str().unwrap();
    assert!(page.contains(&format!("{id} #1")) && page.contains("three.json"));
    assert_eq!(std::fs::read_to_string(folder.path().join("class.csv")).unwrap().lines().count(), 3);
}

/// A record, with one part of it replaced.
fn record(part: &str, with: &str) -> String {
    let whole = r#"{"schema": "cache-lab-kit/survey/1", "time": "2026-03-01T10:00:00Z", "kit_version": "0.1.0",
        "host": {"id": "a1", "name": null}, "processor": {"name": "CPU", "logical": 4}, "load": 0.1,
        "caches_reported": [{"level": 1, "size_bytes": 32768, "line_bytes": 64, "ways": 8}],
        "caches_found": [{"level": 1, "size": 32768, "size_low": 32768, "size_high": 32768, "line": 64, "ways": 8, "latency_ns": 1.0, "confidence": "high"}],
        "experiments": {"curve_bytes_ns": [[1024, 1.0], [65536, 3.0]], "clock_drift": 0.0, "clock_hz": 3e9},
        "timings": [{"program": "mm1", "seconds": 0.1}, {"program": "mm2", "seconds": 0.1}, {"program": "mm3", "seconds": 0.1}],
        "counters": [], "warnings": []}"#;
    assert!(whole.contains(part), "{part}");
    whole.replacen(part, with, 1)
}

/// Each file together with two good ones: what is said about it, and whether it is on the
/// page.
#[test]
fn an_implausible_record_is_reported_and_affects_no_other() {
    for (part, with, says, machines) in [
        ("\"a1\"", "\"c3\"", "No machine differs from the others.", 3),
        ("2026", "2026", "it is the same record as one.json", 2),
        ("\"load\": 0.1,", "\"load\":0.1,", "it is the same record as one.json", 2),
        ("[65536, 3.0]", "[65536, 4.0]", "Same machine and time as a1", 3),
        (
            "\"kit_version\": \"0.1.0\"",
            "\"kit_version\": \"0.0.9\"",
            "Written by version 0.0.9 of the kit, others by 0.1.0",
            3,
        ),
        (
            "{\"program\": \"mm2\", \"seconds\": 0.1}",
            "{\"program\": \"mm2\", \"seconds\": null, \"reason\": \"no memory\"}",
            "mm2 was not timed: no memory.",
            3,
        ),
        (", {\"program\": \"mm3\", \"seconds\": 0.1}", "", "mm3 was not timed.", 3),
        ("\"seconds\": 0.1", "\"seconds\": -1e-9", "mm1: -0.000000001 s cannot be the time of a product.", 3),
        ("\"seconds\": 0.1", "\"seconds\": 0", "mm1: 0 s cannot be the time of a product.", 3),
        ("[65536, 3.0]", "[1e18, 3.0]", "1 of 2 points of its curve are impossible, and are left out.", 3),
        (
            "[65536, 3.0]",
            "[65536, 1e-300]",
            "1 of 2 points of its curve are impossible, and are left out.",
            3,
        ),
        ("[65536, 3.0]", "[-1, 3.0]", "1 of 2 points of its curve are impossible, and are left out.", 3),
        ("[[1024, 1.0], [65536, 3.0]]", "[]", "It has no curve.", 3),
        ("\"size\": 32768,", "\"size\": 0,", "The size of a cache is impossible, and is left out.", 3),
        ("\"latency_ns\": 1.0", "\"latency_ns\": -1.0", "L1: its latency cannot be.", 3),
        ("\"clock_hz\": 3e9", "\"clock_hz\": -3e9", "Its clock, its drift or its load is impossible", 3),
        ("\"seconds\": 0.1", "\"seconds\": 1e999", "three.json is left out: ", 2),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text).unwrap();
        write("one.json", record("2026", "2026"));
        write("two.json", record("\"a1\"", "\"b2\""));
        write("three.json", record(part, with));
        let merged = lab(folder.path(), "merge one.json two.json three.json --csv class.csv");
        let told = kit::stderr(&merged);
        let page = std::fs::read_to_string(folder.path().join("class.html")).unwrap();
        let page = page.replace("&#x2f;", "/");
        let both = format!("{page}{told}");
        assert!(merged.status.success() && both.contains(says), "{with}: {says}: {told}");
        let rows = std::fs::read_to_string(folder.path().join("class.csv")).unwrap().lines().count();
        assert_eq!(rows, 1 + machines, "{with}: {told}");
        assert!(told.matches("three.json").count() <= 1, "{told}");
        // The axes are those of the good curves.
        assert!(!page.contains("EiB") && !page.contains("TiB"), "{with}");
    }
}

/// A path that is not a file, such as a pipe, does not block the page.
#[cfg(unix)]
#[test]
fn only_files_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("one.json"), record("2026", "2026")).unwrap();
    std::fs::write(folder.path().join("big.json"), vec![b' '; 5 << 20]).unwrap();
    std::fs::create_dir(folder.path().join("folder.json")).unwrap();
    assert!(
        std::process::Command::new("mkfifo").arg(folder.path().join("x.json")).status().unwrap().success()
    );
    let merged = lab(folder.path(), "merge one.json x.json folder.json big.json nowhere.json");
    let told = kit::stderr(&merged);
    for says in [
        "x.json is left out: it is not a file",
        "folder.json is left out: it is not a file",
        "big.json is left out: it is larger than 4 MiB",
        "nowhere.json is left out: it cannot be read",
    ] {
        assert!(merged.status.success() && told.contains(says), "{told}");
    }
}

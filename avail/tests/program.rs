//! The program as a student runs it, with or without counters.

#![allow(clippy::unwrap_used)]

use std::process::Command;

use common::counters::definition;
use common::events::Event;
use serde_json::Value;

fn avail(args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_avail")).args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_table_has_all_presets_in_papi_avails_layout() {
    let (code, out, err) = avail(&[]);
    let rows: Vec<&str> = out.lines().filter(|l| l.starts_with("PAPI_")).collect();
    assert_eq!(rows.len(), 110);
    assert!(rows[0].starts_with("PAPI_L1_DCM  0x80000000  "), "{}", rows[0]);
    assert!(out.contains("    Name        Code    Avail Deriv Description (Note)"));
    let available = rows.iter().filter(|r| r.contains("  Yes   ")).count();
    assert!(out.contains(&format!("Of 110 possible events, {available} are available")));
    // Without any event it fails, and says why in one line.
    assert_eq!(code, Some(i32::from(available == 0)));
    assert_eq!(err.lines().count(), usize::from(available == 0), "{err}");
    assert_eq!(err.contains("nothing can be counted: "), available == 0);
}

#[test]
fn json_agrees_with_the_table() {
    let (code, out, _) = avail(&["--format", "json"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["presets"].as_array().unwrap().len(), 110);
    let available = report["available"].as_u64().unwrap();
    assert_eq!(code, Some(i32::from(available == 0)));
    assert_eq!(report.get("reason").is_some(), available == 0);
    let (_, only, _) = avail(&["-a", "--format", "json"]);
    let only: Value = serde_json::from_str(&only).unwrap();
    assert_eq!(only["presets"].as_array().unwrap().len() as u64, available);
}

#[test]
fn an_event_is_explained_down_to_what_is_opened() {
    let (code, out, err) = avail(&["-e", "task-clock"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("type=1 config=0x1"), "{out}");
    let (code, out, _) = avail(&["-e", "PAPI_L1_DCM", "--format", "json"]);
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, Some(0));
    assert_eq!(told["name"], "PAPI_L1_DCM");
    assert_ne!(told["countable"].as_bool(), Some(told.get("reason").is_some()));
}

#[test]
fn a_wrong_name_is_answered_with_the_right_one() {
    let (code, out, err) = avail(&["-e", "PAPI_L1_DMC"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert_eq!(err.lines().count(), 1);
    assert!(err.contains("'PAPI_L1_DMC'") && err.contains("PAPI_L1_DCM"), "{err}");
    let (code, _, err) = avail(&["-e", "cpu/event=0x3c"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("PMU/TERM=VALUE"), "{err}");
    assert_eq!(avail(&["--mem", "--cost"]).0, Some(2));
}

#[test]
fn skipped_tests_are_not_passed_ones() {
    let (code, out, _) = avail(&["--self-test", "--format", "json"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    let tests = report["tests"].as_array().unwrap();
    let many = |verdict: &str| tests.iter().filter(|t| t["verdict"] == verdict).count() as u64;
    assert_eq!(report["passed"], many("PASS"));
    assert_eq!(report["failed"], many("FAIL"));
    assert_eq!(report["skipped"], many("SKIP"));
    assert!(tests.iter().all(|t| t["verdict"] != "SKIP" || t["reason"].is_string()));
    assert_eq!(code, Some(i32::from(many("FAIL") > 0 || many("PASS") == 0)));
    // A machine that counts instructions counts those of the loop; any other skips the test
    // for the reason that the counters give.
    let instructions = tests.iter().find(|t| t["preset"] == "PAPI_TOT_INS").unwrap();
    match definition(&Event::TOT_INS) {
        Ok(_) => assert_eq!(instructions["verdict"], "PASS", "{instructions}"),
        Err(refusal) => {
            assert_eq!(instructions["verdict"], "SKIP");
            assert_eq!(instructions["reason"], refusal.to_string());
        }
    }
    // The page that users send back says on which machine what was tested, and fits one page.
    let (_, page, _) = avail(&["--self-test"]);
    assert!(report["hardware"]["kernel"].is_string() && report["kit"].is_string());
    assert!(page.contains("Operating system") && page.contains("perf_event_paranoid"), "{page}");
    assert!(tests.iter().all(|test| page.contains(test["preset"].as_str().unwrap())), "{page}");
    assert!(page.lines().count() < 120, "{page}");
}

#[test]
fn caches_are_reported_with_their_source() {
    let (code, out, err) = avail(&["--mem"]);
    // Some machines describe no caches at all; the output says so.
    assert!(code == Some(0) && out.contains("Page size") || code == Some(1) && err.lines().count() == 1);
}

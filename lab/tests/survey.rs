//! A room of machines: a record of each, and one page of all.

#![cfg(feature = "instructor")]
#![allow(clippy::unwrap_used)]

mod kit;

use serde_json::Value;

use kit::lab;

#[test]
fn a_machine_is_surveyed_and_merged() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["one.json", "two.json"] {
        let made = lab(folder.path(), &format!("survey --seconds 1 --out {file}"));
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
    assert!(told.contains("cut.json: it breaks off in line 1; give"), "{told}");
    let merged = lab(folder.path(), "merge one.json two.json three.json --csv class.csv");
    assert!(merged.status.success());
    let told = String::from_utf8(merged.stderr).unwrap();
    assert!(told.contains("three.json") && !told.contains("one.json"), "{told}");
    let page = std::fs::read_to_string(folder.path().join("class.html")).unwrap();
    let id = record["host"]["id"].as_str().unwrap();
    assert!(page.contains(&format!("{id} #1")) && page.contains("three.json"));
    assert_eq!(std::fs::read_to_string(folder.path().join("class.csv")).unwrap().lines().count(), 3);
}

//! A lab of machines: a record of each; `scripts/class.py` makes one page of all.

use serde_json::Value;

use crate::kit::lab;

#[test]
fn a_machine_is_surveyed() {
    let folder = tempfile::tempdir().unwrap();
    let made = lab(folder.path(), "survey --seconds 1 --output one.json");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
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
}

//! The record of a surveyed machine.

use serde_json::Value;

use crate::kit;

#[test]
fn a_survey_follows_its_schema() {
    const SCHEMA: &str = include_str!("../../survey.schema.json");
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let folder = tempfile::tempdir().unwrap();
    kit::printed(folder.path(), "survey --seconds 1 --name --output here.json");
    let mut survey: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("here.json")).unwrap()).unwrap();
    assert_eq!(crate::schema::faults(&schema, &schema, &survey, ""), Vec::<String>::new(), "{survey:#}");
    let counters = survey["counters"].as_array().unwrap();
    assert!(counters.iter().all(|one| one["counted"] == true || one["reason"].is_string()), "{survey:#}");
    survey["timings"][0]["seconds"] = "fast".into();
    survey["host"]["mac"] = "00:11".into();
    assert_eq!(crate::schema::faults(&schema, &schema, &survey, "").len(), 2);
}

//! Every record conforms to its schema. Other programs are written to the files in
//! `records/schemas`; pandas and R read what is saved.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

const SCHEMA: &str = include_str!("../../../common/records/schemas/record.schema.json");

/// The part of JSON Schema that the kit's schemas use. An unknown keyword fails, so that
/// none is ignored.
fn faults(schema: &Value, root: &Value, value: &Value, at: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (keyword, wanted) in schema.as_object().unwrap() {
        let holds = match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" => true,
            "const" => value == wanted,
            "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= wanted.as_u64().unwrap()),
            "enum" => wanted.as_array().unwrap().contains(value),
            "type" => match wanted.as_array() {
                Some(kinds) => kinds.iter().any(|kind| is(value, kind.as_str().unwrap())),
                None => is(value, wanted.as_str().unwrap()),
            },
            "minLength" => value.as_str().is_none_or(|text| text.len() as u64 >= wanted.as_u64().unwrap()),
            "required" => {
                wanted.as_array().unwrap().iter().all(|key| value.get(key.as_str().unwrap()).is_some())
            }
            "anyOf" => wanted.as_array().unwrap().iter().any(|one| faults(one, root, value, at).is_empty()),
            "additionalProperties" => {
                let known = |key: &String| schema["properties"].get(key).is_some();
                wanted == true || value.as_object().is_none_or(|object| object.keys().all(known))
            }
            "properties" => {
                for (key, part) in wanted.as_object().unwrap() {
                    if let Some(inner) = value.get(key) {
                        found.extend(faults(part, root, inner, &format!("{at}/{key}")));
                    }
                }
                true
            }
            "items" => {
                for (index, inner) in value.as_array().into_iter().flatten().enumerate() {
                    found.extend(faults(wanted, root, inner, &format!("{at}/{index}")));
                }
                true
            }
            "$ref" => {
                let part = root.pointer(wanted.as_str().unwrap().trim_start_matches('#')).unwrap();
                found.extend(faults(part, root, value, at));
                true
            }
            unknown => panic!("the test does not know {unknown}"),
        };
        if !holds {
            found.push(format!("{at}: {keyword} {wanted}"));
        }
    }
    found
}

fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{other} is no type"),
    }
}

/// All records of the assignment, on a described machine and on this one.
#[test]
fn every_record_of_the_assignment_follows_the_schema() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for machine in ["i5-7500", "host"] {
        let args = format!("run --quick --hasten 1000 --size 16 --machine {machine} --output {machine}");
        let ran =
            Command::new(env!("CARGO_BIN_EXE_lab")).current_dir(folder.path()).args(args.split(' ')).output();
        assert!(ran.unwrap().status.success());
        let mut seen = 0;
        for file in std::fs::read_dir(folder.path().join(machine).join("records")).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "json") {
                let record: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
                assert_eq!(faults(&schema, &schema, &record, ""), Vec::<String>::new(), "{path:?}");
                assert!(record["time"].as_str().unwrap().ends_with('Z') && record["id"] != "");
                seen += 1;
            }
        }
        assert!(seen >= 7, "{seen} records on {machine}");
    }
}

#[cfg(feature = "instructor")]
#[test]
fn a_survey_follows_its_schema() {
    const SCHEMA: &str = include_str!("../../../common/records/schemas/survey.schema.json");
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    command.current_dir(folder.path()).args(["survey", "--seconds", "1", "--name", "--output", "here.json"]);
    assert!(command.output().unwrap().status.success());
    let mut survey: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("here.json")).unwrap()).unwrap();
    assert_eq!(faults(&schema, &schema, &survey, ""), Vec::<String>::new(), "{survey:#}");
    let counters = survey["counters"].as_array().unwrap();
    assert!(counters.iter().all(|one| one["counted"] == true || one["reason"].is_string()), "{survey:#}");
    survey["timings"][0]["seconds"] = "fast".into();
    survey["host"]["mac"] = "00:11".into();
    assert_eq!(faults(&schema, &schema, &survey, "").len(), 2);
}

/// What an interpreter with `script` prints about cm1's CSV record in `folder`; `None` if
/// it or a library is not installed.
fn read_by(program: &str, option: &str, needs: &str, script: &str, folder: &Path) -> Option<String> {
    let has = Command::new(program).args([option, needs]).current_dir(folder).output().ok();
    if !has.is_some_and(|output| output.status.success()) {
        eprintln!("note: no {program} for '{needs}'; it is not tried");
        return None;
    }
    let read = Command::new(program).args([option, script]).current_dir(folder).output().unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    Some(String::from_utf8(read.stdout).unwrap().trim().to_owned())
}

/// Columns contain numbers, or are empty with the reason in the next column.
#[test]
fn pandas_and_r_read_numbers_where_numbers_are() {
    let folder = tempfile::tempdir().unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_lab"))
        .current_dir(folder.path())
        .args("run --quick --hasten 1000 --size 16 --machine i5-7500 --output r".split(' '))
        .output();
    assert!(ran.unwrap().status.success());
    let python = "import pandas as p\nf = p.read_csv('r/records/cm1-l1.csv')\ng = p.read_csv('r/records/causes.csv')\n\
                  print(f.avg_misses.dtype, f.size_bytes.dtype, int(f.avg_misses.notna().sum()) == len(f), \
                  g.cpu_s.isna().all(), g.cpu_s_reason.notna().all())";
    let interpreter = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if let Some(read) = read_by(&interpreter, "-c", "import pandas", python, folder.path()) {
        assert_eq!(read, "float64 int64 True True True");
    }
    let r = "f <- read.csv('r/records/cm1-l1.csv'); g <- read.csv('r/records/causes.csv'); \
             cat(class(f$avg_misses), class(f$size_bytes), !anyNA(f$avg_misses), all(is.na(g$cpu_s)), all(nchar(g$cpu_s_reason) > 0))";
    if let Some(read) = read_by("Rscript", "-e", "1", r, folder.path()) {
        assert_eq!(read, "numeric integer TRUE TRUE TRUE");
    }
}

#[test]
fn the_schema_refuses_what_is_no_record() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut record = json!({
        "schema": "cache-lab-kit/record/1", "id": "", "time": "", "program": "cm1", "version": "0.1.0",
        "arguments": [], "settings": {}, "machine": "m", "notes": [],
        "rows": [{ "size_bytes": 8192, "figures": [{ "name": "avg_misses", "amount": 0.5, "source": "model" }] }],
    });
    assert!(faults(&schema, &schema, &record, "").is_empty());
    record["rows"][0]["figures"][0] = json!({ "name": "avg_misses", "amount": "0.5", "source": "model" });
    assert_eq!(faults(&schema, &schema, &record, "").len(), 1);
    record["rows"][0]["figures"][0] = json!({ "name": "avg_misses" });
    record["more"] = json!(1);
    assert_eq!(faults(&schema, &schema, &record, "").len(), 2);
}

//! `lab compare` as a student runs it.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::kit::lab;

fn output_of(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// Two reports next to each other, and a record next to itself.
pub(crate) fn shows_what_differs(folder: &Path, one: &str, other: &str) {
    let (code, table, said) = output_of(&lab(folder, &format!("compare {one} {other}")));
    assert_eq!(code, 0, "{said}");
    let lines: Vec<&str> = table.lines().collect();
    let at = |text: &str| {
        lines.iter().position(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}: {table}"))
    };
    // Settings come before figures, and those that may be chance are counted.
    assert!(at("machine") < at("avg_time_us") && at("avg_time_us") < at("more of ns_per_access"), "{table}");
    assert_eq!(table.matches("machine").count(), 1, "{table}");
    let (_, all, _) = output_of(&lab(folder, &format!("compare {one} {other} --all")));
    assert!(all.lines().count() > 100 && !all.contains("more of"), "{all}");
    let record = format!("{other}/records/mm1.json");
    let (_, same, _) = output_of(&lab(folder, &format!("compare {record} {record}")));
    assert_eq!(same, "nothing differs beyond its spread\n");
}

#[test]
fn records_that_cannot_be_compared_are_refused_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("prose.json"), "It was a dark night.").unwrap();
    fs::write(folder.path().join("cut.json"), "{\n \"program\": \"cm1\",\n \"rows\": [{\"si").unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    for (args, code, culprit) in [
        ("compare none.json none.json", 1, "none.json"),
        ("compare prose.json prose.json", 1, "not a record"),
        ("compare cut.json cut.json", 1, "cut.json: it is not a record ("),
        ("plot cut.json", 1, "EOF while parsing"),
        ("compare empty empty", 1, "has no record"),
    ] {
        let (found, out, said) = output_of(&lab(folder.path(), args));
        assert_eq!((found, said.lines().count()), (code, 1), "{args}: {said}");
        assert!(said.contains(culprit) && out.is_empty(), "{args}: {said}");
    }
}

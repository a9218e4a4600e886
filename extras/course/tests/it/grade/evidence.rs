//! Which records count: all are parsed and verified first, and have the assigned size.

use std::fs;
use std::path::Path;

use common::machine::Machine;
use common::record::{Record, Row, Seal};
use common::value::{Reading, Source};
use serde_json::{Value as Json, json};

use super::{answers, cell, graded, write};
use crate::kit::printed;

/// A class with machines, and what ada typed: one point for Figure 1, one for mm1's hit
/// rate, which only a record shows.
fn class(folder: &Path) {
    write(folder, "class.csv", "name\nada\nbob\ncarl\n");
    printed(folder, "mystery --roster class.csv");
}

const TYPED: &str = r#""s2-2":{"value":"64","unit":"KiB"},"s321-c-hit-rate":{"value":"0.75","unit":"%"}"#;

/// A record of `program` on the sealed machine in `file`, with an L1 hit rate of 75 %.
fn record(folder: &Path, program: &str, file: &str, size: u64) -> Record {
    let machine = Machine::parse(&fs::read_to_string(folder.join(file)).unwrap(), file).unwrap();
    let mut record = Record::new(program, machine.summary());
    record.machine_data = json!({ "name": machine.name, "sealed": true });
    record.seal = machine.seal.as_deref().map(Seal::of_machine);
    let value = |amount| Reading::new(amount, Source::Model);
    record.rows.push(
        Row::at([("size", size.into()), ("checksum", 5.into())])
            .with("PAPI_L1_DCM", value(2.5))
            .with("PAPI_LD_INS", value(6.0))
            .with("PAPI_SR_INS", value(4.0))
            .with("wall_s", value(1.0)),
    );
    record
}

/// Points and notes of ada, who hands in these records.
fn of_ada(folder: &Path, rubric: &str, records: &[&str]) -> (String, String) {
    let _ = fs::remove_dir_all(folder.join("in"));
    write(folder, "in/ada/", &answers(TYPED));
    write(folder, "in/bob/", "WRONG");
    if records.is_empty() {
        write(folder, "in/ada/0.rec", "");
    }
    for (number, record) in records.iter().enumerate() {
        write(folder, &format!("in/ada/{number}.json"), record);
    }
    let args = format!("--roster class.csv --key machines-key.json {rubric} --output o in");
    let (code, _, err) = graded(folder, &args);
    assert_eq!(code, Some(0), "{err}");
    let of = |column| cell(folder, "o/grades.csv", "ada", column);
    (of("points"), of("notes"))
}

#[test]
fn only_unchanged_records_of_the_own_machine_and_the_assigned_size_count() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    class(folder);
    let own = record(folder, "mm1", "machines/ada.toml", 512);
    let text = own.json();
    let tree: Json = serde_json::from_str(&text).unwrap();
    let of_mm2 = record(folder, "mm2", "machines/ada.toml", 512).json();
    let bobs = record(folder, "mm1", "machines/bob.toml", 512).json();
    let by_hand =
        Record { seal: None, machine_data: Json::Null, machine: "a machine".to_owned(), ..own.clone() }
            .json();
    let of_size = |size| record(folder, "mm1", "machines/ada.toml", size).json();
    let formatted = format!("{tree:#}");
    let edited = formatted.replacen("2.5", "2.4", 1);
    assert_ne!(edited, formatted);
    let mut unsealed = tree;
    unsealed.as_object_mut().unwrap().remove("seal");
    let schema =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../common/records/schemas/record.schema.json");
    let schema = fs::read_to_string(schema).unwrap();
    let small = printed(folder, "assignment").replace("# matrix = 1024", "matrix = 128");
    write(folder, "small.toml", &small);
    for (what, options, records, points, says) in [
        ("as it was written", "", vec![&*text], "2", ""),
        ("formatted by an editor", "", vec![&*formatted], "2", ""),
        ("next to the schema", "", vec![&text, &schema, "[1, {\"seal\": {}}]", "{"], "2", ""),
        (
            "next to another's",
            "",
            vec![&text, &bobs],
            "2",
            "Records of other machines than the student's own",
        ),
        ("next to one by hand", "", vec![&by_hand, &text], "2", "Records of other machines"),
        (
            "none",
            "",
            vec![],
            "1",
            "Answers to read: 1. Not read: 0.rec; .json, .html and .zip are. There are no records",
        ),
        ("by hand", "", vec![&by_hand], "1", "Records of other machines"),
        ("another's", "", vec![&bobs], "1", "Note: records of another machine than the own one: bob."),
        ("of 128 rows", "", vec![&of_size(128)], "1", "mm1: its matrices have 128 rows, not the 512"),
        ("of 128 rows, as assigned", "--assignment small.toml", vec![&of_size(128)], "2", ""),
        ("of two programs, whose times are modelled", "", vec![&text, &of_mm2], "2", ""),
        ("edited", "", vec![&edited], "1", "was changed after it was made"),
        ("no seal", "", vec![&unsealed.to_string()], "1", "was changed after it was made"),
    ] {
        let (given, notes) = of_ada(folder, options, &records);
        assert!(given == points && notes.contains(says), "{what}: {given}, {notes}");
        assert!(!says.is_empty() || notes.is_empty(), "{what}: {notes}");
        let most = if what.contains("two programs") { "19" } else { "20" };
        assert_eq!(["ada", "bob"].map(|name| cell(folder, "o/grades.csv", name, "max_points")), [most; 2]);
    }
}

#[test]
fn the_key_is_joined_by_its_column() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    class(folder);
    for name in ["ada", "bob"] {
        write(folder, &format!("in/{name}/"), &answers(TYPED));
        write(
            folder,
            &format!("in/{name}/mm1.json"),
            &record(folder, "mm1", &format!("machines/{name}.toml"), 512).json(),
        );
    }
    printed(folder, "mystery --roster class.csv --output others");
    write(folder, "numbers.csv", "number,name\n17,ada\n18,bob\n19,carl\n");
    for (args, code, says) in [
        (
            "--roster class.csv --key others-key.json",
            0,
            "'bob': its sealed records were made on machines that the key does not have",
        ),
        ("--roster numbers.csv --name-column name --key machines-key.json", 0, "2\t20\tada\t\n"),
    ] {
        let (given, out, err) = graded(folder, &format!("{args} in"));
        assert!(given == Some(code) && (out.contains(says) || err.contains(says)), "{args}: {out}{err}");
    }
    // a group measures on the machine of a member, whoever hands it in
    write(folder, "groups.csv", "group,name\nA,ada\nA,bob\n,carl\n");
    write(folder, "of-group/ada/", &answers(TYPED));
    fs::copy(folder.join("in/bob/mm1.json"), folder.join("of-group/ada/mm1.json")).unwrap();
    let of_group =
        "--roster groups.csv --name-column name --group-column group --key machines-key.json of-group";
    let (_, out, err) = graded(folder, of_group);
    assert!(out.contains("2\t20\tada\t\n2\t20\tbob\tHanded in by a member of the group.\n"), "{out}{err}");
}

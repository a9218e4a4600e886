//! Which files and records count: all are parsed and verified first.

use std::fs;
use std::path::Path;

use common::machine::Machine;
use common::record::{Record, Row, Seal};
use common::value::{Reading, Source};
use serde_json::{Value as Json, json};

use super::{class, hand_in, lab, succeeds};

/// A record of `program` on the sealed machine in `file`, with an L1 hit rate of 75 %.
fn record(folder: &Path, program: &str, file: &str) -> Record {
    let machine = Machine::parse(&fs::read_to_string(folder.join(file)).unwrap(), file).unwrap();
    let mut record = Record::new(program, machine.summary());
    record.machine_data = json!({ "name": machine.name });
    record.seal = machine.seal.as_deref().map(Seal::of_machine);
    let value = |amount| Reading::new(amount, Source::Model);
    record.rows.push(
        Row::new([("size", 16.into()), ("checksum", 5.into())])
            .with("PAPI_L1_DCM", value(2.5))
            .with("PAPI_LD_INS", value(6.0))
            .with("PAPI_SR_INS", value(4.0)),
    );
    record
}

fn answers(fields: &Json) -> String {
    json!({ "format": "cache-lab-answers", "version": 2, "saved": "2026-03-01T10:00:00Z", "fields": fields })
        .to_string()
}

/// The line of `student` in the output of `lab grade`: points and notes.
fn line(folder: &Path, rubric: &str, student: &str) -> (f64, String) {
    let told =
        succeeds(folder, &format!("grade --roster class.csv --key machines-key.json{rubric} handed-in"));
    let line = told.lines().find(|line| line.split('\t').nth(2) == Some(student)).unwrap().to_owned();
    (line.split('\t').next().unwrap().parse().unwrap(), line)
}

#[test]
fn only_records_of_the_students_own_machine_count() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    class(folder);
    let rubric = succeeds(folder, "grade --print-rubric").replace("records = \"noted\"", "records = \"own\"");
    fs::write(folder.join("own.toml"), rubric).unwrap();
    // a point for a figure that no record has, and one for a figure that the record has
    let fields = json!({ "s2-2": "64 KiB", "s321-c-hit-rate": "75 %" });
    let own = record(folder, "mm1", "machines/ada.toml");
    let text = own.json();
    let tree: Json = serde_json::from_str(&text).unwrap();
    let ada = own.seal.clone().unwrap().machine;
    let bobs = record(folder, "mm1", "machines/nobody.toml").json();
    let by_hand = Record { seal: None, machine: "a machine".to_owned(), ..own.clone() }.json();
    let edited = |edit: &dyn Fn(&mut serde_json::Map<String, Json>)| {
        let mut map = tree.as_object().unwrap().clone();
        edit(&mut map);
        Json::Object(map).to_string()
    };
    let reordered = edited(&|map| {
        let seal = map.remove("seal").unwrap();
        map.shift_insert(0, "seal".to_owned(), seal);
    });
    let schema = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../common/records/schemas/record.schema.json"),
    );
    let schema = schema.unwrap();
    let nested = "{\"a\": [{\"seal\": {\"machine\": \"\", \"record\": \"\"}}], \"b\": \"x: sealed\"}";
    let yes = |more: &'static str| (2.0, more);
    let no = |more: &'static str| (0.0, more);
    let cases: Vec<(&str, Vec<&str>, (f64, &str))> = vec![
        ("as it was written", vec![&text], yes("")),
        (
            "next to files that mention a seal",
            vec![&text, &schema, nested, "[1, {\"seal\": {}}]", "{"],
            yes(""),
        ),
        ("next to another's", vec![&text, &bobs], yes("machine of another student")),
        (
            "next to one by hand",
            vec![&by_hand, &text],
            yes("Records of no sealed machine do not count: mm1."),
        ),
        ("next to an edited one", vec![&text, &reordered], yes("was changed")),
        ("none", vec![], no("no records of the student's own machine")),
        ("the schema", vec![&schema], no("no records of the student's own machine")),
        ("by hand", vec![&by_hand], no("Records of no sealed machine do not count: mm1.")),
        ("another's", vec![&bobs], no("machine of another student")),
    ];
    for (what, records, (points, says)) in cases {
        let _ = fs::remove_dir_all(folder.join("handed-in"));
        hand_in(folder, "ada/answers.json", &answers(&fields));
        for (number, record) in records.iter().enumerate() {
            hand_in(folder, &format!("ada/{number}.json"), record);
        }
        let (given, line) = line(folder, " --rubric own.toml", "ada");
        assert_eq!(given, points, "{what}: {line}");
        assert!(line.contains(says) && (!says.is_empty() || line.ends_with('\t')), "{what}: {line}");
    }
    for (what, changed) in [
        ("written compactly", tree.to_string()),
        ("with a byte order mark, compactly", format!("\u{feff}{tree}")),
        ("other figures", text.replace("2.5", "5.0")),
        ("a blank less", text.replace("\"seal\": {", "\"seal\":{")),
        ("a blank more", text.replace(": sealed\"", ": sealed \"").replace("\"seal\": {", "\"seal\":{")),
        ("keys in another order", reordered.clone()),
        (
            "a key twice",
            text.replacen('{', &format!("{{ \"seal\": {{ \"machine\": \"{ada}\", \"record\": \"\" }},"), 1),
        ),
        ("a key twice, first nothing", tree.to_string().replace("\"seal\"", "\"seal\":null,\"seal\"")),
        ("an escaped key", text.replace("\"seal\"", "\"\\u0073e\\u0061l\"").replace(": sealed", "")),
        ("an empty seal", edited(&|map| map["seal"] = json!({}))),
        ("a seal of another kind", edited(&|map| map["seal"] = json!(ada))),
        ("no seal", edited(&|map| map.retain(|key, _| key != "seal"))),
        (
            "another's, with her tag",
            bobs.replace(&record(folder, "mm1", "machines/nobody.toml").seal.unwrap().machine, &ada),
        ),
        ("a tag in another case", text.replace(&ada, &ada.to_uppercase())),
        ("cut off", text[..text.len() - 3].to_owned()),
        ("more behind it", text.clone() + "{}"),
    ] {
        let _ = fs::remove_dir_all(folder.join("handed-in"));
        hand_in(folder, "ada/answers.json", &answers(&fields));
        hand_in(folder, "ada/mm1.json", &changed);
        let (given, line) = line(folder, " --rubric own.toml", "ada");
        assert!(given == 0.0 && line.contains("mm1.json was changed after it was made,"), "{what}: {line}");
        // where records are not required, they do not count either
        let (given, line) = self::line(folder, "", "ada");
        assert!(given == 1.0 && line.contains("mm1.json was changed"), "{what}: {line}");
    }
    for same in [format!("\u{feff}{text}"), text.replace('\n', "\r\n"), text.clone() + "\n"] {
        hand_in(folder, "ada/mm1.json", &same);
        assert_eq!(line(folder, " --rubric own.toml", "ada").0, 2.0);
    }
    // in a table's columns
    for (table, changed) in [
        (own.csv(), false),
        (own.csv().replace("2.5", "5.0"), true),
        ("animal,seal\nwalrus,a\n".to_owned(), false),
        (format!("name,seal\n{ada},00ff\n"), false),
    ] {
        hand_in(folder, "ada/mm1.csv", &table);
        let (given, line) = line(folder, " --rubric own.toml", "ada");
        assert!(given == 2.0 && line.contains("mm1.csv was changed") == changed, "{table}: {line}");
    }
}

#[test]
fn a_key_of_another_class_is_refused_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    class(folder);
    for name in ["ada", "nobody"] {
        hand_in(folder, &format!("{name}/answers.json"), &answers(&json!({ "s2-2": "64 KiB" })));
        let record = record(folder, "mm1", &format!("machines/{name}.toml")).json();
        hand_in(folder, &format!("{name}/mm1.json"), &record);
    }
    fs::write(folder.join("other.txt"), "autumn of twenty-six").unwrap();
    succeeds(folder, "mystery --key-file other.txt --roster class.csv --out others");
    fs::write(folder.join("numbers.csv"), "number,name\n17,ada\n18,nobody\n19,copycat\n").unwrap();
    succeeds(folder, "mystery --key-file secret.txt --roster numbers.csv --name-column number --out numbers");
    fs::write(folder.join("late.csv"), "name\nADA\nNobody\nlate\nlater\n").unwrap();
    let grade = |args: &str| {
        let output = lab(folder, &format!("grade {args} handed-in").split(' ').collect::<Vec<_>>(), &[]);
        let told = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), told(&output.stdout), told(&output.stderr))
    };
    for (args, code, says) in [
        ("--roster class.csv --key others-key.json --out grades", 1, "machines that the key does not have"),
        ("--roster class.csv --key numbers-key.json --out grades", 2, "no machine of any student"),
        ("--student late --key machines-key.json --out grades", 2, "no machine of any student"),
    ] {
        let (given, printed, told) = grade(args);
        assert!(given == Some(code) && printed.is_empty() && told.contains(says), "{args}: {told}{printed}");
        assert!(told.lines().count() == 1 && !folder.join("grades").exists(), "{args}: {told}");
    }
    // a student without a machine in the key gets no points from another's records
    hand_in(
        folder,
        "late/answers.json",
        &answers(&json!({ "s311-c-size": "16 KiB", "s321-c-hit-rate": "75 %" })),
    );
    for program in ["mm1", "cm1"] {
        hand_in(
            folder,
            &format!("late/{program}.json"),
            &record(folder, program, "machines/ada.toml").json(),
        );
    }
    let (code, printed, told) = grade("--roster late.csv --key machines-key.json");
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("the key has no machine of 2 of 4 students: late, later"), "{told}");
    let of = |name: &str| printed.lines().find(|line| line.split('\t').nth(2) == Some(name)).unwrap();
    assert!(of("ADA").starts_with("1\t20\tADA\t") && of("ADA").ends_with('\t'), "{printed}");
    assert!(
        of("late").contains("The key has no machine of this student") && !of("late").starts_with('1'),
        "{printed}"
    );
    // a student who hands in another's records is graded without them
    fs::copy(folder.join("handed-in/ada/mm1.json"), folder.join("handed-in/nobody/mm1.json")).unwrap();
    let (code, printed, _) = grade("--roster class.csv --key machines-key.json");
    assert!(code == Some(0) && printed.contains("machine of another student"), "{printed}");
}

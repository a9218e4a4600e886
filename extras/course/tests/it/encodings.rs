//! Every reader of the kit takes files as editors and spreadsheets save them: it has the one
//! decoder, whose tests have all encodings and line ends.

use std::fs;
use std::path::Path;

use common::record::{Record, Row};
use common::value::{Reading, Source};

use super::grade::write;
use crate::kit::{lab, printed, stderr};

/// A reader: the file that is stored in another encoding, the command that reads it, and the
/// files that this writes.
const READERS: [(&str, &str, &[&str]); 11] = [
    ("cm1.out", "plot cm1.out -o p.svg", &["p.svg"]),
    ("a.json", "plot a.json -o p.svg", &["p.svg"]),
    ("machine.toml", "machines machine.toml", &[]),
    ("machines/bea.toml", "causes 8 --machine machines/bea.toml --format csv", &[]),
    ("machines-key.json", GRADE, GRADES),
    ("class.csv", GRADE, GRADES),
    ("rubric.toml", GRADE, GRADES),
    ("assignment.toml", GRADE, GRADES),
    ("sheet.csv", GRADE, GRADES),
    ("in/bea/answers.json", GRADE, GRADES),
    ("report/answers.json", "handin report --incomplete --output r.zip", &[]),
];
const GRADE: &str = "grade --roster class.csv --key machines-key.json --rubric rubric.toml --assignment assignment.toml \
    --worksheet sheet.csv in";
const GRADES: &[&str] = &["grades/grades.csv", "grades/moodle.csv"];

const ANSWERS: &str = r#"{ "format": "cache-lab-answers", "version": 2, "saved": "2026-03-01T10:00:00Z",
"fields": { "student-1-number": "7", "student-1-name": "bea", "s2-2": "64 KiB", "s2-4": "0,6 µs", "s311-c-size": "16 KiB" }
}
"#;

/// A class, records, a machine: all as UTF-8 with LF.
fn written(folder: &Path) {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../common/tests/data/i5-7500/cm1-l1-1.out");
    let mut record = Record::new("cm1", "Inês' máquina").set("event", "PAPI_L1_DCM");
    for stride in [1u64, 2, 4, 8, 16, 32, 64] {
        let row = Row::at([("size_bytes", 65536.into()), ("stride_bytes", stride.into())]);
        record.rows.push(row.with("avg_misses", Reading::new(stride as f64 / 128.0, Source::Model)));
    }
    write(folder, "class.csv", "name\nInês Conceição\nbea\n");
    printed(folder, "mystery --roster class.csv");
    for (place, text) in [
        ("cm1.out", fs::read_to_string(recorded).unwrap().as_str()),
        ("a.json", &record.json()),
        ("machine.toml", &printed(folder, "machines i5-7500")),
        ("rubric.toml", "s2-2 = 65536\n"),
        (
            "assignment.toml",
            &printed(folder, "assignment").replacen("title = \"", "title = \"Relatório: ", 1),
        ),
        (
            "sheet.csv",
            "Identifier,name,Grade,Maximum Grade\nParticipant 1,bea,,20\nParticipant 2,Inês Conceição,,20\n",
        ),
        ("in/bea/answers.json", ANSWERS),
        ("report/answers.json", ANSWERS),
    ] {
        write(folder, place, text);
    }
}

/// What a command prints and writes.
fn outcome(folder: &Path, args: &str, files: &[&str]) -> Vec<String> {
    let output = lab(folder, args);
    let read = |name: &&str| fs::read_to_string(folder.join(name)).unwrap_or_else(|_| "none".to_owned());
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut found = vec![format!("{:?}", output.status.code()), out, stderr(&output)];
    found.extend(files.iter().map(read));
    _ = fs::remove_dir_all(folder.join("grades"));
    found
}

#[test]
fn every_reader_takes_other_encodings_and_refuses_what_is_no_text_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    written(folder);
    for (name, args, files) in READERS {
        let path = folder.join(name);
        let stored = fs::read_to_string(&path).unwrap();
        let right = outcome(folder, args, files);
        assert!(!right[1].is_empty() || right[2].contains("drew"), "{name}: {right:?}");
        assert!(!right[3..].contains(&"none".to_owned()), "{name}: {right:?}");
        let marked = format!("\u{feff}{stored}");
        let utf16 = marked.replace('\n', "\r\n").encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [marked.replace('\n', "\r").into_bytes(), utf16] {
            fs::write(&path, bytes).unwrap();
            assert_eq!(outcome(folder, args, files), right, "{name}: lab {args}");
        }
        let line = format!("line {} ", stored.matches('\n').count() + 1);
        let latin = [stored.as_bytes(), b"# m\xe1quina\n"].concat();
        for (bytes, why) in [(latin, &*line), (b"PK\x03\x04\x14\0\x06\0".to_vec(), ".xlsx")] {
            // Answers are graded even if they are Latin-1, so that no submission is lost.
            if name.starts_with("in/") {
                continue;
            }
            fs::write(&path, bytes).unwrap();
            let output = lab(folder, args);
            let said = stderr(&output);
            assert!(!output.status.success(), "{name}: lab {args}");
            assert!(said.contains(name) && said.contains(why) && said.contains("UTF-8"), "{name}: {said}");
        }
        fs::write(&path, stored).unwrap();
    }
}

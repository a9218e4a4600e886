//! Every reader of the kit with every encoding and line ending: the results are all the same.

use std::fs;
use std::path::Path;

use common::record::{Record, Row};
use common::value::{Reading, Source};

use crate::kit::{lab, printed, stderr};

/// A reader: the file that is stored in every encoding, the command that reads it, and the
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
    --worksheet sheet.csv --output grades in";
const GRADES: &[&str] = &["grades/grades.csv", "grades/moodle.csv"];

const ANSWERS: &str = r#"{ "format": "cache-lab-answers", "version": 2, "saved": "2026-03-01T10:00:00Z",
"fields": { "student-1-number": "7", "student-1-name": "bea", "s2-2": "64 KiB", "s2-4": "0,6 µs", "s311-c-size": "16 KiB" }
}
"#;

/// A class, records, a machine: all as UTF-8 with LF.
fn written(folder: &Path) {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../common/tests/data");
    let data = |name: &str| fs::read_to_string(recorded.join(name)).unwrap();
    write("cm1.out", &data("i5-7500/cm1-l1-1.out"));
    write("spark.tsv", &data("i5-7500/spark-1.out"));
    for (name, scale) in [("a.json", 1.0), ("b.json", 2.0)] {
        let mut record = Record::new("cm1", "Inês' máquina").set("event", "PAPI_L1_DCM");
        for stride in [1u64, 2, 4, 8, 16, 32, 64] {
            let row = Row::at([("size_bytes", 65536.into()), ("stride_bytes", stride.into())]);
            record
                .rows
                .push(row.with("avg_misses", Reading::new(scale * stride as f64 / 128.0, Source::Model)));
        }
        write(name, &record.json());
    }
    write("machine.toml", &printed(folder, "machines i5-7500"));
    write("class.csv", "name\nInês Conceição\nbea\n");
    printed(folder, "mystery --roster class.csv");
    write("rubric.toml", "s2-2 = 65536\n");
    let assignment = printed(folder, "assignment").replacen("title = \"", "title = \"Relatório: ", 1);
    write("assignment.toml", &assignment);
    write(
        "sheet.csv",
        "Identifier,name,Grade,Maximum Grade\nParticipant 1,bea,,20\nParticipant 2,Inês Conceição,,20\n",
    );
    write("in/bea/answers.json", ANSWERS);
    write("report/answers.json", ANSWERS);
}

/// What a command prints and writes.
fn outcome(folder: &Path, args: &str, files: &[&str]) -> Vec<String> {
    let output = lab(folder, args);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let read = |name: &&str| fs::read_to_string(folder.join(name)).unwrap_or_else(|_| "none".to_owned());
    let mut found = vec![format!("{:?}", output.status.code()), text(&output.stdout), text(&output.stderr)];
    found.extend(files.iter().map(read));
    files.iter().for_each(|name| _ = fs::remove_file(folder.join(name)));
    _ = fs::remove_dir_all(folder.join("grades"));
    found
}

/// `text` in every encoding of real files.
fn stored(text: &str) -> Vec<(String, Vec<u8>)> {
    let ends = ["\n", "\r\n", "\r"].into_iter();
    ends.flat_map(|end| {
        let text = text.replace('\n', end);
        let marked = format!("\u{feff}{text}");
        [
            ("UTF-8", text.as_bytes().to_vec()),
            ("UTF-8 with a mark", marked.as_bytes().to_vec()),
            ("UTF-16, little-endian", marked.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            ("UTF-16, big-endian", marked.encode_utf16().flat_map(u16::to_be_bytes).collect()),
        ]
        .map(|(encoding, bytes)| (format!("{encoding}, {end:?}"), bytes))
    })
    .collect()
}

#[test]
fn every_reader_takes_every_encoding_and_line_end() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    written(folder);
    for (name, args, files) in READERS {
        let path = folder.join(name);
        let text = fs::read_to_string(&path).unwrap();
        let right = outcome(folder, args, files);
        assert!(!right[1].is_empty() || right[2].contains("drew"), "{name}: {right:?}");
        assert!(!right[3..].contains(&"none".to_owned()), "{name}: {right:?}");
        for (how, bytes) in stored(&text) {
            fs::write(&path, bytes).unwrap();
            assert_eq!(outcome(folder, args, files), right, "{name} as {how}: lab {args}");
        }
        fs::write(&path, text).unwrap();
    }
}

/// A file that is not text is refused by name, with its line and how to save it.
#[test]
fn every_reader_refuses_another_encoding_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    written(folder);
    for (name, args, _) in READERS {
        // Answers are graded even if they are Latin-1, so that no submission is lost.
        if name.starts_with("in/") {
            continue;
        }
        let path = folder.join(name);
        let text = fs::read(&path).unwrap();
        let lines = text.iter().filter(|byte| **byte == b'\n').count();
        let latin = [&text[..], b"# m\xe1quina\n"].concat();
        let workbook = b"PK\x03\x04\x14\0\x06\0".to_vec();
        for (bytes, why) in [(latin, format!("line {} ", lines + 1)), (workbook, ".xlsx".to_owned())] {
            fs::write(&path, bytes).unwrap();
            let output = lab(folder, args);
            let said = stderr(&output);
            assert!(!output.status.success(), "{name}: lab {args}");
            assert!(said.contains(name) && said.contains(&why) && said.contains("UTF-8"), "{name}: {said}");
        }
        fs::write(&path, text).unwrap();
    }
}

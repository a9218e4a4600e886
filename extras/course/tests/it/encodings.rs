//! Every reader of the kit takes files as editors and spreadsheets save them: it has the one
//! decoder, whose tests have all encodings and line ends.

use std::fs;
use std::path::Path;

use super::grade::write;
use crate::kit::{lab, printed, stderr};

/// Commands, and the files that they read.
const READERS: [(&str, &str); 5] = [
    (
        "grade --roster class.csv --key machines-key.json --rubric rubric.toml --assignment assignment.toml \
            --worksheet sheet.csv in",
        "class.csv machines-key.json rubric.toml assignment.toml sheet.csv in/bea/answers.json",
    ),
    ("plot cm1.out -o p.svg", "cm1.out"),
    ("machines machine.toml", "machine.toml"),
    ("causes 8 --machine machines/bea.toml --format csv", "machines/bea.toml"),
    ("handin report --incomplete --output r.zip", "report/answers.json"),
];

const ANSWERS: &str = r#"{ "format": "cache-lab-answers", "version": 2, "saved": "2026-03-01T10:00:00Z",
"fields": { "student-1-number": "7", "student-1-name": "bea", "s2-2": "64 KiB", "s2-4": "0,6 µs", "s311-c-size": "16 KiB" }
}
"#;

/// A class, records, a machine: all as UTF-8 with LF.
fn written(folder: &Path) {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../common/tests/data/i5-7500/cm1-l1-1.out");
    let sheet =
        "Identifier,name,Grade,Maximum Grade\nParticipant 1,bea,,20\nParticipant 2,Inês Conceição,,20\n";
    write(folder, "class.csv", "name\nInês Conceição\nbea\n");
    printed(folder, "mystery --roster class.csv");
    write(folder, "cm1.out", &fs::read_to_string(recorded).unwrap());
    write(folder, "machine.toml", &printed(folder, "machines i5-7500"));
    write(folder, "rubric.toml", "s2-2 = 65536\n");
    write(folder, "assignment.toml", &printed(folder, "assignment").replacen("title = \"", "title = \"ç", 1));
    write(folder, "sheet.csv", sheet);
    write(folder, "in/bea/answers.json", ANSWERS);
    write(folder, "report/answers.json", ANSWERS);
}

#[test]
fn every_reader_takes_other_encodings_and_refuses_what_is_no_text_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    written(folder);
    for (args, names) in READERS {
        let outcome = || {
            _ = fs::remove_dir_all(folder.join("grades"));
            let output = lab(folder, args);
            assert!(output.status.success(), "{args}: {}", stderr(&output));
            let grades = fs::read_to_string(folder.join("grades/moodle.csv")).unwrap_or_default();
            (String::from_utf8(output.stdout.clone()).unwrap(), stderr(&output), grades)
        };
        let right = outcome();
        for name in names.split_whitespace() {
            let text = fs::read_to_string(folder.join(name)).unwrap();
            let utf16 = format!("\u{feff}{}", text.replace('\n', "\r\n"));
            let utf16: Vec<u8> = utf16.encode_utf16().flat_map(u16::to_le_bytes).collect();
            fs::write(folder.join(name), utf16).unwrap();
            assert_eq!(outcome(), right, "{args}: {name}");
            // What cannot be read of a submission is in its row.
            if !name.starts_with("in/") {
                fs::write(folder.join(name), [text.as_bytes(), b"# m\xe1quina\n"].concat()).unwrap();
                let said = stderr(&lab(folder, args));
                let line = format!("line {} ", text.matches('\n').count() + 1);
                assert!([name, &line, "UTF-8"].iter().all(|part| said.contains(part)), "{name}: {said}");
            }
            fs::write(folder.join(name), text).unwrap();
        }
    }
}

//! Files and records with changed bits.

use common::authentic::{self, Unread};
use common::machine::{self, Machine};

use super::{place, run, secret};

/// Every bit of three machines' files and of two records, as programs write them.
#[test]
fn any_changed_bit_of_a_file_or_a_record_is_detected() {
    let folder = place(secret::DESCRIPTION);
    for name in ["ada", "Анна", "=cmd()"] {
        let text = machine::seal(name, &secret::DESCRIPTION.replace("ada", name)).text;
        assert!(Machine::parse(&text, "file").is_ok());
        for changed in flipped(&text) {
            let message = Machine::parse(&changed, "file").unwrap_err().to_string();
            assert!(message.starts_with("file: its seal does not open, so nothing is known"), "{message}");
        }
    }
    for (name, line) in [
        ("cm1", "--sizes 4K --strides 64 --repeats 1 --machine M --format json"),
        ("mm1", "--size 16 --machine M --format json"),
    ] {
        let text = String::from_utf8(run(folder.path(), name, line).stdout).unwrap();
        assert!(authentic::read(&text).is_ok_and(|record| record.seal.is_some()), "{text}");
        for changed in flipped(&text) {
            let is_json = serde_json::from_str::<serde_json::Value>(&changed).is_ok();
            match authentic::read(&changed) {
                Err(Unread::Changed) => {}
                Err(Unread::NotARecord(why)) => assert!(!is_json, "{name}: {why}: {changed}"),
                Ok(_) => panic!("{name}: {changed}"),
            }
        }
    }
}

/// The text with each of its bits changed in turn, decoded.
fn flipped(text: &str) -> impl Iterator<Item = String> {
    (0..8 * text.len()).map(move |bit| {
        let mut bytes = text.as_bytes().to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

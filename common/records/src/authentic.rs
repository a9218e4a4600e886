//! Records of sealed machines: a value changed by hand is detected.

use figures::text::shorten;
use serde::Deserialize;
use serde_json::Value as Json;
use thiserror::Error;

use crate::record::{Record, Seal};
use crate::values::checksum_of;

/// Why a record does not count.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unread {
    /// The record of a sealed machine, changed.
    #[error(
        "it is the record of a sealed machine, changed after it was made or of another version of the kit, so nothing in it counts; give the file as the program wrote it"
    )]
    Changed,
    /// Not a record.
    #[error("it is not a record ({0}); give a whole file that was written with --record")]
    NotARecord(String),
}

/// Whether a record claims to be of a sealed machine: it has a `seal`, or the data of its machine say so.
fn claims_seal(record: &Json) -> bool {
    !record["seal"].is_null() || record["machine_data"]["sealed"] == true
}

/// Whether `text` is, or was, the record of a sealed machine.
pub fn bears_seal(text: &str) -> bool {
    text.trim_start().starts_with('{') && serde_json::from_str(text).is_ok_and(|record| claims_seal(&record))
}

/// The record in `text`, of a sealed machine or not.
/// Fails if it is not a record, or was sealed and any value was changed. Its formatting does
/// not matter: an editor may change it.
pub fn read(text: &str) -> Result<Record, Unread> {
    let refused = |error: serde_json::Error| Unread::NotARecord(shorten(&error.to_string(), 120));
    let values: Json = serde_json::from_str(text).map_err(refused)?;
    if !claims_seal(&values) {
        return serde_json::from_str(text).map_err(refused);
    }
    let seal: Seal = Seal::deserialize(&values["seal"]).map_err(|_| Unread::Changed)?;
    if checksum_of(values) != seal.record {
        return Err(Unread::Changed);
    }
    let record: Record = serde_json::from_str(text).map_err(|_| Unread::Changed)?;
    Ok(Record { seal: Some(seal), ..record })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Row, Seal};
    use crate::saved::Saved;
    use figures::value::{Reading, Source};
    use serde_json::json;

    fn sealed() -> Record {
        let mut record = Record::new("cm1", "ada (to be found out): sealed").set("event", "PAPI_L1_DCM");
        record.machine_data = json!({ "name": "ada", "sealed": true });
        record.seal = Some(Seal::of_machine("00ff"));
        for (size, misses) in [(8192u64, 0.015_625), (16384, 1.0 / 3.0), (32768, 0.003_906_249_999_999_999_6)]
        {
            record.rows.push(
                Row::at([("size_bytes", size.into()), ("stride_bytes", 1.into())])
                    .with("avg_misses", Reading::new(misses, Source::Model)),
            );
        }
        record
    }

    #[test]
    fn a_record_reads_back_whole() {
        let text = sealed().json();
        let compact = serde_json::from_str::<Json>(&text).unwrap().to_string();
        let spelled = text.replace("\"seal\"", "\"\\u0073eal\"").replace(" 8192", " 8192.0");
        for same in [text.clone(), text.replace('\n', "\r\n"), text.clone() + "\n\n", compact, spelled] {
            let read = read(&same).unwrap();
            assert_eq!((read.rows.len(), &read.machine), (3, &sealed().machine));
            assert_eq!(read.seal.unwrap().machine, "00ff");
        }
        assert_eq!(Saved::parse(&text).unwrap().cells.len(), 3);
        // Only this reader makes a sealed record.
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap().seal, None);
    }

    /// Every bit: the values are the same, or the record counts as changed or, where it is no JSON any more, as no record.
    #[test]
    fn one_bit_of_a_record_changed_is_refused() {
        let text = sealed().json();
        for bit in 0..8 * text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            // The reader of files refuses invalid UTF-8 in the same way.
            let changed = String::from_utf8_lossy(&bytes);
            match read(&changed) {
                Err(Unread::Changed) => {}
                Err(Unread::NotARecord(_)) => assert!(serde_json::from_str::<Json>(&changed).is_err()),
                // 4e-3 and 4E-3
                Ok(same) => assert_eq!(same, read(&text).unwrap(), "bit {bit}: {changed}"),
            }
            assert_eq!(Saved::parse(&changed).is_ok(), read(&changed).is_ok(), "bit {bit}: {changed}");
        }
    }

    /// The figures of a sealed record, or a record made by hand, in a formatting in which a
    /// search for text would not find the seal.
    #[test]
    fn a_record_with_a_seal_is_verified_in_any_formatting() {
        let text = sealed().json();
        let compact = serde_json::from_str::<Json>(&text).unwrap().to_string();
        let other = Record { machine: "bob (to be found out): sealed".to_owned(), ..sealed() };
        let swapped = Record { seal: read(&text).unwrap().seal, ..other };
        for forged in [
            compact.replace("0.015625", "0.5"),
            text.replace("\"seal\"", "\"\\u0073eal\"").replace(": sealed", ": seal"),
            text.replace("00ff", "00FF"),
            text.replace("\"rows\"", "\"grade\": 20, \"rows\""),
            swapped.written(),
            Record { seal: None, ..sealed() }.written(),
            Record { seal: Some(Seal::of_machine("00ff")), machine: "ada".to_owned(), ..sealed() }.written(),
        ] {
            assert_eq!(read(&forged), Err(Unread::Changed), "{forged}");
            assert!(bears_seal(&forged) && Saved::parse(&forged).is_err());
        }
    }

    #[test]
    fn a_text_that_mentions_a_seal_is_not_sealed() {
        let open = Record { seal: None, machine: "host".to_owned(), machine_data: Json::Null, ..sealed() };
        let mut noted = open.clone();
        noted.notes.push("\"seal\": {\"machine\": \"00ff\"}, ada (to be found out): sealed".into());
        let set = open.clone().set("seal", "{\"seal\": {}}").set("machine", "ada: sealed");
        for record in [&noted, &set] {
            assert_eq!(read(&record.json()).as_ref(), Ok(record));
        }
        let schema = include_str!("../schemas/record.schema.json");
        for ordinary in
            [schema, &schema[..schema.len() / 4], "[{\"seal\": {}}]", "\"ada: sealed\"", "animal,seal\n", ""]
        {
            assert!(!bears_seal(ordinary), "{ordinary}");
            assert!(matches!(read(ordinary), Err(Unread::NotARecord(_))), "{ordinary}");
        }
    }
}

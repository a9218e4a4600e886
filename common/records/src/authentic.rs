//! Records of sealed machines: any change to them is detected.

use figures::text::shorten;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value as Json;
use thiserror::Error;

use crate::record::{Record, Seal};

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

/// Two signs of the record of a sealed machine. A text that has one of them twice is no record.
#[derive(Deserialize)]
struct Signs {
    seal: Option<IgnoredAny>,
    machine_data: Option<Json>,
}

/// Whether `text` claims to be the record of a sealed machine: it has a `seal`, or the data of its machine
/// say so. The formatting does not matter.
fn claims_seal(text: &str) -> Result<bool, serde_json::Error> {
    if !text.trim_start().starts_with('{') {
        return Ok(false);
    }
    let Signs { seal, machine_data } = serde_json::from_str(text)?;
    Ok(seal.is_some() || machine_data.is_some_and(|machine| machine["sealed"] == true))
}

/// Whether `text` is, or was, the record of a sealed machine.
pub fn bears_seal(text: &str) -> bool {
    claims_seal(text).unwrap_or_default()
}

/// The record in `text`, of a sealed machine or not.
/// Fails if it is not a record, or was sealed and any character was changed except for line
/// endings.
pub fn read(text: &str) -> Result<Record, Unread> {
    let refused = |error: serde_json::Error| Unread::NotARecord(shorten(&error.to_string(), 120));
    if claims_seal(text).map_err(refused)? {
        return sealed(text).ok_or(Unread::Changed);
    }
    serde_json::from_str(text).map_err(refused)
}

/// The record of a sealed machine in `text`; `None` if it was changed.
fn sealed(text: &str) -> Option<Record> {
    let text = text.replace("\r\n", "\n");
    let text = text.strip_suffix('\n').unwrap_or(&text);
    // Checks the text, not the parsed record: parsing may change the last digit of a
    // number.
    let (before, rest) = text.rsplit_once(MARK)?;
    let (tag, behind) = rest.split_once('"')?;
    if seal::tag("record", &[format!("{before}{MARK}\"{behind}").as_bytes()]) != tag {
        return None;
    }
    let record: Record = serde_json::from_str(text).ok()?;
    // The seal is the last part that a program writes; only this text can set it.
    let (_, machine) = before.rsplit_once(MACHINE)?;
    let (machine, _) = machine.split_once('"')?;
    let seal = Seal { machine: machine.to_owned(), record: tag.to_owned() };
    Some(Record { seal: Some(seal), ..record })
}

/// The text before the machine's tag.
const MACHINE: &str = "\"machine\": \"";

/// The text before the tag.
const MARK: &str = "\"record\": \"";

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
        for same in [text.clone(), text.replace('\n', "\r\n"), text.clone() + "\n"] {
            let read = read(&same).unwrap();
            assert_eq!((read.rows.len(), &read.machine), (3, &sealed().machine));
            assert_eq!(read.seal.unwrap().machine, "00ff");
        }
        assert_eq!(Saved::parse(&text).unwrap().cells.len(), 3);
        // Only this reader makes a sealed record.
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap().seal, None);
    }

    /// Every bit: the record counts as changed or, where it is no JSON any more, as no record.
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
                Ok(_) => panic!("bit {bit}: {changed}"),
            }
            assert!(Saved::parse(&changed).is_err(), "bit {bit}: {changed}");
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
            compact.clone(),
            text.replace("\"seal\": {", "\"seal\":{"),
            text.replace("\"seal\"", "\"\\u0073eal\"").replace(": sealed", ": seal"),
            text.replace("00ff", "00FF"),
            text.replace("0.015625", "0.5"),
            format!("{text}\n\n"),
            swapped.written(),
            Record { seal: None, ..sealed() }.written(),
            Record { seal: Some(Seal::of_machine("00ff")), machine: "ada".to_owned(), ..sealed() }.written(),
        ] {
            assert_eq!(read(&forged), Err(Unread::Changed), "{forged}");
            assert!(bears_seal(&forged) && Saved::parse(&forged).is_err());
        }
        let twice = compact.replacen('{', "{\"seal\":null,", 1);
        assert!(read(&twice).unwrap_err().to_string().contains("duplicate field `seal`"));
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

//! Records of sealed machines: any change to them is detected.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value as Json;
use thiserror::Error;

use crate::record::{Record, SCHEMA, Seal};
use crate::{json_error, tagged};

pub use crate::tagged::Changed;

/// Why a record does not count.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unread {
    /// The record of a sealed machine, changed.
    #[error(transparent)]
    Changed(#[from] Changed),
    /// Not a record.
    #[error("it is not a record ({0}); give a whole file that was written with --record")]
    NotARecord(String),
}

/// Whether a JSON object claims to be the record of a sealed machine: it has a `seal`, or
/// its `machine` ends in \"sealed\". The formatting does not matter, nor does the content
/// of its values.
struct Claim(bool);

impl<'de> Deserialize<'de> for Claim {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Claim, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Claim;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a record")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Claim, A::Error> {
                let mut claims = false;
                while let Some(key) = map.next_key::<String>()? {
                    claims |= match &*key {
                        "seal" => map.next_value::<Option<IgnoredAny>>()?.is_some(),
                        "machine" => {
                            let machine = map.next_value::<Json>()?;
                            machine.as_str().is_some_and(|machine| machine.trim_end().ends_with("sealed"))
                        }
                        _ => map.next_value::<IgnoredAny>().map(|_| false)?,
                    };
                }
                Ok(Claim(claims))
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

/// Whether `text` is, or was, the record of a sealed machine as JSON. If it is no longer
/// valid JSON, a change in one place leaves two of a record's three signs.
fn claims_seal(text: &str) -> bool {
    match serde_json::from_str(text) {
        Ok(Claim(claims)) => claims,
        Err(_) if serde_json::from_str::<IgnoredAny>(text).is_ok() => false,
        Err(_) => {
            let signs = [SCHEMA, ": sealed\"", "\"seal\": {"].map(|sign| text.contains(sign));
            signs.into_iter().filter(|sign| *sign).count() >= 2
        }
    }
}

/// The same for a record as JSON or as a table.
pub fn bears_seal(text: &str) -> bool {
    claims_seal(without_mark(text)) || tagged::is_sealed(text)
}

/// `text` without the byte order mark that some programs add.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The record in `text`, of a sealed machine or not.
///
/// # Errors
///
/// If it is not a record, or was sealed and has changed.
pub fn read(text: &str) -> Result<Record, Unread> {
    let text = without_mark(text);
    match claims_seal(text) {
        true => Ok(parse(text)?),
        false => {
            serde_json::from_str(text).map_err(|error| Unread::NotARecord(json_error::explain(text, &error)))
        }
    }
}

/// Checks that `text`, a record as JSON or as a table, is unchanged if it is one of a
/// sealed machine.
///
/// # Errors
///
/// If anything in it was changed.
pub fn check(text: &str) -> Result<(), Changed> {
    if claims_seal(without_mark(text)) {
        parse(text)?;
    }
    tagged::check(text)
}

/// The record of a sealed machine in `text`.
///
/// # Errors
///
/// If any character was changed, except for a byte order mark and line endings.
pub fn parse(text: &str) -> Result<Record, Changed> {
    let text = without_mark(text).replace("\r\n", "\n");
    let text = text.strip_suffix('\n').unwrap_or(&text);
    // Checks the text, not the parsed record: parsing may change the last digit of a
    // number.
    let (before, rest) = text.rsplit_once(MARK).ok_or(Changed)?;
    let (tag, behind) = rest.split_once('"').ok_or(Changed)?;
    if seal::tag("record", &[format!("{before}{MARK}\"{behind}").as_bytes()]) != tag {
        return Err(Changed);
    }
    let record: Record = serde_json::from_str(text).map_err(|_| Changed)?;
    // The seal is the last part that a program writes; only this text can set it.
    let (_, machine) = before.rsplit_once(MACHINE).ok_or(Changed)?;
    let (machine, _) = machine.split_once('"').ok_or(Changed)?;
    let seal = Seal { machine: machine.to_owned(), record: tag.to_owned() };
    Ok(Record { seal: Some(seal), ..record })
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

    fn sealed() -> Record {
        let mut record = Record::new("cm1", "ada (to be found out): sealed").set("event", "PAPI_L1_DCM");
        record.seal = Some(Seal::of_machine("00ff"));
        for (size, misses) in [(8192u64, 0.015_625), (16384, 1.0 / 3.0), (32768, 0.003_906_249_999_999_999_6)]
        {
            record.rows.push(
                Row::new([("size_bytes", size.into()), ("stride_bytes", 1.into())])
                    .with("avg_misses", Reading::new(misses, Source::Model)),
            );
        }
        record
    }

    #[test]
    fn a_record_reads_back_whole() {
        let text = sealed().json();
        let read = parse(&text).unwrap();
        assert_eq!((read.rows.len(), &read.machine), (3, &sealed().machine));
        assert!(parse(&(text.replace('\n', "\r\n") + "\r\n")).is_ok());
        assert_eq!(Saved::parse(&text).unwrap().cells.len(), 3);
    }

    #[test]
    fn a_record_that_breaks_off_says_where() {
        let text = Record { seal: None, machine: "host".to_owned(), ..sealed() }.json();
        let text: String = text.split_inclusive('\n').take(9).collect();
        assert_eq!(read(&text), Err(Unread::NotARecord("it breaks off in line 9".to_owned())));
        assert!(Saved::parse(&text).unwrap_err().to_string().contains("EOF while parsing"), "{text}");
    }

    /// Every bit; all changes are refused with the same sentence.
    #[test]
    fn one_bit_of_a_record_changed_is_refused() {
        let text = sealed().json();
        for bit in 0..8 * text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            // The reader of files refuses invalid UTF-8 in the same way.
            let changed = String::from_utf8_lossy(&bytes);
            let told = Saved::parse(&changed).unwrap_err().to_string();
            assert_eq!(told, Changed.to_string(), "bit {bit}: {changed}");
        }
    }

    /// The figures of a sealed record, or a record made by hand, in a formatting in which a
    /// search for text would not find the seal.
    #[test]
    fn a_record_with_a_seal_is_verified_in_any_formatting() {
        let text = sealed().json();
        let json: Json = serde_json::from_str(&text).unwrap();
        let with = |change: &dyn Fn(&mut serde_json::Map<String, Json>)| {
            let mut map = json.as_object().unwrap().clone();
            change(&mut map);
            Json::Object(map).to_string()
        };
        let compact = json.to_string();
        let forged = [
            compact.clone(),
            text.replace("\"seal\": {", "\"seal\":{"),
            text.replace("\"seal\": {", "\"seal\"  :\n{").replace(": sealed", ": sealed "),
            text.replace("\"seal\"", "\"\\u0073eal\"").replace(": sealed", ": seal"),
            compact.replace("\"seal\"", "\"seal\":null,\"seal\""),
            compact.replacen('{', "{\"seal\":{\"machine\":\"00ff\",\"record\":\"\"},", 1),
            with(&|map| map["seal"] = serde_json::json!({})),
            with(&|map| map["seal"] = serde_json::json!([])),
            with(&|map| map["seal"] = serde_json::json!({ "machine": "", "record": "" })),
            with(&|map| map["seal"] = serde_json::json!("00ff")),
            with(&|map| {
                map.remove("seal");
            }),
            with(&|map| {
                let seal = map.remove("seal").unwrap();
                map.insert("machine".to_owned(), "ada".into());
                map.shift_insert(0, "seal".to_owned(), seal);
            }),
            text.replace("00ff", "00FF"),
            text.replace("0.015625", "0.5"),
            format!("{text}\n\n"),
            format!("\u{feff}{compact}"),
        ];
        for forged in forged {
            assert_eq!(read(&forged), Err(Unread::Changed(Changed)), "{forged}");
            assert!(bears_seal(&forged) && check(&forged).is_err() && Saved::parse(&forged).is_err());
        }
        for same in [format!("\u{feff}{text}"), text.replace('\n', "\r\n"), text.clone() + "\n"] {
            assert_eq!(read(&same).unwrap().seal.unwrap().machine, "00ff");
        }
    }

    #[test]
    fn a_text_that_mentions_a_seal_is_not_sealed() {
        let open = Record { seal: None, machine: "host".to_owned(), ..sealed() };
        let mut noted = open.clone();
        noted.notes.push("\"seal\": {\"machine\": \"00ff\"}, ada (to be found out): sealed".into());
        let set = open.clone().set("seal", "{\"seal\": {}}").set("machine", "ada: sealed");
        for record in [&noted, &set] {
            assert_eq!(read(&record.json()).as_ref(), Ok(record));
        }
        assert_eq!(read(&open.json().replacen('{', "{\"seal\": null,", 1)), Ok(open.clone()));
        let schema = include_str!("../schemas/record.schema.json");
        let cut = &schema[..schema.len() / 4];
        for ordinary in [
            schema,
            cut,
            "[{\"seal\": {\"machine\": \"00ff\", \"record\": \"\"}}]",
            "{\"a\": {\"seal\": {\"machine\": \"00ff\"}}, \"b\": [{\"seal\": {}}]}",
            "\"seal\": {",
            "\"ada: sealed\"",
            "{\"machine\": [\"sealed\"], \"Seal\": {}}",
            "animal,seal\nwalrus,00ff\n",
            "size_bytes,seal,misses\n8192,ringed,0.5\n",
            "",
        ] {
            assert!(!bears_seal(ordinary) && check(ordinary).is_ok(), "{ordinary}");
            assert!(matches!(read(ordinary), Err(Unread::NotARecord(_))), "{ordinary}");
        }
        // only `parse` makes a sealed record
        let json = sealed().json();
        assert_eq!(serde_json::from_str::<Record>(&json).unwrap().seal, None);
    }

    #[test]
    fn figures_of_another_record_do_not_fit() {
        let other = Record { machine: "bob (to be found out): sealed".to_owned(), ..sealed() };
        let [own, other] = [sealed(), other].map(|record| parse(&record.json()).unwrap());
        let swapped = Record { seal: own.seal.clone(), ..other };
        assert_eq!(parse(&swapped.written()), Err(Changed));
        let bare = Record { seal: None, ..own }.written();
        assert!(bears_seal(&bare) && parse(&bare) == Err(Changed));
    }
}

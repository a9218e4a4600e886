//! Records of sealed machines: nothing in them changes unseen.

use thiserror::Error;

use crate::record::Record;
use crate::{tagged, unread};

pub use crate::tagged::Changed;

/// Why a text is no record that counts.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unread {
    /// The record of a sealed machine, not as it was made.
    #[error(transparent)]
    Changed(#[from] Changed),
    /// No record at all.
    #[error("it is no record ({0}); give a whole file that was written with --record")]
    Stranger(String),
}

/// Whether `text` is, or was, the record of a sealed machine: one change leaves
/// one of the signs.
pub fn is_sealed(text: &str) -> bool {
    text.trim_start().starts_with('{') && text.contains(": sealed\"") || text.contains("\"seal\": {")
}

/// The same of a record as JSON or as a table.
pub fn bears_seal(text: &str) -> bool {
    is_sealed(text) || tagged::is_sealed(text)
}

/// The record in `text`, of a sealed machine or not.
///
/// # Errors
///
/// If it is none, or was sealed and has changed.
pub fn read(text: &str) -> Result<Record, Unread> {
    match is_sealed(text) {
        true => Ok(parse(text)?),
        false => serde_json::from_str(text).map_err(|error| Unread::Stranger(unread::why(text, &error))),
    }
}

/// That `text`, a record as JSON or as a table, is as it was made if it is one of a
/// sealed machine.
///
/// # Errors
///
/// If anything in it was changed.
pub fn check(text: &str) -> Result<(), Changed> {
    if is_sealed(text) {
        parse(text)?;
    }
    tagged::check(text)
}

/// The record of a sealed machine in `text`.
///
/// # Errors
///
/// If any character differs from what was written, the end of the file and the
/// ends of its lines aside.
pub fn parse(text: &str) -> Result<Record, Changed> {
    let text = text.replace("\r\n", "\n");
    let text = text.strip_suffix('\n').unwrap_or(&text);
    // By the text, not by the record in it: numbers may be read in the last place.
    let (before, rest) = text.rsplit_once(MARK).ok_or(Changed)?;
    let (tag, behind) = rest.split_once('"').ok_or(Changed)?;
    if seal::tag("record", &[format!("{before}{MARK}\"{behind}").as_bytes()]) != tag {
        return Err(Changed);
    }
    serde_json::from_str(text).map_err(|_| Changed)
}

/// What stands before the tag.
const MARK: &str = "\"record\": \"";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Row, Seal};
    use crate::saved::Saved;
    use figures::value::{Source, Value};

    fn sealed() -> Record {
        let mut record = Record::new("cm1", "ada (to be found out): sealed").set("event", "PAPI_L1_DCM");
        record.seal = Some(Seal::of_machine("00ff"));
        for (size, misses) in [(8192u64, 0.015_625), (16384, 1.0 / 3.0), (32768, 0.003_906_249_999_999_999_6)]
        {
            record.rows.push(
                Row::new([("size_bytes", size.into()), ("stride_bytes", 1.into())])
                    .with("avg_misses", Value::new(misses, Source::Model)),
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
        assert_eq!(read(&text), Err(Unread::Stranger("it breaks off in line 9".to_owned())));
        assert!(Saved::parse(&text).unwrap_err().to_string().contains("breaks off in line 9"), "{text}");
    }

    /// Every bit; each refusal is the same sentence, whatever changed.
    #[test]
    fn one_bit_of_a_record_changed_is_refused() {
        let text = sealed().json();
        for bit in 0..8 * text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            // As the reader of files does it with what is no text.
            let changed = String::from_utf8_lossy(&bytes);
            let told = Saved::parse(&changed).unwrap_err().to_string();
            assert_eq!(told, Changed.to_string(), "bit {bit}: {changed}");
        }
    }

    #[test]
    fn figures_of_another_record_do_not_fit() {
        let other = Record { machine: "bob (to be found out): sealed".to_owned(), ..sealed() };
        let [own, other] = [sealed(), other].map(|record| parse(&record.json()).unwrap());
        let swapped = Record { seal: own.seal.clone(), ..other };
        assert_eq!(parse(&swapped.written()), Err(Changed));
        let bare = Record { seal: None, ..own }.written();
        assert!(is_sealed(&bare) && parse(&bare) == Err(Changed));
    }
}

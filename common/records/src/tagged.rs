//! Records as comma-separated values in which changes are detected: the first row has a tag
//! of the whole table.

use thiserror::Error;

/// The record of a sealed machine was changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "it is the record of a sealed machine, changed after it was made or of another version of the kit, so nothing in it counts; give the file as the program wrote it"
)]
pub struct Changed;

/// The column of the tag; its other cells are empty.
pub(crate) const COLUMN: &str = "seal";
/// Length of a tag in digits.
const DIGITS: usize = 32;

/// The table that `table` makes with a tag cell, which names the `machine` by the tag of
/// its seal and authenticates all the rest.
pub(crate) fn sealed(machine: &str, table: impl Fn(&str) -> String) -> String {
    let bare = format!("{machine}-");
    let tag = seal::tag("table", &[table(&bare).as_bytes()]);
    table(&(bare + &tag))
}

/// Whether `text` is, or was, such a table: a change in one place leaves two of its three
/// signs, and other tables have at most one.
pub(crate) fn is_sealed(text: &str) -> bool {
    let header = text.trim_start_matches('\u{feff}').lines().next().unwrap_or_default();
    let mut columns = header.split([',', ';', '\t']).map(|column| column.trim().trim_matches('"'));
    let signs = [
        columns.any(|column| column == COLUMN),
        header.contains("_source"),
        text.lines().any(|line| tag(line).is_some()),
    ];
    signs.into_iter().filter(|sign| *sign).count() >= 2
}

/// Checks that `text` is unchanged since [`sealed`] made it, if it is such a table.
pub(crate) fn check(text: &str) -> Result<(), Changed> {
    if !is_sealed(text) {
        return Ok(());
    }
    let tag = text.lines().find_map(tag);
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let (before, behind) = tag.and_then(|tag| text.split_once(tag)).ok_or(Changed)?;
    let behind = behind.strip_suffix('\n').unwrap_or(behind);
    let whole = format!("{before}{behind}\n");
    if tag == Some(&*seal::tag("table", &[whole.as_bytes()])) { Ok(()) } else { Err(Changed) }
}

/// The tag at the end of a line.
fn tag(line: &str) -> Option<&str> {
    let (_, cell) = line.rsplit_once(',')?;
    let (machine, tag) = cell.split_once('-')?;
    let digits = |text: &str| text.len() == DIGITS && text.bytes().all(|b| b.is_ascii_hexdigit());
    (digits(machine) && digits(tag)).then_some(tag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Record, Row, Seal};
    use crate::saved::Saved;
    use figures::value::{Reading, Source};

    fn record(machine: char) -> Record {
        let mut record = Record::new("cm1", "ada (to be found out): sealed");
        record.seal = Some(Seal::of_machine(&String::from(machine).repeat(DIGITS)));
        for (size, misses) in [(8192u64, 0.015_625), (16384, 1.0 / 3.0), (32768, 1.0)] {
            record.rows.push(
                Row::new([("size_bytes", size.into()), ("stride_bytes", 64.into())])
                    .with("avg_misses", Reading::new(misses, Source::Model)),
            );
        }
        record
    }

    #[test]
    fn a_table_reads_back_with_any_ends_of_lines() {
        let text = record('a').csv();
        for text in [text.clone(), text.replace('\n', "\r\n"), text.trim_end().to_owned()] {
            assert_eq!(Saved::parse(&text).unwrap().cells.len(), 3);
        }
        let open = Record { seal: None, ..record('a') }.csv();
        assert!(!open.contains(COLUMN) && check(&open).is_ok());
    }

    /// Every bit; all changes are refused with the same sentence.
    #[test]
    fn one_bit_of_a_table_changed_is_refused() {
        let text = record('a').csv();
        for bit in 0..8 * text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let changed = String::from_utf8_lossy(&bytes);
            let told = Saved::parse(&changed).unwrap_err().to_string();
            assert_eq!(told, Changed.to_string(), "bit {bit}: {changed}");
        }
    }

    #[test]
    fn rows_taken_out_put_in_or_from_another_machine_are_reported() {
        let own = record('a').csv();
        let lines: Vec<&str> = own.lines().collect();
        let without = [&lines[..2], &lines[3..]].concat().join("\n");
        let twice = [&lines[..], &lines[2..3]].concat().join("\n");
        let others = own.replace(&"a".repeat(DIGITS), &"b".repeat(DIGITS));
        let bare = lines.iter().map(|line| tag(line).map_or((*line).to_owned(), |tag| line.replace(tag, "")));
        let bare = bare.collect::<Vec<_>>().join("\n");
        for changed in [without, twice, others, own.replace("0.333", "0.334"), bare] {
            assert_eq!(check(&changed), Err(Changed), "{changed}");
        }
    }
}

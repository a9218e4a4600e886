//! Tables and charts of a sweep.

use std::collections::{BTreeMap, BTreeSet};

use figures::table::four;
use figures::units::Bytes;
use figures::value::Reading;
use records::record::{Record, Row};
use serde::Serialize;
use serde_json::{Value, json};

use crate::cell::grouped;

/// A table with a row for each stride and a column for each array size.
#[derive(Debug, Serialize)]
pub(crate) struct Table {
    heading: String,
    sizes: Vec<String>,
    rows: Vec<Line>,
    /// Whether a cell is odd.
    odd: bool,
}

#[derive(Debug, Serialize)]
struct Line {
    stride: String,
    cells: Vec<Shade>,
}

/// A cell with its shade, 0 to 1; empty if the sweep lacks it.
#[derive(Debug, Default, Serialize)]
struct Shade {
    text: String,
    note: String,
    shade: f64,
    /// Whether it is far above those next to it.
    odd: bool,
}

/// The cells of a record's figure, by stride and size.
fn cells<'a>(record: &'a Record, figure: &str) -> BTreeMap<(u64, u64), &'a Reading> {
    let cell =
        |row: &'a Row| Some(((row.whole("stride_bytes")?, row.whole("size_bytes")?), row.reading(figure)?));
    record.rows.iter().filter_map(cell).collect()
}

/// A table with more array sizes is a wide one.
const WIDE: usize = 10;

/// The table of one figure for the array sizes that `shows` chooses; shades run from 0 to
/// `full` (the largest amount, if not given).
pub(crate) fn table(
    record: &Record,
    (figure, heading): (&str, &str),
    shows: impl Fn(u64) -> bool,
    digits: usize,
    full: Option<f64>,
) -> Table {
    let mut cells = cells(record, figure);
    cells.retain(|(_, size), _| shows(*size));
    let largest = cells.values().filter_map(|r| r.amount()).fold(f64::MIN_POSITIVE, f64::max);
    let full = full.unwrap_or(largest);
    let strides: BTreeSet<u64> = cells.keys().map(|(stride, _)| *stride).collect();
    let sizes: BTreeSet<u64> = cells.keys().map(|(_, size)| *size).collect();
    // So that a wide table still fits a page.
    let digits = if sizes.len() > WIDE { digits - 1 } else { digits };
    let amounts =
        cells.iter().filter_map(|((stride, size), reading)| Some(((*size, *stride), reading.amount()?)));
    let odd = chart::odd(&amounts.collect());
    let shade = |size: u64, stride: u64| match cells.get(&(stride, size)) {
        None => Shade::default(),
        Some(reading) => match reading.amount().zip(reading.source()) {
            Some((amount, source)) => Shade {
                text: format!("{amount:.digits$}"),
                note: source.to_string(),
                shade: (amount / full).clamp(0.0, 1.0),
                odd: odd.contains(&(size, stride)),
            },
            None => Shade { text: "–".to_owned(), note: reading.to_string(), ..Shade::default() },
        },
    };
    let row = |stride: &u64| Line {
        stride: Bytes(*stride).to_string(),
        cells: sizes.iter().map(|size| shade(*size, *stride)).collect(),
    };
    let rows = Vec::from_iter(strides.iter().map(row));
    Table {
        odd: rows.iter().flat_map(|row| &row.cells).any(|cell| cell.odd),
        heading: heading.to_owned(),
        sizes: sizes.iter().map(|size| Bytes(*size).to_string()).collect(),
        rows,
    }
}

/// The source of a record's figure.
pub(crate) fn source(record: &Record, figure: &str) -> String {
    let source = record.rows.iter().find_map(|row| row.reading(figure)?.source());
    source.map_or_else(|| "none".to_owned(), |source| source.to_string())
}

/// Why a record lacks a figure; empty if any row has it, or none has a reason.
pub(crate) fn why(record: &Record, figure: &str) -> String {
    let readings = || record.rows.iter().filter_map(|row| row.reading(figure));
    let mut reasons = readings().filter_map(Reading::reason);
    let missing = readings().all(|reading| reading.amount().is_none());
    reasons.next().filter(|_| missing).unwrap_or_default().to_owned()
}

/// The stride at which times are shown by array size. No line is longer, so every access is
/// to another line; and it reveals nothing about this machine's line size, which is a later
/// question.
pub const STRIDE: Bytes = Bytes(256);

/// The sheet's table of section 2, from spark's record: for each array size, at one stride,
/// the time, the accesses and their quotient.
pub(crate) fn size_table(spark: &Record) -> Value {
    let rows = spark.rows.iter().filter(|row| row.whole("stride_bytes") == Some(STRIDE.0));
    let text = |reading: Option<&Reading>, shown: &dyn Fn(f64) -> String| {
        reading.and_then(Reading::amount).map_or_else(|| "–".to_owned(), shown)
    };
    let row = |row: &Row| {
        json!({
            "size": Bytes(row.whole("size_bytes").unwrap_or_default()).to_string(),
            "elapsed": text(row.reading("elapsed_s"), &|seconds| four(1e3 * seconds)),
            "accesses": text(row.reading("accesses"), &|count| grouped(&format!("{count:.0}"))),
            "mean": text(row.reading("ns_per_access"), &|nanos| format!("{nanos:.3}")),
        })
    };
    json!({ "stride": STRIDE.to_string(), "rows": rows.map(row).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use figures::value::{Reading, Source};

    fn sweep() -> Record {
        let mut record = Record::new("cm1", "a machine");
        for (size, stride, misses) in [(8192u64, 1u64, 0.0), (8192, 64, 0.5), (16384, 64, 1.0)] {
            let row = Row::at([("size_bytes", size.into()), ("stride_bytes", stride.into())]);
            record.rows.push(row.with("avg_misses", Reading::new(misses, Source::Model)));
        }
        record.rows[1].figures[0].reading = Reading::missing("no counter");
        record
    }

    #[test]
    fn a_cell_far_above_those_next_to_it_is_marked() {
        let mut record = Record::new("cm1", "a machine");
        for (at, misses) in [0.07, 0.75, 0.12, 0.0, 0.0, 0.0, 0.1, 0.2, 0.4].into_iter().enumerate() {
            let row = Row::at([
                ("size_bytes", (8192 << (at / 3)).into()),
                ("stride_bytes", (64 << (at % 3)).into()),
            ]);
            record.rows.push(row.with("avg_misses", Reading::new(misses, Source::Timing)));
        }
        let table = table(&record, ("avg_misses", "misses"), |_| true, 2, Some(1.0));
        let odd = table.rows.iter().flat_map(|row| &row.cells).filter(|cell| cell.odd);
        assert!(table.odd && odd.map(|cell| cell.text.as_str()).eq(["0.75"]));
    }

    #[test]
    fn cells_outside_a_sweep_are_empty_and_uncounted_ones_have_a_reason() {
        let table = table(&sweep(), ("avg_misses", "misses"), |_| true, 2, Some(1.0));
        assert_eq!(table.sizes, ["8 KiB", "16 KiB"]);
        let texts: Vec<Vec<&str>> =
            table.rows.iter().map(|row| row.cells.iter().map(|c| c.text.as_str()).collect()).collect();
        assert_eq!(texts, [["0.00", ""], ["–", "1.00"]]);
        assert!(table.rows[1].cells[0].note.contains("no counter"));
        assert_eq!(why(&sweep(), "avg_misses"), "", "other cells were counted");
        let mut record = sweep();
        record.rows.drain(..1);
        record.rows.truncate(1);
        assert_eq!(why(&record, "avg_misses"), "no counter");
    }
}

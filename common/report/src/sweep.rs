//! Tables and charts of a sweep.

use std::collections::{BTreeMap, BTreeSet};

use chart::{Axis, Chart};
use figures::table::four;
use figures::units::Bytes;
use figures::value::Reading;
use records::record::{Record, Row};
use serde::Serialize;
use serde_json::{Value, json};

use crate::assignment::Assignment;
use crate::cell::grouped;

/// A table with a row for each stride and a column for each array size.
#[derive(Debug, Serialize)]
pub(crate) struct Table {
    heading: String,
    sizes: Vec<String>,
    rows: Vec<Line>,
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
    let shade = |reading: Option<&&Reading>| match reading {
        None => Shade::default(),
        Some(reading) => match reading.amount().zip(reading.source()) {
            Some((amount, source)) => Shade {
                text: format!("{amount:.digits$}"),
                note: source.to_string(),
                shade: (amount / full).clamp(0.0, 1.0),
            },
            None => Shade { text: "–".to_owned(), note: reading.to_string(), shade: 0.0 },
        },
    };
    let row = |stride: &u64| Line {
        stride: Bytes(*stride).to_string(),
        cells: sizes.iter().map(|size| shade(cells.get(&(*stride, *size)))).collect(),
    };
    Table {
        heading: heading.to_owned(),
        sizes: sizes.iter().map(|size| Bytes(*size).to_string()).collect(),
        rows: strides.iter().map(row).collect(),
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

/// Time against the array size, for a few strides, and for dependent accesses: each cache
/// is a plateau.
pub(crate) fn staircase(spark: &Record, waiting: Option<&Record>, assignment: &Assignment) -> Chart {
    let cells = cells(spark, "ns_per_access");
    let chart = Chart::new(
        "Time of an access by array size",
        Axis::bytes("array size"),
        Axis::log("time per access (ns)"),
    );
    let chart = [1, 16, STRIDE.0, 4096].into_iter().fold(chart, |chart, wanted| {
        let curve = cells.iter().filter(|((stride, _), _)| *stride == wanted);
        let points: Vec<(f64, Reading)> =
            curve.map(|((_, size), reading)| (*size as f64, (*reading).clone())).collect();
        chart.readings(assignment.sentence("stride {}", &[&Bytes(wanted).to_string()]), &points)
    });
    let Some(waiting) = waiting else { return chart };
    let points = waiting
        .rows
        .iter()
        .filter_map(|row| Some((row.whole("size_bytes")? as f64, row.reading("ns_per_access")?.clone())));
    chart.readings(
        assignment.sentence("stride {}, dependent", &[&STRIDE.to_string()]),
        &Vec::from_iter(points),
    )
}

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

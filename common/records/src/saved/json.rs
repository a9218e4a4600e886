//! JSON: the record of a sweep.

use figures::value::Reading;
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde_json::{Map, Value as Json};

use super::limits::{NAME, ROWS};
use super::raw::{RawCell, RawSweep};
use super::{SavedCell, SavedError};
use crate::record::{Record, Row};

/// The parts of a record that a sweep needs.
#[derive(Deserialize)]
struct Sweep {
    program: String,
    #[serde(default)]
    settings: Map<String, Json>,
    rows: Rows,
}

/// Up to [`ROWS`] rows, so that no file fills the memory.
struct Rows(Vec<Row>);

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Limited;
        impl<'de> Visitor<'de> for Limited {
            type Value = Rows;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a list of rows")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Rows, A::Error> {
                let mut rows = Vec::new();
                while let Some(row) = list.next_element()? {
                    if rows.len() == ROWS {
                        return Err(Error::custom(format!("more than {ROWS} rows")));
                    }
                    rows.push(row);
                }
                Ok(Rows(rows))
            }
        }
        deserializer.deserialize_seq(Limited)
    }
}

/// Reads the text.
pub(super) fn parse(text: &str) -> Result<RawSweep, SavedError> {
    let Sweep { program, settings, rows: Rows(rows) } = serde_json::from_str(text).map_err(|error| {
        let error = figures::text::shorten(&error.to_string(), 2 * NAME);
        SavedError::Json(format!("it is not the record of a sweep ({error})"))
    })?;
    if !["spark", "cm1"].contains(&program.as_str()) {
        let program = figures::text::shorten(&program, NAME);
        return Err(SavedError::Json(format!("it is a record of {program}, which measures no sweep")));
    }
    of_rows(&settings, &rows)
}

/// The cells of a record.
pub(super) fn of(record: &Record) -> Result<RawSweep, SavedError> {
    of_rows(&record.settings, &record.rows)
}

fn of_rows(settings: &Map<String, Json>, rows: &[Row]) -> Result<RawSweep, SavedError> {
    let mut found = RawSweep::default();
    if let Some(event) = settings.get("event").and_then(Json::as_str) {
        found.note_event(1, event)?;
    }
    for (line, row) in (1..).zip(rows) {
        let (Some(size), Some(stride)) = (row.whole("size_bytes"), row.whole("stride_bytes")) else {
            return Err(SavedError::Json(format!("its row {line} has no size_bytes and stride_bytes")));
        };
        if let Some(event) = row.keys.get("event").and_then(Json::as_str) {
            found.note_event(line, event)?;
        }
        let micros = || row.reading("avg_time_us").map(|micros| micros.scaled(1e3));
        let time = row.reading("ns_per_access").cloned().or_else(micros);
        let misses = row.reading("avg_misses");
        let (counted, timed) = (misses.and_then(Reading::source), time.as_ref().and_then(Reading::source));
        let mut usable = |reading: Option<&Reading>| {
            let amount = reading.and_then(Reading::amount)?;
            if amount < 0.0 {
                found.left_open(line, &format!("{amount} is negative"));
                return None;
            }
            Some(amount)
        };
        let (misses, nanos) = (usable(misses), usable(time.as_ref()));
        found.push(RawCell { cell: SavedCell { size, stride, misses, nanos }, counted, timed, line })?;
    }
    Ok(found)
}

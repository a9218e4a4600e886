//! JSON: the record of a sweep.

use figures::text::shorten;
use figures::value::Reading;
use serde_json::Value as Json;

use super::raw::{RawCell, RawSweep};
use super::{NAME, SavedCell};
use crate::authentic;
use crate::record::Record;

/// Reads the text.
pub(super) fn parse(text: &str) -> Result<RawSweep, String> {
    let record = authentic::read(text).map_err(|why| why.to_string())?;
    if !["spark", "cm1"].contains(&record.program.as_str()) {
        let program = shorten(&record.program, NAME);
        return Err(format!(
            "it is a record of {program}, which measures no sweep; give one of cm1 or spark"
        ));
    }
    of(&record)
}

/// The cells of a record.
pub(super) fn of(record: &Record) -> Result<RawSweep, String> {
    let mut found = RawSweep::default();
    if let Some(event) = record.settings.get("event").and_then(Json::as_str) {
        found.note_event(1, event)?;
    }
    for (line, row) in (1..).zip(&record.rows) {
        let (Some(size), Some(stride)) = (row.whole("size_bytes"), row.whole("stride_bytes")) else {
            return Err(format!("its row {line} has no size_bytes and stride_bytes"));
        };
        if let Some(event) = row.value("event").and_then(Json::as_str) {
            found.note_event(line, event)?;
        }
        let micros = || row.reading("avg_time_us").map(|micros| micros.scaled(1e3));
        let time = row.reading("ns_per_access").cloned().or_else(micros);
        let misses = row.reading("avg_misses");
        let (counted, timed) = (misses.and_then(Reading::source), time.as_ref().and_then(Reading::source));
        let [misses, nanos] = [misses, time.as_ref()].map(|reading| reading.and_then(Reading::amount));
        if let Some(negative) = misses.into_iter().chain(nanos).find(|amount| *amount < 0.0) {
            return Err(format!("its row {line} has {negative}, which is negative"));
        }
        found.cells.push(RawCell { cell: SavedCell { size, stride, misses, nanos }, counted, timed, line });
    }
    Ok(found)
}

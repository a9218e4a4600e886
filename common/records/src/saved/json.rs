//! JSON: a list of rows, or an object that has one under `rows`. A figure is
//! a number, or a reading with an `amount` and a `source`.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::error::bad_line;
use super::limits::{ROW_BYTES, ROWS};
use super::raw::{RawCell, RawSweep, source};
use super::{SavedCell, SavedError};

/// The parts of a record that a sweep needs. Rows are read one by one, so that a large file
/// is never in memory as a tree.
#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow, alias = "cells", alias = "results")]
    rows: Option<Rows<'a>>,
    event: Option<String>,
}

struct Rows<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Rows<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Vec<&'de RawValue>;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a list of rows")
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut rows = Vec::new();
                while let Some(row) = list.next_element()? {
                    if rows.len() == ROWS {
                        return Err(serde::de::Error::custom(format!("{MANY} {ROWS} rows")));
                    }
                    rows.push(row);
                }
                Ok(rows)
            }
        }
        deserializer.deserialize_seq(Visitor).map(Rows)
    }
}

const MANY: &str = "has more than";

/// Reads the text.
pub(super) fn parse(text: &str) -> Result<RawSweep, SavedError> {
    let document = if text.trim_start().starts_with('[') {
        serde_json::from_str(text).map(|rows| Document { rows: Some(rows), event: None })
    } else {
        serde_json::from_str::<Document>(text)
    };
    let document = document.map_err(|error| refusal(text, &error))?;
    let Some(Rows(rows)) = document.rows else {
        return Err(SavedError::Json("there is no list of rows in it".to_owned()));
    };
    let mut found = RawSweep::of_rows();
    if let Some(event) = document.event {
        found.note_event(1, &event);
    }
    for (number, row) in (1..).zip(rows) {
        cell(number, row.get(), &mut found)?;
    }
    Ok(found)
}

fn refusal(text: &str, error: &serde_json::Error) -> SavedError {
    let told = error.to_string();
    if told.starts_with(MANY) {
        return SavedError::TooMuch(format!("{MANY} {ROWS} rows"));
    }
    if error.is_data() {
        return SavedError::Json("its rows are no list".to_owned());
    }
    if error.is_eof() {
        return SavedError::Json(format!("{error}; copy the whole file"));
    }
    let line = text.lines().nth(error.line().max(1) - 1).unwrap_or_default();
    bad_line(error.line(), line, "is not JSON")
}

/// Adds the cell of one row.
fn cell(number: usize, row: &str, found: &mut RawSweep) -> Result<(), SavedError> {
    if row.len() > ROW_BYTES {
        return Err(SavedError::TooMuch(format!("has a row {number} of more than {ROW_BYTES} bytes")));
    }
    let row = serde_json::from_str(row).ok().and_then(flat);
    let row = row.ok_or_else(|| SavedError::Json(format!("row {number} is not an object")))?;
    let places =
        [&["cache_size", "size_bytes", "size", "array_size", "array_bytes"][..], &["stride", "stride_bytes"]];
    let place = |names: &[&str], found: &mut RawSweep| match names.iter().find_map(|name| row.get(*name)) {
        Some(Value::String(text)) => found.numbers.bytes(number, text, 1.0),
        _ => figure(&row, names).map(|(bytes, _)| bytes as u64).filter(|bytes| *bytes > 0),
    };
    let [Some(size), Some(stride)] = places.map(|names| place(names, found)) else {
        return Err(SavedError::Json(format!(
            "row {number} has no array size and stride in bytes, as \"size_bytes\": 8192, \"stride_bytes\": 64"
        )));
    };
    if let Some(event) = row.get("event").and_then(Value::as_str) {
        found.note_event(number, event);
    }
    let whole = row.get("source").and_then(Value::as_str).and_then(source);
    let texts = ["ns_per_access", "avg_time_us", "avg_time", "avg_misses", "misses_per_access"].map(|name| {
        // spreadsheets with a decimal comma export numbers as text
        row.get(name).and_then(Value::as_str).and_then(|text| Some((found.amount(number, text)?, None)))
    });
    let [nanos, micros, micros_too, text_misses, text_rate] = texts;
    let micros = || figure(&row, &["avg_time_us", "avg_time"]).or(micros).or(micros_too);
    let micros = || micros().map(|(micros, from)| (micros * 1e3, from));
    let time = figure(&row, &["ns_per_access"]).or(nanos).or_else(micros);
    let misses = figure(&row, &["avg_misses", "misses_per_access"]).or(text_misses).or(text_rate);
    let amount = |figure: Option<(f64, _)>| figure.map(|(amount, _)| amount);
    found.push(RawCell {
        cell: SavedCell { size, stride, misses: amount(misses), nanos: amount(time) },
        counted: misses.and_then(|(_, from)| from).or(whole),
        timed: time.and_then(|(_, from)| from).or(whole),
        line: number,
    })
}

/// One row; its names are directly in it or under `values`.
fn flat(value: Value) -> Option<Map<String, Value>> {
    let Value::Object(mut row) = value else { return None };
    for inner in ["values", "parameters", "readings"] {
        if let Some(Value::Object(more)) = row.remove(inner) {
            row.extend(more);
        }
    }
    // a record's figures are a list of names with their readings
    if let Some(Value::Array(figures)) = row.remove("figures") {
        for figure in figures {
            if let Some(name) = figure.get("name").and_then(Value::as_str) {
                row.insert(name.to_owned(), figure.clone());
            }
        }
    }
    Some(row)
}

/// The figure under the first of these names that the row has, and its source.
fn figure(row: &Map<String, Value>, names: &[&str]) -> Option<(f64, Option<figures::value::Source>)> {
    let value = names.iter().find_map(|name| row.get(*name))?;
    let amount = value.as_f64().or_else(|| value.get("amount")?.as_f64())?;
    let from = value.get("source").and_then(Value::as_str).and_then(source);
    (amount.is_finite() && amount >= 0.0).then_some((amount, from))
}

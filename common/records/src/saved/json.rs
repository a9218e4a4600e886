//! JSON: a list of rows, or an object that has one under `rows`. A figure is
//! a number, or a reading with an `amount` and a `source`.

use serde_json::{Map, Value};

use super::{Cell, Found, Row, SavedError, bad_line};

/// A figure under the first of these names that the row has.
fn figure(row: &Map<String, Value>, names: &[&str]) -> Option<f64> {
    let value = names.iter().find_map(|name| row.get(*name))?;
    value.as_f64().or_else(|| value.get("amount")?.as_f64()).filter(|v| v.is_finite() && *v >= 0.0)
}

fn text<'a>(row: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    row.get(name)?.as_str()
}

/// The list of rows, wherever it is.
fn rows(value: &Value) -> Option<&Vec<Value>> {
    match value {
        Value::Array(rows) => Some(rows),
        Value::Object(object) => {
            ["rows", "cells", "results"].iter().find_map(|name| object.get(*name)?.as_array())
        }
        _ => None,
    }
}

/// One row; its names may stand directly in it or under `values`.
fn flat(value: &Value) -> Option<Map<String, Value>> {
    let mut row = value.as_object()?.clone();
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

/// Reads the text.
pub(super) fn parse(text_of_file: &str) -> Result<Found, SavedError> {
    let value: Value = serde_json::from_str(text_of_file).map_err(|e| {
        bad_line(e.line(), text_of_file.lines().nth(e.line().max(1) - 1).unwrap_or(""), "is not JSON")
    })?;
    let rows = rows(&value).ok_or_else(|| SavedError::Json("there is no list of rows in it".to_owned()))?;
    let mut found = Found::default();
    if let Some(object) = value.as_object() {
        origin(object, &mut found);
    }
    for (i, value) in rows.iter().enumerate() {
        let row = flat(value).ok_or_else(|| SavedError::Json(format!("row {} is not an object", i + 1)))?;
        let size = figure(&row, &["cache_size", "size_bytes", "size", "array_size", "array_bytes"]);
        let stride = figure(&row, &["stride", "stride_bytes"]);
        let (Some(size), Some(stride)) = (size.filter(|s| *s >= 1.0), stride.filter(|s| *s >= 1.0)) else {
            return Err(SavedError::Json(format!("row {} has no array size and stride", i + 1)));
        };
        let nanos = figure(&row, &["ns_per_access"])
            .or_else(|| figure(&row, &["avg_time_us", "avg_time"]).map(|micros| micros * 1e3));
        let misses = figure(&row, &["avg_misses", "misses_per_access"]);
        origin(&row, &mut found);
        let cell = Cell { size: size as u64, stride: stride as u64, misses, nanos };
        found.rows.push(Row { cell, line: i + 1 });
    }
    Ok(found)
}

/// Event and source, where they stand.
fn origin(row: &Map<String, Value>, found: &mut Found) {
    if let Some(event) = text(row, "event") {
        found.note_event(event);
    }
    let of_reading = row.get("avg_misses").and_then(|v| v.get("source")).and_then(Value::as_str);
    if let Some(source) = text(row, "source").or(of_reading) {
        found.note_source(source);
    }
}

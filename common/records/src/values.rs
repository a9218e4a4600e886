//! The values of a JSON text, whatever its formatting.

use std::collections::BTreeMap;

use figures::checksum::digits;
use serde_json::Value as Json;

/// The checksum of all values of a record but the checksum itself.
pub(crate) fn checksum_of(mut record: Json) -> String {
    record["seal"]["record"] = Json::Null;
    let mut values = String::new();
    write(&record, &mut values);
    digits("record", &[values.as_bytes()])
}

/// The values in one formatting: sorted by name, and 1.0 as 1, as some editors write it.
fn write(json: &Json, to: &mut String) {
    match json {
        Json::Object(fields) => {
            *to += "{";
            for (name, value) in BTreeMap::from_iter(fields) {
                *to += &Json::from(name.as_str()).to_string();
                write(value, to);
            }
            *to += "}";
        }
        Json::Array(values) => {
            *to += "[";
            values.iter().for_each(|value| write(value, to));
            *to += "]";
        }
        Json::Number(number) => match number.as_f64() {
            Some(real) if number.is_f64() => *to += &format!("{real},"),
            _ => *to += &format!("{number},"),
        },
        other => *to += &format!("{other},"),
    }
}

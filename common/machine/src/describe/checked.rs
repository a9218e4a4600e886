//! What the check of a key gives: its value, or what is wrong with it.

use figures::units::{Bytes, Hertz, Seconds};
use toml::{Spanned, Value};

/// Larger caches are taken for a wrong unit.
pub(super) const LARGEST: Bytes = Bytes::mib(1024);

/// A key, its position in the text, and what is wrong with it.
pub(super) struct Fault {
    pub(super) key: &'static str,
    pub(super) at: usize,
    pub(super) reason: String,
}

pub(super) type Checked<T> = Result<T, Fault>;

/// A value that is a number, or a text with a unit.
pub(super) type Given = Spanned<Value>;

pub(super) fn refuse<T, S>(key: &'static str, value: &Spanned<S>, reason: impl Into<String>) -> Checked<T> {
    Err(Fault { key, at: value.span().start, reason: reason.into() })
}

/// What `read` makes of the number or text; `accepted` are its forms, with an example.
fn quantity<T>(
    key: &'static str,
    given: &Given,
    accepted: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Checked<T> {
    let text = match given.get_ref() {
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(word) => word.to_string(),
        other => other.type_str().to_owned(),
    };
    read(&text).map_or_else(|| refuse(key, given, format!("'{text}' is not {accepted}")), Ok)
}

pub(super) fn bytes(key: &'static str, given: &Given) -> Checked<Bytes> {
    quantity(key, given, "a size: bytes, or \"32K\", \"1.25M\"", |text| text.parse().ok())
}

/// A number of ways; `lines` for "full".
pub(super) fn ways(key: &'static str, given: &Given, lines: usize) -> Checked<usize> {
    let accepted = "a number of ways: 1 (direct-mapped) or more, or \"full\"";
    let ways = quantity(key, given, accepted, |text| match text {
        "full" => Some(lines),
        number => number.parse().ok().filter(|ways| *ways > 0),
    })?;
    if !lines.is_multiple_of(ways) {
        return refuse(key, given, format!("{ways} ways do not divide the {lines} lines or entries"));
    }
    Ok(ways)
}

pub(super) fn hertz(key: &'static str, given: &Given) -> Checked<Hertz> {
    quantity(key, given, "a clock above 0: \"3.4 GHz\", \"25 MHz\"", |text| {
        let hertz = match number(text)? {
            (number, "GHz") => number * 1e9,
            (number, "MHz") => number * 1e6,
            _ => return None,
        };
        Some(Hertz(hertz)).filter(|hertz| 0.0 < hertz.0 && hertz.0 < 1e15)
    })
}

/// A time, in seconds or in periods of the core's clock.
pub(super) fn time(key: &'static str, given: &Given, clock: Option<Hertz>) -> Checked<Seconds> {
    let accepted = "a time of 0 or more: \"4 cycles\", \"65 ns\", \"1.5 us\"";
    let (number, second) = quantity(key, given, accepted, |text| match number(text)? {
        (number, "cycle" | "cycles") => Some((number, clock.map(|clock| clock.0))),
        (number, "ns") => Some((number, Some(1e9))),
        (number, "us") => Some((number, Some(1e6))),
        _ => None,
    })?;
    match second.map(|second| number / second) {
        // With a clock of some hertz, cycles could be hours.
        Some(seconds) if seconds >= 1.0 => refuse(key, given, "is a second or more"),
        Some(seconds) => Ok(Seconds(seconds)),
        None => refuse(key, given, "is in cycles, and there is no clock; add clock = \"3.4 GHz\""),
    }
}

/// `4 cycles` as 4 and `cycles`; no negative and no absurdly large number.
fn number(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| c != '.' && !c.is_ascii_digit())?;
    let number: f64 = text[..end].parse().ok()?;
    (number < 1e9).then_some((number, text[end..].trim()))
}

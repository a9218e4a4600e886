//! Values of a description that are numbers, or texts with a unit.

use figures::units::{Bytes, Hertz};
use serde::Deserialize;
use toml::Value;

/// A type that is read from a number or a text: its accepted forms, with an example, and its reader.
macro_rules! value {
    ($(#[$doc:meta])* $name:ident($($part:ty),*), $accepted:literal, $read:expr) => {
        $(#[$doc])*
        #[derive(Deserialize, Clone, Copy)]
        #[serde(try_from = "Value")]
        pub(super) struct $name($(pub(super) $part),*);

        impl TryFrom<Value> for $name {
            type Error = String;

            fn try_from(given: Value) -> Result<$name, String> {
                let text = match given {
                    Value::String(text) => text,
                    Value::Integer(number) => number.to_string(),
                    Value::Float(number) => number.to_string(),
                    Value::Boolean(word) => word.to_string(),
                    other => other.type_str().to_owned(),
                };
                let read: fn(&str) -> Option<$name> = $read;
                read(&text).ok_or_else(|| format!("'{text}' is not {}", $accepted))
            }
        }
    };
}

value!(
    /// A size in bytes.
    Size(Bytes),
    "a size: bytes, or \"32K\", \"1.25M\"",
    |text| text.parse().ok().map(Size)
);

value!(
    /// A number of ways; `None` for "full".
    Ways(Option<usize>),
    "a number of ways: 1 (direct-mapped) or more, or \"full\"",
    |text| match text {
        "full" => Some(Ways(None)),
        number => number.parse().ok().filter(|ways| *ways > 0).map(|ways| Ways(Some(ways))),
    }
);

value!(
    /// The core's clock.
    Clock(Hertz),
    "a clock above 0: \"3.4 GHz\", \"25 MHz\"",
    |text| {
        let hertz = match number(text)? {
            (number, "GHz") => number * 1e9,
            (number, "MHz") => number * 1e6,
            _ => return None,
        };
        (0.0 < hertz && hertz < 1e15).then_some(Clock(Hertz(hertz)))
    }
);

value!(
    /// A time, in seconds or in cycles of the clock, and how many of these are a second; `None` for
    /// cycles.
    Time(f64, Option<f64>),
    "a time of 0 or more: \"4 cycles\", \"65 ns\", \"1.5 us\"",
    |text| match number(text)? {
        (number, "cycle" | "cycles") => Some(Time(number, None)),
        (number, "ns") => Some(Time(number, Some(1e9))),
        (number, "us") => Some(Time(number, Some(1e6))),
        _ => None,
    }
);

/// `4 cycles` as 4 and `cycles`; no negative and no absurdly large number.
fn number(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| c != '.' && !c.is_ascii_digit())?;
    let number: f64 = text[..end].parse().ok()?;
    (number < 1e9).then_some((number, text[end..].trim()))
}

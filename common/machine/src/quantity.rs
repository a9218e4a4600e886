//! Sizes, times and rates as a description writes them.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

use figures::units::{Bytes, Hertz, Seconds};

/// A quantity that is written as a number or as a text with a unit.
pub(super) trait Written: Sized {
    /// The accepted forms, with an example.
    const ACCEPTED: &'static str;

    fn from_text(text: &str) -> Option<Self>;

    fn from_whole(number: i64) -> Option<Self>;
}

/// Reads a [`Written`] value.
#[derive(Debug, Clone, Copy)]
pub(super) struct As<Q>(pub(super) Q);

impl<'de, Q: Written> Deserialize<'de> for As<Q> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<As<Q>, D::Error> {
        struct Either<Q>(PhantomData<Q>);
        impl<Q: Written> Visitor<'_> for Either<Q> {
            type Value = As<Q>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(Q::ACCEPTED)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<As<Q>, E> {
                Q::from_text(text).map(As).ok_or_else(|| E::custom(refusal::<Q>(&format!("'{text}'"))))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<As<Q>, E> {
                Q::from_whole(number).map(As).ok_or_else(|| E::custom(refusal::<Q>(&number.to_string())))
            }
        }
        deserializer.deserialize_any(Either(PhantomData))
    }
}

fn refusal<Q: Written>(given: &str) -> String {
    format!("{given} is not {}", Q::ACCEPTED)
}

impl Written for Bytes {
    const ACCEPTED: &'static str = "a size: bytes, or \"32K\", \"1.25M\"";

    fn from_text(text: &str) -> Option<Bytes> {
        text.parse().ok()
    }

    fn from_whole(number: i64) -> Option<Bytes> {
        u64::try_from(number).ok().map(Bytes)
    }
}

/// A number of ways, or all lines ("full").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ways {
    Full,
    Number(usize),
}

impl Written for Ways {
    const ACCEPTED: &'static str = "a number of ways: 1 (direct-mapped) or more, or \"full\"";

    fn from_text(text: &str) -> Option<Ways> {
        (text == "full").then_some(Ways::Full)
    }

    fn from_whole(number: i64) -> Option<Ways> {
        usize::try_from(number).ok().filter(|&n| n > 0).map(Ways::Number)
    }
}

/// A time, in seconds or in periods of the core's clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Time {
    Seconds(Seconds),
    Cycles(f64),
}

impl Time {
    /// In seconds; `None` if it is in cycles and there is no clock.
    pub(super) fn with(self, clock: Option<Hertz>) -> Option<Seconds> {
        match self {
            Time::Seconds(time) => Some(time),
            Time::Cycles(cycles) => clock.map(|clock| Seconds(cycles / clock.0)),
        }
    }
}

impl Written for Time {
    const ACCEPTED: &'static str = "a time of 0 or more: \"4 cycles\", \"65 ns\", \"1.5 us\"";

    fn from_text(text: &str) -> Option<Time> {
        let (number, unit) = split(text)?;
        match unit {
            "cycle" | "cycles" => Some(Time::Cycles(number)),
            "ns" => Some(Time::Seconds(Seconds(number * 1e-9))),
            "us" => Some(Time::Seconds(Seconds(number * 1e-6))),
            _ => None,
        }
    }

    fn from_whole(_: i64) -> Option<Time> {
        None
    }
}

impl Written for Hertz {
    const ACCEPTED: &'static str = "a clock above 0: \"3.4 GHz\", \"25 MHz\"";

    fn from_text(text: &str) -> Option<Hertz> {
        let (number, unit) = split(text)?;
        let factor = match unit {
            "GHz" => 1e9,
            "MHz" => 1e6,
            _ => return None,
        };
        Some(number * factor).filter(|hertz| 0.0 < *hertz && *hertz < 1e15).map(Hertz)
    }

    fn from_whole(_: i64) -> Option<Hertz> {
        None
    }
}

/// `4 cycles` as 4 and `cycles`; no negative and no absurdly large number.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| c != '.' && !c.is_ascii_digit())?;
    let number: f64 = text[..end].parse().ok()?;
    (number < 1e9).then_some((number, text[end..].trim()))
}

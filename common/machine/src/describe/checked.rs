//! What the check of a key gives: its value, or what is wrong with it.

use figures::units::{Bytes, Hertz, Seconds};
use toml::Spanned;

use crate::quantity::{As, Time};

/// Larger caches are taken for a wrong unit.
pub(super) const LARGEST: Bytes = Bytes::mib(1024);

/// A key, its position in the text, and what is wrong with it.
pub(super) struct Fault {
    pub(super) key: &'static str,
    pub(super) at: usize,
    pub(super) reason: String,
}

pub(super) type Checked<T> = Result<T, Fault>;

pub(super) fn refuse<T, S>(key: &'static str, value: &Spanned<S>, reason: impl Into<String>) -> Checked<T> {
    Err(Fault { key, at: value.span().start, reason: reason.into() })
}

pub(super) fn time(key: &'static str, given: &Spanned<As<Time>>, clock: Option<Hertz>) -> Checked<Seconds> {
    let As(time) = given.get_ref();
    match time.with(clock) {
        // With a clock of some hertz, cycles could be hours.
        Some(Seconds(seconds)) if seconds >= 1.0 => refuse(key, given, "is a second or more"),
        Some(seconds) => Ok(seconds),
        None => refuse(key, given, "is in cycles, and there is no clock; add clock = \"3.4 GHz\""),
    }
}

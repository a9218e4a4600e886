//! Figures as the page shows them.

use figures::text;
use figures::value::{Reading, Source};
use serde::Serialize;

/// A text in a table of the page, such as a figure.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) source: String,
    /// Why there is no figure; else its spread over the runs, its share of multiplexing.
    pub(crate) note: String,
    pub(crate) missing: bool,
}

impl Cell {
    /// The amount times `factor`, with so many decimals; or why there is none.
    pub(crate) fn of(reading: &Reading, factor: f64, digits: usize) -> Cell {
        match reading.result() {
            Ok(amount) => Cell {
                text: grouped(&format!("{:.digits$}", amount * factor)),
                source: source(reading),
                note: caveat(reading, amount),
                missing: false,
            },
            Err(reason) => Cell {
                text: "not counted".to_owned(),
                note: reason.to_owned(),
                missing: true,
                ..Cell::default()
            },
        }
    }

    /// A whole number from a closed form.
    pub(crate) fn analytic(amount: f64) -> Cell {
        Cell::of(&Reading::new(amount, Source::Analytic), 1.0, 0)
    }
}

/// The name of its source; empty if the figure is missing.
pub(crate) fn source(reading: &Reading) -> String {
    reading.source().map_or_else(String::new, |source| source.to_string())
}

fn caveat(reading: &Reading, amount: f64) -> String {
    let spread = reading.spread().filter(|_| amount != 0.0).map(|s| {
        // Adding 0 to a rounded -0 gives +0.
        let percent = |end: f64| (1000.0 * (end - amount) / amount).round() / 10.0 + 0.0;
        format!("median of {} runs, {:+.1} % to {:+.1} %", s.runs, percent(s.min), percent(s.max))
    });
    let share =
        reading.multiplexed().map(|m| format!("estimate: counted {:.0} % of the time", 100.0 * m.share()));
    [spread, share].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Thousands separated by thin spaces, before the point only.
pub(crate) fn grouped(number: &str) -> String {
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    let digits = whole.trim_start_matches('-');
    if digits.len() < 5 {
        return number.to_owned();
    }
    whole.replace(digits, &text::grouped(digits, "\u{202f}")) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        assert_eq!(grouped("1234.5678"), "1234.5678");
        assert_eq!(grouped("-12345.6"), "-12\u{202f}345.6");
        assert_eq!(grouped("21743271936"), "21\u{202f}743\u{202f}271\u{202f}936");
    }
}

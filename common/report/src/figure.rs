//! Figures of the report: readings and results computed from them, with all their sources.

use figures::value::{Reading, Source};
use records::record::{Record, Row};
use serde::{Serialize, Serializer};

/// A figure, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    /// The amount, or the reason why it is missing.
    pub(crate) amount: Result<f64, String>,
    /// Its source; several if it was computed from several.
    pub(crate) sources: Vec<Source>,
    /// Spread over the runs, share of multiplexing.
    caveat: String,
    /// The page shows the amount times this factor, with so many decimals.
    scale: (f64, usize),
}

impl Figure {
    fn new(amount: Result<f64, String>, sources: Vec<Source>) -> Figure {
        Figure { amount, sources, caveat: String::new(), scale: (1.0, 0) }
    }

    /// One reading.
    pub(crate) fn of(reading: &Reading) -> Figure {
        let amount = reading.result().map_err(str::to_owned);
        Figure { caveat: caveat(reading), ..Figure::new(amount, reading.source().into_iter().collect()) }
    }

    /// A missing figure.
    pub(crate) fn missing(reason: &str) -> Figure {
        Figure::new(Err(reason.to_owned()), Vec::new())
    }

    /// From a closed form.
    pub(crate) fn analytic(amount: f64) -> Figure {
        Figure::new(Ok(amount), vec![Source::Analytic])
    }

    /// A figure of a record with a single row.
    pub(crate) fn in_record(record: &Record, name: &str) -> Figure {
        let reading = record.rows.first().and_then(|row: &Row| row.reading(name));
        reading.map_or_else(|| Figure::missing("not measured"), Figure::of)
    }

    /// Computed from other figures; missing if one of them is, or if the result is not a
    /// number.
    pub(crate) fn from<const N: usize>(parts: [&Figure; N], compute: impl FnOnce([f64; N]) -> f64) -> Figure {
        let mut amounts = [0.0; N];
        let mut sources = Vec::new();
        for (amount, part) in amounts.iter_mut().zip(parts) {
            match &part.amount {
                Ok(known) => *amount = *known,
                Err(reason) => return Figure::missing(reason),
            }
            for source in &part.sources {
                if !sources.contains(source) {
                    sources.push(*source);
                }
            }
        }
        let result = compute(amounts);
        if !result.is_finite() {
            return Figure::missing("it would divide by zero");
        }
        Figure::new(Ok(result), sources)
    }

    /// The same, shown on the page as `amount * factor` with `digits` decimals.
    pub(crate) fn shown(self, factor: f64, digits: usize) -> Figure {
        Figure { scale: (factor, digits), ..self }
    }

    /// The amount, if there is one.
    pub(crate) fn known(&self) -> Option<f64> {
        self.amount.as_ref().ok().copied()
    }

    /// `hardware`, `hardware + model`.
    pub(crate) fn source(&self) -> String {
        self.sources.iter().map(Source::to_string).collect::<Vec<_>>().join(" + ")
    }

    /// For the page.
    pub(crate) fn cell(&self) -> Cell {
        let (factor, digits) = self.scale;
        match &self.amount {
            Ok(amount) => Cell {
                text: grouped(&format!("{:.digits$}", amount * factor)),
                source: self.source(),
                note: self.caveat.clone(),
                missing: false,
            },
            Err(reason) => Cell {
                text: "not counted".to_owned(),
                note: reason.clone(),
                missing: true,
                ..Cell::default()
            },
        }
    }
}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.cell().serialize(to)
    }
}

/// A text in a table of the page, such as a figure.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) source: String,
    pub(crate) note: String,
    pub(crate) missing: bool,
}

fn caveat(reading: &Reading) -> String {
    let Some(amount) = reading.amount() else { return String::new() };
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
    let mut text = whole[..whole.len() - digits.len()].to_owned();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use figures::value::Reading;

    #[test]
    fn a_computed_figure_retains_every_source_and_a_missing_one_stays_missing() {
        let misses = Figure::of(&Reading::new(1.0, Source::Model));
        let loads = Figure::of(&Reading::new(4.0, Source::Hardware));
        let rate = Figure::from([&misses, &loads], |[m, l]| 1.0 - m / l);
        assert_eq!((rate.known(), rate.source().as_str()), (Some(0.75), "model + hardware"));
        let none = Figure::missing("no such counter");
        assert_eq!(Figure::from([&none, &loads], |[m, l]| m / l).amount, Err("no such counter".into()));
        assert!(Figure::from([&loads, &Figure::analytic(0.0)], |[a, b]| a / b).amount.is_err());
        assert_eq!(none.shown(1.0, 3).cell().text, "not counted");
    }

    #[test]
    fn thousands_are_separated() {
        assert_eq!(grouped("1234.5678"), "1234.5678");
        assert_eq!(grouped("-12345.6"), "-12\u{202f}345.6");
        assert_eq!(grouped("21743271936"), "21\u{202f}743\u{202f}271\u{202f}936");
    }
}

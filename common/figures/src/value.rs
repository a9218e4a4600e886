//! A number with its source. No figure is printed without its source, and a missing figure
//! has a reason instead of a zero.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::stats;

/// Where a figure comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Counted by the processor's performance counters.
    Hardware,
    /// Measured with a clock, or derived from measured latency.
    Timing,
    /// Counted by the cache model.
    Model,
    /// Counted by single-stepping the program at small sizes, and extrapolated to larger
    /// sizes by its loop counts.
    Stepped,
    /// Computed from a closed form.
    Analytic,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Source::Hardware => "hardware",
            Source::Timing => "timing",
            Source::Model => "model",
            Source::Stepped => "stepped",
            Source::Analytic => "analytic",
        })
    }
}

/// The spread of repeated runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Number of runs.
    pub runs: usize,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
}

/// A counter that was active only part of the time (multiplexing): the value is an
/// estimate, scaled by `enabled / running`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Multiplexed {
    /// Nanoseconds for which the event was enabled.
    pub enabled: u64,
    /// Nanoseconds in which it was really counted.
    pub running: u64,
}

impl Multiplexed {
    /// The share of the time in which the event counted, 0 to 1.
    pub fn share(self) -> f64 {
        self.running as f64 / self.enabled as f64
    }
}

/// A figure with its source.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Value {
    /// The figure; over several runs, the median.
    pub amount: f64,
    /// The source of the figure.
    pub source: Source,
    /// The spread of the runs, if there was more than one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub spread: Option<Spread>,
    /// Set when the figure is a scaled estimate.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub multiplexed: Option<Multiplexed>,
}

impl Value {
    /// One figure from one source.
    pub fn new(amount: f64, source: Source) -> Value {
        Value { amount, source, spread: None, multiplexed: None }
    }

    /// The median of several runs of one source; `None` without a finite one.
    pub fn from_runs(runs: &[f64], source: Source) -> Option<Value> {
        let spread = (runs.len() > 1).then_some(Spread {
            runs: runs.len(),
            min: stats::quantile(runs, 0.0)?,
            max: stats::quantile(runs, 1.0)?,
        });
        Some(Value { amount: stats::median(runs)?, source, spread, multiplexed: None })
    }

    /// The same figure in another unit.
    pub fn scaled(self, factor: f64) -> Value {
        let spread = self.spread.map(|s| Spread { runs: s.runs, min: s.min * factor, max: s.max * factor });
        Value { amount: self.amount * factor, spread, ..self }
    }

    /// The rate for `work` done in this time: the shortest time gives the highest rate.
    pub fn rate(self, work: f64) -> Value {
        let spread = self.spread.map(|s| Spread { runs: s.runs, min: work / s.max, max: work / s.min });
        Value { amount: work / self.amount, spread, ..self }
    }
}

/// The amount, its source and its caveats:
/// `0.22\tsource=hardware\tmedian of 5 (0.21 to 0.24)`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(6);
        write!(f, "{:.digits$}\tsource={}", self.amount, self.source)?;
        if let Some(s) = self.spread {
            write!(f, "\tmedian of {} ({:.digits$} to {:.digits$})", s.runs, s.min, s.max)?;
        }
        if let Some(m) = self.multiplexed {
            write!(f, "\testimate, counted {:.0} % of the time", 100.0 * m.share())?;
        }
        Ok(())
    }
}

/// A figure, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Reading {
    /// A figure.
    Counted(Value),
    /// No figure.
    Missing {
        /// Why not, as a clause: `this machine has no such counter`.
        reason: String,
    },
}

impl Reading {
    /// A missing figure, with its reason.
    pub fn missing(reason: impl Into<String>) -> Reading {
        Reading::Missing { reason: reason.into() }
    }

    /// The median of repeated runs. If one run is missing, the result is missing; if one
    /// was an estimate, the result is an estimate (with the smallest counted share).
    pub fn median(runs: &[Reading]) -> Reading {
        if let Some(missing) = runs.iter().find(|r| r.value().is_none()) {
            return missing.clone();
        }
        let values: Vec<Value> = runs.iter().filter_map(Reading::value).collect();
        let amounts: Vec<f64> = values.iter().map(|v| v.amount).collect();
        let Some(median) = values.first().and_then(|v| Value::from_runs(&amounts, v.source)) else {
            return Reading::missing("no run");
        };
        let multiplexed =
            values.iter().filter_map(|v| v.multiplexed).min_by(|a, b| a.share().total_cmp(&b.share()));
        Value { multiplexed, ..median }.into()
    }

    /// The value, if there is one.
    pub fn value(&self) -> Option<Value> {
        match self {
            Reading::Counted(value) => Some(*value),
            Reading::Missing { .. } => None,
        }
    }

    /// The amount, if there is one.
    pub fn amount(&self) -> Option<f64> {
        self.value().map(|v| v.amount)
    }

    /// The same figure in another unit; a missing one stays missing.
    pub fn scaled(&self, factor: f64) -> Reading {
        match self {
            Reading::Counted(value) => Reading::Counted(value.scaled(factor)),
            missing => missing.clone(),
        }
    }
}

impl From<Value> for Reading {
    fn from(value: Value) -> Reading {
        Reading::Counted(value)
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reading::Counted(value) => value.fmt(f),
            Reading::Missing { reason } => write!(f, "not counted ({reason})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_prints_with_its_source_and_spread() {
        let one = Value::new(134.5, Source::Model);
        assert_eq!(one.to_string(), "134.500000\tsource=model");
        let runs = Value::from_runs(&[0.3, 0.1, 0.2], Source::Timing).unwrap();
        assert_eq!(format!("{runs:.1}"), "0.2\tsource=timing\tmedian of 3 (0.1 to 0.3)");
        assert_eq!(format!("{:.1}", runs.rate(0.6)), "3.0\tsource=timing\tmedian of 3 (2.0 to 6.0)");
        assert_eq!(Value::from_runs(&[], Source::Timing), None);
    }

    #[test]
    fn a_missing_figure_is_never_a_zero() {
        let missing = Reading::missing("no such counter");
        assert_eq!(missing.to_string(), "not counted (no such counter)");
        assert_eq!(missing.scaled(1e-6).amount(), None);
    }
}

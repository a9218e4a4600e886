//! A number with its source. No figure is printed without its source, and a missing figure
//! has a reason instead of a zero. Every amount is finite: what is not becomes a missing
//! figure, so that a record can always be read back.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::stats;

/// Where a figure comes from, the most direct first: what is computed of two figures has the greater
/// source of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Computed from a closed form, which is exact.
    Analytic,
    /// Counted by the processor's performance counters.
    Hardware,
    /// Counted by the operating system: page faults, for example.
    System,
    /// Measured with a clock, or derived from measured latency.
    Timing,
    /// Counted by single-stepping the program at small sizes, and extrapolated to larger
    /// sizes by its loop counts.
    Stepped,
    /// Counted by the cache model.
    Model,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Source::Hardware => "hardware",
            Source::Timing => "timing",
            Source::System => "system",
            Source::Model => "model",
            Source::Stepped => "stepped",
            Source::Analytic => "analytic",
        })
    }
}

/// The spread of repeated runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Number of runs.
    pub runs: usize,
    /// Smallest amount.
    pub min: f64,
    /// Largest amount.
    pub max: f64,
}

/// A counter that was active only part of the time (multiplexing): the amount is an
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

/// A figure with its source, or the reason why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Form", into = "Form")]
pub struct Reading(Result<Counted, String>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Counted {
    /// Over several runs, the median.
    amount: f64,
    source: Source,
    /// The amount of each run, if there was more than one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    runs: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    multiplexed: Option<Multiplexed>,
}

/// A reading in a record; JSON has finite numbers alone.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form {
    Counted(Counted),
    Missing { reason: String },
}

impl From<Form> for Reading {
    fn from(form: Form) -> Reading {
        match form {
            Form::Counted(counted) => Reading(Ok(counted)),
            Form::Missing { reason } => Reading(Err(reason)),
        }
    }
}

impl From<Reading> for Form {
    fn from(Reading(reading): Reading) -> Form {
        reading.map_or_else(|reason| Form::Missing { reason }, Form::Counted)
    }
}

impl Reading {
    /// One figure from one source; missing if `amount` is infinite or no number.
    pub fn new(amount: f64, source: Source) -> Reading {
        Reading::from_runs(&[amount], source)
    }

    /// The median of repeated runs; missing without a run, or if one of them is infinite or
    /// no number.
    pub fn from_runs(runs: &[f64], source: Source) -> Reading {
        if runs.iter().any(|amount| !amount.is_finite()) {
            return Reading::missing("a division by zero, or a number too large");
        }
        let Some(amount) = stats::median(runs) else { return Reading::missing("no run") };
        if !amount.is_finite() {
            return Reading::missing("the runs are too far apart for a median");
        }
        let runs = if runs.len() > 1 { runs.to_vec() } else { Vec::new() };
        Reading(Ok(Counted { amount, source, runs, multiplexed: None }))
    }

    /// A missing figure, with its reason as a clause: `this machine has no such counter`.
    pub fn missing(reason: impl fmt::Display) -> Reading {
        Reading(Err(reason.to_string()))
    }

    /// An amount from that source, or the reason why there is none.
    pub fn of(amount: Result<f64, impl fmt::Display>, source: Source) -> Reading {
        amount.map_or_else(Reading::missing, |amount| Reading::new(amount, source))
    }

    /// The median of repeated runs. If one run is missing, the result is missing; if one
    /// was an estimate, the result is an estimate (with the smallest counted share).
    pub fn median(runs: &[Reading]) -> Reading {
        if let Some(missing) = runs.iter().find(|run| run.0.is_err()) {
            return missing.clone();
        }
        let amounts: Vec<f64> = runs.iter().filter_map(Reading::amount).collect();
        let multiplexed = runs.iter().filter_map(Reading::multiplexed).min_by(by_share);
        match runs.first().and_then(Reading::source) {
            Some(source) => Reading::from_runs(&amounts, source).estimated(multiplexed),
            None => Reading::missing("no run"),
        }
    }

    /// `compute` of the amounts of two readings: missing if one of them is. Its source is
    /// the less direct of the two, and it is an estimate if one of them is.
    pub fn joined(x: &Reading, y: &Reading, compute: impl Fn(f64, f64) -> f64) -> Reading {
        let (x, y) = match (&x.0, &y.0) {
            (Ok(x), Ok(y)) => (x, y),
            (Err(reason), _) | (_, Err(reason)) => return Reading::missing(reason),
        };
        let source = x.source.max(y.source);
        let multiplexed = x.multiplexed.into_iter().chain(y.multiplexed).min_by(by_share);
        Reading::new(compute(x.amount, y.amount), source).estimated(multiplexed)
    }

    /// This reading as an estimate that was scaled so, or as none.
    #[must_use]
    pub fn estimated(mut self, multiplexed: Option<Multiplexed>) -> Reading {
        if let Ok(counted) = &mut self.0 {
            counted.multiplexed = multiplexed;
        }
        self
    }

    /// The amount, or the reason why there is none.
    ///
    /// # Errors
    ///
    /// If the figure is missing.
    pub fn result(&self) -> Result<f64, &str> {
        self.0.as_ref().map(|counted| counted.amount).map_err(String::as_str)
    }

    /// The amount, if there is one; over several runs, the median.
    pub fn amount(&self) -> Option<f64> {
        self.result().ok()
    }

    /// Why there is no figure, if there is none.
    pub fn reason(&self) -> Option<&str> {
        self.result().err()
    }

    /// The source of the figure, if there is one.
    pub fn source(&self) -> Option<Source> {
        self.0.as_ref().ok().map(|counted| counted.source)
    }

    /// The amount of each run; empty if the figure is missing.
    pub fn runs(&self) -> &[f64] {
        match &self.0 {
            Ok(counted) if counted.runs.is_empty() => std::slice::from_ref(&counted.amount),
            Ok(counted) => &counted.runs,
            Err(_) => &[],
        }
    }

    /// The spread of the runs, if there was more than one.
    pub fn spread(&self) -> Option<Spread> {
        let runs = self.runs();
        let (min, max) = (stats::quantile(runs, 0.0)?, stats::quantile(runs, 1.0)?);
        (runs.len() > 1).then_some(Spread { runs: runs.len(), min, max })
    }

    /// Set when the figure is a scaled estimate.
    pub fn multiplexed(&self) -> Option<Multiplexed> {
        self.0.as_ref().ok()?.multiplexed
    }

    /// The same figure in another unit; a missing one stays missing.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Reading {
        self.map(|amount| amount * factor)
    }

    /// The rate for `work` done in this time; missing if a run took no time.
    #[must_use]
    pub fn rate(&self, work: f64) -> Reading {
        self.map(|seconds| work / seconds)
    }

    /// The share of `accesses` that hit, of any one level; below 0 where the misses contain
    /// prefetches.
    pub fn hit_rate(misses: &Reading, accesses: &Reading) -> Reading {
        Reading::joined(misses, accesses, |misses, accesses| 1.0 - misses / accesses)
    }

    /// `change` of the amount of each run.
    fn map(&self, change: impl Fn(f64) -> f64) -> Reading {
        let Ok(counted) = &self.0 else { return self.clone() };
        let runs: Vec<f64> = self.runs().iter().map(|amount| change(*amount)).collect();
        Reading::from_runs(&runs, counted.source).estimated(counted.multiplexed)
    }
}

fn by_share(a: &Multiplexed, b: &Multiplexed) -> std::cmp::Ordering {
    a.share().total_cmp(&b.share())
}

/// The amount, its source and its caveats:
/// `0.22\tsource=hardware\tmedian of 5 (0.21 to 0.24)`.
impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = match &self.0 {
            Ok(counted) => counted,
            Err(reason) => return write!(f, "not counted ({reason})"),
        };
        let digits = f.precision().unwrap_or(6);
        write!(f, "{:.digits$}\tsource={}", counted.amount, counted.source)?;
        if let Some(s) = self.spread() {
            write!(f, "\tmedian of {} ({:.digits$} to {:.digits$})", s.runs, s.min, s.max)?;
        }
        if let Some(m) = counted.multiplexed {
            write!(f, "\testimate, counted {:.0} % of the time", 100.0 * m.share())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_reading_prints_with_its_source_and_spread() {
        let one = Reading::new(134.5, Source::Model);
        assert_eq!(one.to_string(), "134.500000\tsource=model");
        let runs = Reading::from_runs(&[0.3, 0.1, 0.2], Source::Timing);
        assert_eq!(format!("{runs:.1}"), "0.2\tsource=timing\tmedian of 3 (0.1 to 0.3)");
        assert_eq!(format!("{:.1}", runs.rate(0.6)), "3.0\tsource=timing\tmedian of 3 (2.0 to 6.0)");
        assert_eq!(Reading::from_runs(&[], Source::Timing).reason(), Some("no run"));
    }

    #[test]
    fn a_missing_figure_is_never_a_zero() {
        let missing = Reading::missing("no such counter");
        assert_eq!(missing.to_string(), "not counted (no such counter)");
        assert_eq!(missing.scaled(1e-6).amount(), None);
        assert_eq!(Reading::joined(&missing, &Reading::new(1.0, Source::Model), f64::max), missing);
    }

    proptest! {
        /// Whatever is measured and computed, a record of it can be read back.
        #[test]
        fn every_reading_survives_json(
            runs in prop::collection::vec(prop_oneof![any::<f64>(), Just(0.0), Just(f64::MAX)], 0..5),
            factor in any::<f64>(),
            multiplexed in any::<Option<(u64, u64)>>(),
        ) {
            let multiplexed = multiplexed.map(|(enabled, running)| Multiplexed { enabled, running });
            let first = Reading::from_runs(&runs, Source::Timing).estimated(multiplexed);
            let joined = Reading::joined(&first, &first.scaled(factor), |x, y| x / y);
            for reading in [first.scaled(factor), first.rate(factor), Reading::median(&[joined, first.clone()]), first] {
                let text = serde_json::to_string(&reading).unwrap();
                prop_assert_eq!(serde_json::from_str::<Reading>(&text).unwrap(), reading, "{}", text);
            }
        }
    }
}

//! What is known about one rung and one product, and what follows from it.

use common::events::Event;
use common::machine::CacheLevel;
use common::metric::{Input, METRICS};
use common::value::{Reading, Source, Value};

use super::Subject;
use crate::counting::model::Tally;
use crate::counting::theory::{self, ClosedForm};
use crate::problem::Problem;

/// Everything known about one rung and one product.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// What ran.
    pub subject: Subject,
    /// Cores it used.
    pub threads: usize,
    /// Seconds on the wall.
    pub seconds: Reading,
    /// Largest relative error of the check, where the product was computed.
    pub check: Option<f64>,
    /// The lecture's counting, level 1 first; none where it would reveal what is sealed.
    pub forms: Vec<(CacheLevel, ClosedForm)>,
    /// What the model counted, or why not.
    pub model: Result<Tally, String>,
    /// What hardware counted, or why not.
    pub hardware: Vec<(Event, Reading)>,
}

impl Outcome {
    /// GFLOP/s by the operations of the textbook.
    pub fn gflops(&self, p: &Problem) -> Reading {
        match &self.seconds {
            Reading::Counted(v) if v.spread.map_or(v.amount, |s| s.min) > 0.0 => {
                v.rate(p.flops() / 1e9).into()
            }
            Reading::Counted(_) => Reading::missing("it took no time the clock can see"),
            missing => missing.clone(),
        }
    }

    /// An event by hardware, else by the model.
    pub fn count(&self, name: &str) -> Reading {
        let by_hardware =
            self.hardware.iter().find(|(event, _)| event.name() == name).map(|(_, r)| r.clone());
        match (by_hardware, &self.model) {
            (Some(Reading::Counted(value)), _) => value.into(),
            (missing, Ok(tally)) => match (tally.reading(name), missing) {
                (Reading::Missing { .. }, Some(by_hardware)) => by_hardware,
                (by_model, _) => by_model,
            },
            (Some(missing), Err(_)) => missing,
            (None, Err(why)) => Reading::missing(why.clone()),
        }
    }

    /// The lecture's derived metrics.
    pub fn metrics(&self, p: &Problem) -> Vec<(&'static str, Reading)> {
        let input = |input: &Input| match input {
            Input::Operations => Value::new(p.flops(), Source::Analytic).into(),
            Input::Seconds => self.seconds.clone(),
            Input::Count(event) => self.count(event.name()),
        };
        METRICS.iter().map(|metric| (metric.name, metric.reading(input))).collect()
    }

    /// The levels of which something is known.
    pub fn levels(&self) -> Vec<u8> {
        let modelled = self.model.iter().flat_map(|tally| &tally.levels).map(|level| level.level);
        let mut all: Vec<u8> = self.forms.iter().map(|(cache, _)| cache.level).chain(modelled).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Misses per inner iteration at `level`: the closed form, the model, and
    /// what hardware counted in total.
    pub fn per_iteration(&self, p: &Problem, level: u8) -> Option<PerIteration<'_>> {
        let described = self.forms.iter().find(|(cache, _)| cache.level == level);
        let each = 1.0 / p.iterations().max(1.0);
        let model = self.model.as_ref().ok();
        let model = model.and_then(|tally| tally.levels.iter().find(|l| l.level == level));
        if described.is_none() && model.is_none() {
            return None;
        }
        let event = format!("PAPI_L{level}_DCM");
        let counted = self.hardware.iter().find(|(e, _)| e.name() == event).map(|(_, r)| r.scaled(each));
        let none = || Reading::missing(format!("{event} is not asked for"));
        Some(PerIteration {
            level,
            cache: described.map(|(cache, _)| cache),
            form: described.map(|(_, form)| form.misses.scaled(each)),
            assumptions: described.map_or(&[], |(_, form)| &form.assumptions),
            model: model.map(|l| l.misses.scaled(each)),
            hardware: counted.unwrap_or_else(none),
        })
    }
}

/// Misses per inner iteration by three sources.
#[derive(Debug, Clone)]
pub struct PerIteration<'o> {
    /// Where.
    pub level: u8,
    /// The same, unless it is sealed.
    pub cache: Option<&'o CacheLevel>,
    /// The lecture's counting, unless that is.
    pub form: Option<theory::Misses>,
    /// What it takes for granted.
    pub assumptions: &'o [theory::Assumption],
    /// The model's.
    pub model: Option<theory::Misses>,
    /// Counted, of all arrays together.
    pub hardware: Reading,
}

impl PerIteration<'_> {
    /// Model less closed form.
    pub fn residual(&self) -> Option<theory::Misses> {
        Some(self.model?.with(self.form?, |model, form| model - form))
    }

    /// What fails, if the two are more than 0.01 misses per iteration, and 10 %
    /// of the closed form, apart.
    pub fn failing(&self) -> Vec<&str> {
        let form = self.form.map_or(0.0, theory::Misses::total);
        let apart = self.residual().is_some_and(|r| r.total().abs() > f64::max(0.01, 0.1 * form));
        let failing = self.assumptions.iter().filter(|a| !a.holds).map(|a| a.text.as_str());
        failing.filter(|_| apart).collect()
    }
}

//! All results for one rung and one product, and figures derived from them.

use common::cache::Counts;
use common::events::Event;
use common::machine::CacheLevel;
use common::metric::{Input, METRICS};
use common::value::{Reading, Source};

use super::Subject;
use crate::counting::theory::{Assumption, ClosedForm, Misses};
use crate::problem::Problem;

/// All results for one rung and one product.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The rung or library.
    pub subject: Subject,
    /// Cores it used.
    pub threads: usize,
    /// Wall-clock seconds.
    pub seconds: Reading,
    /// Largest relative error of the check, if the product was computed.
    pub check: Option<f64>,
    /// The lecture's counting, level 1 first; empty if it would reveal a sealed machine's
    /// caches.
    pub forms: Vec<(CacheLevel, ClosedForm)>,
    /// The model's counts, or why there are none.
    pub model: Result<Counts, String>,
    /// Hardware's counts, or why there are none.
    pub hardware: Vec<(Event, Reading)>,
}

impl Outcome {
    /// GFLOP/s with the operations of the textbook.
    pub fn gflops(&self, p: &Problem) -> Reading {
        self.seconds.rate(p.flops() / 1e9)
    }

    /// An event's count from hardware, else from the model; if it has neither, both reasons.
    pub fn count(&self, event: &Event) -> Reading {
        let counted = self.hardware.iter().find(|(counted, _)| counted == event);
        let hardware = counted.map_or_else(|| Reading::missing("not counted"), |(_, r)| r.clone());
        let model = match &self.model {
            Ok(counts) => counts.reading(event),
            Err(why) => Reading::missing(why.clone()),
        };
        match (hardware.reason(), model.reason()) {
            (None, _) => hardware,
            (_, None) => model,
            (Some(reason), Some(why)) => Reading::missing(format!("{reason}; and {why}")),
        }
    }

    /// The lecture's derived metrics.
    pub fn metrics(&self, p: &Problem) -> Vec<(&'static str, Reading)> {
        let input = |input: &Input| match input {
            Input::Operations => Reading::new(p.flops(), Source::Analytic),
            Input::Seconds => self.seconds.clone(),
            Input::Count(event) => self.count(event),
        };
        METRICS.iter().map(|metric| (metric.name, metric.reading(input))).collect()
    }

    /// Misses per inner iteration at all levels with any result.
    pub fn levels(&self, p: &Problem) -> Vec<PerIteration<'_>> {
        (1..=u8::MAX).filter_map(|level| self.per_iteration(p, level)).collect()
    }

    /// Misses per inner iteration at `level`: the closed form, the model, and hardware's
    /// total.
    pub fn per_iteration(&self, p: &Problem, level: u8) -> Option<PerIteration<'_>> {
        let described = self.forms.iter().find(|(cache, _)| cache.level == level);
        let each = 1.0 / p.iterations().max(1.0);
        let model = self.model.as_ref().ok();
        let model = model.and_then(|counts| counts.level(level));
        if described.is_none() && model.is_none() {
            return None;
        }
        let event = format!("PAPI_L{level}_DCM");
        let counted = self.hardware.iter().find(|(e, _)| e.name() == event).map(|(_, r)| r.scaled(each));
        let none = || Reading::missing(format!("{event} is not asked for"));
        let form = described.map(|(_, form)| form.misses.scaled(each));
        let model = model.map(|l| Misses::counted(l).scaled(each));
        Some(PerIteration { level, described, form, model, hardware: counted.unwrap_or_else(none) })
    }
}

/// Misses per inner iteration by three sources.
#[derive(Debug, Clone)]
pub struct PerIteration<'o> {
    /// The cache level.
    pub level: u8,
    /// Its description, and the lecture's counting, unless the machine is sealed.
    pub described: Option<&'o (CacheLevel, ClosedForm)>,
    /// The misses of that counting.
    pub form: Option<Misses>,
    /// The model's.
    pub model: Option<Misses>,
    /// Hardware's count, of all arrays together.
    pub hardware: Reading,
}

impl PerIteration<'_> {
    /// Model minus closed form.
    pub fn residual(&self) -> Option<Misses> {
        Some(self.model?.with(self.form?, |model, form| model - form))
    }

    /// The assumptions of the closed form.
    pub fn assumptions(&self) -> &[Assumption] {
        self.described.map_or(&[], |(_, form)| &form.assumptions)
    }

    /// The assumptions that fail, if the two differ by more than 0.01 misses per iteration
    /// and by more than 10 % of the closed form.
    pub fn failing(&self) -> Vec<&str> {
        let form = self.form.map_or(0.0, Misses::total);
        let apart = self.residual().is_some_and(|r| r.total().abs() > f64::max(0.01, 0.1 * form));
        let failing = self.assumptions().iter().filter(|a| !a.holds).map(|a| a.text.as_str());
        failing.filter(|_| apart).collect()
    }
}

//! All results for one rung and one product, and figures derived from them.

use common::cache::Counts;
use common::events::Event;
use common::machine::CacheLevel;
use common::measure::reading_of;
use common::value::Reading;

use crate::counting::theory::{ClosedForm, Misses};
use crate::problem::Problem;
use crate::variants::Variant;

/// All results for one rung and one product.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The rung.
    pub rung: &'static Variant,
    /// Cores it used.
    pub threads: usize,
    /// Wall-clock seconds.
    pub seconds: Reading,
    /// Largest relative error of the check, if the product was computed.
    pub check: Option<f64>,
    /// The levels with any result, level 1 first.
    pub levels: Vec<Level>,
    /// The model's counts, or why there are none.
    pub model: Result<Counts, String>,
    /// The model's L1 misses with the arrays at several places, if these differ.
    pub placements: Option<Reading>,
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
        let hardware = reading_of(&self.hardware, event);
        let model = match &self.model {
            Ok(counts) => counts.reading(event),
            Err(why) => Reading::missing(why),
        };
        match (hardware.reason(), model.reason()) {
            (None, _) => hardware,
            (_, None) => model,
            (Some(reason), Some(why)) => Reading::missing(format!("{reason}; and {why}")),
        }
    }

    /// Loads and stores: counted together, else the sum of both.
    fn accesses(&self) -> Reading {
        let together = self.count(&Event::LST_INS);
        let [loads, stores] = [Event::LD_INS, Event::SR_INS].map(|event| self.count(&event));
        let sum = Reading::joined(&loads, &stores, |loads, stores| loads + stores);
        if together.amount().is_none() && sum.amount().is_some() { sum } else { together }
    }

    /// The lecture's derived metrics.
    pub fn metrics(&self, p: &Problem) -> [(&'static str, Reading); 8] {
        let per = |over: &Reading, event: &Event| quotient(over, &self.count(event), event.name());
        let [instructions, loads] = [Event::TOT_INS, Event::LD_INS].map(|event| self.count(&event));
        let accesses = self.accesses();
        let hit_rate = Reading::hit_rate(&self.count(&Event::L1_DCM), &accesses);
        [
            ("instructions_per_cycle", per(&instructions, &Event::TOT_CYC)),
            ("flops", self.seconds.rate(p.flops())),
            ("computational_intensity", accesses.rate(p.flops())),
            ("instructions_per_load_store", quotient(&instructions, &accesses, "loads + stores")),
            ("load_stores_per_miss", per(&accesses, &Event::L1_DCM)),
            ("hit_rate", hit_rate),
            ("loads_per_load_miss", per(&loads, &Event::L1_LDM)),
            ("loads_per_tlb_miss", per(&loads, &Event::TLB_DM)),
        ]
    }
}

/// `over` divided by `under`, which is called `name`; missing if that is 0.
fn quotient(over: &Reading, under: &Reading, name: &str) -> Reading {
    match under.amount() {
        Some(0.0) => Reading::missing(format!("{name} is 0, nothing to divide by")),
        _ => Reading::joined(over, under, |over, under| over / under),
    }
}

/// Misses per inner iteration at one level, by three sources.
#[derive(Debug, Clone)]
pub struct Level {
    /// 1 for L1.
    pub number: u8,
    /// Its description, and the lecture's counting, unless the machine is sealed.
    pub described: Option<(CacheLevel, ClosedForm)>,
    /// The misses of that counting.
    pub form: Option<Misses>,
    /// The model's.
    pub model: Option<Misses>,
    /// Hardware's count, of all arrays together.
    pub hardware: Reading,
}

impl Level {
    /// Model minus closed form.
    pub fn residual(&self) -> Option<Misses> {
        Some(self.model?.with(self.form?, |model, form| model - form))
    }

    /// The assumptions of the closed form that fail, if the two differ by more than 0.01 misses per iteration
    /// and by more than 10 % of the closed form.
    pub fn failing(&self) -> Vec<&str> {
        let form = self.form.map_or(0.0, Misses::total);
        let apart = self.residual().is_some_and(|r| r.total().abs() > f64::max(0.01, 0.1 * form));
        let all = self.described.iter().flat_map(|(_, form)| &form.assumptions);
        all.filter(|a| apart && !a.holds).map(|a| a.text.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use common::value::Source;

    use super::*;

    #[test]
    fn a_quotient_is_missing_with_its_reason_and_never_infinite() {
        let [over, zero] = [800.0, 0.0].map(|amount| Reading::new(amount, Source::Hardware));
        let modelled = Reading::new(400.0, Source::Model);
        assert_eq!(quotient(&over, &modelled, "x"), Reading::new(2.0, Source::Model));
        assert_eq!(quotient(&over, &zero, "x"), Reading::missing("x is 0, nothing to divide by"));
        assert_eq!(quotient(&over, &Reading::missing("no counter"), "x"), Reading::missing("no counter"));
        let hit_rate = Reading::hit_rate(&modelled, &over);
        assert_eq!(hit_rate, Reading::new(0.5, Source::Model));
    }
}

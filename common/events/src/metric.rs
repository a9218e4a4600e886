//! Derived metrics: quotients of counts that say more than the counts. Each is defined
//! once, with its formula and how it misleads. If an input is missing, the metric is
//! missing too, with the reason.

use std::fmt;

use crate::Event;
use figures::value::{Reading, Source};

/// An input of a metric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// An event's count. That of loads and stores together may be missing if both are
    /// counted separately.
    Count(Event),
    /// Floating-point operations, known or counted.
    Operations,
    /// Wall-clock seconds.
    Seconds,
}

const LOAD_STORES: Input = Input::Count(Event::LST_INS);

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::Count(event) => event.fmt(f),
            Input::Operations => f.write_str("the number of operations"),
            Input::Seconds => f.write_str("the time"),
        }
    }
}

/// One derived metric.
#[derive(Debug, Clone)]
pub struct Metric {
    /// The name in records: `instructions_per_cycle`.
    pub name: &'static str,
    /// The quotient in words.
    pub formula: &'static str,
    /// When it misleads.
    pub misleads: &'static str,
    over: Input,
    under: Input,
    shape: Shape,
}

/// How the inputs are combined.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Quotient,
    HitRate,
}

/// The share of `accesses` that hit, of any one level; below 0 where the misses
/// contain prefetches.
pub fn hit_rate(misses: f64, accesses: f64) -> f64 {
    1.0 - misses / accesses
}

/// Every metric of the lecture.
pub const METRICS: &[Metric] = &[
    Metric {
        name: "instructions_per_cycle",
        formula: "PAPI_TOT_INS / PAPI_TOT_CYC",
        misleads: "a slower program has a higher one if it executes more instructions: unrolling and SIMD \
                   lower it while they save time",
        over: Input::Count(Event::TOT_INS),
        under: Input::Count(Event::TOT_CYC),
        shape: Shape::Quotient,
    },
    Metric {
        name: "flops",
        formula: "floating-point operations / seconds",
        misleads: "counted operations include speculated and repeated ones, known operations are those of the \
                   textbook: two programs with the same answer may differ in the first and not in the second",
        over: Input::Operations,
        under: Input::Seconds,
        shape: Shape::Quotient,
    },
    Metric {
        name: "computational_intensity",
        formula: "floating-point operations / (loads + stores)",
        misleads: "it counts instructions, not bytes: one 32-byte load weighs as much as one of 8 bytes, and a \
                   load that hits as much as one that goes to memory",
        over: Input::Operations,
        under: LOAD_STORES,
        shape: Shape::Quotient,
    },
    Metric {
        name: "instructions_per_load_store",
        formula: "PAPI_TOT_INS / (loads + stores)",
        misleads: "loop overhead raises it as well as arithmetic does: unrolling lowers it and changes nothing \
                   about memory",
        over: Input::Count(Event::TOT_INS),
        under: LOAD_STORES,
        shape: Shape::Quotient,
    },
    Metric {
        name: "load_stores_per_miss",
        formula: "(loads + stores) / PAPI_L1_DCM",
        misleads: "values in registers remove accesses that hit, so a better program can show a \
                   lower one; some processors count prefetches as misses",
        over: LOAD_STORES,
        under: Input::Count(Event::L1_DCM),
        shape: Shape::Quotient,
    },
    Metric {
        name: "hit_rate",
        formula: "1 - PAPI_L1_DCM / (loads + stores)",
        misleads: "97 % and 99 % look similar, but one has three times the misses; below 0 the misses contain \
                   prefetches, which are no accesses of the program",
        over: Input::Count(Event::L1_DCM),
        under: LOAD_STORES,
        shape: Shape::HitRate,
    },
    Metric {
        name: "loads_per_load_miss",
        formula: "PAPI_LD_INS / PAPI_L1_LDM",
        misleads: "a load of a line that is already on its way counts as a hit on some processors and as a miss \
                   on others",
        over: Input::Count(Event::LD_INS),
        under: Input::Count(Event::L1_LDM),
        shape: Shape::Quotient,
    },
    Metric {
        name: "loads_per_tlb_miss",
        formula: "PAPI_LD_INS / PAPI_TLB_DM",
        misleads: "it says nothing of the cost: a translation found in the second TLB takes a few cycles, a walk \
                   of the page table up to a hundred; huge pages change it without any change of the program",
        over: Input::Count(Event::LD_INS),
        under: Input::Count(Event::TLB_DM),
        shape: Shape::Quotient,
    },
];

impl Metric {
    /// The metric of that name.
    pub fn find(name: &str) -> Option<&'static Metric> {
        METRICS.iter().find(|metric| metric.name == name)
    }

    /// The metric from its inputs.
    pub fn reading(&self, input: impl Fn(&Input) -> Reading) -> Reading {
        let look = |wanted: &Input| if *wanted == LOAD_STORES { load_stores(&input) } else { input(wanted) };
        let (over, under) = (look(&self.over), look(&self.under));
        if over.amount().is_some() && under.amount().is_some_and(|under| under <= 0.0) {
            return Reading::missing(format!("{} is 0, nothing to divide by", self.under));
        }
        match (self.shape, over.amount(), over.source()) {
            // One input is exact, so the quotient scatters as the other one does.
            (Shape::Quotient, Some(over), Some(Source::Analytic)) => under.rate(over),
            (Shape::Quotient, ..) => Reading::joined(&over, &under, |over, under| over / under),
            (Shape::HitRate, ..) => Reading::joined(&over, &under, hit_rate),
        }
    }
}

fn load_stores(input: &impl Fn(&Input) -> Reading) -> Reading {
    let count = |event| input(&Input::Count(event));
    let both = count(Event::LST_INS);
    if both.amount().is_some() {
        return both;
    }
    let sum = Reading::joined(&count(Event::LD_INS), &count(Event::SR_INS), |loads, stores| loads + stores);
    if sum.amount().is_some() { sum } else { both }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(input: &Input) -> Reading {
        let hardware = |amount| Reading::new(amount, Source::Hardware);
        match input {
            Input::Count(Event::TOT_INS) => hardware(800.0),
            Input::Count(Event::TOT_CYC) => hardware(400.0),
            Input::Count(Event::LD_INS) => hardware(300.0),
            Input::Count(Event::SR_INS) => hardware(100.0),
            Input::Count(Event::L1_DCM) => Reading::new(20.0, Source::Model),
            Input::Count(Event::TLB_DM) => hardware(0.0),
            Input::Operations => Reading::new(200.0, Source::Analytic),
            Input::Seconds => Reading::new(0.1, Source::Timing),
            _ => Reading::missing(format!("no counter for {input}")),
        }
    }

    fn reading(name: &str) -> Reading {
        Metric::find(name).unwrap().reading(counts)
    }

    #[test]
    fn every_metric_is_its_quotient_and_as_direct_as_its_least_direct_input() {
        for (name, amount, source) in [
            ("instructions_per_cycle", 2.0, Source::Hardware),
            ("flops", 2000.0, Source::Timing),
            ("computational_intensity", 0.5, Source::Hardware),
            ("instructions_per_load_store", 2.0, Source::Hardware),
            ("load_stores_per_miss", 20.0, Source::Model),
            ("hit_rate", 0.95, Source::Model),
        ] {
            assert_eq!(
                (reading(name).amount(), reading(name).source()),
                (Some(amount), Some(source)),
                "{name}"
            );
        }
    }

    #[test]
    fn a_missing_input_makes_the_metric_missing_with_its_reason() {
        assert_eq!(reading("loads_per_load_miss"), Reading::missing("no counter for PAPI_L1_LDM"));
        assert_eq!(reading("loads_per_tlb_miss").amount(), None, "never a division by zero");
    }

    #[test]
    fn a_rate_scatters_as_its_time() {
        let seconds = Reading::from_runs(&[0.1, 0.2, 0.4], Source::Timing);
        let runs = |input: &Input| if *input == Input::Seconds { seconds.clone() } else { counts(input) };
        let flops = Metric::find("flops").unwrap().reading(runs);
        let spread = flops.spread().unwrap();
        assert_eq!(
            (flops.amount().unwrap(), spread.runs, spread.min, spread.max),
            (1000.0, 3, 500.0, 2000.0)
        );
        assert_eq!(reading("flops").spread(), None);
    }
}

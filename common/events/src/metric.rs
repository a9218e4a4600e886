//! Derived metrics: quotients of counts that say more than the counts. Each is defined
//! once, with its formula and how it misleads. If an input is missing, the metric is
//! missing too, with the reason.

use std::fmt;

use crate::Event;
use figures::value::{Multiplexed, Reading, Source, Value};

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
        let (over, under) = match (look(&self.over), look(&self.under)) {
            (Reading::Counted(over), Reading::Counted(under)) => (over, under),
            (Reading::Missing { reason }, _) | (_, Reading::Missing { reason }) => {
                return Reading::missing(reason);
            }
        };
        if under.amount <= 0.0 {
            return Reading::missing(format!("{} is 0, nothing to divide by", self.under));
        }
        let amount = match self.shape {
            Shape::Quotient => over.amount / under.amount,
            Shape::HitRate => hit_rate(over.amount, under.amount),
        };
        // If one input is exact, the quotient scatters as the other one does.
        let spread = match (self.shape, over.source) {
            (Shape::Quotient, Source::Analytic) => under.rate(over.amount).spread,
            _ => None,
        };
        Value { spread, ..joined(amount, over, under) }.into()
    }
}

fn load_stores(input: &impl Fn(&Input) -> Reading) -> Reading {
    let count = |event| input(&Input::Count(event));
    match (count(Event::LST_INS), count(Event::LD_INS), count(Event::SR_INS)) {
        (Reading::Counted(both), ..) => both.into(),
        (_, Reading::Counted(loads), Reading::Counted(stores)) => {
            joined(loads.amount + stores.amount, loads, stores).into()
        }
        (missing, ..) => missing,
    }
}

/// `amount`, computed from `x` and `y`: its source is that of the less direct of the two (a
/// closed form, which is exact, does not count), and it is an estimate if one of them is.
fn joined(amount: f64, x: Value, y: Value) -> Value {
    let source = match (x.source, y.source) {
        (Source::Analytic, other) | (other, Source::Analytic) => other,
        (Source::Model, _) | (_, Source::Model) => Source::Model,
        (Source::Stepped, _) | (_, Source::Stepped) => Source::Stepped,
        (Source::Timing, _) | (_, Source::Timing) => Source::Timing,
        (Source::Hardware, Source::Hardware) => Source::Hardware,
    };
    let share = |m: &Multiplexed| m.share();
    let multiplexed =
        x.multiplexed.into_iter().chain(y.multiplexed).min_by(|p, q| share(p).total_cmp(&share(q)));
    Value { multiplexed, ..Value::new(amount, source) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(input: &Input) -> Reading {
        let hardware = |amount| Value::new(amount, Source::Hardware).into();
        match input {
            Input::Count(Event::TOT_INS) => hardware(800.0),
            Input::Count(Event::TOT_CYC) => hardware(400.0),
            Input::Count(Event::LD_INS) => hardware(300.0),
            Input::Count(Event::SR_INS) => hardware(100.0),
            Input::Count(Event::L1_DCM) => Value::new(20.0, Source::Model).into(),
            Input::Count(Event::TLB_DM) => hardware(0.0),
            Input::Operations => Value::new(200.0, Source::Analytic).into(),
            Input::Seconds => Value::new(0.1, Source::Timing).into(),
            _ => Reading::missing(format!("no counter for {input}")),
        }
    }

    fn value(name: &str) -> Option<Value> {
        Metric::find(name).unwrap().reading(counts).value()
    }

    #[test]
    fn every_metric_is_its_quotient() {
        let amount = |name| value(name).unwrap().amount;
        assert_eq!(amount("instructions_per_cycle"), 2.0);
        assert_eq!(amount("flops"), 2000.0);
        assert_eq!(amount("computational_intensity"), 0.5);
        assert_eq!(amount("instructions_per_load_store"), 2.0);
        assert_eq!(amount("load_stores_per_miss"), 20.0);
        assert_eq!(amount("hit_rate"), 0.95);
    }

    #[test]
    fn a_missing_input_makes_the_metric_missing_with_its_reason() {
        let loads = Metric::find("loads_per_load_miss").unwrap().reading(counts);
        assert_eq!(loads, Reading::missing("no counter for PAPI_L1_LDM"));
        assert_eq!(value("loads_per_tlb_miss"), None, "never a division by zero");
    }

    #[test]
    fn a_metric_is_as_direct_as_its_least_direct_input() {
        assert_eq!(value("hit_rate").unwrap().source, Source::Model);
        assert_eq!(value("flops").unwrap().source, Source::Timing);
        assert_eq!(value("computational_intensity").unwrap().source, Source::Hardware);
    }

    #[test]
    fn a_rate_scatters_as_its_time() {
        let seconds = Value::from_runs(&[0.1, 0.2, 0.4], Source::Timing).unwrap();
        let runs = |input: &Input| if *input == Input::Seconds { seconds.into() } else { counts(input) };
        let flops = Metric::find("flops").unwrap().reading(runs).value().unwrap();
        let spread = flops.spread.unwrap();
        assert_eq!((flops.amount, spread.runs, spread.min, spread.max), (1000.0, 3, 500.0, 2000.0));
        assert_eq!(value("flops").unwrap().spread, None);
    }

    #[test]
    fn every_metric_says_how_it_misleads() {
        for metric in METRICS {
            assert!(metric.misleads.len() > 40 && metric.formula.contains(['/', '-']), "{}", metric.name);
        }
    }
}

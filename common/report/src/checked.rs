//! The sheet's numbers that a student computes: their formulas from the figures on the
//! page, and the results of usual mistakes. The page gets the formulas, not their results.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::contents::Contents;
use crate::figure::Figure;
use crate::product::{GAIN_TOLERANCE, HIT_RATE_TOLERANCE, Product};
use crate::quantity::Kind;

/// The check of a number. All amounts are in the field's own unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Check {
    /// The kind of the number.
    kind: Kind,
    /// The formula; `None` if the page does not check it.
    formula: Option<Formula>,
    /// The tolerance for rounding: a share of it, as in `lab grade`,
    share: f64,
    /// or this amount.
    within: f64,
    /// The message for any other number.
    hint: Cow<'static, str>,
    slips: Vec<Slip>,
}

/// The result of a known mistake, and the message for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Slip {
    formula: Formula,
    told: Cow<'static, str>,
}

/// Numbers and operators in postfix order.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
struct Formula(Vec<Step>);

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
enum Step {
    Number(f64),
    Operator(char),
}

impl Formula {
    fn of(number: f64) -> Formula {
        Formula(vec![Step::Number(number)])
    }

    /// A figure of the page, if there is one.
    fn figure(figure: &Figure) -> Option<Formula> {
        figure.known().map(Formula::of)
    }

    fn with(mut self, operator: char, other: Formula) -> Formula {
        self.0.extend(other.0);
        self.0.push(Step::Operator(operator));
        self
    }

    /// The result, as the page computes it.
    #[cfg(test)]
    fn value(&self) -> f64 {
        let mut stack = Vec::new();
        for step in &self.0 {
            match step {
                Step::Number(number) => stack.push(*number),
                Step::Operator(operator) => {
                    let (b, a): (f64, f64) = (stack.pop().unwrap(), stack.pop().unwrap());
                    stack.push(match operator {
                        '+' => a + b,
                        '-' => a - b,
                        '*' => a * b,
                        _ => a / b,
                    });
                }
            }
        }
        assert_eq!(stack.len(), 1);
        stack[0]
    }
}

impl Check {
    /// The same with translated messages.
    pub(crate) fn in_words(&self, word: impl Fn(&str) -> String) -> Check {
        let slip = |slip: &Slip| Slip { told: word(&slip.told).into(), ..slip.clone() };
        Check { hint: word(&self.hint).into(), slips: self.slips.iter().map(slip).collect(), ..self.clone() }
    }

    /// All its messages.
    #[cfg(test)]
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.hint)
            .chain(self.slips.iter().map(|slip| &*slip.told))
            .filter(|text| !text.is_empty())
    }
}

const RATE: &str = "Hit rate = 1 − misses / (loads + stores), in percent, to two decimals.";
const DELTA: &str = "The new hit rate less the old one, in percentage points.";
const GAIN: &str = "How many times as fast: the old one's over the new one's.";

/// The check of each of the [`NUMBERS`](crate::fields::NUMBERS), by its id.
pub(crate) fn checks(contents: &Contents<'_>) -> BTreeMap<&'static str, Check> {
    let [mm1, mm2, transposing, mm3] = &contents.products;
    let [over_mm1, _, blocked_over_mm1, blocked_over_mm2] = &contents.gains;
    let n = f64::from(contents.findings.size);
    let clocks = |p: &Product| Formula::figure(&p.cycles);
    let gain = |gain: &Figure, old, new| speed_up(gain, old, new);
    let all = [
        ("s321-a-memory", memory(n)),
        ("s321-c-hit-rate", rate(mm1)),
        ("s322-b-hit-rate", rate(mm2)),
        ("s322-c-hit-rate", rate(transposing)),
        ("s322-d-delta", delta(mm2, mm1)),
        ("s322-d-clocks", gain(&over_mm1.clocks, clocks(mm1), clocks(mm2))),
        ("s322-d-time", gain(&over_mm1.time, Formula::figure(&mm1.seconds), Formula::figure(&mm2.seconds))),
        ("s323-a-elements", elements()),
        ("s323-c-hit-rate", rate(mm3)),
        ("s323-d-delta", delta(mm3, mm1)),
        ("s323-d-clocks", gain(&blocked_over_mm1.clocks, clocks(mm1), clocks(mm3))),
        ("s323-e-delta", delta(mm3, mm2)),
        ("s323-e-clocks", gain(&blocked_over_mm2.clocks, clocks(mm2), clocks(mm3))),
    ];
    all.into_iter().collect()
}

fn memory(n: f64) -> Check {
    let of = |bytes: f64| Some(Formula::of(bytes).with('*', Formula::of(n)).with('*', Formula::of(n)));
    let over = |unit: f64| of(2.0).map(|bytes| bytes.with('/', Formula::of(unit)));
    Check {
        kind: Kind::Bytes,
        formula: of(2.0),
        share: 0.0,
        within: 1e-6,
        hint: "Rows times columns times the bytes of one element.".into(),
        slips: slips([
            (of(1.0), "That is the number of elements; an element has 16 bits."),
            (of(6.0), "That is all three matrices; one is asked for."),
            (of(16.0), "That is bits; a byte has 8."),
            (over(1024.0), "Write it in bytes."),
            (over(1_048_576.0), "Write it in bytes."),
        ]),
    }
}

/// The line size is a question of its own, so the page does not use it for this one.
fn elements() -> Check {
    Check { kind: Kind::Count, formula: None, share: 0.0, within: 0.0, hint: "".into(), slips: Vec::new() }
}

/// The hit rate in per cent, of these accesses.
fn hit_rate(misses: &Figure, accesses: Option<Formula>) -> Option<Formula> {
    let missed = Formula::figure(misses)?.with('/', accesses?);
    Some(Formula::of(100.0).with('*', Formula::of(1.0).with('-', missed)))
}

fn of_all(product: &Product) -> Option<Formula> {
    let accesses = Formula::figure(&product.loads)?.with('+', Formula::figure(&product.stores)?);
    product.hit_rate.known()?;
    hit_rate(&product.misses, Some(accesses))
}

fn rate(product: &Product) -> Check {
    let of_loads = hit_rate(&product.misses, Formula::figure(&product.loads));
    let percent = of_all(product);
    let missed = percent.clone().map(|percent| Formula::of(100.0).with('-', percent));
    let share = percent.clone().map(|percent| percent.with('/', Formula::of(100.0)));
    Check {
        kind: Kind::Percent,
        formula: percent,
        share: HIT_RATE_TOLERANCE,
        within: 0.0,
        hint: RATE.into(),
        slips: slips([
            (missed, "That is the miss rate."),
            (share, "Write it in percent."),
            (of_loads, "A store is an access too: divide by loads and stores."),
        ]),
    }
}

fn delta(new: &Product, old: &Product) -> Check {
    let less = |a: Option<Formula>, b: Option<Formula>| Some(a?.with('-', b?));
    let points = less(of_all(new), of_all(old));
    let share = points.clone().map(|points| points.with('/', Formula::of(100.0)));
    Check {
        kind: Kind::Percent,
        formula: points,
        share: 0.0,
        within: 0.04,
        hint: DELTA.into(),
        slips: slips([
            (less(of_all(old), of_all(new)), "The other way round: the new one less the old one."),
            (share, "Write it in percentage points."),
        ]),
    }
}

fn speed_up(gain: &Figure, old: Option<Formula>, new: Option<Formula>) -> Check {
    let over = |a: Option<Formula>, b: Option<Formula>| Some(a?.with('/', b?));
    let times = over(old.clone(), new.clone()).filter(|_| gain.known().is_some());
    let inverse = over(new, old).filter(|_| times.is_some());
    let percent = times.clone().map(|times| Formula::of(100.0).with('*', times.with('-', Formula::of(1.0))));
    Check {
        kind: Kind::Number,
        formula: times,
        share: GAIN_TOLERANCE,
        within: 0.0,
        hint: GAIN.into(),
        slips: slips([
            (inverse, "The other way round: the old one's over the new one's."),
            (percent, "That is the gain in percent; write it as a factor."),
        ]),
    }
}

fn slips<const N: usize>(known: [(Option<Formula>, &'static str); N]) -> Vec<Slip> {
    known
        .into_iter()
        .filter_map(|(formula, told)| Some(Slip { formula: formula?, told: told.into() }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use figures::value::{Reading, Source};
    use records::record::{Record, Row};

    fn product(name: &'static str, misses: f64, cycles: f64) -> Product {
        let mut record = Record::new(name, "a machine");
        let counted = |amount| Reading::new(amount, Source::Hardware);
        record.rows.push(
            Row::new([("checksum", 1.into())])
                .with("PAPI_L1_DCM", counted(misses))
                .with("PAPI_LD_INS", counted(300.0))
                .with("PAPI_SR_INS", counted(100.0))
                .with("wall_cycles", counted(cycles)),
        );
        Product::of(name, &record)
    }

    /// The page's formulas give the figures of the report, from which `lab grade` takes the
    /// right values.
    #[test]
    fn the_pages_formulas_give_the_reports_figures() {
        let (old, new) = (product("mm1", 100.0, 900.0), product("mm2", 7.0, 500.0));
        let gain = crate::product::Gain::of(&new, &old);
        let value = |check: &Check| check.formula.as_ref().unwrap().value();
        for (check, figure, factor) in [
            (rate(&old), &old.hit_rate, 100.0),
            (rate(&new), &new.hit_rate, 100.0),
            (delta(&new, &old), &gain.hit_rate, 100.0),
            (
                speed_up(&gain.clocks, Formula::figure(&old.cycles), Formula::figure(&new.cycles)),
                &gain.clocks,
                1.0,
            ),
        ] {
            let right = factor * figure.known().unwrap();
            assert!((value(&check) - right).abs() < 1e-9, "{check:?}");
            // and no mistake gives the right value
            assert!(check.slips.iter().all(|slip| (slip.formula.value() - right).abs() > 1e-9));
        }
        assert_eq!(value(&memory(512.0)), 524_288.0);
        let text = serde_json::to_string(&rate(&old)).unwrap();
        assert!(text.contains("[100.0,1.0,100.0,300.0,100.0,\"+\",\"/\",\"-\",\"*\"]"), "{text}");
        assert!(!text.contains("75"), "no result: {text}");
        let modelled = Figure::missing("modelled");
        assert_eq!(speed_up(&modelled, Some(Formula::of(2.0)), Some(Formula::of(1.0))).formula, None);
    }
}

//! The sheet's numbers that a student computes: what comes out on this run, and
//! what usual slips come out as.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::contents::Contents;
use crate::figure::Figure;
use crate::product::{Gain, Product};

/// How a number is checked. All amounts are in the field's own unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Check {
    /// What comes out; `None` where this run cannot tell.
    expected: Option<f64>,
    /// How far off a rounded number may be.
    within: f64,
    /// What is told of any other number.
    hint: Cow<'static, str>,
    slips: Vec<Slip>,
}

impl Check {
    /// The same in other words.
    pub(crate) fn in_words(&self, word: impl Fn(&str) -> String) -> Check {
        let slip = |slip: &Slip| Slip { told: word(&slip.told).into(), ..*slip };
        Check { hint: word(&self.hint).into(), slips: self.slips.iter().map(slip).collect(), ..*self }
    }

    /// Every text in it.
    #[cfg(test)]
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.hint).chain(self.slips.iter().map(|slip| &*slip.told))
    }

    /// Without the slips that cannot be told from the right number, such as the
    /// inverse of a speed-up of 1.
    fn apart(mut self) -> Check {
        let right = self.expected.unwrap_or(f64::NAN);
        self.slips.retain(|slip| (slip.amount - right).abs() > self.within);
        self
    }
}

/// A number that a known mistake gives, and what is told then.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Slip {
    amount: f64,
    told: Cow<'static, str>,
}

const RATE: &str = "Hit rate = 1 − misses / (loads + stores), in percent, to two decimals.";
const ROUNDED: &str = "Rounded too far: give two decimals.";
const DELTA: &str = "The new hit rate less the old one, in percentage points.";
const GAIN: &str = "How many times as fast: the old one's over the new one's.";

/// The check of every [`Number`](crate::Kind::Number) field, by its id.
pub(crate) fn checks(contents: &Contents<'_>) -> BTreeMap<&'static str, Check> {
    let [mm1, mm2, transposing, mm3] = &contents.products;
    let [over_mm1, _, blocked_over_mm1, blocked_over_mm2] = &contents.gains;
    let n = f64::from(contents.findings.size);
    let line = contents.findings.line.0 as f64;
    let all = [
        ("s321-a-memory", memory(n)),
        ("s321-c-hit-rate", rate(mm1)),
        ("s322-b-hit-rate", rate(mm2)),
        ("s322-c-hit-rate", rate(transposing)),
        ("s322-d-delta", delta(over_mm1)),
        ("s322-d-clocks", speed_up(&over_mm1.clocks)),
        ("s322-d-time", speed_up(&over_mm1.time)),
        ("s323-a-elements", elements(line)),
        ("s323-c-hit-rate", rate(mm3)),
        ("s323-d-delta", delta(blocked_over_mm1)),
        ("s323-d-clocks", speed_up(&blocked_over_mm1.clocks)),
        ("s323-e-delta", delta(blocked_over_mm2)),
        ("s323-e-clocks", speed_up(&blocked_over_mm2.clocks)),
    ];
    all.into_iter().map(|(id, check)| (id, check.apart())).collect()
}

fn memory(n: f64) -> Check {
    Check {
        expected: Some(2.0 * n * n),
        within: 0.5,
        hint: "Rows times columns times the bytes of one element.".into(),
        slips: slips([
            (Some(n * n), "That is the number of elements; an element has 16 bits."),
            (Some(6.0 * n * n), "That is all three matrices; one is asked for."),
            (Some(16.0 * n * n), "That is bits; a byte has 8."),
            (Some(2.0 * n * n / 1024.0), "Write it in bytes."),
            (Some(2.0 * n * n / 1_048_576.0), "Write it in bytes."),
        ]),
    }
}

fn elements(line: f64) -> Check {
    Check {
        expected: Some(line / 2.0),
        within: 1e-6,
        hint: "The bytes of a line over the bytes of an element. This run cut mm3's blocks to the line that it read itself; it is shown with what is reported, under How it was measured.".into(),
        slips: slips([
            (Some(line), "That is the line in bytes; an element has 2."),
            (Some(4.0 * line), "That is the line's bits over an element's bytes."),
            (Some(line / 16.0), "That would be elements of 16 bytes; these have 16 bits."),
        ]),
    }
}

fn rate(product: &Product) -> Check {
    let percent = product.hit_rate.known().map(|rate| 100.0 * rate);
    let of_loads =
        Figure::from([&product.misses, &product.loads], |[misses, loads]| 100.0 * (1.0 - misses / loads));
    Check {
        expected: percent,
        within: 0.02,
        hint: RATE.into(),
        slips: slips([
            (percent.map(|p| 100.0 - p), "That is the miss rate."),
            (percent.map(|p| p / 100.0), "Write it in percent."),
            (of_loads.known(), "A store is an access too: divide by loads and stores."),
            (percent.map(f64::round), ROUNDED),
        ]),
    }
}

fn delta(gain: &Gain) -> Check {
    let points = gain.hit_rate.known().map(|delta| 100.0 * delta);
    Check {
        expected: points,
        within: 0.04,
        hint: DELTA.into(),
        slips: slips([
            (points.map(|p| -p), "The other way round: the new one less the old one."),
            (points.map(|p| p / 100.0), "Write it in percentage points."),
        ]),
    }
}

fn speed_up(times: &Figure) -> Check {
    Check {
        expected: times.known(),
        within: 0.02 * times.known().unwrap_or(0.0),
        hint: GAIN.into(),
        slips: slips([
            (times.known().map(|t| 1.0 / t), "The other way round: the old one's over the new one's."),
            (times.known().map(|t| 100.0 * (t - 1.0)), "That is the gain in percent; write it as a factor."),
        ]),
    }
}

fn slips<const N: usize>(known: [(Option<f64>, &'static str); N]) -> Vec<Slip> {
    known.into_iter().filter_map(|(amount, told)| Some(Slip { amount: amount?, told: told.into() })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_slip_is_taken_for_the_right_number() {
        let clear = |check: &Check| {
            let right = check.expected.unwrap();
            check.slips.iter().all(|slip| (slip.amount - right).abs() > check.within)
        };
        assert!(clear(&memory(512.0)) && clear(&elements(64.0)));
        assert!(clear(&speed_up(&Figure::analytic(2.5))));
        assert!(!clear(&speed_up(&Figure::analytic(1.01))));
        assert!(clear(&speed_up(&Figure::analytic(1.01)).apart()));
        assert_eq!(speed_up(&Figure::missing("no clock")).expected, None);
    }
}

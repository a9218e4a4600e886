//! Numbers that a student computes: what is right, how far a rounded one may be off, and
//! the results of usual mistakes. The page and `course grade` judge by the same [`Check`].

use figures::quantity::Kind;
use serde::{Serialize, Serializer};

/// Tolerance for a speed-up, as a share of it.
const GAIN_TOLERANCE: f64 = 0.02;
/// Tolerance for a hit rate, as a share of its miss rate; and at least, in percentage points:
/// half of the last of two decimals.
const MISS_RATE_TOLERANCE: f64 = 0.02;
const MIN_POINTS: f64 = 0.005;
/// More decimals than any answer needs.
const MAX_DECIMALS: i32 = 6;
/// Tolerance for the rounding of printed figures.
const ROUNDING: f64 = 1e-9;

/// The right value of a number, and those of usual mistakes, in the base unit of its kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// The kind of the number.
    pub kind: Kind,
    /// The right value.
    pub right: f64,
    /// How far a rounded answer may be off.
    pub within: f64,
    /// What usual mistakes give.
    slips: Vec<(f64, Slip)>,
}

/// What a value is, compared with the right one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// Within the tolerance.
    Right,
    /// The result of a usual mistake.
    Slip(Slip),
    /// Anything else.
    Wrong,
}

/// A usual mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slip {
    /// The right value, rounded to a whole number.
    Rounded,
    /// Misses instead of hits.
    MissRate,
    /// Misses by loads alone.
    LoadsOnly,
    /// Old minus new.
    Reversed,
    /// New by old.
    Inverse,
}

impl Slip {
    /// A sentence for the student; it does not show the right value.
    pub fn sentence(self) -> &'static str {
        match self {
            Slip::Rounded => "It is rounded too far: give two decimals.",
            Slip::MissRate => "That is the miss rate.",
            Slip::LoadsOnly => "A store is an access too: divide by loads and stores.",
            Slip::Reversed => "The other way round: subtract the old one from the new one.",
            Slip::Inverse => "The other way round: divide the old time by the new time.",
        }
    }
}

impl Serialize for Slip {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.sentence())
    }
}

impl Check {
    /// A check with the mistakes that are usual for this kind; `within` is an amount, not a
    /// share.
    pub fn of(kind: Kind, right: f64, within: f64) -> Check {
        let slips = match kind {
            Kind::Percent => vec![(100.0 - right, Slip::MissRate)],
            Kind::Points => vec![(-right, Slip::Reversed)],
            Kind::Number => vec![(1.0 / right, Slip::Inverse)],
            Kind::Bytes | Kind::Count | Kind::Ns => Vec::new(),
        };
        Check { kind, right, within: within + ROUNDING * right.abs(), slips }
    }

    /// A hit rate in per cent.
    pub fn hit_rate(percent: f64) -> Check {
        Check::of(Kind::Percent, percent, rate_tolerance(percent))
    }

    /// The difference of two hit rates, in percentage points: right if it is that of two
    /// rates that are right.
    pub fn difference(new: f64, old: f64) -> Check {
        Check::of(Kind::Points, new - old, rate_tolerance(new) + rate_tolerance(old))
    }

    /// A speed-up.
    pub fn gain(times: f64) -> Check {
        Check::of(Kind::Number, times, GAIN_TOLERANCE * times.abs())
    }

    /// Adds the result of one more mistake, if there is one.
    #[must_use]
    pub fn or(mut self, value: Option<f64>, slip: Slip) -> Check {
        self.slips.extend(value.map(|value| (value, slip)));
        self
    }

    /// Compares a value. It may be rounded to its own decimals, at least one.
    pub fn judge(&self, value: f64) -> Judgement {
        if self.is(value, self.right) {
            return Judgement::Right;
        }
        let of_share = matches!(self.kind, Kind::Percent | Kind::Points).then_some(100.0 * value);
        let is_rounded =
            |value: f64| self.rounding(value, 0).is_some_and(|within| (value - self.right).abs() <= within);
        if [Some(value), of_share].into_iter().flatten().any(is_rounded) {
            return Judgement::Slip(Slip::Rounded);
        }
        let slip = self.slips.iter().find(|(mistaken, _)| self.is(value, *mistaken));
        slip.map_or(Judgement::Wrong, |(_, slip)| Judgement::Slip(*slip))
    }

    /// Whether the right value is in a range of at least `low` and below `below`.
    pub fn is_in(&self, low: f64, below: f64) -> bool {
        low <= self.right && self.right < below
    }

    /// Whether `value` is `meant`. A rate may be written as a share of 1.
    fn is(&self, value: f64, meant: f64) -> bool {
        let of_rates = matches!(self.kind, Kind::Percent | Kind::Points);
        let within = if of_rates || self.right == 0.0 {
            self.within
        } else {
            self.within * (meant / self.right).abs()
        };
        let near = |value: f64| {
            let within = self.rounding(value, 1).unwrap_or_default().max(within);
            (value - meant).abs() <= within && !(of_rates && value.abs() > 100.0)
        };
        near(value) || of_rates && near(100.0 * value)
    }

    /// How far the right value may be from `value` if that is rounded to its own decimals, at
    /// least `least`; `None` for kinds that are never rounded.
    fn rounding(&self, value: f64, least: i32) -> Option<f64> {
        let halves = match self.kind {
            Kind::Percent | Kind::Number => 0.5,
            // Of two rounded rates.
            Kind::Points => 1.0,
            Kind::Bytes | Kind::Count | Kind::Ns => return None,
        };
        let is_whole = |scaled: f64| (scaled - scaled.round()).abs() < 1e-7;
        let decimals = (0..MAX_DECIMALS).find(|decimals| is_whole(value * 10_f64.powi(*decimals)));
        let decimals = decimals.unwrap_or(MAX_DECIMALS).max(least);
        Some(halves * 10_f64.powi(-decimals) + ROUNDING * value.abs())
    }
}

/// Tolerance for a hit rate in per cent, in percentage points.
fn rate_tolerance(percent: f64) -> f64 {
    (MISS_RATE_TOLERANCE * (100.0 - percent).abs()).max(MIN_POINTS)
}

/// What the page says of a wrong number that is no usual mistake.
pub(crate) fn hint(kind: Kind) -> &'static str {
    match kind {
        Kind::Percent => "Hit rate = 1 − misses / (loads + stores), in percent, to two decimals.",
        Kind::Points => "The new hit rate minus the old one, in percentage points.",
        Kind::Number => {
            "Speed-up = old CPU time / new CPU time, or old cycles / new cycles. After another run compute it again."
        }
        Kind::Bytes | Kind::Count | Kind::Ns => "Rows times columns times the bytes of one element.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same table is read by the test of the page's script.
    #[test]
    fn every_value_of_the_table_is_judged_as_it_says() {
        let mut rows = 0;
        for row in include_str!("checked.tsv").lines().filter(|row| !row.starts_with('#')) {
            let [what, right, value, judged] = row.split('\t').collect::<Vec<_>>()[..] else {
                panic!("{row}")
            };
            let rights: Vec<f64> = right.split(' ').map(|right| right.parse().unwrap()).collect();
            let check = match what {
                "rate" => Check::hit_rate(rights[0]).or(rights.get(1).copied(), Slip::LoadsOnly),
                "difference" => Check::difference(rights[0], rights[1]),
                "gain" => Check::gain(rights[0]),
                _ => Check::of(Kind::Bytes, rights[0], 0.0),
            };
            let judgement = match check.judge(value.parse().unwrap()) {
                Judgement::Right => "right".to_owned(),
                Judgement::Wrong => "wrong".to_owned(),
                Judgement::Slip(slip) => format!("{slip:?}"),
            };
            assert_eq!(judgement, judged, "{row}: {check:?}");
            rows += 1;
        }
        assert!(rows >= 25);
    }

    #[test]
    fn a_range_holds_its_lower_end_and_not_its_upper_end() {
        let size = Check::of(Kind::Bytes, 32768.0, 0.0);
        assert!(size.is_in(32768.0, 65536.0) && !size.is_in(16384.0, 32768.0));
    }
}

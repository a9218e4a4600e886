//! An answer against what it should be: points, and one sentence why. The
//! sentence never tells the right answer: it may be read before the last try.

use std::collections::BTreeMap;

use common::text::shorten;

use super::quantity::{self, Given, Kind};
use super::rubric::{Item, Rubric};

/// What is right for one student, by the names that a rubric uses.
pub(crate) type Truth = BTreeMap<String, f64>;

/// One item of one student.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mark {
    pub(crate) points: f64,
    /// `None` where somebody is to read the answer.
    pub(crate) most: Option<f64>,
    pub(crate) reason: String,
    /// What was answered, for the instructor.
    pub(crate) answer: String,
    /// What is right, for the instructor.
    pub(crate) expected: Option<f64>,
}

/// A bracket this wide still tells something: doubling sizes show no less.
const BRACKET: f64 = 2.0;
/// Rounding of what is printed with few digits.
const ROUNDING: f64 = 1e-9;

/// The marks of all items for one student's `answers`.
pub(crate) fn marks(rubric: &Rubric, answers: &BTreeMap<String, String>, truth: &Truth) -> Vec<Mark> {
    let answer = |item: &Item| answers.get(&item.id).map_or("", |text| text.trim());
    rubric.items.iter().map(|item| mark(item, answer(item), truth)).collect()
}

fn mark(item: &Item, answer: &str, truth: &Truth) -> Mark {
    let (share, reason) = judged(item, answer, truth);
    Mark {
        points: share * item.points,
        most: (!item.by_hand).then_some(item.points),
        reason,
        answer: answer.to_owned(),
        expected: item.value.or_else(|| truth.get(item.expect.as_deref()?).copied()),
    }
}

/// The share of the points, and why.
fn judged(item: &Item, answer: &str, truth: &Truth) -> (f64, String) {
    let shown = shorten(answer, 40);
    if answer.is_empty() {
        return (0.0, "No answer.".to_owned());
    }
    if item.by_hand {
        return (0.0, "To be read by somebody.".to_owned());
    }
    let right = match (item.range, item.value, item.expect.as_deref()) {
        (Some([low, high]), ..) => Some((low, high)),
        (None, Some(value), _) => Some(around(value, item.tolerance)),
        (None, None, name) => {
            name.and_then(|name| truth.get(name)).map(|value| around(*value, item.tolerance))
        }
    };
    let Some(right) = right else {
        let name = item.expect.as_deref().unwrap_or_default();
        return (0.0, format!("Not graded: the submission has no records that tell {name}."));
    };
    let Some(given) = quantity::read(answer, item.kind) else {
        return (0.0, format!("There is no number in '{shown}'."));
    };
    compared(item, &shown, given, right, truth)
}

fn around(value: f64, tolerance: f64) -> (f64, f64) {
    let off = value.abs() * (tolerance + ROUNDING);
    (value - off, value + off)
}

fn compared(item: &Item, shown: &str, given: Given, (low, high): (f64, f64), truth: &Truth) -> (f64, String) {
    let within = |value: f64| (low..=high).contains(&value);
    if given.low == given.high && within(given.low) {
        return (1.0, "Right.".to_owned());
    }
    if given.low != given.high {
        let holds = given.low <= high && low <= given.high;
        return match (holds, given.high / given.low <= BRACKET + ROUNDING && given.low > 0.0) {
            (true, true) => {
                (item.partial, format!("The bracket '{shown}' is right; more cells would narrow it."))
            }
            (true, false) => {
                (0.0, format!("'{shown}' is wider than a factor of two, which tells too little."))
            }
            (false, _) => (0.0, format!("The bracket '{shown}' does not hold it.")),
        };
    }
    let value = given.low;
    if other_level(item).and_then(|name| truth.get(&name)).is_some_and(|other| *other == value) {
        return (0.0, format!("'{shown}' is that of the other level."));
    }
    let slip = SLIPS.iter().find(|slip| slip.kind == item.kind && within((slip.meant)(value)));
    if let Some(slip) = slip {
        let share = if slip.unit && !given.unit { item.partial } else { 0.0 };
        return (share, format!("'{shown}': {}.", slip.told));
    }
    (0.0, format!("'{shown}' is not right."))
}

/// What students of this lab often write instead.
struct Slip {
    kind: Kind,
    /// Whether only the unit is missing.
    unit: bool,
    meant: fn(f64) -> f64,
    told: &'static str,
}

const SLIPS: [Slip; 6] = [
    Slip {
        kind: Kind::Bytes,
        unit: true,
        meant: |v| v * 1024.0,
        told: "the number is right in KiB, but it has no unit",
    },
    Slip { kind: Kind::Bytes, unit: false, meant: |v| v / 8.0, told: "this is the number of bits" },
    Slip {
        kind: Kind::Percent,
        unit: false,
        meant: |v| 100.0 - v,
        told: "this is the miss rate, or the other way round",
    },
    Slip {
        kind: Kind::Percent,
        unit: true,
        meant: |v| v * 100.0,
        told: "the share is right, but not in per cent",
    },
    Slip {
        kind: Kind::Count,
        unit: false,
        meant: |v| v / 8.0,
        told: "this is eight times too many: elements have more than one byte, bytes more than one bit",
    },
    Slip {
        kind: Kind::Number,
        unit: false,
        meant: |v| 1.0 / v,
        told: "this is the inverse: the old by the new",
    },
];

/// `l1.size` for `l2.size`.
fn other_level(item: &Item) -> Option<String> {
    let name = item.expect.as_deref()?;
    match name.split_at_checked(2)? {
        ("l1", rest) => Some(format!("l2{rest}")),
        ("l2", rest) => Some(format!("l1{rest}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(id: &str, answer: &str) -> (f64, String) {
        let rubric = Rubric::read(None, &report::Assignment::guide()).unwrap();
        let truth: Truth =
            [("l1.size", 32768.0), ("l1.ways", 8.0), ("l2.size", 262_144.0), ("mm1.hit_rate", 74.9)]
                .map(|(name, value)| (name.to_owned(), value))
                .into();
        let answers = BTreeMap::from([(id.to_owned(), answer.to_owned())]);
        let at = rubric.items.iter().position(|item| item.id == id).unwrap();
        let mark = marks(&rubric, &answers, &truth).remove(at);
        (mark.points, mark.reason)
    }

    #[test]
    fn answers_are_worth_what_they_tell() {
        for (id, answer, points, says) in [
            ("s311-c-size", "32 KiB", 2.0, "Right."),
            ("s311-c-size", "32768", 2.0, "Right."),
            ("s311-c-size", "32", 1.0, "no unit"),
            ("s311-c-size", "32 to 48 KiB", 1.0, "bracket"),
            ("s311-c-size", "8 to 256 KiB", 0.0, "factor of two"),
            ("s311-c-size", "48 KiB", 0.0, "not right"),
            ("s311-c-size", "256 KiB", 0.0, "other level"),
            ("s311-c-size", "", 0.0, "No answer."),
            ("s311-c-size", "=cmd()", 0.0, "no number"),
            ("s311-c-ways", "8 to 15 ways", 1.0, "bracket"),
            ("s321-c-hit-rate", "74.9 %", 1.0, "Right."),
            ("s321-c-hit-rate", "74,95", 1.0, "Right."),
            ("s321-c-hit-rate", "25.1 %", 0.0, "miss rate"),
            ("s321-c-hit-rate", "0.749", 0.5, "per cent"),
            ("s322-b-hit-rate", "99 %", 0.0, "no records"),
            ("s2-4", "0.6 us", 1.0, "Right."),
            ("spec-comment", "It agrees.", 0.0, "read by somebody"),
        ] {
            let (given, reason) = told(id, answer);
            assert!(given == points && reason.contains(says), "{id} '{answer}': {given}, {reason}");
            assert!(!reason.contains("32768") || answer == "32768", "{reason}");
        }
    }
}

//! Compares an answer with what is right: points, and one sentence why. The sentence never
//! shows the right answer, because students may read it before their last try.

use std::collections::BTreeMap;

use common::text::shorten;
use report::quantity::{self, Bracket, Kind, Read};

use super::rubric::{Item, Rubric};
use super::sentence::{Sentence, say};

/// The right values for one student, under the rubric's names.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Truth {
    figures: BTreeMap<String, f64>,
    /// Figures that cannot be computed from the student's records, and why.
    pub(crate) uncountable: BTreeMap<String, String>,
}

impl Truth {
    pub(crate) fn new() -> Truth {
        Truth::default()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&f64> {
        self.figures.get(name)
    }

    pub(crate) fn insert(&mut self, name: String, value: f64) {
        self.figures.insert(name, value);
    }
}

impl Extend<(String, f64)> for Truth {
    fn extend<T: IntoIterator<Item = (String, f64)>>(&mut self, figures: T) {
        self.figures.extend(figures);
    }
}

impl IntoIterator for Truth {
    type Item = (String, f64);
    type IntoIter = std::collections::btree_map::IntoIter<String, f64>;

    fn into_iter(self) -> Self::IntoIter {
        self.figures.into_iter()
    }
}

impl<const N: usize> From<[(String, f64); N]> for Truth {
    fn from(figures: [(String, f64); N]) -> Truth {
        Truth { figures: figures.into(), uncountable: BTreeMap::new() }
    }
}

/// One item of one student.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mark {
    pub(crate) points: f64,
    /// `None` where the item is not part of the sum: texts, and figures that cannot be
    /// computed from the student's records.
    pub(crate) most: Option<f64>,
    /// Whether the instructor has to read the answer before it gets points.
    pub(crate) unread: bool,
    pub(crate) reason: Sentence,
    /// The student's answer, for the instructor.
    pub(crate) answer: String,
    /// The right answer, for the instructor.
    pub(crate) expected: Option<f64>,
}

/// The beginning of the reason of a number that has no points yet, now and in earlier
/// versions.
pub(super) const NUMBER_TO_BE_READ: [&str; 2] =
    ["To be read by the instructor: ", "To be read by somebody: "];

/// Largest ratio of a bracket's ends that gets points: doubling sizes show no less.
const BRACKET: f64 = 2.0;
/// Tolerance for the rounding of printed figures with few digits.
const ROUNDING: f64 = 1e-9;
/// Tolerance for rounded sizes: `32.8 kB`, `0.03 MiB`.
const ROUNDED_SIZE: f64 = 0.05;

/// The marks of all items for one student's `answers`.
pub(crate) fn marks(rubric: &Rubric, answers: &BTreeMap<String, String>, truth: &Truth) -> Vec<Mark> {
    let answer = |item: &Item| answers.get(&item.id).map_or("", |text| text.trim());
    rubric.items.iter().map(|item| mark(item, answer(item), &rubric.language, truth)).collect()
}

fn mark(item: &Item, answer: &str, language: &str, truth: &Truth) -> Mark {
    let judgement = judged(item, answer, language, truth);
    let (share, unread, counted, reason) = match judgement {
        Judgement::Share(share, reason) => (share, false, true, reason),
        Judgement::Unread(reason) => (0.0, true, true, reason),
        Judgement::LeftOut(reason) => (0.0, false, false, reason),
    };
    Mark {
        points: share * item.points,
        most: (!item.by_hand && counted).then_some(item.points),
        unread,
        reason,
        answer: answer.to_owned(),
        expected: item.value.or_else(|| truth.get(item.expect.as_deref()?).copied()),
    }
}

/// The points of an answer, and why.
#[derive(Debug, Clone, PartialEq)]
enum Judgement {
    /// A share of the points.
    Share(f64, Sentence),
    /// The instructor has to read it.
    Unread(Sentence),
    /// It is not part of the sum.
    LeftOut(Sentence),
}

fn judged(item: &Item, answer: &str, language: &str, truth: &Truth) -> Judgement {
    let shown = shorten(answer, 40);
    let expect = item.expect.as_deref().unwrap_or_default();
    if let Some(why) = truth.uncountable.get(expect) {
        return Judgement::LeftOut(say!("Left out of the sum: {}.", why));
    }
    if answer.is_empty() {
        return Judgement::Share(0.0, say!("No answer."));
    }
    if item.by_hand {
        return Judgement::Unread(say!("To be read by the instructor."));
    }
    let right = match (item.range, item.value.or_else(|| truth.get(expect).copied())) {
        (Some([low, high]), _) => (low, high),
        (None, Some(value)) => around(value, item.tolerance()),
        (None, None) => {
            let reason = say!("Not graded: the submission has no records that show {}.", expect);
            return Judgement::Share(0.0, reason);
        }
    };
    let about = format!("{} {}", item.label, expect.replace(['.', '_'], " "));
    match quantity::read(answer, item.kind, language, &about) {
        Read::Nothing => Judgement::Share(0.0, say!("There is no number in '{}'.", shown)),
        Read::Unclear(doubt) => {
            Judgement::Unread(say!("To be read by the instructor: '{}': {}.", shown, doubt.reason()))
        }
        Read::Bracket(bracket) => in_bracket(item, &shown, bracket, right),
        Read::Value(value) => {
            let each =
                value.readings.iter().map(|number| compared(item, &shown, *number, value.unit, right, truth));
            let mut each: Vec<(f64, Sentence)> = each.collect();
            let (share, reason) = each.swap_remove(0);
            // where the meaning depends on its comma or dot, only a reader can decide
            if each.iter().any(|(other, _)| *other != share) {
                let reason = "its comma or dot can be read in two ways";
                return Judgement::Unread(say!("To be read by the instructor: '{}': {}.", shown, reason));
            }
            let near = |number: &f64| {
                (0..=2).any(|prefix| {
                    let meant = number * (1000.0f64 / 1024.0).powi(prefix);
                    (right.0 * (1.0 - ROUNDED_SIZE)..=right.1 * (1.0 + ROUNDED_SIZE)).contains(&meant)
                })
            };
            if share < 1.0 && item.kind == Kind::Bytes && value.unit && value.readings.iter().any(near) {
                let reason = "its prefix may mean 1000, or it is rounded";
                return Judgement::Unread(say!("To be read by the instructor: '{}': {}.", shown, reason));
            }
            if share < 1.0 && value.besides {
                let reason = "it has numbers of other things, too";
                return Judgement::Unread(say!("To be read by the instructor: '{}': {}.", shown, reason));
            }
            Judgement::Share(share, reason)
        }
    }
}

fn around(value: f64, tolerance: f64) -> (f64, f64) {
    let off = value.abs() * (tolerance + ROUNDING);
    (value - off, value + off)
}

fn in_bracket(item: &Item, shown: &str, bracket: Bracket, (low, high): (f64, f64)) -> Judgement {
    // the value must differ from an open end by more than rounding
    let off = |open: bool, end: f64| if open { 4.0 * ROUNDING * end.abs() } else { 0.0 };
    let holds = bracket.low + off(bracket.low_open, bracket.low) <= high
        && low <= bracket.high - off(bracket.high_open, bracket.high);
    let narrow = bracket.low > 0.0 && bracket.high / bracket.low <= BRACKET + ROUNDING;
    // "1 < w < 4" are two numbers of ways
    let counted = item.kind == Kind::Count && (bracket.low_open || bracket.high_open);
    match (holds, narrow) {
        (true, false) if counted => {
            Judgement::Unread(say!("To be read by the instructor: '{}': {}.", shown, "its ends are outside"))
        }
        (false, _) if !bracket.unit && matches!(item.kind, Kind::Bytes | Kind::Ns) => {
            Judgement::Unread(say!("To be read by the instructor: '{}': {}.", shown, "it has no unit"))
        }
        (true, true) => Judgement::Share(
            item.partial,
            say!("The range '{}' is right; more cells would make it smaller.", shown),
        ),
        (true, false) => {
            Judgement::Share(0.0, say!("'{}' is wider than a factor of two, which is too imprecise.", shown))
        }
        (false, _) => {
            Judgement::Share(0.0, say!("The range '{}' does not contain the correct value.", shown))
        }
    }
}

fn compared(
    item: &Item,
    shown: &str,
    value: f64,
    unit: bool,
    (low, high): (f64, f64),
    truth: &Truth,
) -> (f64, Sentence) {
    let within = |value: f64| (low..=high).contains(&value);
    if within(value) {
        return (1.0, say!("Right."));
    }
    if other_level(item).and_then(|name| truth.get(&name)).is_some_and(|other| *other == value) {
        return (0.0, say!("'{}' is that of the other level.", shown));
    }
    let slip = SLIPS.iter().find(|slip| slip.kind == item.kind && within((slip.meant)(value)));
    if let Some(slip) = slip {
        let share = if slip.unit && !unit { item.partial } else { 0.0 };
        return (share, say!("'{}': {}.", shown, slip.told));
    }
    (0.0, say!("'{}' is not right.", shown))
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
        told: "the number is right in KiB, but it has no unit that is known",
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

    fn marked(id: &str, answer: &str) -> Mark {
        let rubric = Rubric::read(None, &report::Assignment::guide()).unwrap();
        let known = [
            ("l1.size", 32768.0),
            ("l1.line", 64.0),
            ("l1.ways", 8.0),
            ("l2.size", 262_144.0),
            ("mm1.hit_rate", 74.9),
        ];
        let mut truth = Truth::from(known.map(|(name, value)| (name.to_owned(), value)));
        truth.uncountable.insert("mm2.clocks_gain".to_owned(), "modelled time".to_owned());
        let answers = BTreeMap::from([(id.to_owned(), answer.to_owned())]);
        let at = rubric.items.iter().position(|item| item.id == id).unwrap();
        marks(&rubric, &answers, &truth).remove(at)
    }

    #[test]
    fn answers_are_worth_what_they_say() {
        for (id, answer, points, says) in [
            ("s311-c-size", "32 KiB", 2.0, "Right."),
            ("s311-c-size", "32768", 2.0, "Right."),
            ("s311-c-size", "32", 1.0, "no unit"),
            ("s311-c-size", "32 to 48 KiB", 1.0, "range"),
            ("s311-c-size", "8 to 256 KiB", 0.0, "factor of two"),
            ("s311-c-size", "48 KiB", 0.0, "not right"),
            ("s311-c-size", "256 KiB", 0.0, "other level"),
            ("s311-c-size", "", 0.0, "No answer."),
            ("s311-c-size", "=cmd()", 0.0, "read by the instructor: '=cmd()': it has words or signs"),
            ("s311-c-size", "no idea", 0.0, "no number"),
            (
                "s311-c-size",
                "512 sets of 64 B",
                0.0,
                "read by the instructor: '512 sets of 64 B': it has numbers",
            ),
            ("s311-c-size", "32 KiB in 8 ways", 2.0, "Right."),
            ("s311-c-size", "32...48", 0.0, "read by the instructor: '32...48': it has no unit"),
            ("s311-c-size", "32.768 kB", 0.0, "read by the instructor: '32.768 kB': its prefix"),
            ("s311-c-size", "32.77 kB", 0.0, "read by the instructor: '32.77 kB': its prefix"),
            ("s311-c-size", "0.031 MiB", 0.0, "read by the instructor: '0.031 MiB': its prefix"),
            ("s311-c-size", "L2: 32 KiB", 0.0, "read by the instructor: 'L2: 32 KiB': it names a level"),
            ("s311-c-size", "line size 32 KiB", 0.0, "read by the instructor: 'line size 32 KiB': it names"),
            ("s311-c-line", "line size 64 B", 2.0, "Right."),
            ("s311-c-ways", "5 < w < 16", 0.0, "read by the instructor"),
            ("s311-c-ways", "8-fach", 0.0, "read by the instructor"),
            ("s311-c-size", "L1 = 32 KiB", 2.0, "Right."),
            ("s311-c-size", "[32, 48) KiB", 1.0, "range"),
            ("s311-c-size", "[24, 32) KiB", 0.0, "does not contain"),
            ("s311-c-size", "(32, 48] KiB", 0.0, "does not contain"),
            (
                "s311-c-size",
                "16 or 32 KiB",
                0.0,
                "read by the instructor: '16 or 32 KiB': it has several numbers",
            ),
            ("s311-c-size", "at least 32 KiB", 0.0, "read by the instructor"),
            ("s311-c-size", "32,768 KiB", 0.0, "not right"),
            ("s322-d-clocks", "1.8", 0.0, "Left out of the sum: modelled time."),
            ("s322-d-clocks", "", 0.0, "Left out of the sum"),
            ("s311-c-ways", "8 to 15 ways", 1.0, "range"),
            ("s311-c-ways", "L1: 8", 1.0 + 1.0, "Right."),
            ("s321-c-hit-rate", "74.9 %", 1.0, "Right."),
            ("s321-c-hit-rate", "74,95", 1.0, "Right."),
            ("s321-c-hit-rate", "25.1 %", 0.0, "miss rate"),
            ("s321-c-hit-rate", "0.749", 0.5, "per cent"),
            ("s321-c-hit-rate", "749/1000", 0.0, "read by the instructor: '749/1000': it may be a fraction"),
            ("s321-c-hit-rate", "hit rate in L1: 74.9 %", 1.0, "Right."),
            (
                "s321-c-hit-rate",
                "miss rate 74.9 %",
                0.0,
                "read by the instructor: 'miss rate 74.9 %': it names",
            ),
            ("s322-b-hit-rate", "99 %", 0.0, "no records"),
            ("s2-4", "0.6 us", 1.0, "Right."),
            ("spec-comment", "It agrees.", 0.0, "read by the instructor"),
            ("spec-comment", "", 0.0, "No answer."),
        ] {
            let Mark { points: given, reason, unread, .. } = marked(id, answer);
            let reason = reason.to_string();
            assert!(given == points && reason.contains(says), "{id} '{answer}': {given}, {reason}");
            assert_eq!(unread, says.contains("read by the instructor"), "{id} '{answer}'");
            assert!(!reason.contains("32768") || answer == "32768", "{reason}");
        }
    }
}

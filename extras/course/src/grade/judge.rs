//! Compares an answer with what is right: points, and one reason. The reason never shows
//! the right answer, because students may read it before their last try.

use std::collections::BTreeMap;

use common::text::shorten;
use report::{Answer, Check, Expected, Meaning};

use super::reason::Reason;
use super::rubric::{Item, Rubric};

/// One item of one student.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mark {
    pub(super) points: f64,
    /// `None` where the item is not part of the sum: texts, and figures that cannot be
    /// computed from the student's records.
    pub(super) max_points: Option<f64>,
    /// Whether the instructor has to read the answer before it gets points.
    pub(super) unread: bool,
    pub(super) reason: Reason,
    /// The student's answer, for the instructor.
    pub(super) answer: String,
    /// The right answer, for the instructor.
    pub(super) right: Option<f64>,
    /// The instructor's, for the student.
    pub(super) comment: String,
}

/// A share of the points, none if the instructor has to read the answer; and why.
pub(super) type Judgement = (Option<f64>, Reason);

impl Mark {
    /// An answer `of` so many points.
    pub(super) fn new(of: f64, (share, reason): Judgement, answer: String) -> Mark {
        let (points, unread) = (share.unwrap_or_default() * of, share.is_none());
        Mark { points, max_points: Some(of), unread, reason, answer, right: None, comment: String::new() }
    }
}

/// Largest ratio of a range's ends that gets points: doubling sizes show no less.
const RANGE: f64 = 2.0;
/// The share of the points for such a range, which is easily guessed: a test computes what
/// guesses are worth.
const OF_RANGE: f64 = 0.25;
/// Tolerance for the ratio of a range's ends.
const ROUNDING: f64 = 1e-9;

/// The marks of all items for one student's `answers`.
pub(super) fn marks(rubric: &Rubric, answers: &BTreeMap<String, Answer>, expected: &Expected) -> Vec<Mark> {
    rubric.items.iter().map(|item| mark(item, answers.get(&item.id), expected)).collect()
}

fn mark(item: &Item, given: Option<&Answer>, expected: &Expected) -> Mark {
    let answer = given.map(Answer::to_string).unwrap_or_default().trim().to_owned();
    // As on the report's page.
    let check = match item.right.zip(item.kind) {
        Some(([low, high], kind)) => Some(Check::of(kind, (low + high) / 2.0, (high - low) / 2.0)),
        None => item.expect.and_then(|figure| expected.get(&figure)?.clone()),
    };
    let is_left_out = item.expect.is_some_and(|figure| expected.get(&figure) == Some(&None));
    let judgement = match is_left_out {
        true => (Some(0.0), Reason::ModelledTime),
        false => judged(item, given, &answer, check.as_ref()),
    };
    let max_points = (!item.by_hand() && !is_left_out).then_some(item.points);
    let right = check.map(|check| check.right);
    Mark { max_points, right, ..Mark::new(item.points, judgement, answer) }
}

fn judged(item: &Item, given: Option<&Answer>, answer: &str, check: Option<&Check>) -> Judgement {
    let shown = shorten(answer, 40);
    let Some(given) = given.filter(|_| !answer.is_empty()) else {
        return (Some(0.0), Reason::NoAnswer);
    };
    let Some(kind) = item.kind.filter(|_| !item.by_hand()) else {
        return (None, Reason::ToRead);
    };
    let Some(check) = check else {
        let figure = item.expect.map(|figure| figure.to_string()).unwrap_or_default();
        return (None, Reason::NoEvidence(figure));
    };
    match given.read(kind) {
        Meaning::Nothing => (Some(0.0), Reason::NoAnswer),
        Meaning::ToBeRead(doubt) => (None, Reason::Unclear(shown, doubt.sentence().to_owned())),
        Meaning::Value(value) => match check.judge(value) {
            report::Judgement::Right => (Some(1.0), Reason::Right),
            report::Judgement::Wrong => (Some(0.0), Reason::NotRight(shown)),
            report::Judgement::Slip(slip) => (Some(0.0), Reason::Slip(shown, slip.sentence().to_owned())),
        },
        Meaning::Range { low, below } => in_range(shown, (low, below), check),
        // No drawn machine is; one of a rubric may be.
        Meaning::FullyAssociative if item.right.is_some() => (None, Reason::ToRead),
        Meaning::FullyAssociative => (Some(0.0), Reason::NotRight(shown)),
        Meaning::NotVisible => (Some(0.0), Reason::Visible(shown)),
    }
}

/// At least `low` and below `below`.
fn in_range(shown: String, (low, below): (f64, f64), check: &Check) -> Judgement {
    if !check.kind.may_be_range() {
        return (None, Reason::ToRead);
    }
    match (check.is_in(low, below), low > 0.0 && below / low <= RANGE + ROUNDING) {
        (true, true) => (Some(OF_RANGE), Reason::RangeRight(shown)),
        (true, false) => (Some(0.0), Reason::RangeWide(shown)),
        (false, _) => (Some(0.0), Reason::RangeWrong(shown)),
    }
}

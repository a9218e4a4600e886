//! The class at a glance: figures of each item, and how many have which grade.

use common::text::shorten;

use super::grader::{Graded, decimal};
use super::judge::Mark;
use super::reason::Reason;
use super::rubric::{Item, Rubric};

/// From so many answers on, one that nobody has right is named.
const MANY: usize = 5;
/// Bars of the histogram, and the longest one in characters.
const BARS: usize = 10;
const LONGEST: usize = 40;

/// The answers to one item, of students with a grade and a submission.
struct Counts {
    answered: usize,
    right: usize,
    part: usize,
    to_read: usize,
    empty: usize,
    /// Of those who have points; 0 for an empty answer.
    mean: Option<f64>,
}

fn counted(graded: &[Graded]) -> impl Iterator<Item = &Graded> + Clone {
    graded.iter().filter(|graded| graded.refused.is_none() && graded.source.is_some())
}

impl Counts {
    fn of(place: usize, item: &Item, graded: &[Graded]) -> Counts {
        // What is left out of the sum is no answer that counts.
        let counts = |mark: &&Mark| mark.reason != Reason::ModelledTime;
        let marks = counted(graded).map(|graded| &graded.marks[place]).filter(counts);
        let number = |is: &dyn Fn(&Mark) -> bool| marks.clone().filter(|mark| is(mark)).count();
        let is_full = |mark: &Mark| mark.points >= item.points;
        let with_points: Vec<f64> =
            marks.clone().filter(|mark| !mark.unread).map(|mark| mark.points).collect();
        let empty = number(&|mark| mark.reason == Reason::NoAnswer);
        Counts {
            answered: marks.clone().count() - empty,
            right: number(&|mark| !mark.unread && is_full(mark)),
            part: number(&|mark| !mark.unread && mark.points > 0.0 && !is_full(mark)),
            to_read: number(&|mark| mark.unread),
            empty,
            mean: (!with_points.is_empty())
                .then(|| with_points.iter().sum::<f64>() / with_points.len() as f64),
        }
    }
}

/// Items that nobody has right, one sentence each.
pub(super) fn notes(rubric: &Rubric, graded: &[Graded]) -> Vec<String> {
    let note = |(place, item): (usize, &Item)| {
        let Counts { answered, right, part, to_read, .. } = Counts::of(place, item, graded);
        let judged = answered - to_read;
        let is_odd = !item.by_hand() && judged >= MANY && right + part == 0;
        is_odd.then(|| {
            format!("{}: nobody of {judged} who answered is right: check the rubric and the key", item.id)
        })
    };
    rubric.items.iter().enumerate().filter_map(note).collect()
}

/// A line for each item, and a histogram of the grades in percent.
pub(super) fn text(rubric: &Rubric, graded: &[Graded]) -> String {
    let mut text = format!(
        "{:<24} {:>8} {:>5} {:>5} {:>7} {:>5} {:>5} {:>4}\n",
        "item", "answered", "right", "part", "to read", "empty", "mean", "of"
    );
    for (place, item) in rubric.items.iter().enumerate() {
        let Counts { answered, right, part, to_read, empty, mean } = Counts::of(place, item, graded);
        let (id, of) = (shorten(&item.id, 24), decimal(item.points));
        let mean = mean.map_or("-".to_owned(), |mean| format!("{mean:.2}"));
        text += &format!(
            "{id:<24} {answered:>8} {right:>5} {part:>5} {to_read:>7} {empty:>5} {mean:>5} {of:>4}\n"
        );
    }
    text + "\n" + &histogram(graded)
}

/// How many students with a submission and a grade have which share of their points.
fn histogram(graded: &[Graded]) -> String {
    let shares = counted(graded).filter(|graded| graded.most() > 0.0);
    let shares: Vec<f64> = shares.map(|graded| graded.points() / graded.most()).collect();
    let mut bars = [0_usize; BARS];
    for share in &shares {
        // 1.0, and more by points for texts, is in the last bar.
        bars[((share * BARS as f64 + 1e-9) as usize).min(BARS - 1)] += 1;
    }
    let most = bars.iter().copied().max().unwrap_or_default().max(LONGEST);
    let mut text = "percent  students\n".to_owned();
    for (at, number) in bars.iter().enumerate() {
        let bar = "#".repeat((number * LONGEST).div_ceil(most));
        let end = if at + 1 == BARS { 100 } else { 10 * at + 9 };
        text += format!("{:>3}-{end:<3} {number:>9} {bar}", 10 * at).trim_end();
        text.push('\n');
    }
    // an empty sum is -0.0
    let mean = 100.0 * (shares.iter().sum::<f64>() + 0.0) / shares.len().max(1) as f64;
    text + &format!("students with a grade: {}, mean {mean:.0} %\n", shares.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::Expected;

    #[test]
    fn an_item_that_is_left_out_of_the_sum_is_not_one_that_nobody_has_right() {
        let (rubric, _) = Rubric::read(&[]).unwrap();
        let expected: Expected = [("mm2/mm1.clocks".parse().unwrap(), None)].into();
        let marks = super::super::judge::marks(&rubric, &[].into(), &expected);
        let graded = vec![Graded { marks, source: Some("x".to_owned()), ..Graded::default() }; MANY];
        assert_eq!(notes(&rubric, &graded), Vec::<String>::new());
        let text = text(&rubric, &graded);
        let line = text.lines().find(|line| line.starts_with("s322-d-clocks")).unwrap();
        assert_eq!(line.split_whitespace().skip(1).collect::<Vec<_>>(), ["0", "0", "0", "0", "0", "-", "1"]);
    }
}

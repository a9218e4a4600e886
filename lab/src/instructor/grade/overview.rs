//! The class as a whole: figures for each item, hints of copied answers, and one student
//! explained.

use std::collections::{BTreeMap, BTreeSet};

use common::text::{inert, shorten};

use super::Graded;
use super::rubric::{Item, Rubric};
use crate::book::markdown::escaped;
use crate::instructor::tables::Table;

/// Shortest text, in letters, for which equality of two is a hint.
const LONG_TEXT: usize = 40;
/// Fewest wrong answers in common, which few other students have, that are a hint.
const SHARED_WRONG: usize = 3;
const FEW: usize = 3;
/// With fewer students, a histogram says less than the table.
const FEW_STUDENTS: usize = 10;
/// Lines of the histogram, and characters of the longest.
const BINS: usize = 10;
const WIDTH: usize = 40;

/// Median, quartiles and a histogram, below the table.
pub(super) fn distribution(rubric: &Rubric, class: &[Graded]) -> String {
    let mut points: Vec<f64> =
        class.iter().filter(|graded| graded.refused.is_none()).map(Graded::points).collect();
    points.sort_by(f64::total_cmp);
    let (Some(last), most) = (points.len().checked_sub(1), rubric.most()) else { return String::new() };
    if last == 0 || most <= 0.0 {
        return String::new();
    }
    let at = |share: f64| {
        let place = share * last as f64;
        let (low, high) = (points[place.floor() as usize], points[place.ceil() as usize]);
        low + (high - low) * place.fract()
    };
    let [first, median, third] = [0.25, 0.5, 0.75].map(at);
    let mut bins = [0_usize; BINS];
    for points in &points {
        bins[((points / most * BINS as f64) as usize).min(BINS - 1)] += 1;
    }
    let mut lines = vec![format!("median {median:.2}, quartiles {first:.2} and {third:.2}")];
    if points.len() < FEW_STUDENTS {
        return lines.remove(0) + "\n";
    }
    let longest = bins.iter().copied().max().unwrap_or(1).max(1);
    for (bin, number) in bins.iter().enumerate() {
        let from = most * bin as f64 / BINS as f64;
        let bar = "#".repeat((number * WIDTH).div_ceil(longest));
        lines.push(format!("from {from:>6.2}: {number:>5} {bar}").trim_end().to_owned());
    }
    lines.join("\n") + "\n"
}

/// A line for each item: how many have it right, and the most frequent reason why others do
/// not.
pub(super) fn items(rubric: &Rubric, class: &[Graded]) -> String {
    let header = [
        "item",
        "label",
        "max_points",
        "mean",
        "full",
        "part",
        "none",
        "no_answer",
        "most_common_reason",
        "times",
    ];
    let row = |(place, item): (usize, &super::rubric::Item)| {
        let marks = || {
            class
                .iter()
                .filter(|graded| graded.refused.is_none())
                .filter_map(|graded| graded.marks.get(place))
        };
        let number = |which: &dyn Fn(f64, f64) -> bool| {
            marks().filter(|mark| mark.most.is_some_and(|most| which(mark.points, most))).count()
        };
        let sum: f64 = marks().map(|mark| mark.points).sum();
        let mut reasons = BTreeMap::<String, usize>::new();
        for mark in
            marks().filter(|mark| !mark.answer.is_empty() && mark.most.is_some_and(|most| mark.points < most))
        {
            // Equal reasons may quote different answers: count them without the quotation.
            let reason = mark.reason.without(&shorten(&mark.answer, 40));
            *reasons.entry(reason).or_default() += 1;
        }
        let (reason, times) = reasons.into_iter().max_by_key(|(_, times)| *times).unwrap_or_default();
        vec![
            inert(&item.id),
            inert(&item.label),
            item.points.to_string(),
            format!("{:.3}", sum / marks().count().max(1) as f64),
            number(&|points, most| points >= most).to_string(),
            number(&|points, most| points > 0.0 && points < most).to_string(),
            number(&|points, _| points <= 0.0).to_string(),
            marks().filter(|mark| mark.answer.is_empty()).count().to_string(),
            inert(&reason),
            times.to_string(),
        ]
    };
    let rows = rubric.items.iter().enumerate().map(row).collect();
    Table { header: header.map(str::to_owned).to_vec(), rows, separator: b',' }.text()
}

/// What two students have in common and others seldom have: a line for each hint.
/// Students who share one submission are not compared.
pub(super) fn likeness(rubric: &Rubric, class: &[Graded]) -> Vec<[String; 3]> {
    let mut same = BTreeMap::<(u8, String), BTreeSet<usize>>::new();
    let mut wrong = BTreeMap::<(usize, String), BTreeSet<usize>>::new();
    for (student, graded) in class.iter().enumerate() {
        for record in &graded.records {
            same.entry((0, record.clone())).or_default().insert(student);
        }
        for (place, (item, mark)) in rubric.items.iter().zip(&graded.marks).enumerate() {
            let text: String = mark.answer.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
            if item.by_hand && text.chars().count() >= LONG_TEXT {
                same.entry((1, format!("{}: {text}", item.id))).or_default().insert(student);
            }
            if !item.by_hand && !text.is_empty() && mark.points <= 0.0 {
                wrong.entry((place, text)).or_default().insert(student);
            }
        }
    }
    let mut pairs = BTreeMap::<(usize, usize), usize>::new();
    for students in wrong.values().filter(|students| students.len() <= FEW) {
        for (one, other) in pairs_of(students) {
            *pairs.entry((one, other)).or_default() += 1;
        }
    }
    let apart =
        |one: usize, other: usize| class[one].source.is_none() || class[one].source != class[other].source;
    let name = |student: usize| class[student].student.clone();
    let mut found = Vec::new();
    for ((kind, what), students) in same {
        let id = what.split(':').next().unwrap_or_default().to_owned();
        for (one, other) in
            pairs_of(&students).into_iter().filter(|(one, other)| apart(*one, *other)).take(50)
        {
            let what =
                if kind == 0 { "the same record".to_owned() } else { format!("the same text for {id}") };
            found.push([name(one), name(other), what]);
        }
    }
    for ((one, other), number) in pairs {
        if number >= SHARED_WRONG && apart(one, other) {
            found.push([name(one), name(other), format!("{number} wrong answers that few others have")]);
        }
    }
    found
}

/// All pairs if there are few students; if there are many, each with the next.
fn pairs_of(students: &BTreeSet<usize>) -> Vec<(usize, usize)> {
    let all: Vec<usize> = students.iter().copied().collect();
    if all.len() > 20 {
        return all.windows(2).map(|two| (two[0], two[1])).collect();
    }
    let behind = |(place, one): (usize, &usize)| {
        all[place + 1..].iter().map(|other| (*one, *other)).collect::<Vec<_>>()
    };
    all.iter().enumerate().flat_map(behind).collect()
}

/// The hints as a table.
pub(super) fn hints(found: &[[String; 3]]) -> String {
    let rows = found.iter().map(|hint| hint.iter().map(|cell| inert(cell)).collect()).collect();
    let header = ["student", "other", "in_common"].map(str::to_owned).to_vec();
    Table { header, rows, separator: b',' }.text()
}

/// All details of one student's grade.
pub(super) fn explained(rubric: &Rubric, graded: &Graded) -> String {
    let mut lines = vec![format!(
        "{}: {} of {} points",
        shorten(&graded.student, 60),
        graded.shown_points(),
        graded.most()
    )];
    if let Some(source) = &graded.source {
        lines.push(format!("from '{}'", shorten(source, 120)));
    }
    let refused = graded.refused.iter().map(|why| format!("No grade: {why}"));
    let notes = graded.notes.iter().map(ToString::to_string);
    lines.extend(refused.chain(notes).chain(graded.remarks.iter().cloned()));
    for (item, mark) in rubric.items.iter().zip(&graded.marks) {
        let most = mark.most.map_or("-".to_owned(), |most| most.to_string());
        let expected = mark.expected.map_or(String::new(), |value| format!("; right: {value}"));
        let answer = if mark.answer.is_empty() {
            String::new()
        } else {
            format!("; answer: '{}'", shorten(&mark.answer, 120))
        };
        lines.push(format!(
            "{}\t{}/{most}\t{}: {}{answer}{expected}",
            item.id, mark.points, item.label, mark.reason
        ));
    }
    lines.join("\n") + "\n"
}

/// A page with all texts that the instructor has to read.
pub(super) fn texts(rubric: &Rubric, class: &[Graded]) -> String {
    let mut page = String::from(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>Texts to read</title>\n<style>body { font: 16px/1.5 sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; } \
         blockquote { white-space: pre-wrap; overflow-wrap: anywhere; margin: .25rem 0 1rem; padding-left: 1rem; border-left: 3px solid #cfd5db; } \
         h3 { font-size: 1rem; margin: 1rem 0 0; }</style></head><body>\n<h1>Texts to read</h1>\n",
    );
    let unread = |place: usize, graded: &Graded| graded.marks.get(place).is_some_and(|mark| mark.unread);
    let asked =
        |(place, item): &(usize, &Item)| item.by_hand || class.iter().any(|graded| unread(*place, graded));
    for (place, item) in rubric.items.iter().enumerate().filter(asked) {
        page +=
            &format!("<h2>{} ({} of {} points)</h2>\n", escaped(&item.label), escaped(&item.id), item.points);
        for graded in class.iter().filter(|graded| item.by_hand || unread(place, graded)) {
            let Some(mark) = graded.marks.get(place).filter(|mark| !mark.answer.is_empty()) else { continue };
            let points = mark
                .most
                .filter(|_| item.read)
                .map_or(String::new(), |_| format!(" · {} points", mark.points));
            // White space stays, control characters do not.
            let text: Vec<String> = mark.answer.lines().map(|line| escaped(&shorten(line, 20_000))).collect();
            page += &format!(
                "<h3>{}{points}</h3>\n<blockquote>{}</blockquote>\n",
                escaped(&shorten(&graded.student, 100)),
                text.join("\n")
            );
        }
    }
    page + "</body></html>\n"
}

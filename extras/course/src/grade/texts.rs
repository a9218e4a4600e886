//! `texts.csv`: what only a person can judge, a row for each text; points and comments that
//! the instructor writes into it are read when the class is graded again.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use common::failure::Failure;
use common::text::shorten;

use super::class::Class;
use super::grader::{Graded, decimal};
use super::note::Note;
use super::reason::Reason;
use super::rubric::{Item, Rubric};
use super::wording::plain;
use crate::tables::{Table, cell, csv, plain as plain_cell};

pub(super) const TEXTS: &str = "texts.csv";

/// What the instructor wrote into one row.
#[derive(Debug, Clone)]
struct Given {
    points: Option<f64>,
    comment: String,
    /// The text that it was written for; empty for a row that the instructor added.
    text: String,
}

/// What the instructor wrote into the file.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// By student and item.
    given: HashMap<(usize, usize), Given>,
    notes: Vec<Note>,
}

/// A number with a decimal dot or comma.
pub(super) fn number(cell: &str) -> Option<f64> {
    cell.trim().replace(',', ".").parse().ok().filter(|number: &f64| number.is_finite())
}

/// Whether two numbers of points are equal after rounding to two decimals.
pub(super) fn equal(one: f64, other: f64) -> bool {
    (one - other).abs() < 0.0051
}

/// A text as spreadsheets may change it: `74.90 %` to `74.9%`.
fn as_kept(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    let (value, unit) = text.strip_suffix('%').map_or((text.as_str(), ""), |value| (value, "%"));
    number(value).map_or(text.clone(), |value| format!("{value}{unit}"))
}

impl Texts {
    /// Reads the file, if it is there.
    /// Fails if it lacks a column, or a row with points has no item, or points that the item
    /// does not have.
    pub(super) fn read(path: &Path, class: &Class, rubric: &Rubric) -> Result<Texts, Failure> {
        if !path.is_file() {
            return Ok(Texts::default());
        }
        Table::read_with(path, |table| Texts::of(&table, class, rubric)).map_err(|why| {
            Failure::usage(format!(
                "{why}; it would be replaced, and points may be in it: correct or move it"
            ))
        })
    }

    fn of(table: &Table, class: &Class, rubric: &Rubric) -> Result<Texts, String> {
        let place = |name: &str| table.needed(&[name], "");
        let columns = [place("item")?, place("text")?, place("points")?, place("comment")?];
        let [item, text, points, comment] = columns;
        let (of, equals) = (table.column(&["of"])?, table.column(&["equal"])?);
        let own: Vec<usize> = columns.into_iter().chain(of).chain(equals).collect();
        let join = class.join(&table.header, &own)?;
        let (mut given, mut lines) = (HashMap::new(), HashMap::new());
        let mut other_maximum = BTreeSet::new();
        for row in &table.rows {
            let written = [row.cell(points), row.cell(comment)];
            if written == ["", ""] {
                continue;
            }
            let refused = |why: String| format!("line {}: {why}", row.line);
            let id = row.cell(item);
            let place = rubric.items.iter().position(|item| item.id == id).ok_or_else(|| {
                let why = "is no item with points; correct it, or give the --assignment that has it";
                refused(format!("'{}' {why}", shorten(id, 60)))
            })?;
            let max = rubric.items[place].points;
            let points = (!written[0].is_empty()).then(|| read_points(written[0], max)).transpose();
            let points = points.map_err(|why| refused(format!("{why} for {id}")))?;
            let student = join.student(&row.cells).and_then(|student| {
                student.ok_or_else(|| {
                    let name = join.shown(&row.cells);
                    format!("'{name}' is not in the roster; if a spreadsheet has changed the number, import that column as text")
                })
            });
            let student = student.map_err(&refused)?;
            if let Some(first) = lines.insert((student, place), row.line) {
                return Err(refused(format!("line {first} is of the same student and item; leave one")));
            }
            if of.and_then(|at| number(row.cell(at))).is_some_and(|of| !equal(of, max)) {
                other_maximum.insert(format!("{id} (now {max})"));
            }
            let text = row.cells.get(text).cloned().unwrap_or_default();
            given
                .insert((student, place), Given { points, comment: plain_cell(written[1]).to_owned(), text });
        }
        let what = format!("{TEXTS}: points were given when the item had others");
        let notes = Vec::from_iter(Note::about(what, other_maximum));
        Ok(Texts { given, notes })
    }

    /// Applies points and comments, unless the text is another than when they were given. An
    /// item of texts counts for all as soon as one student has points for it.
    pub(super) fn give(&self, graded: &mut [Graded], rubric: &Rubric, class: &Class) -> Vec<Note> {
        let mut notes = self.notes.clone();
        let has_points = |student: usize, place: usize| {
            self.given.get(&(student, place)).is_some_and(|given| given.points.is_some())
        };
        for (student, graded) in graded.iter_mut().enumerate().filter(|(_, graded)| graded.unreadable) {
            let items = || rubric.items.iter().enumerate();
            if items().any(|(place, _)| has_points(student, place)) {
                // The instructor reads what the program cannot, all of it: no other item is a 0.
                let is_needed = |(place, item): &(usize, &Item)| {
                    let counts =
                        !item.by_hand() || (0..class.names.len()).any(|other| has_points(other, *place));
                    counts && !has_points(student, *place)
                };
                let empty: Vec<&str> = items().filter(is_needed).map(|(_, item)| item.id.as_str()).collect();
                graded.refused = (!empty.is_empty()).then(|| {
                    format!("only a person can read it, and these have no points yet: {}; give 0 where nothing is right", empty.join(", "))
                });
            }
        }
        let (mut waiting, mut changed) = (0, Vec::new());
        for (place, item) in rubric.items.iter().enumerate() {
            let counts = item.by_hand() && (0..graded.len()).any(|student| has_points(student, place));
            for (student, graded) in graded.iter_mut().enumerate() {
                let text = text(graded, place);
                let mark = &mut graded.marks[place];
                if counts {
                    mark.max_points = Some(item.points);
                }
                if let Some(given) = self.given.get(&(student, place)) {
                    if !given.text.is_empty() && as_kept(&given.text) != as_kept(&cell(&text)) {
                        changed.push(format!("{} ({})", class.shown(student), item.id));
                    } else {
                        mark.comment.clone_from(&given.comment);
                        if let Some(points) = given.points {
                            (mark.points, mark.max_points) = (points, Some(item.points));
                            (mark.unread, mark.reason) = (false, Reason::GivenByInstructor);
                        }
                    }
                }
                waiting += usize::from(mark.unread && !text.is_empty());
            }
        }
        let what = format!("{TEXTS}: points for another text are not used; give them again");
        notes.extend(Note::about(what, changed));
        let is_open = |(_, graded): &(usize, &Graded)| graded.marks.iter().any(|mark| mark.unread);
        let open = graded.iter().enumerate().filter(is_open).map(|(student, _)| class.shown(student));
        let what =
            format!("texts and values without points: {waiting}; write points into {TEXTS}. They are of");
        notes.extend(Note::about(what, open));
        notes
    }

    /// The file: by item and text, so that equal ones are next to each other, with their number.
    pub(super) fn table(&self, graded: &[Graded], rubric: &Rubric, class: &Class) -> Option<String> {
        let mut rows = Vec::new();
        for (place, item) in rubric.items.iter().enumerate() {
            let mut texts: Vec<(String, usize, String)> = Vec::new();
            for (student, of_student) in graded.iter().enumerate() {
                let (text, mark) = (text(of_student, place), &of_student.marks[place]);
                let is_by_hand = mark.unread || mark.reason == Reason::GivenByInstructor;
                if of_student.unreadable
                    || is_by_hand
                    || !text.is_empty() && item.by_hand()
                    || !mark.comment.is_empty()
                {
                    texts.push((plain(&text), student, text));
                }
            }
            texts.sort();
            let mut same = BTreeMap::<String, usize>::new();
            texts.iter().for_each(|(plain, ..)| *same.entry(plain.clone()).or_default() += 1);
            for (plain, student, text) in texts {
                let mark = &graded[student].marks[place];
                let points = (mark.reason == Reason::GivenByInstructor).then(|| decimal(mark.points));
                let number = same[&plain];
                let is_equal = number > 1 && !plain.is_empty() && !graded[student].unreadable;
                rows.push(vec![
                    item.id.clone(),
                    class.names[student].clone(),
                    text,
                    if is_equal { number.to_string() } else { String::new() },
                    points.unwrap_or_default(),
                    decimal(item.points),
                    mark.comment.clone(),
                ]);
            }
        }
        let header = ["item", class.header(), "text", "equal", "points", "of", "comment"];
        let header = header.map(str::to_owned).to_vec();
        (!rows.is_empty()).then(|| csv(std::iter::once(header).chain(rows)))
    }
}

/// What the instructor reads: the answer, or that the submission cannot be read.
fn text(graded: &Graded, place: usize) -> String {
    match (&graded.source, graded.unreadable) {
        (Some(source), true) => format!("(see {source})"),
        _ => graded.marks[place].answer.clone(),
    }
}

fn read_points(cell: &str, most: f64) -> Result<f64, String> {
    let points = number(cell).filter(|points| (0.0..=most).contains(points));
    points.ok_or_else(|| format!("'{}' is not a number of points from 0 to {most}", shorten(cell, 20)))
}

//! `texts.csv`: what only a person can judge, a row for each text; points and comments that
//! the instructor writes into it are read when the class is graded again.

use std::collections::HashMap;
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

/// What the instructor wrote into the file, by student and item.
#[derive(Debug, Default)]
pub(super) struct Texts(HashMap<(usize, usize), Given>);

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
        let own = [place("item")?, place("text")?, place("points")?, place("comment")?];
        let [item, text, points, comment] = own;
        let others = [table.column(&["of"])?, table.column(&["equal"])?];
        let own: Vec<usize> = own.into_iter().chain(others.into_iter().flatten()).collect();
        let join = class.join(&table.header, &own)?;
        let (mut given, mut lines) = (HashMap::new(), HashMap::new());
        for row in table.rows.iter().filter(|row| [row.cell(points), row.cell(comment)] != ["", ""]) {
            let refused = |why: String| format!("line {}: {why}", row.line);
            let id = row.cell(item);
            let place = rubric.items.iter().position(|item| item.id == id).ok_or_else(|| {
                let why = "is no item with points; correct it, or give the --assignment that has it";
                refused(format!("'{}' {why}", shorten(id, 60)))
            })?;
            let student = join.student(&row.cells).map_err(refused)?.ok_or_else(|| {
                let name = join.shown(&row.cells);
                refused(format!("'{name}' is not in the roster; if a spreadsheet has changed the number, import that column as text"))
            })?;
            if let Some(first) = lines.insert((student, place), row.line) {
                return Err(refused(format!("line {first} is of the same student and item; leave one")));
            }
            let (cell, most) = (row.cell(points), rubric.items[place].points);
            let points = number(cell).filter(|points| (0.0..=most).contains(points));
            if points.is_none() && !cell.is_empty() {
                let cell = shorten(cell, 20);
                let why = format!("'{cell}' is not a number of points from 0 to {most} for {id}");
                return Err(refused(why));
            }
            let (comment, text) = (plain_cell(row.cell(comment)).to_owned(), row.cells[text].clone());
            given.insert((student, place), Given { points, comment, text });
        }
        Ok(Texts(given))
    }

    fn has_points(&self, student: usize, place: usize) -> bool {
        self.0.get(&(student, place)).is_some_and(|given| given.points.is_some())
    }

    /// Applies points and comments, unless the text is another than when they were given. An
    /// item of texts counts for all as soon as one student has points for it.
    pub(super) fn give(&self, graded: &mut [Graded], rubric: &Rubric, class: &Class) -> Vec<Note> {
        let counts = |(place, item): &(usize, &Item)| {
            !item.by_hand() || (0..class.names.len()).any(|student| self.has_points(student, *place))
        };
        let counting: Vec<_> = rubric.items.iter().enumerate().filter(counts).collect();
        for (student, graded) in graded.iter_mut().enumerate().filter(|(_, graded)| graded.unreadable) {
            // The instructor reads what the program cannot, all of it: no other item is a 0.
            let open = counting.iter().filter(|(place, _)| !self.has_points(student, *place));
            let open: Vec<&str> = open.map(|(_, item)| item.id.as_str()).collect();
            if open.len() < counting.len() {
                graded.refused = (!open.is_empty()).then(|| {
                    format!("only a person can read it, and these have no points yet: {}; give 0 where nothing is right", open.join(", "))
                });
            }
        }
        let (mut waiting, mut changed) = (0, Vec::new());
        for (place, item) in rubric.items.iter().enumerate() {
            let counts = item.by_hand() && (0..graded.len()).any(|student| self.has_points(student, place));
            for (student, graded) in graded.iter_mut().enumerate() {
                let text = text(graded, place);
                let mark = &mut graded.marks[place];
                if counts {
                    mark.max_points = Some(item.points);
                }
                let is_same =
                    |given: &&Given| given.text.is_empty() || as_kept(&given.text) == as_kept(&cell(&text));
                let given = self.0.get(&(student, place));
                if let Some(given) = given.filter(is_same) {
                    mark.comment.clone_from(&given.comment);
                    if let Some(points) = given.points {
                        (mark.points, mark.max_points) = (points, Some(item.points));
                        (mark.unread, mark.reason) = (false, Reason::GivenByInstructor);
                    }
                } else if given.is_some() {
                    changed.push(format!("{} ({})", class.shown(student), item.id));
                }
                waiting += usize::from(mark.unread && !text.is_empty());
            }
        }
        let what = format!("{TEXTS}: points for another text are not used; give them again");
        let is_open = |(_, graded): &(usize, &Graded)| graded.marks.iter().any(|mark| mark.unread);
        let open = graded.iter().enumerate().filter(is_open).map(|(student, _)| class.shown(student));
        let waiting =
            format!("texts and values without points: {waiting}; write points into {TEXTS}. They are of");
        [Note::about(what, changed), Note::about(waiting, open)].into_iter().flatten().collect()
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
            for (plain, student, text) in &texts {
                let mark = &graded[*student].marks[place];
                let points = (mark.reason == Reason::GivenByInstructor).then(|| decimal(mark.points));
                let number = texts.iter().filter(|(other, ..)| other == plain).count();
                let is_equal = number > 1 && !plain.is_empty() && !graded[*student].unreadable;
                rows.push(vec![
                    item.id.clone(),
                    class.names[*student].clone(),
                    text.clone(),
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

//! `texts.csv`: what only a person can judge, a row for each text; points and comments that
//! the instructor writes into it are read when the class is graded again.

use std::collections::HashMap;
use std::path::Path;

use common::failure::Failure;
use common::text::{inert, shorten};
use report::escaped;

use super::grader::{Graded, decimal};
use super::note::Note;
use super::reason::Reason;
use super::rubric::{Rubric, plain};
use crate::class::{Class, only};
use crate::tables::{Table, cell, columns, csv, plain as plain_cell};

pub(super) const TEXTS: &str = "texts.csv";
/// Its columns, but for the student's.
const HEADER: [&str; 6] = ["item", "text", "equal", "points", "of", "comment"];
/// The same texts to read on a page.
pub(super) const PAGE: &str = "texts.html";

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
        let (item, text) = (place("item")?, place("text")?);
        let (points, comment) = (place("points")?, place("comment")?);
        let own: Vec<usize> = columns(&table.header, &HEADER).collect();
        let join = class.join(&table.header, &own)?;
        let (mut given, mut lines) = (HashMap::new(), HashMap::new());
        for row in table.rows.iter().filter(|row| [row.cell(points), row.cell(comment)] != ["", ""]) {
            let refused = |why: String| format!("line {}: {why}", row.line);
            let id = row.cell(item);
            let place = rubric.items.iter().position(|item| item.id == id).ok_or_else(|| {
                let why = "is no item with points; correct it, or give the --assignment that has it";
                refused(format!("'{}' {why}", shorten(id, 60)))
            })?;
            let student = only(&join.students(row)).ok_or_else(|| {
                let name = join.shown(row);
                refused(format!("'{name}' means no student or several, by the columns that the roster has too; if a spreadsheet has changed the number, import that column as text"))
            })?;
            if let Some(first) = lines.insert((student, place), row.line) {
                return Err(refused(format!("line {first} is of the same student and item; leave one")));
            }
            let (cell, most) = (row.cell(points), rubric.items[place].points);
            let points = number(cell).filter(|points| (0.0..=most).contains(points));
            if points.is_none() && !cell.is_empty() {
                let cell = shorten(cell, 20);
                return Err(refused(format!("'{cell}' is not a number of points from 0 to {most} for {id}")));
            }
            let (comment, text) = (plain_cell(row.cell(comment)).to_owned(), row.cells[text].clone());
            given.insert((student, place), Given { points, comment, text });
        }
        Ok(Texts(given))
    }

    /// Applies points and comments, unless the text is another than when they were given. An
    /// item of texts counts for all as soon as one student has points for it.
    pub(super) fn give(&self, graded: &mut [Graded], rubric: &Rubric, class: &Class) -> Vec<Note> {
        let (mut waiting, mut changed) = (0, Vec::new());
        for (place, item) in rubric.items.iter().enumerate() {
            let mut given = self.0.iter().filter(|((_, of), given)| *of == place && given.points.is_some());
            let is_counted = item.by_hand() && given.next().is_some();
            for (student, graded) in graded.iter_mut().enumerate() {
                let mark = &mut graded.marks[place];
                if is_counted {
                    mark.max_points = Some(item.points);
                }
                let text = cell(&mark.answer);
                let is_same =
                    |given: &&Given| given.text.is_empty() || as_kept(&given.text) == as_kept(&text);
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
                waiting += usize::from(mark.unread && !mark.answer.is_empty());
            }
        }
        // The instructor reads what the program cannot, all of it: no other item is a 0.
        for graded in graded.iter_mut().filter(|graded| graded.unreadable) {
            let marks =
                || rubric.items.iter().zip(&graded.marks).filter(|(_, mark)| mark.max_points.is_some());
            let open: Vec<&str> =
                marks().filter(|(_, mark)| mark.unread).map(|(item, _)| &*item.id).collect();
            if open.len() < marks().count() {
                graded.refused = (!open.is_empty()).then(|| {
                    format!("only a person can read it, and these have no points yet: {}; give 0 where nothing is right", open.join(", "))
                });
            }
        }
        let what = format!("{TEXTS}: points for another text are not used; give them again");
        let is_open = |(_, graded): &(usize, &Graded)| graded.marks.iter().any(|mark| mark.unread);
        let open = graded.iter().enumerate().filter(is_open).map(|(student, _)| class.shown(student));
        let waiting =
            format!("texts and values without points: {waiting}; write points into {TEXTS}. They are of");
        [Note::about(what, changed), Note::about(waiting, open)].into_iter().flatten().collect()
    }
}

/// The table and its page: by item and text, so that equal texts are next to each other, with
/// their number; nothing if there are none.
pub(super) fn files(graded: &[Graded], rubric: &Rubric, class: &Class) -> Vec<(&'static str, String)> {
    let header = ["item", class.header(), "text", "equal", "points", "of", "comment"];
    let (mut rows, mut page) = (vec![header.map(str::to_owned).to_vec()], HEAD.to_owned());
    for (place, item) in rubric.items.iter().enumerate() {
        let mut texts: Vec<(String, usize, &String)> = Vec::new();
        for (student, of_student) in graded.iter().enumerate() {
            let mark = &of_student.marks[place];
            let is_by_hand = mark.unread || mark.reason == Reason::GivenByInstructor;
            if is_by_hand || !mark.comment.is_empty() || !mark.answer.is_empty() && item.by_hand() {
                texts.push((plain(&mark.answer), student, &mark.answer));
            }
        }
        texts.sort();
        if !texts.is_empty() {
            let (label, id) = (escaped(&item.label), escaped(&item.id));
            page += &format!("<h2>{label} ({id} of {} points)</h2>\n", item.points);
        }
        for (plain, student, text) in &texts {
            let (mark, name) = (&graded[*student].marks[place], &class.names[*student]);
            let is_given = mark.reason == Reason::GivenByInstructor;
            let points = if is_given { decimal(mark.points) } else { String::new() };
            let number = texts.iter().filter(|(other, ..)| other == plain).count();
            let is_equal = number > 1 && !plain.is_empty();
            let equal = if is_equal { number.to_string() } else { String::new() };
            let lines: Vec<String> = text.lines().map(|line| escaped(&shorten(line, 20_000))).collect();
            let (shown, lines) = (escaped(&shorten(&inert(name), 100)), lines.join("\n"));
            let given = if points.is_empty() { String::new() } else { format!(" · {points} points") };
            page += &format!("<h3>{shown}{given}</h3>\n<blockquote>{lines}</blockquote>\n");
            let of = decimal(item.points);
            rows.push(vec![
                item.id.clone(),
                name.clone(),
                (*text).clone(),
                equal,
                points,
                of,
                mark.comment.clone(),
            ]);
        }
    }
    if rows.len() < 2 { Vec::new() } else { vec![(TEXTS, csv(rows)), (PAGE, page + "</body></html>\n")] }
}

const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
    <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
    <title>Texts to read</title>\n<style>body { font: 16px/1.5 sans-serif; max-width: 50rem; margin: 2rem auto; } \
    blockquote { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 3px solid #cfd5db; padding-left: 1rem; }\
    </style></head><body>\n<h1>Texts to read</h1>\n";

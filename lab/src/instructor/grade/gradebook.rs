//! Points that the instructor has given: read from a file, and used when the class is
//! graded again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::input;
use common::text::{inert, shorten};

use super::Graded;
use super::identity::{Class, Named};
use super::judge::NUMBER_TO_BE_READ;
use super::rubric::Rubric;
use super::sentence::say;
use crate::instructor::names;
use crate::instructor::tables::Table;

/// The reason printed for points that the instructor has given.
const GIVEN: &str = "Points given by the instructor.";

/// Points of one student for one item.
#[derive(Debug, Clone, PartialEq)]
struct Given {
    points: f64,
    /// The student's answer at that time, as `grades.csv` writes it.
    answer: Option<String>,
}

/// Points that were given, by student and item.
#[derive(Debug, Default)]
pub(super) struct Gradebook {
    given: HashMap<(usize, usize), Given>,
    /// Points that the program computed, as far as a table has them.
    computed: HashMap<(usize, usize), Given>,
    /// Whether the earlier table of grades has points that the instructor gave.
    pub(super) earlier: bool,
    /// Entries of files that cannot be used, one sentence each.
    pub(super) notes: Vec<String>,
}

impl Gradebook {
    /// The points in the `earlier` table of grades and in `files`; the files take
    /// precedence.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or has points that an item does not have.
    pub(super) fn read(
        files: &[PathBuf],
        earlier: Option<&Path>,
        class: &Class,
        rubric: &Rubric,
    ) -> Result<Gradebook, Failure> {
        let mut book = Gradebook::default();
        if let Some(path) = earlier.filter(|path| path.is_file()) {
            let name = input::name(path);
            let known = Table::read(path).map_err(|why| why.to_string());
            known.and_then(|table| book.add(&table, class, rubric, true)).map_err(|why| {
                Failure::usage(format!("{name} would be replaced, and points may be in it: {why}; move it"))
            })?;
            book.earlier = !book.given.is_empty() || !book.notes.is_empty();
        }
        for path in files {
            let (name, table) = (input::name(path), Table::read(path)?);
            book.add(&table, class, rubric, false).map_err(|why| Failure::usage(format!("{name}: {why}")))?;
        }
        Ok(book)
    }

    fn add(&mut self, table: &Table, class: &Class, rubric: &Rubric, earlier: bool) -> Result<(), String> {
        // Only a table of grades has this column. Most of its points were computed; in
        // other files all were given.
        let of_program = table.column("max_points").is_some();
        let column = |place: usize| {
            let id = &rubric.items[place].id;
            table.column(&format!("{id}_points")).or_else(|| table.column(id))
        };
        let of_item = |at: usize| (0..rubric.items.len()).any(|place| column(place) == Some(at));
        let student = table.column("student").map_or_else(|| class.column(table, of_item), Ok)?;
        // Points were given by hand if the item is graded by hand, or if the reason says
        // so.
        let by_somebody = |place: usize, row: &[String]| {
            let item = &rubric.items[place];
            let reason = table.column(&format!("{}_reason", item.id)).and_then(|at| row.get(at));
            let given = |reason: &String| {
                reason == GIVEN || NUMBER_TO_BE_READ.iter().any(|start| reason.starts_with(start))
            };
            item.by_hand || !of_program || reason.is_some_and(given)
        };
        let columns: Vec<(usize, usize)> =
            (0..rubric.items.len()).filter_map(|place| Some((place, column(place)?))).collect();
        if columns.is_empty() && !earlier {
            let ids: Vec<&str> =
                rubric.items.iter().filter(|item| item.by_hand).map(|item| item.id.as_str()).collect();
            return Err(format!("it has no column of points; call one as an item: {}", ids.join(", ")));
        }
        let mut seen = HashMap::new();
        for (line, row) in (2..).zip(&table.rows) {
            let cell = |at: usize| row.get(at).map_or("", |cell| cell.trim());
            let name = shorten(cell(student), 60);
            let filled = |(place, at): &&(usize, usize)| !cell(*at).is_empty() && by_somebody(*place, row);
            let owner = match class.named(plain(cell(student))) {
                Named::One { student, .. } => student,
                _ if columns.iter().any(|column| filled(&column)) => {
                    self.notes
                        .push(format!("points are given to '{name}', who is not one student of the class"));
                    continue;
                }
                _ => continue,
            };
            if let Some(first) = seen.insert(owner, line) {
                return Err(format!("'{name}' is in rows {first} and {line}; leave one"));
            }
            let answered = |place: usize| {
                let column = format!("{}_answer", rubric.items[place].id);
                // empty for a student who had no grade at that time
                table.column(&column).and_then(|at| row.get(at)).filter(|answer| !answer.is_empty()).cloned()
            };
            for (place, at) in columns.iter().filter(|column| !filled(column)) {
                if let Ok(points) = cell(*at).replace(',', ".").parse() {
                    self.computed.insert((owner, *place), Given { points, answer: answered(*place) });
                }
            }
            for (place, at) in columns.iter().filter(filled) {
                let item = &rubric.items[*place];
                let number: Option<f64> = cell(*at).replace(',', ".").parse().ok();
                let most = item.points;
                let points = number.filter(|points| (0.0..=most).contains(points)).ok_or_else(|| {
                    format!(
                        "row {line}, '{name}': '{}' is not a number of points from 0 to {most} for {}",
                        shorten(cell(*at), 20),
                        item.id
                    )
                })?;
                self.given.insert((owner, *place), Given { points, answer: answered(*place) });
            }
        }
        Ok(())
    }

    /// Applies the points. If a number's answer has changed since, the program's points
    /// count. An item that is graded by hand counts for all as soon as one student has
    /// points for it.
    pub(super) fn give(&self, class: &mut [Graded], rubric: &mut Rubric) -> Vec<String> {
        let mut notes = self.notes.clone();
        for (place, item) in rubric.items.iter_mut().enumerate() {
            item.read = item.by_hand && self.given.keys().any(|(_, of_item)| *of_item == place);
            let (mut unread, mut changed, mut edited) = (Vec::new(), Vec::new(), Vec::new());
            for (student, graded) in class.iter_mut().enumerate() {
                let Some(mark) = graded.marks.get_mut(place) else { continue };
                if item.read {
                    mark.most = Some(item.points);
                }
                let name = shorten(&graded.student, 60);
                let refused = graded.refused.is_some();
                let answered = |given: &Given| {
                    refused || given.answer.as_ref().is_none_or(|answer| *answer == inert(&mark.answer))
                };
                let computed = self.computed.get(&(student, place)).filter(|given| answered(given));
                if computed.is_some_and(|computed| (computed.points - mark.points).abs() > 0.005) {
                    edited.push(name.clone());
                }
                // A changed number gets the program's points; the instructor must see
                // whether a text changed much.
                let other = |given: &&Given| !answered(given) && (!item.by_hand || mark.answer.is_empty());
                let given = self.given.get(&(student, place));
                if let Some(given) = given.filter(|given| !answered(given)) {
                    let used = if other(&given) { "are not used" } else { "are used" };
                    graded.remarks.push(format!(
                        "{} has another answer than when its points were given; the {} points {used}: read it again.",
                        item.id, given.points
                    ));
                    changed.push(name.clone());
                }
                match given.filter(|given| !other(given)) {
                    Some(given) => {
                        graded.given.insert(place);
                        mark.points = given.points;
                        mark.most = Some(item.points);
                        mark.unread = false;
                        mark.reason = say!("Points given by the instructor.");
                    }
                    None if item.read && !mark.answer.is_empty() && graded.refused.is_none() => {
                        mark.reason = say!("Not read yet.");
                        unread.push(name);
                    }
                    None => {}
                }
            }
            let what = [
                (unread, "not read yet, and so without points"),
                (changed, "the answer is another than when points were given by hand: read it again"),
                (
                    edited,
                    "the points in the earlier table are not those of this run and are not used; to give points by hand, use a table of your own (--points)",
                ),
            ];
            for (names, what) in what.iter().filter(|(names, _)| !names.is_empty()) {
                notes.push(format!("{}: {what}: {}", item.id, super::class::listed(names, class.len())));
            }
        }
        notes
    }
}

/// A name without the apostrophe that makes spreadsheets take it as text.
fn plain(cell: &str) -> &str {
    let name = cell.strip_prefix('\'').unwrap_or(cell);
    if names::normalised(name).is_ok() && inert(name) == cell { name } else { cell }
}

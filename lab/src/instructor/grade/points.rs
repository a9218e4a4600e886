//! Points that the instructor has given: read from tables, and used when the class is
//! graded again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::text::{inert, shorten};

use super::class::{Class, note};
use super::grader::Graded;
use super::reason::Reason;
use super::rubric::{Item, Rubric};
use crate::instructor::tables::Table;

/// Points of one student for one item.
#[derive(Debug, Clone, PartialEq)]
struct Given {
    points: f64,
    /// The student's answer at that time, if the table has it.
    answer: Option<String>,
}

/// The columns of an item in a table of points.
struct Column<'r> {
    /// Its index among the items.
    place: usize,
    item: &'r Item,
    points: usize,
    /// The program's points.
    computed: Option<usize>,
    answer: Option<usize>,
}

/// Points that were given, and the sums of an earlier run.
#[derive(Debug, Default)]
pub(super) struct Points {
    given: HashMap<(usize, usize), Given>,
    sums: HashMap<usize, f64>,
    /// Rows that name nobody, one sentence each.
    notes: Vec<String>,
}

/// A number with a decimal dot or comma.
pub(super) fn number(cell: &str) -> Option<f64> {
    cell.trim().replace(',', ".").parse().ok().filter(|number: &f64| number.is_finite())
}

/// Whether two numbers of points are equal after rounding to two decimals.
pub(super) fn equal(one: f64, other: f64) -> bool {
    (one - other).abs() < 0.0051
}

impl Points {
    /// The points in the `earlier` table of grades and in `files`, which take precedence. In
    /// a table of grades, points are given where they differ from the computed ones.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, has no points or students, or has points that an item does
    /// not have.
    pub(super) fn read(
        files: &[PathBuf],
        earlier: Option<&Path>,
        class: &Class,
        rubric: &Rubric,
    ) -> Result<Points, Failure> {
        let mut points = Points::default();
        if let Some(path) = earlier.filter(|path| path.is_file()) {
            Table::read_with(path, |table| points.add(table, class, rubric)).map_err(|why| {
                Failure::usage(format!("{why}; it would be replaced, and points may be in it: move it"))
            })?;
        }
        for path in files {
            Table::read_with(path, |table| points.add(table, class, rubric))?;
        }
        Ok(points)
    }

    fn add(&mut self, table: &Table, class: &Class, rubric: &Rubric) -> Result<(), String> {
        let with = |item: &Item, what: &str| table.column(&[&format!("{}_{what}", item.id)]);
        let mut columns: Vec<Column> = Vec::new();
        for (place, item) in rubric.items.iter().enumerate() {
            let points = table.column(&[&format!("{}_points", item.id), &item.id])?;
            let (computed, answer) = (with(item, "computed")?, with(item, "answer")?);
            columns.extend(points.map(|points| Column { place, item, points, computed, answer }));
        }
        if columns.is_empty() {
            let ids: Vec<&str> =
                rubric.items.iter().filter(|item| item.by_hand).map(|item| item.id.as_str()).collect();
            return Err(format!("it has no column of points; call one as an item: {}", ids.join(", ")));
        }
        let own: Vec<usize> = columns.iter().map(|column| column.points).collect();
        let join = class.join(&table.header, &own)?;
        let sum = table.column(&["max_points"])?.and(table.column(&["points"])?);
        let mut seen = HashMap::new();
        for row in &table.rows {
            let (line, name) = (row.line, join.shown(&row.cells));
            let is_given = |column: &&Column| {
                let cell = row.cell(column.points);
                let computed = column.computed.and_then(|at| number(row.cell(at)));
                let same = computed.zip(number(cell)).is_some_and(|(one, other)| equal(one, other));
                !cell.is_empty() && !same
            };
            let mut given = columns.iter().filter(is_given).peekable();
            let Some(student) = join.student(&row.cells)? else {
                if given.peek().is_some() {
                    self.notes.push(format!("points are given to '{name}', who is not in the roster"));
                }
                continue;
            };
            if let Some(first) = seen.insert(student, line) {
                return Err(format!("'{name}' is in lines {first} and {line}; leave one"));
            }
            let earlier = sum.and_then(|at| number(row.cell(at)));
            self.sums.extend(earlier.map(|earlier| (student, earlier)));
            for Column { place, item, points, answer, .. } in given {
                let cell = row.cell(*points);
                let points = number(cell).filter(|points| (0.0..=item.points).contains(points));
                let points = points.ok_or_else(|| {
                    format!(
                        "line {line}, '{name}': '{}' is not a number of points from 0 to {} for {}",
                        shorten(cell, 20),
                        item.points,
                        item.id
                    )
                })?;
                let answer = answer.and_then(|at| row.cells.get(at)).cloned();
                self.given.insert((student, *place), Given { points, answer });
            }
        }
        Ok(())
    }

    /// Applies the points, unless the answer is another than when they were given. An item
    /// that is graded by hand counts for all as soon as one student has points for it.
    pub(super) fn give(&self, graded: &mut [Graded], rubric: &mut Rubric, class: &Class) -> Vec<String> {
        let mut notes = self.notes.clone();
        for (student, _) in self.given.keys() {
            // The instructor has read what the program cannot.
            let unreadable = graded[*student].unreadable;
            graded[*student].refused.take_if(|_| unreadable);
        }
        for (place, item) in rubric.items.iter_mut().enumerate() {
            item.read = item.by_hand && self.given.keys().any(|(_, of_item)| *of_item == place);
            let (mut unread, mut changed) = (Vec::new(), Vec::new());
            for (student, graded) in graded.iter_mut().enumerate() {
                let name = &class.names[student];
                let mark = &mut graded.marks[place];
                if item.read {
                    mark.most = Some(item.points);
                }
                match self.given.get(&(student, place)) {
                    Some(given)
                        if given.answer.as_ref().is_none_or(|answer| *answer == inert(&mark.answer)) =>
                    {
                        (mark.points, mark.most) = (given.points, Some(item.points));
                        (mark.unread, mark.reason) = (false, Reason::GivenByInstructor);
                    }
                    Some(_) => changed.push(name.clone()),
                    None if item.read && mark.unread && graded.refused.is_none() => unread.push(name.clone()),
                    None => {}
                }
            }
            let id = &item.id;
            notes.extend(note(&format!("{id}: not read yet, and so without points"), &unread, graded.len()));
            let what =
                "points given by hand are not used, because the answer is another now; give them again";
            notes.extend(note(&format!("{id}: {what}"), &changed, graded.len()));
        }
        notes
    }

    /// The students whose sum is another than in the earlier table.
    pub(super) fn changed(&self, graded: &[Graded], class: &Class) -> Option<String> {
        let change = |student: &usize| {
            let (now, before) = (graded[*student].points(), *self.sums.get(student)?);
            let change = || format!("{} ({before} to {now:.2})", class.names[*student]);
            (!equal(now, before) && graded[*student].refused.is_none()).then(change)
        };
        let changes: Vec<String> = (0..graded.len()).filter_map(|student| change(&student)).collect();
        note("other points than in the earlier grades.csv", &changes, graded.len())
    }
}

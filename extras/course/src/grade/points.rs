//! Points that the instructor has written into `grades.csv`: used when the class is graded
//! again.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use common::failure::Failure;
use common::text::{inert, shorten};

use super::class::Class;
use super::grader::Graded;
use super::output::{COLUMNS, OF_ITEM};
use super::reason::Reason;
use super::rubric::{Item, Rubric};
use crate::tables::Table;

/// Points that were given, and the sums of the earlier run.
#[derive(Debug, Default)]
pub(super) struct Points {
    /// By student and item: the points, and the answer at that time if the table has it.
    given: HashMap<(usize, usize), (f64, Option<String>)>,
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

/// Whether a cell of points has others than the program has `computed`.
fn is_given(cell: &str, computed: Option<f64>) -> bool {
    !cell.is_empty() && !computed.zip(number(cell)).is_some_and(|(one, other)| equal(one, other))
}

/// An answer as spreadsheets may change it: `74.90 %` to `74.9%`.
fn plain(answer: &str) -> String {
    let text: String = answer.split_whitespace().collect();
    let (value, unit) = text.strip_suffix('%').map_or((text.as_str(), ""), |value| (value, "%"));
    number(value).map_or(text.clone(), |value| format!("{value}{unit}"))
}

/// An item that the table has points by hand for, and the rubric has not.
fn of_unknown_item<'t>(table: &'t Table, rubric: &Rubric) -> Result<Option<&'t str>, String> {
    for (at, header) in table.header.iter().enumerate() {
        let id = header.trim().strip_suffix("_points").unwrap_or_default();
        let computed = table.column(&[&format!("{id}_computed")])?;
        let Some(computed) = computed.filter(|_| !rubric.items.iter().any(|item| item.id == id)) else {
            continue;
        };
        if table.rows.iter().any(|row| is_given(row.cell(at), number(row.cell(computed)))) {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

impl Points {
    /// The points in the earlier `grades.csv`, if it is there: those that differ from the
    /// computed ones.
    /// Fails if it has no points or students, or points that an item does not have.
    pub(super) fn read(path: Option<&Path>, class: &Class, rubric: &Rubric) -> Result<Points, Failure> {
        let Some(path) = path.filter(|path| path.is_file()) else { return Ok(Points::default()) };
        Table::read_with(path, |table| Points::of(&table, class, rubric)).map_err(|why| {
            Failure::usage(format!(
                "{why}; it would be replaced, and points may be in it: correct or move it"
            ))
        })
    }

    fn of(table: &Table, class: &Class, rubric: &Rubric) -> Result<Points, String> {
        let mut all = Points::default();
        let mut columns = Vec::new();
        for (place, item) in rubric.items.iter().enumerate() {
            let with = |what: &str| table.column(&[&format!("{}_{what}", item.id)]);
            let (computed, answer) = (with("computed")?, with("answer")?);
            let (points, of) = (with("points")?, with("of")?);
            if points.is_none() && computed.or(answer).is_some() {
                return Err(format!("it has columns of '{0}', and no column '{0}_points'", item.id));
            }
            columns.extend(points.map(|points| (place, item, points, of, computed, answer)));
        }
        if columns.is_empty() {
            return Err("it has no column of points of an item".to_owned());
        }
        // A roster may have columns with these names, too.
        let of_items = rubric.items.iter().flat_map(|item| OF_ITEM.map(|what| format!("{}_{what}", item.id)));
        let own: Vec<String> = of_items.chain(COLUMNS.map(str::to_owned)).collect();
        let is_own = |at: &usize| own.iter().any(|name| name.eq_ignore_ascii_case(table.header[*at].trim()));
        if let Some(id) = of_unknown_item(table, rubric)? {
            return Err(format!(
                "points are given for '{}', which is not in the rubric; add the --rubric or --assignment that has it",
                shorten(id, 60)
            ));
        }
        let join = class.join(&table.header, &(1..table.header.len()).filter(is_own).collect::<Vec<_>>())?;
        let sum = table.column(&["max_points"])?.and(table.column(&["points"])?);
        let of_row = |(student, row): (usize, usize)| Some((student, number(table.rows[row].cell(sum?))?));
        all.sums = join.rows(table)?.into_iter().filter_map(of_row).collect();
        for row in &table.rows {
            let (line, name, student) = (row.line, join.shown(&row.cells), join.student(&row.cells)?);
            for (place, item, points, of, computed, answer) in &columns {
                let cell = row.cell(*points);
                let computed = computed.and_then(|at| number(row.cell(at)));
                if !is_given(cell, computed) {
                    continue;
                }
                let of = of.and_then(|at| number(row.cell(at)));
                if let Some(of) = of.filter(|of| !equal(*of, item.points)) {
                    all.notes.push(format!(
                        "{}: '{name}' has points by hand of {of}, and the item has {} now",
                        item.id, item.points
                    ));
                }
                let points = number(cell).filter(|points| (0.0..=item.points).contains(points));
                let points = points.ok_or_else(|| {
                    format!(
                        "line {line}, '{name}': '{}' is not a number of points from 0 to {} for {}",
                        shorten(cell, 20),
                        item.points,
                        item.id
                    )
                })?;
                let Some(student) = student else {
                    let note =
                        format!("points for {} are given to '{name}', who is not in the roster", item.id);
                    all.notes.push(note);
                    continue;
                };
                let answer = answer.and_then(|at| row.cells.get(at)).cloned();
                all.given.insert((student, *place), (points, answer));
            }
        }
        Ok(all)
    }

    /// Applies the points, unless the answer is another than when they were given. An item
    /// that is graded by hand counts for all as soon as one student has points for it.
    pub(super) fn give(&self, graded: &mut [Graded], rubric: &Rubric, class: &Class) -> Vec<String> {
        let mut notes = self.notes.clone();
        let mut read: BTreeSet<usize> = self.given.keys().map(|(student, _)| *student).collect();
        read.retain(|student| graded[*student].unreadable);
        for student in read {
            // The instructor reads what the program cannot, all of it: no other item is a 0.
            let is_needed = |(place, item): &(usize, &Item)| {
                let counts = !item.by_hand() || self.given.keys().any(|(_, of_item)| of_item == place);
                counts && !self.given.contains_key(&(student, *place))
            };
            let empty: Vec<&str> =
                rubric.items.iter().enumerate().filter(is_needed).map(|(_, item)| item.id.as_str()).collect();
            graded[student].refused = (!empty.is_empty()).then(|| {
                format!("only a person can read it, and these have no points yet: {}; give 0 where nothing is right", empty.join(", "))
            });
        }
        for (place, item) in rubric.items.iter().enumerate() {
            let is_read = item.by_hand() && self.given.keys().any(|(_, of_item)| *of_item == place);
            let (mut unread, mut changed) = (Vec::new(), Vec::new());
            for (student, graded) in graded.iter_mut().enumerate() {
                let mark = &mut graded.marks[place];
                if is_read {
                    mark.max_points = Some(item.points);
                }
                match self.given.get(&(student, place)) {
                    Some((_, Some(answer))) if plain(answer) != plain(&inert(&mark.answer)) => {
                        changed.push(class.shown(student));
                    }
                    Some((points, _)) => {
                        (mark.points, mark.max_points) = (*points, Some(item.points));
                        (mark.unread, mark.reason) = (false, Reason::GivenByInstructor);
                    }
                    None if is_read && mark.unread && graded.refused.is_none() => {
                        unread.push(class.shown(student));
                    }
                    None => {}
                }
            }
            let other =
                "points given by hand are not used, because the answer is another now; give them again";
            for (what, students) in [("not read yet, and so without points", unread), (other, changed)] {
                notes.extend(class.note(&format!("{}: {what}", item.id), students));
            }
        }
        notes
    }

    /// The students whose sum is another than in the earlier table.
    pub(super) fn changed(&self, graded: &[Graded], class: &Class) -> Option<String> {
        let change = |(student, graded): (usize, &Graded)| {
            let (now, before) = (graded.points(), *self.sums.get(&student)?);
            let is_other = !equal(now, before) && graded.refused.is_none();
            is_other.then(|| format!("{} ({before} to {now:.2})", class.shown(student)))
        };
        let changes = graded.iter().enumerate().filter_map(change);
        class.note("other points than in the earlier grades.csv", changes)
    }
}

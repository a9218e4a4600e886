//! Moodle's grading worksheet: fills it in and changes nothing else.

use std::collections::HashMap;
use std::path::Path;

use common::failure::Failure;
use common::text::{inert, shorten};

use super::class::Class;
use super::grader::Graded;
use super::output::GRADES;
use super::points::{equal, number};
use super::rubric::Rubric;
use super::times::{self, Due};
use crate::tables::{Row, Table};
use report::escaped;

/// The columns' headers in English and in Portuguese.
const GRADE: [&str; 2] = ["Grade", "Nota"];
const MAXIMUM: [&str; 2] = ["Maximum Grade", "Nota máxima"];
const FEEDBACK: [&str; 2] = ["Feedback comments", "Comentários de feedback"];
/// The column that says whether a grade may change, and what it says if not. Moodle's import
/// skips a locked grade, but takes its feedback.
const LOCK: [&str; 2] = ["Grade can be changed", "A nota pode ser alterada"];
const LOCKED: [&str; 2] = ["No", "Não"];

/// A worksheet, with the row of each student.
pub(super) struct Worksheet {
    table: Table,
    grade: usize,
    most: Option<usize>,
    feedback: Option<usize>,
    lock: Option<usize>,
    rows: HashMap<usize, usize>,
    /// Times of hand-in, by student.
    pub(super) times: HashMap<usize, i64>,
}

impl Worksheet {
    /// Reads a worksheet and finds the students of the class in it.
    /// Fails if it cannot be read, has no column for grades or for students, or a row means two
    /// students, or a student has two rows.
    pub(super) fn read(path: &Path, class: &Class, due: Option<Due>) -> Result<Worksheet, Failure> {
        Table::read_with(path, |table| Worksheet::of(table, class, due))
    }

    fn of(table: Table, class: &Class, due: Option<Due>) -> Result<Worksheet, String> {
        let grade = table.needed(&GRADE, "; export it in English")?;
        let (most, feedback) = (table.column(&MAXIMUM)?, table.column(&FEEDBACK)?);
        let (lock, time) = (table.column(&LOCK)?, table.column(&times::HEADERS)?);
        let own: Vec<usize> = [Some(grade), most, feedback, lock, time].into_iter().flatten().collect();
        let rows = class.join(&table.header, &own)?.rows(&table)?;
        if rows.is_empty() {
            return Err(format!("its columns ({}) name no student of the roster", table.columns()));
        }
        let times = time.map(|at| times::of(&table, at, &rows, class, due)).transpose()?.unwrap_or_default();
        Ok(Worksheet { table, grade, most, feedback, lock, rows, times })
    }

    /// The worksheet with grades and feedback, and notes; no other cell changes. It has a byte
    /// order mark, without which spreadsheets read other letters. A student without a
    /// submission or a grade keeps the cells of the row.
    pub(super) fn fill(mut self, rubric: &Rubric, graded: &[Graded], class: &Class) -> (String, Vec<String>) {
        let (mut missing, mut refused) = (Vec::new(), Vec::new());
        let (mut changed, mut replaced) = (Vec::new(), Vec::new());
        for (student, graded) in graded.iter().enumerate() {
            let name = class.shown(student);
            let Some(place) = self.rows.get(&student).copied() else {
                missing.push(name);
                continue;
            };
            if graded.refused.is_some() || graded.source.is_none() {
                continue;
            }
            let row = &self.table.rows[place];
            let grade = match self.scale(row, graded) {
                Ok(scale) => graded.points() * scale,
                Err(why) => {
                    refused.push(format!("the worksheet: not filled: '{name}' (line {}): {why}", row.line));
                    continue;
                }
            };
            let before = row.cell(self.grade);
            if number(before).is_some_and(|before| !equal(before, grade)) {
                changed.push(format!("{name} ({} to {grade:.2})", shorten(before, 20)));
            }
            // HTML (`FORMAT_HTML` in `mod/assign/feedback/comments/locallib.php`):
            // otherwise a student's text could be taken as a tag and vanish, or, as `\"`,
            // end the cell for PHP's reader.
            let feedback = inert(&escaped(&graded.feedback(rubric)));
            let other = |at: usize| !["", &feedback].contains(&row.cell(at));
            replaced.extend(self.feedback.filter(|at| other(*at)).map(|_| name));
            // Decimals as in the row's other grades.
            let comma = self.most.into_iter().chain([self.grade]).any(|at| row.cell(at).contains(','));
            let grade = format!("{grade:.2}");
            let cells = &mut self.table.rows[place].cells;
            cells[self.grade] = if comma { grade.replace('.', ",") } else { grade };
            if let Some(at) = self.feedback {
                cells[at] = feedback;
            }
        }
        let no_maximum = "the worksheet has no column of largest grades, so points are as they are";
        let lists = [
            class.note("grades in the worksheet change", changed),
            class.note("other feedback in the worksheet is replaced", replaced),
            class.note("the worksheet has no row of", missing),
            self.most.is_none().then(|| no_maximum.to_owned()),
        ];
        let notes = lists.into_iter().flatten().chain(refused).collect();
        (format!("\u{feff}{}", self.table.text()), notes)
    }

    /// The factor from our points to a row's grade; or why the row cannot have a grade.
    fn scale(&self, row: &Row, graded: &Graded) -> Result<f64, String> {
        if self.lock.is_some_and(|at| LOCKED.iter().any(|no| row.cell(at).eq_ignore_ascii_case(no))) {
            return Err(format!("its grade is locked ('{}')", LOCK[0]));
        }
        let grade = row.cell(self.grade);
        if !grade.is_empty() && grade != "-" && number(grade).is_none() {
            return Err(format!("its grade '{}' is not a number, as of a scale", shorten(grade, 20)));
        }
        if graded.has_unread() {
            return Err(format!("answers are to be read first; give points in {GRADES}"));
        }
        let (Some(at), most) = (self.most, graded.most()) else { return Ok(1.0) };
        let largest = number(row.cell(at))
            .filter(|largest| *largest > 0.0)
            .ok_or_else(|| format!("its largest grade is '{}', as of a scale", shorten(row.cell(at), 20)))?;
        (most > 0.0)
            .then(|| largest / most)
            .ok_or_else(|| "no answer of this student is graded yet".to_owned())
    }
}

//! A system's export, such as Moodle's grading worksheet or Canvas's gradebook: fills in the
//! grades and changes nothing else.

use std::collections::HashMap;
use std::path::Path;

use common::failure::Failure;
use common::text::{inert, shorten};
use report::escaped;

use super::grader::Graded;
use super::note::Note;
use super::rubric::Rubric;
use super::texts::{TEXTS, number};
use crate::class::{Class, only};
use crate::systems::{self, MOODLE, SYSTEMS, System};
use crate::tables::{Row, Table};

/// An export, with the row of each student.
pub(super) struct Export {
    table: Table,
    system: &'static System,
    grade: usize,
    /// The column of the largest grade, or the one that all have, as the export writes it.
    most: Option<usize>,
    most_of_all: Option<String>,
    feedback: Option<usize>,
    lock: Option<usize>,
    rows: HashMap<usize, usize>,
}

impl Export {
    /// Reads an export and finds the students of the class in it, and their numbers.
    /// Fails if it cannot be read, has no column for grades or for students, or a student has two rows.
    pub(super) fn read(path: &Path, class: &mut Class, column: Option<&str>) -> Result<Export, Failure> {
        Table::read_with(path, |table| Export::of(table, class, column))
    }

    fn of(table: Table, class: &mut Class, column: Option<&str>) -> Result<Export, String> {
        let system = &SYSTEMS[systems::of_header(&table.header).unwrap_or(MOODLE)];
        let grade = match column {
            Some(name) => table.needed(&[name], "")?,
            None if system.grade.is_empty() => {
                return Err(format!("name the column to fill with --grade-column ({})", table.columns()));
            }
            None => table.needed(system.grade, "; export it in English")?,
        };
        let [most, feedback, lock] =
            [system.most, system.feedback, system.lock].map(|names| table.column(names));
        let (most, feedback, lock) = (most?, feedback?, lock?);
        let is_most = |cell: &String| system.most.iter().any(|most| most.eq_ignore_ascii_case(cell.trim()));
        let of_all = table.rows.iter().find(|row| row.cells.iter().any(is_most));
        let most_of_all = of_all.map(|row| row.cell(grade).to_owned());
        let own: Vec<usize> = [Some(grade), most, feedback, lock].into_iter().flatten().collect();
        let (join, mut rows) = (class.join(&table.header, &own)?, HashMap::new());
        for (place, row) in table.rows.iter().enumerate() {
            let students = join.students(row);
            if students.len() > 1 {
                let names = Vec::from_iter(students.iter().take(4).map(|student| class.shown(*student)));
                return Err(format!(
                    "line {}: '{}' means {}; correct that row, or leave one column out",
                    row.line,
                    join.shown(row),
                    names.join(" and ")
                ));
            }
            if let Some(student) = only(&students)
                && rows.insert(student, place).is_some()
            {
                return Err(format!("line {}: '{}' has two rows; leave one", row.line, join.shown(row)));
            }
        }
        if rows.is_empty() {
            return Err(format!("its columns ({}) name no student of the roster", table.columns()));
        }
        rows.iter().for_each(|(student, row)| class.add_number(&table.header, &table.rows[*row], *student));
        Ok(Export { table, system, grade, most, most_of_all, feedback, lock, rows })
    }

    /// The filled file's name and text, with grades and feedback, and notes; no other cell changes. It has a byte
    /// order mark, without which spreadsheets read other letters. A student without a
    /// submission or a grade keeps the cells of the row.
    pub(super) fn fill(
        mut self,
        rubric: &Rubric,
        graded: &[Graded],
        class: &Class,
    ) -> ((&'static str, String), Vec<Note>) {
        let [mut missing, mut refused, mut changed] = [const { Vec::<String>::new() }; 3];
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
                    refused.push(format!("'{name}' (line {}): {why}", row.line));
                    continue;
                }
            };
            // HTML (`FORMAT_HTML` in `mod/assign/feedback/comments/locallib.php`):
            // otherwise a student's text could be taken as a tag and vanish, or, as `\"`,
            // end the cell for PHP's reader.
            let feedback = inert(&escaped(&graded.feedback(rubric)));
            let before =
                [Some(self.grade), self.feedback].map(|at| at.map_or("", |at| row.cell(at)).to_owned());
            // Decimals as in the row's other grades.
            let comma = self.most.into_iter().chain([self.grade]).any(|at| row.cell(at).contains(','));
            let grade = format!("{grade:.2}");
            let is_other = number(&before[0]).is_some_and(|before| format!("{before:.2}") != grade);
            if is_other || !["", &feedback].contains(&&*before[1]) {
                changed.push(format!("{name} ({} to {grade})", shorten(&before[0], 20)));
            }
            let cells = &mut self.table.rows[place].cells;
            cells[self.grade] = if comma { grade.replace('.', ",") } else { grade };
            if let Some(at) = self.feedback {
                cells[at] = feedback;
            }
        }
        let file = self.system.file;
        let most = self.most.map(|at| self.table.header[at].clone()).or(self.most_of_all.clone());
        let all_rows = most.is_none().then(|| "all points".to_owned());
        let notes = [
            Note::about(format!("{file}: grades or feedback that change"), changed),
            Note::about(format!("{file} has no row of"), missing),
            Note::about(format!("{file}: not filled"), refused),
            Note::about(format!("{file}: has no largest grade, so it gets our points as they are"), all_rows),
        ];
        let only = self.system.only;
        if !only.is_empty() {
            let is_only = |name: &String| only.iter().any(|only| only.eq_ignore_ascii_case(name.trim()));
            let header = self.table.header.iter().enumerate();
            let kept: Vec<bool> = header.map(|(at, name)| at == self.grade || is_only(name)).collect();
            for row in self.table.rows.iter_mut().map(|row| &mut row.cells).chain([&mut self.table.header]) {
                let mut kept = kept.iter();
                row.retain(|_| kept.next().is_some_and(|kept| *kept));
            }
        }
        ((file, format!("\u{feff}{}", self.table.text(&[]))), notes.into_iter().flatten().collect())
    }

    /// The factor from our points to a row's grade; or why the row cannot have a grade.
    fn scale(&self, row: &Row, graded: &Graded) -> Result<f64, String> {
        // Moodle's import skips a locked grade, but takes its feedback.
        if self.lock.is_some_and(|at| ["no", "não"].contains(&&*row.cell(at).to_lowercase())) {
            return Err("its grade is locked".to_owned());
        }
        let grade = row.cell(self.grade);
        if !grade.is_empty() && grade != "-" && number(grade).is_none() {
            return Err(format!("its grade '{}' is not a number, as of a scale", shorten(grade, 20)));
        }
        if graded.marks.iter().any(|mark| mark.unread && mark.max_points.is_some()) {
            return Err(format!("answers are to be read first; give points in {TEXTS}"));
        }
        let largest = self.most.map(|at| row.cell(at)).or(self.most_of_all.as_deref());
        let Some(cell) = largest else { return Ok(1.0) };
        let largest = number(cell).filter(|largest| *largest > 0.0);
        let largest =
            largest.ok_or_else(|| format!("its largest grade is '{}', as of a scale", shorten(cell, 20)))?;
        match graded.most() {
            most if most > 0.0 => Ok(largest / most),
            _ => Err("no answer of this student is graded yet".to_owned()),
        }
    }
}

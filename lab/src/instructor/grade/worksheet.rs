//! Moodle's grading worksheet: fills it in and changes nothing else.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use common::failure::Failure;
use common::input;
use common::text::{inert, shorten};

use super::class::{Class, note};
use super::grader::Graded;
use super::points::{equal, number};
use super::rubric::{Headers, Rubric};
use super::times::{self, Due};
use crate::book::markdown::escaped;
use crate::instructor::tables::{Row, Table};

/// The column that says whether Moodle takes a grade, and what it says if not.
const LOCK: (&str, &str) = ("Grade can be changed", "No");

/// A worksheet, with the student of each row.
pub(super) struct Worksheet {
    table: Table,
    grade: usize,
    most: Option<usize>,
    feedback: Option<usize>,
    lock: Option<usize>,
    /// The rows of each student.
    rows: BTreeMap<usize, Vec<usize>>,
    /// Times of hand-in, by student.
    pub(super) times: HashMap<usize, i64>,
}

impl Worksheet {
    /// Reads a worksheet and finds the students of the class in it.
    ///
    /// # Errors
    ///
    /// If it cannot be read, has no column for grades or for students, or a row means two
    /// students.
    pub(super) fn read(
        path: &Path,
        rubric: &Rubric,
        class: &Class,
        due: Option<Due>,
    ) -> Result<Worksheet, Failure> {
        let name = input::name(path);
        let table =
            Table::parse(input::text(path)?).map_err(|why| Failure::could_not(format!("{name}: {why}")))?;
        let worksheet = Worksheet::of(table, rubric, class, due);
        worksheet.map_err(|why| Failure::usage(format!("{name}: {why}")))
    }

    fn of(table: Table, rubric: &Rubric, class: &Class, due: Option<Due>) -> Result<Worksheet, String> {
        let headers = &rubric.worksheet;
        let grade = table.column(&[&headers.grade])?.ok_or_else(|| {
            format!(
                "it has no column '{}' ('{}'); export it in English, or name its columns in the rubric's [worksheet]",
                shorten(&headers.grade, 60),
                shorten(&table.header.join("', '"), 200)
            )
        })?;
        let most = table.column(&[&headers.maximum])?;
        let feedback = table.column(&[&headers.feedback])?;
        let (lock, time) = (table.column(&[LOCK.0])?, table.column(&times::HEADERS)?);
        let own: Vec<usize> = [Some(grade), most, feedback, lock, time].into_iter().flatten().collect();
        let join = class.join(&table.header, &own)?;
        let mut rows = BTreeMap::<usize, Vec<usize>>::new();
        for (place, row) in table.rows.iter().enumerate() {
            if let Some(student) = join.student(&row.cells)? {
                rows.entry(student).or_default().push(place);
            }
        }
        if rows.is_empty() {
            let header = shorten(&table.header[join.first()], 60);
            return Err(format!("its column '{header}' names no student of the roster"));
        }
        let times = time.map(|at| times::of(&table, &join, at, due)).transpose()?.unwrap_or_default();
        Ok(Worksheet { table, grade, most, feedback, lock, rows, times })
    }

    /// The worksheet with grades and feedback, and notes; no other cell changes. It is UTF-8 with
    /// a byte order mark, without which spreadsheets read other letters. A student without a submission or a grade keeps the cells of the row.
    pub(super) fn fill(&self, rubric: &Rubric, graded: &[Graded], class: &Class) -> (Vec<u8>, Vec<String>) {
        let (mut cells, mut missing, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        let (mut changed, mut replaced) = (Vec::new(), Vec::new());
        let comma = self.comma();
        for (name, (student, graded)) in class.names.iter().zip(graded.iter().enumerate()) {
            let Some(rows) = self.rows.get(&student) else {
                missing.push(name.clone());
                continue;
            };
            if graded.refused.is_some() || graded.source.is_none() {
                continue;
            }
            let (place, scale) = match self.place(rows, graded.most()) {
                Ok(found) => found,
                Err(why) => {
                    refused.push(format!("the worksheet: not filled: '{}' {why}", shorten(name, 60)));
                    continue;
                }
            };
            let (grade, before) = (graded.points() * scale, self.table.rows[place].cell(self.grade));
            if number(before).is_some_and(|before| !equal(before, grade)) {
                changed.push(format!("{name} ({before} to {grade:.2})"));
            }
            cells.push((place, self.grade, written(grade, comma)));
            // HTML (`FORMAT_HTML` in `mod/assign/feedback/comments/locallib.php`):
            // otherwise a student's text could be taken as a tag and vanish, or, as `\"`,
            // end the cell for PHP's reader.
            let feedback = inert(&escaped(&graded.feedback(rubric)));
            let other = |at: usize| !["", &feedback].contains(&self.table.rows[place].cell(at));
            replaced.extend(self.feedback.filter(|at| other(*at)).map(|_| name.clone()));
            cells.extend(self.feedback.map(|at| (place, at, feedback)));
        }
        let Headers { feedback, maximum, .. } = &rubric.worksheet;
        let lists = [
            note("grades in the worksheet change", &changed, graded.len()),
            note("other feedback in the worksheet is replaced", &replaced, graded.len()),
            note("the worksheet has no row of", &missing, graded.len()),
            self.feedback
                .is_none()
                .then(|| format!("the worksheet has no column '{feedback}', so it gets no feedback")),
            self.most
                .is_none()
                .then(|| format!("the worksheet has no column '{maximum}'; points are written as they are")),
        ];
        let notes = lists.into_iter().flatten().chain(refused).collect();
        (format!("\u{feff}{}", self.table.with(cells)).into_bytes(), notes)
    }

    /// The only row of a student, and the factor from our points, of `most`, to its grade;
    /// or why there cannot be a grade.
    fn place(&self, rows: &[usize], most: f64) -> Result<(usize, f64), String> {
        let line = |place: &usize| self.table.rows[*place].line.to_string();
        let [place] = rows else {
            let lines: Vec<String> = rows.iter().take(4).map(line).collect();
            return Err(format!("is in several rows (lines {})", lines.join(", ")));
        };
        let scale = self.scale(&self.table.rows[*place], most);
        Ok((*place, scale.map_err(|why| format!("(line {}): {why}", line(place)))?))
    }

    /// The factor from our points to a row's grade, or why the row cannot have a grade.
    fn scale(&self, row: &Row, most: f64) -> Result<f64, String> {
        let (cells, columns) = (row.cells.len(), self.table.header.len());
        if cells != columns {
            return Err(format!(
                "the row has {cells} cells and the header {columns}; is a cell not in quotes?"
            ));
        }
        if self.lock.is_some_and(|at| row.cell(at).eq_ignore_ascii_case(LOCK.1)) {
            return Err(format!("its grade is locked ('{}')", LOCK.0));
        }
        let grade = row.cell(self.grade);
        if !grade.is_empty() && grade != "-" && number(grade).is_none() {
            return Err(format!("its grade '{}' is not a number, as of a scale", shorten(grade, 20)));
        }
        let Some(at) = self.most else { return Ok(1.0) };
        let largest = number(row.cell(at))
            .filter(|largest| *largest > 0.0)
            .ok_or_else(|| format!("its largest grade is '{}', as of a scale", shorten(row.cell(at), 20)))?;
        Ok(if most > 0.0 { largest / most } else { 0.0 })
    }

    /// Whether to write decimals with a comma: as the numbers in the worksheet are, else by
    /// the cell separator.
    fn comma(&self) -> bool {
        let columns = || [Some(self.grade), self.most].into_iter().flatten();
        let numbers = || {
            let cells = self.table.rows.iter().flat_map(|row| columns().map(|at| row.cell(at)));
            cells.filter(|cell| number(cell).is_some())
        };
        let comma = numbers().any(|cell| cell.contains(','));
        comma || self.table.separator == b';' && !numbers().any(|cell| cell.contains('.'))
    }
}

/// Two decimals.
fn written(points: f64, comma: bool) -> String {
    let text = format!("{points:.2}");
    if comma { text.replace('.', ",") } else { text }
}

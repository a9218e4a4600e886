//! Moodle's grading worksheet: fills it in and changes nothing else.

use std::collections::BTreeMap;
use std::path::Path;

use common::encoding::Encoding;
use common::failure::Failure;
use common::input;
use common::text::{inert, shorten};

use super::Graded;
use super::identity::{Class, Named, has_numbers};
use super::rubric::Rubric;
use super::sheet::{Row, Sheet};
use crate::book::markdown::escaped;
use crate::instructor::names;
use crate::instructor::roster::letters;

/// The columns to read and to fill, in the language of that Moodle.
#[derive(Debug, clap::Args)]
pub(super) struct Columns {
    /// Name the worksheet's column that identifies students [default: the one that matches most of the roster]
    #[arg(long = "worksheet-column", value_name = "COLUMN", requires = "worksheet")]
    identity: Option<String>,

    /// Name the worksheet's column for grades [default: Grade, Nota, Note, Ocena, Оценка]
    #[arg(long = "grade-column", value_name = "COLUMN", requires = "worksheet")]
    grade: Option<String>,

    /// Name the worksheet's column for feedback [default: Feedback comments and its translations]
    #[arg(long = "feedback-column", value_name = "COLUMN", requires = "worksheet")]
    feedback: Option<String>,
}

const GRADE: &str = "grade nota note ocena оценка bewertung calificacion";
const SCALE: &str = "scale escala echelle bareme skala шкала";
/// "Grade can be changed"; in other languages it is the column after the largest grade.
const LOCK: &str = "gradecanbechanged";
/// "No", as the answer to "Grade can be changed".
const NO: &str = "no nao non nie нет nein ні";

/// A worksheet, with the student of each row.
pub(super) struct Worksheet {
    sheet: Sheet,
    encoding: Encoding,
    grade: usize,
    most: Option<usize>,
    feedback: Option<usize>,
    /// The rows of each student.
    rows: BTreeMap<usize, Vec<usize>>,
    /// Rows that may belong to several students.
    doubtful: BTreeMap<usize, usize>,
}

/// A worksheet that was filled in, with notes.
pub(super) struct Filled {
    pub(super) bytes: Vec<u8>,
    /// Sentences on students who have no grade in it.
    pub(super) notes: Vec<String>,
}

impl Worksheet {
    /// Reads a worksheet and finds the students of the class in it.
    ///
    /// # Errors
    ///
    /// If it cannot be read, has no column for grades, or none or two that identify
    /// students.
    pub(super) fn read(path: &Path, columns: &Columns, class: &Class) -> Result<Worksheet, Failure> {
        let name = input::name(path);
        let (text, encoding) = input::exact_text(path)?;
        let sheet = Sheet::parse(text).map_err(|why| Failure::could_not(format!("{name}: {why}")))?;
        let worksheet = Worksheet::of(sheet, columns, class);
        let worksheet = worksheet.map_err(|why| Failure::usage(format!("{name}: {why}")))?;
        Ok(Worksheet { encoding, ..worksheet })
    }

    fn of(sheet: Sheet, columns: &Columns, class: &Class) -> Result<Worksheet, String> {
        let all = || sheet.header.join("', '");
        let one = |name: &str, option: &str| {
            let same = |at: &usize| names::folded(&sheet.header[*at]) == names::folded(name);
            let found: Vec<usize> = (0..sheet.header.len()).filter(same).collect();
            match found.as_slice() {
                [at] => Ok(*at),
                [] => Err(format!(
                    "it has no column '{}'; name one with {option}: '{}'",
                    shorten(name, 60),
                    all()
                )),
                _ => Err(format!("it has two columns '{}'; rename one", shorten(name, 60))),
            }
        };
        let known = |names: &str| {
            let is = |at: &usize| {
                names.split_whitespace().any(|name| letters(&sheet.header[*at]) == letters(name))
            };
            (0..sheet.header.len()).filter(is).collect::<Vec<usize>>()
        };
        let grade = match &columns.grade {
            Some(name) => one(name, "--grade-column")?,
            None => match known(GRADE).as_slice() {
                [at] => *at,
                [] => {
                    return Err(format!(
                        "it has no column 'Grade'; name the one for grades with --grade-column: '{}'",
                        all()
                    ));
                }
                _ => {
                    return Err(format!(
                        "several columns may be for grades; name one with --grade-column: '{}'",
                        all()
                    ));
                }
            },
        };
        let student = match &columns.identity {
            Some(name) => one(name, "--worksheet-column")?,
            None => identifying(&sheet, class, grade)?,
        };
        let feedback = columns.feedback.as_ref().map(|name| one(name, "--feedback-column")).transpose()?;
        let feedback = feedback.or_else(|| comments(&sheet.header, grade));
        if student == grade || feedback.is_some_and(|at| at == grade || at == student) {
            return Err(
                "one column cannot be for two of name, grade and feedback; choose others with --worksheet-column, --grade-column and --feedback-column"
                    .to_owned(),
            );
        }
        let most = most(&sheet, grade);
        let (mut rows, mut doubtful) = (BTreeMap::<usize, Vec<usize>>::new(), BTreeMap::new());
        for (place, row) in sheet.rows.iter().enumerate() {
            match class.named(row.cell(student)) {
                Named::One { student, .. } => rows.entry(student).or_default().push(place),
                Named::Several(students) => {
                    doubtful.extend(students.into_iter().map(|student| (student, place)))
                }
                Named::Nobody => {}
            }
        }
        let encoding = Encoding::Utf8;
        Ok(Worksheet { sheet, encoding, grade, most, feedback, rows, doubtful })
    }

    /// Students by their participant number: Moodle's folders have the same numbers.
    pub(super) fn participants(&self) -> BTreeMap<String, usize> {
        let mut found = BTreeMap::new();
        for (student, rows) in &self.rows {
            let [row] = rows.as_slice() else { continue };
            let cell = self.sheet.rows[*row].cell(0);
            let word = cell.trim_end_matches(|c: char| c.is_ascii_digit());
            let is_identifier = word.ends_with(' ') && !word.trim().is_empty() && word.len() < cell.len();
            if is_identifier && found.insert(cell[word.len()..].to_owned(), *student).is_some() {
                return BTreeMap::new();
            }
        }
        found
    }

    /// The worksheet with grades and feedback; nothing else in it changes.
    ///
    /// # Errors
    ///
    /// If no row can be filled.
    pub(super) fn fill(&self, rubric: &Rubric, most: f64, class: &[Graded]) -> Result<Filled, Failure> {
        let (mut changes, mut notes, mut missing, mut refused) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let comma = self.comma();
        for (student, graded) in class.iter().enumerate() {
            let name = shorten(&graded.student, 60);
            if graded.refused.is_some() {
                continue;
            }
            let row = match self.rows.get(&student).map(Vec::as_slice) {
                Some([row]) => *row,
                Some(rows) => {
                    let lines: Vec<String> =
                        rows.iter().take(4).map(|row| self.sheet.rows[*row].line.to_string()).collect();
                    refused.push(format!("'{name}' is in several rows (lines {})", lines.join(", ")));
                    continue;
                }
                None if self.doubtful.contains_key(&student) => {
                    refused
                        .push(format!("'{name}' shares a name with another student; use --worksheet-column"));
                    continue;
                }
                None => {
                    missing.push(name);
                    continue;
                }
            };
            match self.scale(&self.sheet.rows[row], graded.most()) {
                Ok(scale) => changes.push((row, self.grade, written(graded.points() * scale, comma))),
                Err(why) => {
                    refused.push(format!("'{name}' (line {}): {why}", self.sheet.rows[row].line));
                    continue;
                }
            }
            // HTML (`FORMAT_HTML` in `mod/assign/feedback/comments/locallib.php`):
            // otherwise a student's text could be taken as a tag and vanish, or, as `\"`,
            // end the cell for PHP's reader.
            let feedback = inert(&escaped(&graded.feedback(rubric)));
            match self.feedback {
                Some(at) if at < self.sheet.rows[row].cells.len() => changes.push((row, at, feedback)),
                Some(_) => {
                    refused.push(format!("'{name}': the row has no cell for feedback, so there is none"))
                }
                None => {}
            }
        }
        if changes.is_empty() {
            let more = refused.len().saturating_sub(1);
            let others = if more > 0 {
                format!("; {more} more likewise or for another reason")
            } else {
                String::new()
            };
            let why = refused
                .first()
                .map_or("it has no row of any student".to_owned(), |why| why.clone() + &others);
            return Err(Failure::could_not(format!("no row of the worksheet can be filled: {why}")));
        }
        if self.feedback.is_none() {
            notes.push(
                "the worksheet gets no feedback; name a column for it with --feedback-column".to_owned(),
            );
        }
        if self.most.is_none() {
            notes.push(format!(
                "the worksheet has no column of the largest grade; points of {most} are written as they are"
            ));
        }
        if !missing.is_empty() {
            notes
                .push(format!("the worksheet has no row of {}", super::class::listed(&missing, class.len())));
        }
        let more = refused.len().saturating_sub(50);
        notes.extend(refused.into_iter().take(50).map(|why| format!("the worksheet: not filled: {why}")));
        if more > 0 {
            notes.push(format!("the worksheet: {more} more rows are not filled"));
        }
        Ok(Filled { bytes: self.encoding.encode(&self.sheet.with(changes)), notes })
    }

    /// The factor from our points to a row's grade, or why the row cannot have a grade.
    fn scale(&self, row: &Row, most: f64) -> Result<f64, String> {
        let (cells, columns) = (row.cells.len(), self.sheet.header.len());
        if cells > columns {
            return Err(format!(
                "the row has {cells} cells and the header {columns}; is a cell not in quotes?"
            ));
        }
        if self.grade >= cells {
            return Err(format!("the row ends before the grade ({cells} of {columns} cells)"));
        }
        let is = |at: usize, known: &str| {
            let cell = letters(self.sheet.header.get(at).map_or("", String::as_str));
            known.split_whitespace().any(|name| cell == name)
        };
        let lock = (0..columns).find(|at| is(*at, LOCK)).or(self.most.map(|at| at + 1));
        if lock.is_some_and(|at| NO.split_whitespace().any(|no| letters(row.cell(at)) == no)) {
            return Err("its grade is locked ('Grade can be changed')".to_owned());
        }
        let grade = row.cell(self.grade).trim();
        let in_words = grade.chars().any(char::is_alphabetic);
        if in_words || self.most.is_none() && is(self.grade + 1, SCALE) {
            return Err(format!("it is graded by a scale ('{}'), not by points", shorten(grade, 20)));
        }
        let Some(at) = self.most else { return Ok(1.0) };
        let largest = number(row.cell(at))
            .ok_or_else(|| format!("its largest grade is '{}', as of a scale", shorten(row.cell(at), 20)))?;
        Ok(if most > 0.0 { largest / most } else { 0.0 })
    }

    /// Whether to write decimals with a comma, which Moodle does, and expects, in many
    /// languages: as the numbers in the worksheet are, else by the cell separator.
    fn comma(&self) -> bool {
        let cells = || {
            let columns = [Some(self.grade), self.most];
            let cells = self
                .sheet
                .rows
                .iter()
                .flat_map(move |row| columns.into_iter().flatten().map(|at| row.cell(at)));
            cells.filter(|cell| number(cell).is_some())
        };
        let comma = cells().any(|cell| cell.contains(','));
        comma || self.sheet.separator == b';' && !cells().any(|cell| cell.contains('.'))
    }
}

/// The column that names most of the roster. Some other columns are typed by students:
/// online texts, departments, display names.
fn identifying(sheet: &Sheet, class: &Class, grade: usize) -> Result<usize, String> {
    let all = || sheet.header.join("', '");
    let of_column = |at: usize| -> Vec<Option<usize>> {
        sheet.rows.iter().map(|row| class.named(row.cell(at)).one()).collect()
    };
    let hits = |at: usize| {
        let students: std::collections::BTreeSet<usize> = of_column(at).into_iter().flatten().collect();
        students.len()
    };
    let enough = |hits: usize| 2 * hits > class.students.len() || 2 * hits > sheet.rows.len();
    let mut found: Vec<(usize, usize)> = (0..sheet.header.len())
        .filter(|at| *at != grade && !has_numbers(&sheet.header[*at]))
        .map(|at| (hits(at), at))
        .filter(|(hits, _)| *hits > 0 && enough(*hits))
        .collect();
    found.sort_by_key(|(hits, at)| (usize::MAX - hits, *at));
    let [(_, best), others @ ..] = found.as_slice() else {
        return Err(format!(
            "no column holds most of the roster; name the one that identifies students with --worksheet-column: '{}'",
            all()
        ));
    };
    let rows = of_column(*best);
    // If each student is in a column once, students did not type it.
    let whole = |hits: usize| hits == sheet.rows.len();
    let others = others.iter().filter(|(hits, _)| whole(*hits) || !whole(found[0].0));
    for (_, other) in others {
        let same = of_column(*other);
        let differs = |(a, b): (&Option<usize>, &Option<usize>)| a.is_some() && b.is_some() && a != b;
        let moved = |(place, student): (usize, &Option<usize>)| {
            student.is_some() && rows[place].is_none() && rows.contains(student)
        };
        if rows.iter().zip(&same).any(differs) || same.iter().enumerate().any(moved) {
            let (one, two) = (&sheet.header[*best], &sheet.header[*other]);
            return Err(format!(
                "'{one}' and '{two}' both hold the roster and do not agree; choose with --worksheet-column"
            ));
        }
    }
    Ok(*best)
}

/// The column of the largest grade. Moodle exports it just after the grade in every
/// language (`mod/assign/gradingtable.php`), and it is the same in all rows.
fn most(sheet: &Sheet, grade: usize) -> Option<usize> {
    let says = |at: &usize| {
        let header = letters(&sheet.header[*at]);
        header.contains("max") || header.contains("макс")
    };
    let next = grade + 1;
    let mut cells = sheet.rows.iter().map(|row| row.cell(next)).filter(|cell| !cell.is_empty());
    let first = cells.next();
    let same = first.is_some_and(|first| number(first).is_some() && cells.all(|cell| cell == first));
    (0..sheet.header.len()).find(says).or_else(|| (next < sheet.header.len() && same).then_some(next))
}

/// The last column after the grade that is called feedback or comments.
fn comments(header: &[String], grade: usize) -> Option<usize> {
    let says = |at: &usize| {
        let name = letters(&header[*at]);
        ["feedback", "comment", "coment", "koment", "комментар", "отзыв"]
            .iter()
            .any(|word| name.contains(word))
    };
    (grade + 1..header.len()).rev().find(says)
}

/// A number; its decimal sign may be a comma.
fn number(text: &str) -> Option<f64> {
    text.trim().replace(',', ".").parse().ok().filter(|number: &f64| *number > 0.0 && number.is_finite())
}

/// Two decimals.
fn written(points: f64, comma: bool) -> String {
    let text = format!("{points:.2}");
    if comma { text.replace('.', ",") } else { text }
}

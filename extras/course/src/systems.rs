//! The systems that collect what students hand in, as a table: how the name of a folder or
//! file carries the system's own number of a student, which column of the system's export
//! has that number, and which columns take a grade. The number decides, before any name.

use crate::tables::columns;

/// Headers of one column, in the languages of the system.
type Header = &'static [&'static str];

/// What the name of a folder or file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Label {
    /// All files of one student with the same key are one submission.
    pub(crate) key: String,
    pub(crate) names: Vec<String>,
    /// The place of the system in [`SYSTEMS`], and its number of the student.
    pub(crate) number: Option<(usize, String)>,
}

/// One system.
#[derive(Debug)]
pub(crate) struct System {
    /// What its filled export is called.
    pub(crate) file: &'static str,
    /// The columns by which its export is known.
    headers: &'static [Header],
    /// The column of them with the number, at the end of its cells.
    number: Header,
    /// The key, the student's name and the number in the name of a folder or file.
    parts: fn(&str) -> Option<(String, String, String)>,
    /// The column that takes the grade; none if it must be named, `Lab 1 (12345)`.
    pub(crate) grade: Header,
    /// The column of the largest grade, or a cell of the row with it.
    pub(crate) most: Header,
    pub(crate) feedback: Header,
    /// The column that says whether the grade is locked.
    pub(crate) lock: Header,
    /// The only columns that are written, in addition to the grade's; all if there are none.
    pub(crate) only: Header,
}

pub(crate) const MOODLE: usize = 0;

pub(crate) const SYSTEMS: [System; 3] = [
    // `Ana Silva_4711_assignsubmission_file_`, and `Participant 4711`
    System {
        file: "moodle.csv",
        headers: &[&["Identifier", "Identificador"]],
        number: &["Identifier", "Identificador"],
        parts: |name| {
            let (before, _) = name.split_once("_assignsubmission_")?;
            let (name, number) = before.rsplit_once('_')?;
            Some((before.to_owned(), name.to_owned(), number.to_owned()))
        },
        grade: &["Grade", "Nota"],
        most: &["Maximum Grade", "Nota máxima"],
        feedback: &["Feedback comments", "Comentários de feedback"],
        lock: &["Grade can be changed", "A nota pode ser alterada"],
        only: &[],
    },
    // `silvaana_345_67890_answers.json`, `silvaana_LATE_345_67890_answers.json`, and 345
    System {
        file: "canvas.csv",
        headers: &[&["Student"], &["ID"], &["Section"]],
        number: &["ID"],
        parts: |name| {
            let parts: Vec<&str> = name.split('_').filter(|part| *part != "LATE").collect();
            let [name, user, submission, _, ..] = parts[..] else { return None };
            let is_one = !name.is_empty() && is_number(submission);
            is_one.then(|| (format!("{name}_{user}"), name.to_owned(), user.to_owned()))
        },
        grade: &[],
        most: &["Points Possible"],
        feedback: &[],
        lock: &[],
        only: &["Student", "ID", "SIS User ID", "SIS Login ID", "Root Account", "Section"],
    },
    // `submission_67890`, and 67890; a group has one number
    System {
        file: "gradescope.csv",
        headers: &[&["Submission ID"]],
        number: &["Submission ID"],
        parts: |name| {
            let number = name.strip_prefix("submission_")?;
            Some((name.to_owned(), name.to_owned(), number.to_owned()))
        },
        grade: &[],
        most: &[],
        feedback: &[],
        lock: &[],
        only: &[],
    },
];

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn place(header: &[String], names: Header) -> Option<usize> {
    columns(header, names).next()
}

/// The system whose export has that header.
pub(crate) fn of_header(header: &[String]) -> Option<usize> {
    SYSTEMS.iter().position(|system| system.headers.iter().all(|names| place(header, names).is_some()))
}

/// The system's number of the student in a row of its export, and the system.
pub(crate) fn number(header: &[String], row: &[String]) -> Option<(usize, String)> {
    let system = of_header(header)?;
    let cell = row.get(place(header, SYSTEMS[system].number)?)?.trim();
    let number = cell.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    is_number(number).then(|| (system, number.to_owned()))
}

/// Whether a row of an export is not of a student: a gradebook's maxima, which have no number.
pub(crate) fn is_no_student(header: &[String], row: &[String]) -> bool {
    let maxima = of_header(header).map(|system| &SYSTEMS[system]).filter(|system| !system.only.is_empty());
    let number = maxima.and_then(|system| row.get(place(header, system.number)?));
    number.is_some_and(|cell| cell.trim().is_empty())
}

/// What the name of a folder or file says: a system's, or a name of a student, with an
/// ending if it is a `file`.
pub(crate) fn label(full: &str, is_file: bool) -> Label {
    for (system, row) in SYSTEMS.iter().enumerate() {
        if let Some((key, name, number)) = (row.parts)(full).filter(|(.., number)| is_number(number)) {
            let (names, number) = (vec![name], Some((system, number)));
            return Label { key, names, number };
        }
    }
    let mut names = vec![full.to_owned()];
    if is_file {
        let shown = full.strip_suffix(".txt").unwrap_or(full);
        names.push(shown.rsplit_once('.').map_or(shown, |(stem, _)| stem).to_owned());
        names.dedup();
    }
    Label { key: full.to_owned(), names, number: None }
}

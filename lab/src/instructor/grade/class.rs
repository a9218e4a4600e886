//! The students of the class, found by exact values of the roster.

use std::collections::{BTreeSet, HashMap};

use common::text::shorten;

use crate::instructor::names;
use crate::instructor::roster::Listed;

/// The header that every table may use for the column that names students.
const STUDENT: &str = "student";

/// The class.
pub(super) struct Class {
    pub(super) names: Vec<String>,
    listed: Listed,
    /// Places of each value: column and student.
    exact: HashMap<String, Vec<(usize, usize)>>,
    folded: HashMap<String, Vec<(usize, usize)>>,
    /// Students by the letters of their cells.
    letters: HashMap<String, BTreeSet<usize>>,
}

/// The students whom a value means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    Nobody,
    One(usize),
    Several(Vec<usize>),
}

impl Found {
    fn of(students: BTreeSet<usize>) -> Found {
        let students: Vec<usize> = students.into_iter().collect();
        match students.as_slice() {
            [] => Found::Nobody,
            [student] => Found::One(*student),
            _ => Found::Several(students),
        }
    }
}

impl Class {
    pub(super) fn new(listed: Listed) -> Class {
        let (mut exact, mut folded) = (HashMap::<_, Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
        let mut letters = HashMap::<_, BTreeSet<_>>::new();
        for (student, row) in listed.rows.iter().enumerate() {
            for (column, cell) in row.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
                exact.entry(cell.clone()).or_default().push((column, student));
                folded.entry(names::folded(cell)).or_default().push((column, student));
                letters.entry(names::letters(cell)).or_default().insert(student);
            }
        }
        letters.remove("");
        Class { names: listed.names(), listed, exact, folded, letters }
    }

    /// The student whom the name of a folder or file means: a cell of an identifying
    /// column has it. Nobody is meant if a cell of another student has it too, in any
    /// column. Case counts unless no cell is equal.
    pub(super) fn named(&self, name: &str) -> Found {
        for places in self.places(name) {
            if places.iter().any(|(column, _)| self.listed.naming.contains(column)) {
                return Found::of(places.iter().map(|(_, student)| *student).collect());
            }
        }
        Found::Nobody
    }

    /// The students of whom a cell in any column has the `value`: only to suggest one.
    pub(super) fn mentioned(&self, value: &str) -> Found {
        let places = self.places(value).next();
        Found::of(places.into_iter().flatten().map(|(_, student)| *student).collect())
    }

    /// The only student of whom a cell has these letters, accents ignored: to suggest one.
    pub(super) fn similar(&self, value: &str) -> Option<usize> {
        match self.letters.get(&names::letters(value)).map(|students| students.iter().collect::<Vec<_>>()) {
            Some(students) if students.len() == 1 => Some(*students[0]),
            _ => None,
        }
    }

    /// The students with that value in the `column`.
    pub(super) fn in_column(&self, column: usize, value: &str) -> BTreeSet<usize> {
        let of_column = |places: &Vec<(usize, usize)>| -> BTreeSet<usize> {
            places.iter().filter(|(at, _)| *at == column).map(|(_, student)| *student).collect()
        };
        self.places(value).map(of_column).find(|students| !students.is_empty()).unwrap_or_default()
    }

    /// Places of equal cells, then of cells that differ only in case.
    fn places(&self, value: &str) -> impl Iterator<Item = &Vec<(usize, usize)>> {
        let name = names::normalised(value).unwrap_or_default();
        [self.exact.get(&name), self.folded.get(&names::folded(&name))].into_iter().flatten()
    }

    /// The student with that name.
    pub(super) fn by_name(&self, name: &str) -> Found {
        Found::of(self.in_column(self.listed.naming[0], unquoted(name)))
    }

    /// The header of the column of names.
    pub(super) fn header(&self) -> &str {
        &self.listed.header[self.listed.naming[0]]
    }

    /// The roster's column with that header.
    pub(super) fn column(&self, header: &str) -> Option<usize> {
        let header = header.trim().to_lowercase();
        self.listed.header.iter().position(|column| column.to_lowercase() == header)
    }

    /// How a table names students: by its columns that have the header of a roster column,
    /// identifying columns first; 'student' stands for the student's name.
    ///
    /// # Errors
    ///
    /// If it has no such column, or two with one header; a clause.
    pub(super) fn join(&self, header: &[String], except: &[usize]) -> Result<Join, String> {
        let mut columns: Vec<(usize, usize)> = Vec::new();
        for (at, name) in header.iter().enumerate().filter(|(at, _)| !except.contains(at)) {
            let own = || name.trim().eq_ignore_ascii_case(STUDENT).then_some(self.listed.naming[0]);
            let Some(column) = self.column(name).or_else(own) else { continue };
            if columns.iter().any(|(_, known)| *known == column) {
                return Err(format!("it has two columns for '{}'; rename one", shorten(name, 60)));
            }
            columns.push((at, column));
        }
        let rank = |column: usize| {
            self.listed.naming.iter().position(|known| *known == column).unwrap_or(usize::MAX)
        };
        columns.sort_by_key(|(_, column)| (rank(*column), *column));
        if columns.is_empty() {
            let headers = |names: &[String]| shorten(&names.join("', '"), 200);
            return Err(format!(
                "none of its columns ('{}') has the header of a roster column ('{}'); give the one that names students that header, or 'student'",
                headers(header),
                headers(&self.listed.header)
            ));
        }
        Ok(Join { columns })
    }
}

/// The columns of a table that name students, with the roster's columns.
pub(super) struct Join {
    columns: Vec<(usize, usize)>,
}

impl Join {
    /// The student of a row: the one who has all of its values. Values that nobody has are
    /// ignored after the first.
    pub(super) fn student(&self, class: &Class, row: &[String]) -> Found {
        let mut common: Option<BTreeSet<usize>> = None;
        for (at, column) in &self.columns {
            let cell = row.get(*at).map_or("", |cell| cell.trim());
            let cell = unquoted(cell);
            if cell.is_empty() {
                continue;
            }
            let students = class.in_column(*column, cell);
            common = Some(match common {
                None if students.is_empty() => return Found::Nobody,
                None => students,
                Some(known) if students.is_empty() => known,
                Some(known) if known.is_disjoint(&students) => return Found::of(&known | &students),
                Some(known) => &known & &students,
            });
        }
        Found::of(common.unwrap_or_default())
    }

    /// What the row calls its student.
    pub(super) fn shown(&self, row: &[String]) -> String {
        let cells = self.columns.iter().filter_map(|(at, _)| row.get(*at)).map(|cell| cell.trim());
        shorten(cells.filter(|cell| !cell.is_empty()).collect::<Vec<_>>().first().unwrap_or(&""), 60)
    }

    /// The first column that names students.
    pub(super) fn first(&self) -> usize {
        self.columns[0].0
    }
}

/// A cell without the apostrophe that makes spreadsheets take it as text.
fn unquoted(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|rest| common::text::inert(rest) == cell).unwrap_or(cell)
}

/// `3 of 300 students: a, b, c`.
pub(super) fn listed(names: &[String], of: usize) -> String {
    const MAX_LISTED: usize = 10;
    let mut shown =
        names.iter().take(MAX_LISTED).map(|name| shorten(name, 60)).collect::<Vec<_>>().join(", ");
    if names.len() > MAX_LISTED {
        shown += &format!(" and {} more", names.len() - MAX_LISTED);
    }
    format!("{} of {of} students: {shown}", names.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(naming: &[usize]) -> Class {
        let rows = [
            ["ana", "1001", "Ana Silva"],
            ["1001", "2002", "Bo"],
            ["işil", "3", "Ana Silva"],
            ["ışıl", "4", "Zoë"],
        ];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec()).to_vec();
        let header = ["user", "number", "name"].map(str::to_owned).to_vec();
        Class::new(Listed { header, rows, naming: naming.to_vec() })
    }

    #[test]
    fn a_name_means_one_student_or_nobody() {
        let class = class(&[0, 2]);
        for (name, found) in [
            ("ana", Found::One(0)),
            ("ANA", Found::One(0)),
            ("1001", Found::Several(vec![0, 1])),
            ("2002", Found::Nobody),
            ("Ana Silva", Found::Several(vec![0, 2])),
            ("IŞIL", Found::Several(vec![2, 3])),
            ("ışıl", Found::One(3)),
            ("zoe\u{308}", Found::One(3)),
            ("zoe", Found::Nobody),
            ("an", Found::Nobody),
            ("", Found::Nobody),
        ] {
            assert_eq!(class.named(name), found, "{name}");
        }
        assert_eq!((class.similar("zoe_"), class.mentioned("2002")), (Some(3), Found::One(1)));
    }

    #[test]
    fn a_row_is_of_the_student_whom_its_headers_name() {
        let class = class(&[0]);
        for (header, row, found) in [
            ("number", "1001", Found::One(0)),
            ("user", "1001", Found::One(1)),
            ("student", "1001", Found::One(1)),
            ("name,number", "Ana Silva,3", Found::One(2)),
            ("user,number", "ana,2002", Found::Several(vec![0, 1])),
            ("user,number", ",2002", Found::One(1)),
            ("name", "Ana Silva", Found::Several(vec![0, 2])),
            ("user,number", "nobody,2002", Found::Nobody),
        ] {
            let cells = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
            let join = class.join(&cells(header), &[]).map_err(|why| panic!("{why}"));
            assert_eq!(join.map(|join| join.student(&class, &cells(row))), Ok::<_, ()>(found), "{header}");
        }
        assert!(class.join(&["nº".to_owned()], &[]).is_err_and(|why| why.contains("'nº'")));
    }
}

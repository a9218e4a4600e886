//! The students of the class, found by exact values of the roster.

use std::collections::{BTreeSet, HashMap};

use common::text::shorten;

use crate::names;
use crate::roster::Listed;
use crate::systems::Numbers;
use crate::tables::{Table, plain};

/// Headers of the address in tables of Google's and Microsoft's forms.
const ADDRESS: [&str; 4] = ["Email Address", "Email", "E-mail", "Username"];
/// The header that every table may use for the column that names students.
const STUDENT: &str = "student";

/// The class.
pub(super) struct Class {
    pub(super) names: Vec<String>,
    listed: Listed,
    /// The roster's columns that identify students. A table that has others in common, such
    /// as a tutor's name, does not name students by them.
    identifying: Vec<usize>,
    /// Columns and students of each value, without case.
    places: HashMap<String, Vec<(usize, usize)>>,
    /// The students' numbers in systems.
    pub(super) numbers: Numbers,
    /// The column with the group that a student hands in with.
    group: Option<usize>,
}

impl Class {
    /// The students of a roster, in the groups of one of its columns.
    pub(super) fn new(listed: Listed, group: Option<usize>) -> Class {
        let mut places = HashMap::<_, Vec<_>>::new();
        for (student, row) in listed.rows.iter().enumerate() {
            for (column, cell) in row.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
                places.entry(names::folded(cell)).or_default().push((column, student));
            }
        }
        let is_identifying = |column: &usize| {
            let cells = listed.rows.iter().map(|row| names::folded(&row[*column]));
            let cells: Vec<String> = cells.filter(|cell| !cell.is_empty()).collect();
            let is_distinct = cells.iter().collect::<BTreeSet<_>>().len() == cells.len();
            is_distinct && 2 * cells.len() >= listed.rows.len()
        };
        let identifying = (0..listed.header.len()).filter(is_identifying).collect();
        let mut numbers = Numbers::default();
        numbers.add(&listed.header, listed.rows.iter().map(Vec::as_slice).enumerate());
        Class { names: listed.names(), listed, identifying, places, numbers, group }
    }

    /// The members of a student's group; only the student without one.
    pub(super) fn group(&self, student: usize) -> BTreeSet<usize> {
        let name = |column| (column, &self.listed.rows[student][column]);
        let group = self.group.map(name).filter(|(_, name)| !name.is_empty());
        group.map_or(BTreeSet::from([student]), |(column, name)| self.in_column(column, name))
    }

    /// The members of the group with that name; none if it is something of another student.
    pub(super) fn group_named(&self, name: &str) -> BTreeSet<usize> {
        let members = self.group.map(|column| self.in_column(column, name)).unwrap_or_default();
        if self.mentioned(name).is_subset(&members) { members } else { BTreeSet::new() }
    }

    /// The students with the `value` in one of these columns. Case counts unless no cell is
    /// equal.
    fn students(&self, value: &str, of_column: impl Fn(usize) -> bool) -> BTreeSet<usize> {
        let name = names::normalised(value).unwrap_or_default();
        let places = || {
            let all = self.places.get(&names::folded(&name)).into_iter().flatten();
            all.copied().filter(|(column, _)| of_column(*column))
        };
        let equal = places().filter(|(column, student)| self.listed.rows[*student][*column] == name);
        let equal: BTreeSet<usize> = equal.map(|(_, student)| student).collect();
        if equal.is_empty() { places().map(|(_, student)| student).collect() } else { equal }
    }

    /// The students whom the name of a folder or file may mean: a cell of an identifying
    /// column has it. A cell of another student, in any column, makes it unclear.
    pub(super) fn named(&self, name: &str) -> BTreeSet<usize> {
        let own = self.students(name, |column| self.listed.naming.contains(&column));
        if own.is_empty() { own } else { &own | &self.mentioned(name) }
    }

    /// The students of whom a cell in any column has the `value`: only to suggest one.
    pub(super) fn mentioned(&self, value: &str) -> BTreeSet<usize> {
        self.students(value, |_| true)
    }

    /// The only student of whom a cell has the `value`.
    pub(super) fn only_mentioned(&self, value: &str) -> Option<usize> {
        only(&self.mentioned(value))
    }

    /// The only student of whom a cell stands in `text` between separators; one of a letter or
    /// two may be anything.
    pub(super) fn only_within(&self, text: &str) -> Option<usize> {
        let text = names::folded(text);
        let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        let stands = |cell: &str| {
            text.match_indices(cell).any(|(at, _)| {
                ends(text[..at].chars().next_back()) && ends(text[at + cell.len()..].chars().next())
            })
        };
        let found = self.places.iter().filter(|(cell, _)| cell.len() > 2 && stands(cell));
        only(&found.flat_map(|(_, places)| places).map(|(_, student)| *student).collect())
    }

    /// The students with that value in the `column`.
    pub(super) fn in_column(&self, column: usize, value: &str) -> BTreeSet<usize> {
        self.students(value, |at| at == column)
    }

    /// The only student with that name.
    pub(super) fn by_name(&self, name: &str) -> Option<usize> {
        only(&self.in_column(self.listed.naming[0], plain(name)))
    }

    /// The name of a student, for messages.
    pub(super) fn shown(&self, student: usize) -> String {
        shorten(&self.names[student], 60)
    }

    /// The header of the column of names.
    pub(super) fn header(&self) -> &str {
        &self.listed.header[self.listed.naming[0]]
    }

    /// The roster's only column of e-mail addresses, for a form's column of them.
    fn addresses(&self, header: &str) -> Option<usize> {
        let is_address = |column: &usize| {
            self.listed.rows.iter().map(|row| &row[*column]).all(|cell| cell.is_empty() || cell.contains('@'))
        };
        let is_of_form = ADDRESS.iter().any(|known| known.eq_ignore_ascii_case(header.trim()));
        only(&self.identifying.iter().copied().filter(is_address).collect()).filter(|_| is_of_form)
    }

    /// How a table names students: by its columns that have the header of a roster column
    /// that identifies students; 'student' stands for the student's name.
    /// Fails if it has no such column, or two with one header.
    pub(super) fn join(&self, header: &[String], except: &[usize]) -> Result<Join<'_>, String> {
        let naming = &self.listed.naming;
        let mut columns: Vec<(usize, usize)> = Vec::new();
        for (at, name) in header.iter().enumerate().filter(|(at, _)| !except.contains(at)) {
            let own = || name.trim().eq_ignore_ascii_case(STUDENT).then_some(naming[0]);
            let column = self.listed.place(name).or_else(own).or_else(|| self.addresses(name));
            let Some(column) = column.filter(|column| self.identifying.contains(column)) else { continue };
            if columns.iter().any(|(_, known)| *known == column) {
                return Err(format!("it has two columns for '{}'; rename one", shorten(name, 60)));
            }
            columns.push((at, column));
        }
        columns.sort_by_key(|(_, column)| !naming.contains(column));
        if columns.is_empty() {
            let own: Vec<&str> = self.identifying.iter().map(|at| self.listed.header[*at].as_str()).collect();
            return Err(format!(
                "none of its columns ('{}') has the header of a roster column that identifies students ('{}'); give the one that names students that header, or 'student'",
                shorten(&header.join("', '"), 200),
                shorten(&own.join("', '"), 200)
            ));
        }
        Ok(Join { class: self, columns })
    }
}

/// The columns of a table that name students, with the roster's columns.
pub(super) struct Join<'c> {
    class: &'c Class,
    columns: Vec<(usize, usize)>,
}

impl Join<'_> {
    /// The students whom a row may mean: those with one of its values. None, if no student has
    /// the first value.
    pub(super) fn students(&self, row: &[String]) -> BTreeSet<usize> {
        let cells =
            self.columns.iter().map(|(at, column)| (row.get(*at).map_or("", |cell| cell.trim()), column));
        let found = cells.filter(|(cell, _)| !cell.is_empty());
        let mut found = found.map(|(cell, column)| self.class.in_column(*column, plain(cell)));
        let first = found.next().unwrap_or_default();
        if first.is_empty() { first } else { found.fold(first, |known, other| &known | &other) }
    }

    /// The student of a row, if it is of anybody in the class.
    /// Fails if it means two students.
    pub(super) fn student(&self, row: &[String]) -> Result<Option<usize>, String> {
        let students = self.students(row);
        if students.len() < 2 {
            return Ok(students.first().copied());
        }
        let names: Vec<String> = students.iter().take(4).map(|student| self.class.shown(*student)).collect();
        let header = &self.class.listed.header;
        let columns: Vec<&str> = self.columns.iter().map(|(_, column)| header[*column].as_str()).collect();
        Err(format!(
            "'{}' means two students, {}, by its columns '{}'; leave one column out, or correct that row",
            self.shown(row),
            names.join(" and "),
            shorten(&columns.join("', '"), 200)
        ))
    }

    /// The place of each student's row.
    /// Fails if a row means two students, or a student has two rows.
    pub(super) fn rows(&self, table: &Table) -> Result<HashMap<usize, usize>, String> {
        let mut rows = HashMap::new();
        for (place, row) in table.rows.iter().enumerate() {
            if let Some(student) = self.student(&row.cells)?
                && let Some(first) = rows.insert(student, place)
            {
                let (name, first) = (self.shown(&row.cells), table.rows[first].line);
                return Err(format!("'{name}' is in lines {first} and {}; leave one", row.line));
            }
        }
        Ok(rows)
    }

    /// The other columns of a table with that `header`, for a message; nothing if there are none.
    pub(super) fn others(&self, header: &[String], own: &[usize]) -> Option<String> {
        let is_known = |at: usize| own.contains(&at) || self.columns.iter().any(|(known, _)| *known == at);
        let others =
            header.iter().enumerate().filter(|(at, _)| !is_known(*at)).map(|(_, name)| name.as_str());
        let others = others.collect::<Vec<_>>().join("', '");
        (!others.is_empty()).then(|| format!("'{}'", shorten(&others, 200)))
    }

    /// What the row calls its student.
    pub(super) fn shown(&self, row: &[String]) -> String {
        let mut cells = self.columns.iter().filter_map(|(at, _)| row.get(*at)).map(|cell| cell.trim());
        shorten(cells.find(|cell| !cell.is_empty()).unwrap_or_default(), 60)
    }
}

/// The student, if there is only one.
pub(super) fn only(students: &BTreeSet<usize>) -> Option<usize> {
    students.first().copied().filter(|_| students.len() == 1)
}

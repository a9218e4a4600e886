//! The class: a table with a student on each line, found by exact values.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use common::failure::Failure;
use common::text::shorten;

use crate::names::{self, folded, normalised};
use crate::systems::{self, is_no_student};
use crate::tables::{Row, Table, columns, plain};

/// Headers of the address in tables of Google's and Microsoft's forms.
const ADDRESS: [&str; 4] = ["Email Address", "Email", "E-mail", "Username"];

/// The students, in the order of their table.
#[derive(Debug)]
pub(crate) struct Class {
    pub(crate) names: Vec<String>,
    header: Vec<String>,
    /// Cells in normal form.
    rows: Vec<Vec<String>>,
    /// The columns that identify students; the first gives the student's name.
    naming: Vec<usize>,
    /// Columns whose cells are all different. A table that has others in common, such as a
    /// tutor's name, does not name students by them.
    identifying: Vec<usize>,
    /// Columns and students of each value, without case.
    places: HashMap<String, Vec<(usize, usize)>>,
    /// The students by their numbers in systems.
    pub(crate) numbers: HashMap<(usize, String), BTreeSet<usize>>,
    /// The column with the group that a student hands in with.
    group: Option<usize>,
}

impl Class {
    /// Reads the table of the class, with the columns that name its students and groups.
    /// Fails if it cannot be read, has no such column, or a name is empty or repeated.
    pub(crate) fn read(path: &Path, naming: &[String], group: Option<&str>) -> Result<Class, Failure> {
        Table::read_with(path, |table| Class::of(table, naming, group))
    }

    fn of(mut table: Table, naming: &[String], group: Option<&str>) -> Result<Class, String> {
        table.rows.retain(|row| !is_no_student(&table.header, &row.cells));
        for name in table.header.iter().filter(|name| !name.trim().is_empty()) {
            table.column(&[name])?;
        }
        let naming = match naming {
            [] if table.header.len() == 1 => vec![0],
            [] => {
                let columns = table.columns();
                return Err(format!("it has several columns; name one with --name-column ({columns})"));
            }
            given => {
                let of_name = |name: &String| table.needed(&[name], "; give another --name-column");
                given.iter().map(of_name).collect::<Result<Vec<usize>, String>>()?
            }
        };
        let group = group.map(|name| table.needed(&[name], "")).transpose()?;
        let named = |row: &Row| (format!("line {}: ", row.line), row.cells[naming[0]].clone());
        let names = names::unique(table.rows.iter().map(named))?;
        // A cell that cannot be a name names nobody.
        let cells = |row: &Row| row.cells.iter().map(|cell| normalised(cell).unwrap_or_default()).collect();
        let rows: Vec<Vec<String>> = table.rows.iter().map(cells).collect();
        let mut places = HashMap::<_, Vec<_>>::new();
        for (student, row) in rows.iter().enumerate() {
            for (column, cell) in row.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
                places.entry(folded(cell)).or_default().push((column, student));
            }
        }
        let is_identifying = |column: &usize| {
            let cells = rows.iter().map(|row| folded(&row[*column])).filter(|cell| !cell.is_empty());
            let cells: Vec<String> = cells.collect();
            let is_distinct = cells.iter().collect::<BTreeSet<_>>().len() == cells.len();
            is_distinct && 2 * cells.len() >= rows.len()
        };
        let identifying = (0..table.header.len()).filter(is_identifying).collect();
        let header = table.header.clone();
        let numbers = HashMap::new();
        let mut class = Class { names, header, rows, naming, identifying, places, numbers, group };
        table
            .rows
            .iter()
            .enumerate()
            .for_each(|(student, row)| class.add_number(&table.header, row, student));
        Ok(class)
    }

    /// Adds the system's number of a student in a row of its export, if it is one.
    pub(crate) fn add_number(&mut self, header: &[String], row: &Row, student: usize) {
        let number = systems::number(header, &row.cells);
        number.into_iter().for_each(|number| _ = self.numbers.entry(number).or_default().insert(student));
    }

    /// The header of the column of names.
    pub(crate) fn header(&self) -> &str {
        self.header[self.naming[0]].trim()
    }

    /// The name of a student, for messages.
    pub(crate) fn shown(&self, student: usize) -> String {
        shorten(&self.names[student], 60)
    }

    /// The students with the `value` in one of these columns. Case counts unless no cell is
    /// equal.
    fn students(&self, value: &str, of_column: impl Fn(usize) -> bool) -> BTreeSet<usize> {
        let name = normalised(value).unwrap_or_default();
        let places = || {
            let all = self.places.get(&folded(&name)).into_iter().flatten();
            all.copied().filter(|(column, _)| of_column(*column))
        };
        let equal = places().filter(|(column, student)| self.rows[*student][*column] == name);
        let equal: BTreeSet<usize> = equal.map(|(_, student)| student).collect();
        if equal.is_empty() { places().map(|(_, student)| student).collect() } else { equal }
    }

    fn in_column(&self, column: usize, value: &str) -> BTreeSet<usize> {
        self.students(value, |at| at == column)
    }

    /// The students whom the name of a folder or file may mean: a cell of an identifying
    /// column has it. A cell of another student, in any column, makes it unclear.
    pub(crate) fn named(&self, name: &str) -> BTreeSet<usize> {
        let own = self.students(name, |column| self.naming.contains(&column));
        if own.is_empty() { own } else { &own | &self.mentioned(name) }
    }

    /// The students of whom a cell in any column has the `value`.
    pub(crate) fn mentioned(&self, value: &str) -> BTreeSet<usize> {
        self.students(value, |_| true)
    }

    /// The only student with that name in the column with this header.
    pub(crate) fn by_name(&self, header: &str, name: &str) -> Option<usize> {
        only(&self.in_column(columns(&self.header, &[header]).next()?, plain(name)))
    }

    /// The members of a student's group; only the student without one.
    pub(crate) fn group(&self, student: usize) -> BTreeSet<usize> {
        let name = |column| (column, &self.rows[student][column]);
        let group = self.group.map(name).filter(|(_, name)| !name.is_empty());
        group.map_or(BTreeSet::from([student]), |(column, name)| self.in_column(column, name))
    }

    /// The members of the group with that name; none if it is something of another student.
    pub(crate) fn group_named(&self, name: &str) -> BTreeSet<usize> {
        let members = self.group.map(|column| self.in_column(column, name)).unwrap_or_default();
        if self.mentioned(name).is_subset(&members) { members } else { BTreeSet::new() }
    }

    /// The roster's only column of e-mail addresses, for a form's column of them.
    fn addresses(&self, header: &str) -> Option<usize> {
        let is_address = |column: &usize| {
            self.rows.iter().map(|row| &row[*column]).all(|cell| cell.is_empty() || cell.contains('@'))
        };
        let is_of_form = ADDRESS.iter().any(|known| known.eq_ignore_ascii_case(header.trim()));
        only(&self.identifying.iter().copied().filter(is_address).collect()).filter(|_| is_of_form)
    }

    /// How a table names students: by its columns, `except` some, that have the header of a
    /// roster column that identifies students.
    /// Fails if it has no such column, or two with one header; a clause.
    pub(crate) fn join(&self, header: &[String], except: &[usize]) -> Result<Join<'_>, String> {
        let mut joined: Vec<(usize, usize)> = Vec::new();
        for (at, name) in header.iter().enumerate().filter(|(at, _)| !except.contains(at)) {
            let column = columns(&self.header, &[name]).next().or_else(|| self.addresses(name));
            let Some(column) = column.filter(|column| self.identifying.contains(column)) else { continue };
            if joined.iter().any(|(_, known)| *known == column) {
                return Err(format!("it has two columns for '{}'; rename one", shorten(name, 60)));
            }
            joined.push((at, column));
        }
        joined.sort_by_key(|(_, column)| !self.naming.contains(column));
        if joined.is_empty() {
            let own: Vec<&str> = self.identifying.iter().map(|at| self.header[*at].as_str()).collect();
            return Err(format!(
                "none of its columns ('{}') has the header of a roster column that identifies students ('{}'); give it to the one that names students",
                shorten(&header.join("', '"), 200),
                shorten(&own.join("', '"), 200)
            ));
        }
        Ok(Join { class: self, columns: joined })
    }
}

/// The columns of a table that name students, with the roster's columns.
pub(crate) struct Join<'c> {
    class: &'c Class,
    columns: Vec<(usize, usize)>,
}

impl Join<'_> {
    /// The students whom a row may mean: those with one of its values. None, if no student has
    /// the first value.
    pub(crate) fn students(&self, row: &Row) -> BTreeSet<usize> {
        let cells = self.columns.iter().map(|(at, column)| (row.cell(*at), column));
        let found = cells.filter(|(cell, _)| !cell.is_empty());
        let mut found = found.map(|(cell, column)| self.class.in_column(*column, plain(cell)));
        let first = found.next().unwrap_or_default();
        if first.is_empty() { first } else { found.fold(first, |known, other| &known | &other) }
    }

    /// What the row calls its student.
    pub(crate) fn shown(&self, row: &Row) -> String {
        let mut cells = self.columns.iter().map(|(at, _)| row.cell(*at));
        shorten(cells.find(|cell| !cell.is_empty()).unwrap_or_default(), 60)
    }

    /// The other columns of a table with that `header`, for a message.
    pub(crate) fn others<'h>(&self, header: &'h [String], own: &[usize]) -> Vec<&'h str> {
        let is_known = |at: usize| own.contains(&at) || self.columns.iter().any(|(known, _)| *known == at);
        header.iter().enumerate().filter(|(at, _)| !is_known(*at)).map(|(_, name)| name.as_str()).collect()
    }
}

/// The student, if there is only one.
pub(crate) fn only(students: &BTreeSet<usize>) -> Option<usize> {
    students.first().copied().filter(|_| students.len() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_would_be_read_shifted_is_refused_by_its_line() {
        let read = |text: &str| {
            Table::parse(text)
                .and_then(|table| Class::of(table, &["id".to_owned()], None))
                .map(|class| class.names)
        };
        for right in ["name,id\n\"Silva, Ana\",7\n", "name;id\r\nMedia;7\r\n"] {
            assert_eq!(read(right).unwrap(), ["7"]);
        }
        for (text, line, found) in [
            ("name,id\n\"Bea,8\nAna,7\n", "", "a cell in quotes does not end"),
            ("name,id\nBea,8\nSilva, Ana,7\n", "line 3", "3 cells where the header has 2"),
            ("name,id,mail\nSilva, Ana,7,\n", "line 2", "('Silva', ' Ana', '7', '')"),
            ("sep=;\nname;id\n\nBea;8;\n", "line 4", "contains a semicolon"),
            ("id\tname\n\tTurma A\n", "line 2", "a name is empty"),
            ("id\na\u{202e}b\n", "line 2", "turns the direction of writing"),
            ("name,id,ID\nBea,8,9\n", "", "columns 'id' and 'ID'"),
        ] {
            let why = read(text).unwrap_err();
            assert!(why.contains(line) && why.contains(found), "{text}: {why}");
        }
    }
}

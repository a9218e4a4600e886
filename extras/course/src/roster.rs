//! The class: a table with a column that identifies its students.

use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::input;
use common::text::shorten;

use crate::names;
use crate::systems::is_no_student;
use crate::tables::{Row, Table, columns};

/// The options for the file and its columns.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Roster {
    /// Read the class from a CSV: a header, then one student on each line
    #[arg(long, value_name = "FILE")]
    pub(crate) roster: Option<PathBuf>,

    /// Name the roster's column that identifies students [default: its only one]
    #[arg(long = "name-column", value_name = "COLUMN", requires = "roster")]
    pub(crate) name_columns: Vec<String>,
}

/// A roster that was read: all cells in normal form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
    /// The columns that identify students; the first gives the student's name.
    pub(crate) naming: Vec<usize>,
}

impl Listed {
    /// The names of the students.
    pub(crate) fn names(&self) -> Vec<String> {
        self.rows.iter().map(|row| row[self.naming[0]].clone()).collect()
    }

    /// The place of the column with that header.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        columns(&self.header, &[name]).next()
    }

    /// The column with that header.
    /// Fails if there is none.
    pub(crate) fn column(&self, name: &str) -> Result<usize, Failure> {
        self.place(name).ok_or_else(|| {
            let (name, columns) = (shorten(name, 60), self.header.join("', '"));
            Failure::usage(format!("the roster has no column '{name}'; its columns are '{columns}'"))
        })
    }
}

impl Roster {
    /// The class; `None` without a roster.
    /// Fails if it cannot be read, has no such column, or a name is empty or repeated.
    pub(crate) fn read(&self) -> Result<Option<Listed>, Failure> {
        self.roster.as_deref().map(|path| read(path, &self.name_columns)).transpose()
    }
}

fn read(path: &Path, columns: &[String]) -> Result<Listed, Failure> {
    let (mut table, file) = (Table::read(path)?, input::name(path));
    table.rows.retain(|row| !is_no_student(&table.header, &row.cells));
    let refused = |why: String| Failure::usage(format!("{file}: {why}"));
    for name in table.header.iter().filter(|name| !name.trim().is_empty()) {
        table.column(&[name]).map_err(refused)?;
    }
    let naming = match columns {
        [] if table.header.len() == 1 => vec![0],
        [] => {
            let why = format!("it has several columns; name one with --name-column ({})", table.columns());
            return Err(refused(why));
        }
        columns => {
            let of_name = |name: &String| table.needed(&[name], "; give another --name-column");
            columns.iter().map(of_name).collect::<Result<Vec<usize>, String>>().map_err(refused)?
        }
    };
    let named = |row: &Row| (format!("{file}, line {}", row.line), row.cells[naming[0]].clone());
    unique(table.rows.iter().map(named), &file)?;
    // A cell that cannot be a name names nobody.
    let cells =
        |row: &Row| row.cells.iter().map(|cell| names::normalised(cell).unwrap_or_default()).collect();
    let header = table.header.iter().map(|name| name.trim().to_owned()).collect();
    Ok(Listed { header, rows: table.rows.iter().map(cells).collect(), naming })
}

/// The names in normal form, each given with its place in the `file`.
/// Fails if one is empty, cannot be shown, or would share a file name with another.
pub(crate) fn unique(
    given: impl Iterator<Item = (String, String)>,
    file: &str,
) -> Result<Vec<String>, Failure> {
    let normalised = given.map(|(place, name)| {
        names::normalised(&name).map_err(|why| Failure::usage(format!("{place}: {why}; correct it")))
    });
    let found = normalised.collect::<Result<Vec<String>, Failure>>()?;
    if found.is_empty() {
        return Err(Failure::usage(format!("{file} names no student")));
    }
    names::distinct(found.iter()).map_err(|why| Failure::usage(format!("{file}: {why}")))?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_row_that_would_be_read_shifted_is_refused_by_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let read = |text: &str| {
            let path = folder.path().join("class.csv");
            std::fs::write(&path, text).unwrap();
            super::read(&path, &["id".to_owned()]).map_err(|why| why.to_string())
        };
        assert_eq!(read("name,id\n\"Silva, Ana\",7\n").unwrap().names(), ["7"]);
        assert_eq!(read("\u{feff}name;id\r\nMedia;7\r\n").unwrap().names(), ["7"]);
        let open = read("name,id\n\"Bea,8\nAna,7\n").unwrap_err();
        assert!(open.contains("class.csv: a cell in quotes does not end"), "{open}");
        for (text, line, found) in [
            ("name,id\nBea,8\nSilva, Ana,7\n", "line 3", "3 cells where the header has 2"),
            ("name,id,mail\nSilva, Ana,7,\n", "line 2", "('Silva', ' Ana', '7', '')"),
            ("sep=;\nname;id\n\nBea;8;\n", "line 4", "contains a semicolon"),
            ("name\tid\nTurma A\n", "line 2", "a name is empty"),
            ("name,id,ID\nBea,8,9\n", "", "columns 'id' and 'ID'"),
            ("name,id,grade\n,,Manual Posting\nBea,8,9\n", "line 2", "a name is empty"),
        ] {
            let why = read(text).unwrap_err();
            assert!(why.contains("class.csv") && why.contains(line) && why.contains(found), "{text}: {why}");
        }
    }
}

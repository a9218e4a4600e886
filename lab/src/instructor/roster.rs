//! The class: a table with a column that tells its students apart.

use std::path::{Path, PathBuf};

use common::failure::Failure;
use common::input;

use super::names;
use super::tables::Table;

/// Which file, and which of its columns.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Roster {
    /// The class as CSV: a header, then one student on each line
    #[arg(long, value_name = "FILE")]
    pub(crate) roster: Option<PathBuf>,

    /// The roster's column that tells students apart [default: its only one]
    #[arg(long, value_name = "COLUMN", requires = "roster")]
    pub(crate) name_column: Option<String>,
}

impl Roster {
    /// The names of the roster, or none without one.
    ///
    /// # Errors
    ///
    /// If it cannot be read, has no such column, or a name is empty or twice.
    pub(crate) fn names(&self) -> Result<Vec<String>, Failure> {
        self.roster.as_deref().map_or(Ok(Vec::new()), |path| read(path, self.name_column.as_deref()))
    }
}

fn read(path: &Path, column: Option<&str>) -> Result<Vec<String>, Failure> {
    let table = Table::read(path)?;
    let file = input::name(path);
    let place = match column {
        Some(column) => table.column(column),
        None if table.header.len() == 1 => Some(0),
        None => None,
    };
    let place = place.ok_or_else(|| {
        let columns = table.header.join("', '");
        let asked = column.map_or("several columns".to_owned(), |column| format!("no column '{column}'"));
        Failure::usage(format!("{file} has {asked}; name one with --name-column: '{columns}'"))
    })?;
    let cell = |row: &Vec<String>| row.get(place).cloned().unwrap_or_default();
    unique(table.rows.iter().map(cell), &file)
}

/// The names in their one spelling, each once.
///
/// # Errors
///
/// If one is empty, cannot be shown, or cannot be kept apart from another.
pub(crate) fn unique(given: impl Iterator<Item = String>, file: &str) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for (number, name) in (1..).zip(given) {
        let name = names::normalised(&name);
        found.push(
            name.map_err(|why| Failure::usage(format!("{file}, student {number}: {why}; correct it")))?,
        );
    }
    if found.is_empty() {
        return Err(Failure::usage(format!("{file} names no student")));
    }
    if let Some((one, other)) = names::alike(&found) {
        return Err(Failure::usage(format!(
            "{file}: '{one}' and '{other}' cannot be told apart as files; choose a column that does, as a student's number"
        )));
    }
    Ok(found)
}

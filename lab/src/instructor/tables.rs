//! Tables of comma-separated values, in and out.

use std::path::Path;

use common::failure::Failure;
use common::input;

/// A table as it was saved: its header, its rows, and what separates them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) separator: u8,
}

impl Table {
    /// Reads a table with a header; commas, semicolons or tabs separate it.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is no table.
    pub(crate) fn read(path: &Path) -> Result<Table, Failure> {
        let name = input::name(path);
        let could_not = |reason: String| Failure::could_not(format!("{name}: {reason}"));
        Table::parse(&input::text(path)?).map_err(could_not)
    }

    /// The same of a text; errors are clauses.
    pub(crate) fn parse(text: &str) -> Result<Table, String> {
        let text = text.trim_start_matches('\u{feff}');
        let first = text.lines().next().unwrap_or_default();
        let most = |sign: &u8| first.bytes().filter(|byte| byte == sign).count();
        let separator = [b'\t', b';', b','].into_iter().max_by_key(most).unwrap_or(b',');
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(separator)
            .flexible(true)
            .has_headers(false)
            .from_reader(text.as_bytes());
        let rows: Result<Vec<Vec<String>>, csv::Error> =
            reader.records().map(|row| Ok(row?.iter().map(str::to_owned).collect())).collect();
        let mut rows = rows.map_err(|error| format!("{error}; save it as CSV in UTF-8"))?.into_iter();
        let header = rows.next().ok_or("it is empty; the first line names the columns")?;
        let filled = |row: &Vec<String>| row.iter().any(|cell| !cell.trim().is_empty());
        Ok(Table { header, rows: rows.filter(filled).collect(), separator })
    }

    /// The place of the column called `name`, case and blanks round it ignored.
    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        let name = name.trim().to_lowercase();
        self.header.iter().position(|column| column.trim().to_lowercase() == name)
    }

    /// The table as text.
    pub(crate) fn text(&self) -> String {
        let mut writer =
            csv::WriterBuilder::new().delimiter(self.separator).flexible(true).from_writer(Vec::new());
        for row in std::iter::once(&self.header).chain(&self.rows) {
            // Writing to a Vec cannot fail.
            let _ = writer.write_record(row);
        }
        String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_with_any_separator_and_written_as_it_was() {
        for text in
            ["name,id\n\"Sá, Ana\",7\n", "name;id\nSá, Ana;7\n", "\u{feff}name\tid\r\n\r\nSá, Ana\t7\r\n"]
        {
            let table = Table::parse(text).unwrap();
            assert_eq!((table.column(" ID "), &*table.rows[0][0]), (Some(1), "Sá, Ana"));
            assert_eq!(Table::parse(&table.text()).unwrap(), table);
        }
        assert!(Table::parse("").is_err());
    }
}

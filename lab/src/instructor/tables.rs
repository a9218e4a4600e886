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
        let (separator, text) = separated(text);
        let mut reader = reader(separator, text);
        let rows: Result<Vec<Vec<String>>, csv::Error> =
            reader.records().map(|row| Ok(row?.iter().map(str::to_owned).collect())).collect();
        let mut rows = rows.map_err(|error| format!("{error}; save it as CSV in UTF-8"))?.into_iter();
        let header = rows.next().ok_or("it is empty; the first line names the columns")?;
        let filled = |row: &Vec<String>| row.iter().any(|cell| !cell.trim().is_empty());
        Ok(Table { header, rows: rows.filter(filled).collect(), separator })
    }

    /// A reader of a table row by row, its header first, for texts that nobody has checked.
    pub(crate) fn reader(text: &str) -> csv::Reader<&[u8]> {
        let (separator, text) = separated(text);
        reader(separator, text)
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

fn reader(separator: u8, text: &str) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new()
        .delimiter(separator)
        .flexible(true)
        .has_headers(false)
        .from_reader(text.as_bytes())
}

/// What separates the cells of a table, and where it begins: behind a byte order mark
/// and behind the line `sep=;` that spreadsheets read.
pub(crate) fn separated(text: &str) -> (u8, &str) {
    let text = text.trim_start_matches('\u{feff}');
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if let [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', sign] = first.trim_end().as_bytes()
        && [b',', b';', b'\t', b'|'].contains(sign)
    {
        return (*sign, rest);
    }
    let unquoted = || first.split('"').step_by(2).flat_map(str::bytes);
    let most = |sign: &u8| unquoted().filter(|byte| byte == sign).count();
    ([b'\t', b';', b','].into_iter().max_by_key(most).unwrap_or(b','), text)
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
        let excel = Table::parse("sep=;\r\na;b,c\r\n1;2\r\n").unwrap();
        assert_eq!((excel.header, excel.separator), (vec!["a".to_owned(), "b,c".to_owned()], b';'));
        assert_eq!(separated("\"a;b;c\",d\n1,2\n").0, b',');
        assert!(Table::parse("").is_err());
    }
}

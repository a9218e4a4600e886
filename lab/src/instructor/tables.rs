//! Reads and writes tables of comma-separated values.

use std::path::Path;

use common::failure::Failure;
use common::input;
use common::text::{separator, shorten};
use csv::StringRecord;

/// A table that was read: its header, its rows, and its separator.
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
    /// If it cannot be read, is not a table, or a row has more cells than the header: an
    /// unquoted cell with a separator in it moves the cells after it.
    pub(crate) fn read(path: &Path) -> Result<Table, Failure> {
        let (table, lines) = Table::read_ragged(path)?;
        let longer = table.rows.iter().zip(lines).find(|(row, _)| row.len() > table.header.len());
        match longer {
            Some((row, line)) => Err(table.ragged(&input::name(path), row, line)),
            None => Ok(table),
        }
    }

    /// The same for rows of any length; with the line on which each row begins.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is not a table.
    pub(crate) fn read_ragged(path: &Path) -> Result<(Table, Vec<usize>), Failure> {
        let name = input::name(path);
        let could_not = |reason: String| Failure::could_not(format!("{name}: {reason}"));
        Table::numbered(&input::text(path)?).map_err(could_not)
    }

    /// An error for a row that has more cells than the header.
    pub(crate) fn ragged(&self, file: &str, row: &[String], line: usize) -> Failure {
        let sign = match self.separator {
            b'\t' => "tab",
            b';' => "semicolon",
            _ => "comma",
        };
        let cells: Vec<String> = row.iter().take(4).map(|cell| format!("'{}'", shorten(cell, 30))).collect();
        Failure::usage(format!(
            "{file}, line {line}: {} cells where the header has {} ({}{}); put a cell that contains a {sign} in \
             quotes, and give each line as many cells as the header",
            row.len(),
            self.header.len(),
            cells.join(", "),
            if row.len() > cells.len() { ", …" } else { "" },
        ))
    }

    /// The same for a text; errors are clauses.
    #[cfg(test)]
    pub(crate) fn parse(text: &str) -> Result<Table, String> {
        Table::numbered(text).map(|(table, _)| table)
    }

    fn numbered(text: &str) -> Result<(Table, Vec<usize>), String> {
        let (separator, body) = separated(text);
        let start = text.len() - body.len();
        let line = |row: &StringRecord| {
            let at = start + row.position().map_or(0, |position| position.byte() as usize);
            let blank = text[at..].bytes().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
            1 + text[..at + blank].matches('\n').count()
        };
        let mut rows = Vec::new();
        let mut lines = Vec::new();
        for row in reader(separator, body).records() {
            let row = row.map_err(|error| format!("{error}; save it as CSV in UTF-8"))?;
            if rows.is_empty() || row.iter().any(|cell| !cell.trim().is_empty()) {
                lines.push(line(&row));
                rows.push(row.iter().map(str::to_owned).collect::<Vec<String>>());
            }
        }
        if rows.is_empty() {
            return Err("it is empty; the first line names the columns".to_owned());
        }
        lines.remove(0);
        Ok((Table { header: rows.remove(0), rows, separator }, lines))
    }

    /// A reader of a table row by row, its header first, without checks.
    pub(crate) fn reader(text: &str) -> csv::Reader<&[u8]> {
        let (separator, text) = separated(text);
        reader(separator, text)
    }

    /// The index of the column called `name`; case and blanks around it are ignored.
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

/// The cell separator, and the start of the table: after a byte order mark and after the
/// line `sep=;`, which spreadsheets understand.
pub(crate) fn separated(text: &str) -> (u8, &str) {
    let text = text.trim_start_matches('\u{feff}');
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if let Some(sign) = separator(first) {
        return (sign, rest);
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
        let (_, lines) = Table::numbered("sep=,\nname\n\n\"a\nb\"\n\n\nc\n").unwrap();
        assert_eq!(lines, [4, 8]);
    }
}

//! Reads and writes tables of comma-separated values.

use std::path::Path;

use common::failure::Failure;
use common::input;
use common::text::{inert, separator, shorten};

/// A table with the position of each cell in its text.
#[derive(Debug)]
pub(crate) struct Table {
    text: String,
    pub(crate) separator: u8,
    pub(crate) header: Vec<String>,
    /// Rows that are not blank, without the header.
    pub(crate) rows: Vec<Row>,
}

/// A row, and the line of the text that it begins on.
#[derive(Debug, Default)]
pub(crate) struct Row {
    pub(crate) line: usize,
    pub(crate) cells: Vec<String>,
    places: Vec<(usize, usize)>,
}

impl Row {
    /// A cell without blanks around it; empty where the row has none.
    pub(crate) fn cell(&self, at: usize) -> &str {
        self.cells.get(at).map_or("", |cell| cell.trim())
    }
}

impl Table {
    /// Reads a table with a header; commas, semicolons or tabs separate it.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is not a table, or a row has more cells than the header: an
    /// unquoted cell with a separator in it moves the cells after it.
    pub(crate) fn read(path: &Path) -> Result<Table, Failure> {
        let name = input::name(path);
        let table = Table::parse(input::text(path)?);
        let table = table.map_err(|why| Failure::could_not(format!("{name}: {why}")))?;
        match table.rows.iter().find(|row| row.cells.len() > table.header.len()) {
            Some(row) => Err(table.ragged(&name, row)),
            None => Ok(table),
        }
    }

    /// What `use_it` makes of the table in that file; its errors are clauses.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or used; the sentence names the file.
    pub(crate) fn read_with<T>(
        path: &Path,
        use_it: impl FnOnce(&Table) -> Result<T, String>,
    ) -> Result<T, Failure> {
        use_it(&Table::read(path)?).map_err(|why| Failure::usage(format!("{}: {why}", input::name(path))))
    }

    /// Reads a table from a text.
    ///
    /// # Errors
    ///
    /// If it is empty, or a quoted cell does not end; a clause.
    pub(crate) fn parse(text: String) -> Result<Table, String> {
        let (separator, body) = separated(&text);
        let offset = text.len() - body.len();
        let mut rows = rows(body, separator, offset, 1 + text[..offset].matches('\n').count())?;
        rows.retain(|row| row.cells.iter().any(|cell| !cell.trim().is_empty()));
        if rows.is_empty() {
            return Err("it is empty; the first line names the columns".to_owned());
        }
        let header = rows.remove(0).cells;
        Ok(Table { text, separator, header, rows })
    }

    /// An error for a row that has another number of cells than the header.
    pub(crate) fn ragged(&self, file: &str, row: &Row) -> Failure {
        let sign = match self.separator {
            b'\t' => "tab",
            b';' => "semicolon",
            _ => "comma",
        };
        let cells: Vec<String> =
            row.cells.iter().take(4).map(|cell| format!("'{}'", shorten(cell, 30))).collect();
        Failure::usage(format!(
            "{file}, line {}: {} cells where the header has {} ({}{}); put a cell that contains a {sign} in \
             quotes, and give each line as many cells as the header",
            row.line,
            row.cells.len(),
            self.header.len(),
            cells.join(", "),
            if row.cells.len() > cells.len() { ", …" } else { "" },
        ))
    }

    /// The only column with one of the `names`; case and blanks around it are ignored.
    ///
    /// # Errors
    ///
    /// If there are two; a clause.
    pub(crate) fn column(&self, names: &[&str]) -> Result<Option<usize>, String> {
        let folded = |name: &str| name.trim().to_lowercase();
        let is = |at: &usize| names.iter().any(|name| folded(name) == folded(&self.header[*at]));
        let found: Vec<usize> = (0..self.header.len()).filter(is).collect();
        match found.as_slice() {
            [one, two, ..] => {
                let [one, two] = [one, two].map(|at| shorten(&self.header[*at], 40));
                Err(format!("it has the columns '{one}' and '{two}', which mean the same; rename one"))
            }
            found => Ok(found.first().copied()),
        }
    }

    /// The text with some cells, by row and column, replaced.
    pub(crate) fn with(&self, mut changes: Vec<(usize, usize, String)>) -> String {
        changes.sort_by_key(|(row, column, _)| (*row, *column));
        let (mut out, mut done) = (String::with_capacity(self.text.len()), 0);
        for (row, column, cell) in changes {
            let Some((start, end)) = self.rows.get(row).and_then(|row| row.places.get(column)) else {
                continue;
            };
            out.push_str(&self.text[done..*start]);
            out.push_str(&quoted(&cell, self.separator));
            done = *end;
        }
        out + &self.text[done..]
    }

    /// The text with more rows at its end.
    pub(crate) fn extended(&self, rows: impl IntoIterator<Item = Vec<String>>) -> String {
        let end = if self.text.ends_with(['\n', '\r']) { "" } else { "\n" };
        self.text.clone() + end + &separated_by(self.separator, rows)
    }
}

/// Rows as comma-separated values. No cell can be a formula of a spreadsheet.
pub(crate) fn csv(rows: impl IntoIterator<Item = Vec<String>>) -> String {
    separated_by(b',', rows)
}

fn separated_by(sign: u8, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let cell = |cell: &String| quoted(&inert(cell), sign);
    let sign = char::from(sign).to_string();
    rows.into_iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join(&sign) + "\n").collect()
}

/// A cell as a table holds it. One that any separator would split is quoted, too.
fn quoted(cell: &str, separator: u8) -> String {
    let special = |c: char| ['"', '\n', '\r', ',', ';', '\t'].contains(&c) || c == char::from(separator);
    if cell.contains(special) || cell.trim() != cell {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

/// The cell separator, and the start of the table: after a byte order mark and after the
/// line `sep=;`, which spreadsheets understand.
fn separated(text: &str) -> (u8, &str) {
    let text = text.trim_start_matches('\u{feff}');
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if let Some(sign) = separator(first) {
        return (sign, rest);
    }
    let unquoted = || first.split('"').step_by(2).flat_map(str::bytes);
    let most = |sign: &u8| unquoted().filter(|byte| byte == sign).count();
    ([b'\t', b';', b','].into_iter().max_by_key(most).unwrap_or(b','), text)
}

/// The rows of `text`, which starts `offset` bytes and `line` lines after the beginning of
/// the file.
fn rows(text: &str, separator: u8, offset: usize, mut line: usize) -> Result<Vec<Row>, String> {
    let bytes = text.as_bytes();
    let mut rows = Vec::new();
    let mut row = Row { line, ..Row::default() };
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let mut cell = Vec::new();
        if bytes[at] == b'"' {
            at += 1;
            loop {
                match (bytes.get(at), bytes.get(at + 1)) {
                    (Some(b'"'), Some(b'"')) => {
                        cell.push(b'"');
                        at += 2;
                    }
                    (Some(b'"'), _) => {
                        at += 1;
                        break;
                    }
                    (Some(byte), _) => {
                        line += usize::from(*byte == b'\n');
                        cell.push(*byte);
                        at += 1;
                    }
                    (None, _) => return Err(format!("line {}: a cell in quotes does not end", row.line)),
                }
            }
        }
        while let Some(byte) = bytes.get(at).filter(|byte| ![separator, b'\n', b'\r'].contains(byte)) {
            cell.push(*byte);
            at += 1;
        }
        row.cells.push(String::from_utf8_lossy(&cell).into_owned());
        row.places.push((offset + start, offset + at));
        match bytes.get(at) {
            Some(byte) if *byte == separator => {
                at += 1;
                // The last cell of a file may be empty.
                if at == bytes.len() {
                    row.cells.push(String::new());
                    row.places.push((offset + at, offset + at));
                }
            }
            Some(end) => {
                at += if *end == b'\r' && bytes.get(at + 1) == Some(&b'\n') { 2 } else { 1 };
                line += 1;
                rows.push(std::mem::replace(&mut row, Row { line, ..Row::default() }));
            }
            None => {}
        }
    }
    if !row.cells.is_empty() {
        rows.push(row);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_with_any_separator_and_written_as_it_was() {
        for text in
            ["name,id\n\"Sá, Ana\",7\n", "name;id\nSá, Ana;7\n", "\u{feff}name\tid\r\n\r\nSá, Ana\t7\r\n"]
        {
            let table = Table::parse(text.to_owned()).unwrap();
            assert_eq!((table.column(&[" ID "]), table.rows[0].cell(0)), (Ok(Some(1)), "Sá, Ana"));
            assert_eq!(csv([table.rows[0].cells.clone()]), "\"Sá, Ana\",7\n");
        }
        let excel = Table::parse("sep=;\r\na;b,c\r\n1;2\r\n".to_owned()).unwrap();
        assert_eq!((excel.header, excel.separator), (vec!["a".to_owned(), "b,c".to_owned()], b';'));
        assert_eq!(separated("\"a;b;c\",d\n1,2\n").0, b',');
        let hostile = ["x;=1+1;", "＝1+1", "\t=1", "a"].map(str::to_owned).to_vec();
        assert_eq!(csv([hostile]), "\"x;=1+1;\",'＝1+1,\"'\t=1\",a\n");
        let table = Table::parse("sep=,\nname\n\n\"a\nb\"\n\n\nc\n".to_owned()).unwrap();
        assert_eq!(table.rows.iter().map(|row| row.line).collect::<Vec<_>>(), [4, 8]);
        let twice = Table::parse("a,b,A\n1,2,3\n".to_owned()).unwrap();
        assert!(twice.column(&["a"]).is_err() && twice.column(&["b", "c"]) == Ok(Some(1)));
    }

    #[test]
    fn only_the_cells_that_change_change() {
        for (text, after) in [
            ("a,b\n1,\n", "a,b\n1,x\n"),
            (
                "\u{feff}\"a\";\"b;\"\r\n\r\n\"1\n\"\"2\";\"old\"\r\n",
                "\u{feff}\"a\";\"b;\"\r\n\r\n\"1\n\"\"2\";x\r\n",
            ),
            ("sep=;\r\na;b\r\n1;2", "sep=;\r\na;b\r\n1;x"),
            ("a,b\r1,2\r", "a,b\r1,x\r"),
            ("a\tb\n1\t", "a\tb\n1\tx"),
            ("a,b\n\"1\"z,2\n", "a,b\n\"1\"z,x\n"),
        ] {
            let table = Table::parse(text.to_owned()).unwrap();
            assert_eq!((table.header.len(), table.rows.len()), (2, 1), "{table:?}");
            assert_eq!(table.with(vec![(0, 1, "x".to_owned())]), after, "{table:?}");
            assert_eq!(table.with(Vec::new()), text);
            let odd = " x;,\t\"\n".to_owned();
            let again = Table::parse(table.with(vec![(0, 1, odd.clone())])).unwrap();
            assert_eq!(again.rows[0].cells[1], odd);
        }
        assert!(Table::parse("a,b\n\"1,2\n".to_owned()).unwrap_err().contains("line 2"));
        assert!(Table::parse("\n\n".to_owned()).is_err());
    }
}

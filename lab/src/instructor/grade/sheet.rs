//! Edits cells of a table in place: all other bytes stay as they are.

use crate::instructor::tables::separated;

/// A table with the position of each cell in its text.
#[derive(Debug)]
pub(super) struct Sheet {
    text: String,
    pub(super) separator: u8,
    pub(super) header: Vec<String>,
    /// Rows that are not blank, without the header.
    pub(super) rows: Vec<Row>,
}

/// A row, and the line of the text that it begins on.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) line: usize,
    pub(super) cells: Vec<String>,
    places: Vec<(usize, usize)>,
}

impl Row {
    pub(super) fn cell(&self, at: usize) -> &str {
        self.cells.get(at).map_or("", |cell| cell.trim())
    }
}

impl Sheet {
    /// Reads a table with a header; commas, semicolons or tabs separate it.
    ///
    /// # Errors
    ///
    /// If it is empty, or a quoted cell does not end; a clause.
    pub(super) fn parse(text: String) -> Result<Sheet, String> {
        let (separator, body) = separated(&text);
        let offset = text.len() - body.len();
        let mut rows = rows(body, separator, offset, 1 + text[..offset].matches('\n').count())?;
        rows.retain(|row| row.cells.iter().any(|cell| !cell.trim().is_empty()));
        if rows.is_empty() {
            return Err("it is empty; the first line names the columns".to_owned());
        }
        let header = rows.remove(0).cells;
        Ok(Sheet { text, separator, header, rows })
    }

    /// The text with some cells, by row and column, replaced.
    pub(super) fn with(&self, mut changes: Vec<(usize, usize, String)>) -> String {
        changes.sort_by_key(|(row, column, _)| (*row, *column));
        let (mut out, mut done) = (String::with_capacity(self.text.len()), 0);
        for (row, column, cell) in changes {
            let Some((start, end)) = self.rows.get(row).and_then(|row| row.places.get(column)) else {
                continue;
            };
            out.push_str(&self.text[done..*start]);
            out.push_str(&self.quoted(&cell));
            done = *end;
        }
        out + &self.text[done..]
    }

    /// A cell as a table holds it.
    fn quoted(&self, cell: &str) -> String {
        let special = |c: char| ['"', '\n', '\r'].contains(&c) || c == char::from(self.separator);
        if cell.contains(special) || cell.trim() != cell {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.to_owned()
        }
    }
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
            let sheet = Sheet::parse(text.to_owned()).unwrap();
            assert_eq!((sheet.header.len(), sheet.rows.len()), (2, 1), "{sheet:?}");
            assert_eq!(sheet.with(vec![(0, 1, "x".to_owned())]), after, "{sheet:?}");
            assert_eq!(sheet.with(Vec::new()), text);
            let odd = " x;,\t\"\n".to_owned();
            let again = Sheet::parse(sheet.with(vec![(0, 1, odd.clone())])).unwrap();
            assert_eq!(again.rows[0].cells[1], odd);
        }
        assert!(Sheet::parse("a,b\n\"1,2\n".to_owned()).unwrap_err().contains("line 2"));
        assert!(Sheet::parse("\n\n".to_owned()).is_err());
        let lines = Sheet::parse("a\n\"x\ny\"\nz\n".to_owned()).unwrap();
        assert_eq!(lines.rows.iter().map(|row| row.line).collect::<Vec<_>>(), [2, 4]);
    }
}

//! Reads and writes tables of comma-separated values.

use std::path::Path;

use common::failure::Failure;
use common::input;
use common::text::{inert, separator, shorten};

/// A table, and the separator of its cells.
#[derive(Debug)]
pub(crate) struct Table {
    separator: u8,
    pub(crate) header: Vec<String>,
    /// Rows that are not blank, without the header.
    pub(crate) rows: Vec<Row>,
}

/// A row, and the line of the text that it begins on.
#[derive(Debug, Default)]
pub(crate) struct Row {
    pub(crate) line: usize,
    pub(crate) cells: Vec<String>,
}

impl Row {
    /// A cell without blanks around it.
    pub(crate) fn cell(&self, at: usize) -> &str {
        self.cells.get(at).map_or("", |cell| cell.trim())
    }
}

impl Table {
    /// What `use_it` makes of the table in that file; its errors are clauses.
    /// Fails if it cannot be read, or used; the sentence names the file.
    pub(crate) fn read_with<T>(
        path: &Path,
        use_it: impl FnOnce(Table) -> Result<T, String>,
    ) -> Result<T, Failure> {
        let used = Table::parse(&input::text(path)?).and_then(use_it);
        used.map_err(|why| Failure::usage(format!("{}: {why}", input::name(path))))
    }

    /// Reads a table with a header; commas, semicolons or tabs separate it.
    /// Fails if it is empty, a quoted cell does not end, or a row has more cells than the header: an
    /// unquoted cell with a separator in it moves the cells after it. A clause.
    pub(crate) fn parse(text: &str) -> Result<Table, String> {
        let (separator, body) = separated(text);
        if body.matches('"').count() % 2 == 1 {
            return Err("a cell in quotes does not end; check its quotation marks".to_owned());
        }
        let mut builder = csv::ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(separator);
        let mut rows = Vec::new();
        for record in builder.from_reader(body.as_bytes()).records() {
            let record = record.map_err(|error| error.to_string())?;
            let (begin, line) =
                record.position().map_or((0, 1), |at| (at.byte() as usize, at.line() as usize));
            // Blank lines above the record are part of it.
            let blank = body[begin..].bytes().take_while(|byte| *byte == b'\n').count();
            if record.iter().any(|cell| !cell.trim().is_empty()) {
                let cells = record.iter().map(str::to_owned).collect();
                rows.push(Row { line: line + blank, cells });
            }
        }
        if rows.is_empty() {
            return Err("it is empty; the first line names the columns".to_owned());
        }
        let header = rows.remove(0).cells;
        if let Some(row) = rows.iter().find(|row| row.cells.len() > header.len()) {
            return Err(format!(
                "line {}: {} cells where the header has {} ('{}'); put a cell that contains a {} in quotes",
                row.line,
                row.cells.len(),
                header.len(),
                shorten(&row.cells.join("', '"), 120),
                if separator == b';' { "semicolon" } else { "comma or tab" },
            ));
        }
        // Spreadsheets leave out empty cells at the end of a row.
        rows.iter_mut().for_each(|row| row.cells.resize(header.len(), String::new()));
        Ok(Table { separator, header, rows })
    }

    /// The only column with one of the `names`; case and blanks around it are ignored.
    /// Fails if there are two; a clause.
    pub(crate) fn column(&self, names: &[&str]) -> Result<Option<usize>, String> {
        let mut found = columns(&self.header, names);
        let first = found.next();
        let Some((one, two)) = first.zip(found.next()) else { return Ok(first) };
        let [one, two] = [one, two].map(|at| shorten(&self.header[at], 40));
        Err(format!("it has the columns '{one}' and '{two}', which mean the same; rename one"))
    }

    /// The column with one of these headers, which the table must have; `hint` says how to correct it.
    pub(crate) fn needed(&self, names: &[&str], hint: &str) -> Result<usize, String> {
        let lacks = || format!("it has no column '{}' ({}){hint}", names.join("' or '"), self.columns());
        self.column(names)?.ok_or_else(lacks)
    }

    /// The headers, for a message.
    pub(crate) fn columns(&self) -> String {
        format!("'{}'", shorten(&self.header.join("', '"), 200))
    }

    /// The table with all cells as they are, and these rows after it.
    pub(crate) fn text(&self, more: &[Row]) -> String {
        let rows = self.rows.iter().chain(more).map(|row| &row.cells);
        std::iter::once(&self.header).chain(rows).map(|cells| line(cells, self.separator)).collect()
    }
}

/// The columns with one of the `names`; case and blanks around it are ignored.
pub(crate) fn columns(header: &[String], names: &[&str]) -> impl Iterator<Item = usize> {
    let folded = |name: &str| name.trim().to_lowercase();
    let is = move |cell: &String| {
        names.iter().any(|name| !folded(name).is_empty() && folded(name) == folded(cell))
    };
    header.iter().enumerate().filter(move |(_, cell)| is(cell)).map(|(at, _)| at)
}

/// Rows as comma-separated values.
pub(crate) fn csv(rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let row = |cells: Vec<String>| line(&cells.iter().map(|text| cell(text)).collect::<Vec<_>>(), b',');
    rows.into_iter().map(row).collect()
}

/// Whether a spreadsheet may take a text, without apostrophes before it, as a formula.
fn is_formula(text: &str) -> bool {
    let bare = text.trim_start_matches('\'');
    inert(bare) != bare
}

/// A text as a cell: no terminal obeys it, and it has one apostrophe more before what may be a
/// formula, so that no two texts are the same cell.
pub(crate) fn cell(text: &str) -> String {
    let obeyed = |c: char| c.is_control() && !['\n', '\r', '\t'].contains(&c);
    let text = text.replace(obeyed, "\u{fffd}");
    if is_formula(&text) { format!("'{text}") } else { text }
}

/// The text in a cell.
pub(crate) fn plain(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|rest| is_formula(rest)).unwrap_or(cell)
}

/// The line of a row. A cell that any separator would split is quoted, too.
fn line(cells: &[String], separator: u8) -> String {
    let special = |c: char| ['"', '\n', '\r', ',', ';', '\t'].contains(&c) || c == char::from(separator);
    let quoted = |cell: &String| match cell.contains(special) || cell.trim() != cell {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    cells.iter().map(quoted).collect::<Vec<_>>().join(&char::from(separator).to_string()) + "\n"
}

/// The cell separator, and the table: a line `sep=;`, which spreadsheets understand, is blank.
fn separated(text: &str) -> (u8, &str) {
    let first = text.lines().next().unwrap_or_default();
    if let Some(sign) = separator(first) {
        return (sign, &text[first.len()..]);
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
        for text in [
            "name,id\n\"Sá, Ana\",7\n",
            "name;id\n\"Sá, Ana\";7\n",
            "name\tid\n\"Sá, Ana\"\t7\n",
            "sep=;\nname;id\n\"Sá, Ana\";7\n",
        ] {
            let table = Table::parse(text).unwrap();
            assert_eq!((table.column(&[" ID "]), table.rows[0].cell(0)), (Ok(Some(1)), "Sá, Ana"));
            assert_eq!(table.text(&[]), text.trim_start_matches("sep=;\n"));
            assert_eq!(csv([table.rows[0].cells.clone()]), "\"Sá, Ana\",7\n");
        }
        // a cell is no formula also where another sign separates cells
        let written = csv([["x;=1+1;", "＝1+1", "\t=1", "a", " \" "].map(str::to_owned).to_vec()]);
        assert_eq!(written, "\"x;=1+1;\",'＝1+1,\"'\t=1\",a,\" \"\" \"\n");
        assert_eq!(Table::parse(&written).unwrap().header[4], " \" ");
        let table = Table::parse("sep=,\nname\n\n\"a\nb\"\n\n\nc\n").unwrap();
        assert_eq!(table.rows.iter().map(|row| row.line).collect::<Vec<_>>(), [4, 8]);
        assert!(Table::parse("\n\n").is_err());
    }
}

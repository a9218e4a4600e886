//! Any table of a spreadsheet, pandas or R, as rows of a record without a program.

use common::record::{Record, Row};
use common::text::shorten;
use serde_json::Value as Json;

/// Entries that say that there is no number.
const MISSING: [&str; 7] = ["", "-", "NA", "N/A", "#N/A", "NaN", "nan"];

/// The rows of a table, its columns of numbers in order, and its other columns, each also with its first entry that
/// is no number.
type Table = (Record, Vec<String>, Vec<(String, String)>);

/// Reads a table whose first line has the names of its columns.
/// Columns are separated by tabs, `;`, `,` or blanks, and may be quoted.
///
/// # Errors
///
/// If it is no table, or a number can be read in two ways; a sentence with the line.
pub(super) fn read(text: &str) -> Result<Table, String> {
    // What Excel writes first to say it.
    let (told, text) = match text.strip_prefix("sep=").and_then(|rest| rest.split_once('\n')) {
        Some((sign, rest)) => (sign.bytes().next(), rest),
        None => (None, text),
    };
    let head =
        text.lines().find(|line| !line.starts_with('#') && !line.trim().is_empty()).unwrap_or_default();
    let sign =
        told.or_else(|| b"\t;, ".iter().copied().find(|sign| unquoted(head).contains(char::from(*sign))));
    let sign = sign.ok_or("its first line is not a header of two columns or more")?;
    let mut reader = csv::ReaderBuilder::new();
    reader.delimiter(sign).trim(csv::Trim::All).comment(Some(b'#')).flexible(true).has_headers(false);
    let (mut header, mut rows): (Vec<String>, Vec<(u64, Vec<String>)>) = Default::default();
    for row in reader.from_reader(text.as_bytes()).records() {
        let row = row.map_err(|error| error.to_string())?;
        let line = row.position().map_or(0, csv::Position::line) + u64::from(told.is_some());
        let mut cells =
            Vec::from_iter(row.iter().filter(|cell| sign != b' ' || !cell.is_empty()).map(str::to_owned));
        if header.is_empty() {
            header = cells;
            continue;
        }
        // R's names of rows have no name.
        if sign != b',' && cells.len() == header.len() + 1 && !cells.last().is_some_and(String::is_empty) {
            cells.remove(0);
        }
        while cells.len() > header.len() && cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        if cells.len() != header.len() {
            return Err(format!("line {line} has {} entries for {} columns", cells.len(), header.len()));
        }
        if cells.iter().any(|cell| !cell.is_empty()) {
            rows.push((line, cells));
        }
    }
    let decimals = Decimals::of(&rows, sign)?;
    let mut record = Record::new("", "");
    record.rows = rows.iter().map(|_| Row::default()).collect();
    let (mut numbers, mut others) = (Vec::new(), Vec::new());
    // Columns without a name count rows, or are empty.
    for (at, name) in header.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
        if header[..at].contains(name) {
            return Err(format!("two columns are called '{}'", shorten(name, 60)));
        }
        let cells = rows.iter().map(|(_, cells)| cells[at].as_str());
        let values = Vec::from_iter(cells.clone().map(|cell| decimals.number(cell)));
        let mut wrong = rows.iter().zip(&values).filter(|(_, value)| value.is_none());
        let wrong = wrong.find(|((_, cells), _)| !MISSING.contains(&cells[at].as_str()));
        let is_number = wrong.is_none() && values.iter().any(Option::is_some);
        if is_number {
            numbers.push(name.clone());
        } else if let Some(((line, cells), _)) = wrong {
            let [shown, cell] = [name, &cells[at]].map(|text| shorten(text, 40));
            others.push((name.clone(), format!("{shown} ('{cell}' in line {line})")));
        }
        for ((row, cell), value) in record.rows.iter_mut().zip(cells).zip(values) {
            let value = if is_number { value.map_or(Json::Null, Json::from) } else { cell.into() };
            row.place.insert(name.into(), value);
        }
    }
    if numbers.is_empty() || record.rows.is_empty() {
        return Err("no column of it has numbers only".to_owned());
    }
    Ok((record, numbers, others))
}

/// A line without what is between quotation marks.
fn unquoted(line: &str) -> String {
    line.split('"').step_by(2).collect()
}

/// Which sign decimals have.
struct Decimals {
    comma: bool,
}

impl Decimals {
    /// That of the numbers in the cells: one sign in all, and not one that may separate thousands.
    fn of(rows: &[(u64, Vec<String>)], sign: u8) -> Result<Decimals, String> {
        let is_number = |cell: &str| cell.replacen(',', ".", 1).parse::<f64>().is_ok();
        let cells = rows.iter().flat_map(|(line, cells)| cells.iter().map(move |cell| (line, cell)));
        let cells = cells.filter(|(_, cell)| is_number(cell));
        let with = |sign: char| cells.clone().find(|(_, cell)| cell.contains(sign));
        match (with('.'), with(',')) {
            (_, None) => Ok(Decimals { comma: false }),
            (Some((one, point)), Some((other, comma))) => Err(format!(
                "line {one} has '{point}' and line {other} '{comma}': write all decimals with a point"
            )),
            (None, Some((line, text))) => {
                let groups = |cell: &String| cell.split_once(',').is_none_or(|(_, rest)| rest.len() == 3);
                if sign == b',' || cells.clone().all(|(_, cell)| groups(cell)) {
                    return Err(format!(
                        "line {line} has '{text}', which can be {} or {}: write decimals with a point",
                        text.replace(',', ""),
                        text.replace(',', ".")
                    ));
                }
                Ok(Decimals { comma: true })
            }
        }
    }

    fn number(&self, cell: &str) -> Option<f64> {
        let number = if self.comma { cell.replacen(',', ".", 1).parse() } else { cell.parse() };
        number.ok().filter(|number: &f64| number.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What spreadsheets, pandas and R write, and what is refused.
    #[test]
    fn tables_are_read_or_refused_with_the_line() {
        let numbers =
            |text: &str| read(text).map(|(record, numbers, _)| (record.rows.len(), numbers.join("|")));
        for (text, rows, names) in [
            ("n,time A,time B\n8,1.5,2\n16,3,NA\n", 2, "n|time A|time B"),
            ("n;t\n8;1,5\n16;2,25\n;\n", 2, "n|t"),
            ("sep=;\r\nn;t;\r\n8;1,5;\r\n", 1, "n|t"),
            ("n\tt\n8\t1e-3\n", 1, "n|t"),
            (",n,t\n0,8,1\n1,16,2\n", 2, "n|t"),
            ("\"n\" \"t\"\n\"1\" 8 1.5\n\"2\" 16 3\n", 2, "n|t"),
            ("\"\",\"n, rows\",\"t\"\n\"1\",8,1.5\n", 1, "n, rows|t"),
            ("# made by hand\nkind,t\nijk,1\n\nikj,2\n", 2, "t"),
        ] {
            assert_eq!(numbers(text), Ok((rows, names.to_owned())), "{text}");
        }
        for (text, says) in [
            ("", "not a header"),
            ("n,t\n8,1,5\n", "line 2 has 3 entries for 2 columns"),
            ("n;t\n8;1,500\n", "'1,500', which can be 1500 or 1.500"),
            ("n;t\n8;1,5\n16;2.5\n", "line 3 has '2.5' and line 2 '1,5'"),
            ("n,n\n1,2\n", "two columns are called 'n'"),
            ("a,b\nx,y\n", "no column of it has numbers only"),
        ] {
            let error = numbers(text).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}

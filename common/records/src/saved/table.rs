//! Tables with a header: spark's, CSV with named columns, and one column per
//! array size.

use super::{Cell, Found, Lines, Row, SavedError, amount, bad_line};
use figures::units::Bytes;

/// What a column holds.
#[derive(Debug, Clone, PartialEq)]
enum Column {
    Size,
    Stride,
    Misses,
    Nanos,
    /// Microseconds per access, as cm1 prints.
    Micros,
    /// Seconds for the whole cell: 100 accesses for each byte of the array.
    Elapsed,
    Event,
    Source,
    /// Nanoseconds per access at this array size.
    NanosAt(u64),
    Other,
}

/// spark accesses every byte's worth of the array this often (100 * stride
/// passes of size / stride accesses).
const SPARK_ACCESSES_PER_BYTE: f64 = 100.0;

fn split(line: &str) -> Vec<&str> {
    match [',', ';', '\t'].into_iter().find(|&mark| line.contains(mark)) {
        Some(mark) => line.split(mark).map(|cell| cell.trim().trim_matches('"')).collect(),
        None => line.split_whitespace().collect(),
    }
}

fn column(name: &str) -> Column {
    match name.to_ascii_lowercase().as_str() {
        "size" | "size_bytes" | "cache_size" | "array_size" | "array_bytes" | "csize" => Column::Size,
        "stride" | "stride_bytes" => Column::Stride,
        "avg_misses" | "avgmisses" | "misses_per_access" | "misses" => Column::Misses,
        "ns_per_access" | "ns" => Column::Nanos,
        "avg_time_us" | "avg_time" | "avgtime" | "us_per_access" => Column::Micros,
        "elapsed(s)" | "elapsed" | "elapsed_s" | "elapsed_seconds" | "seconds" => Column::Elapsed,
        "event" => Column::Event,
        name if name == "source" || name.ends_with("misses_source") => Column::Source,
        _ => Column::Other,
    }
}

/// The columns, if this line is a header.
fn columns(line: &str) -> Option<Vec<Column>> {
    let names = split(line);
    let (first, rest) = names.split_first()?;
    let sizes: Option<Vec<u64>> = rest.iter().map(|n| n.parse::<Bytes>().ok().map(|b| b.0)).collect();
    if column(first) == Column::Stride
        && let Some(sizes) = sizes.filter(|s| !s.is_empty())
    {
        let wide = sizes.into_iter().map(Column::NanosAt);
        return Some(std::iter::once(Column::Stride).chain(wide).collect());
    }
    let columns: Vec<Column> = names.iter().map(|name| column(name)).collect();
    let named = |wanted: Column| columns.contains(&wanted);
    (named(Column::Size) && named(Column::Stride)).then_some(columns)
}

/// Position of the header among the lines, and its columns.
fn header(lines: &Lines) -> Option<(usize, Vec<Column>)> {
    let heads = lines.lines.iter().take(20).enumerate();
    heads.filter_map(|(i, (_, line))| columns(line).map(|c| (i, c))).next()
}

/// Whether these are spark's rows whose header was lost.
fn bare(lines: &Lines) -> bool {
    let numeric =
        |line: &str| split(line).len() == 4 && split(line).iter().all(|cell| amount(cell).is_some());
    let (inner, last) = lines.lines.split_at(lines.lines.len().saturating_sub(1));
    !inner.is_empty() && inner.iter().all(|(_, line)| numeric(line)) && !last.is_empty()
}

/// Whether the lines are a table of one of these kinds.
pub(super) fn recognises(lines: &Lines) -> bool {
    header(lines).is_some() || bare(lines)
}

/// Reads the lines.
pub(super) fn parse(lines: &Lines) -> Result<Found, SavedError> {
    let mut found = Found::default();
    let (skip, mut columns) = match header(lines) {
        Some((position, columns)) => (position + 1, columns),
        None => {
            found
                .notes
                .push("the table has no header; it is read as spark's: size stride seconds cycles".into());
            (0, vec![Column::Size, Column::Stride, Column::Elapsed, Column::Other])
        }
    };
    if columns.contains(&Column::Nanos) || columns.contains(&Column::Micros) {
        columns.iter_mut().filter(|c| **c == Column::Elapsed).for_each(|c| *c = Column::Other);
    }
    for &(number, text) in &lines.lines[..skip.saturating_sub(1)] {
        found.notes.push(format!("line {number}, above the header, is skipped: '{text}'"));
    }
    if columns.contains(&Column::Elapsed) {
        found.notes.push(
            "the time per access is taken for spark's usual 100 * stride passes over each array".to_owned(),
        );
    }
    for &(number, text) in &lines.lines[skip..] {
        // a file that two runs were appended to repeats the header
        if self::columns(text).is_some() {
            continue;
        }
        let mut cells = split(text);
        if lines.cut && lines.is_last(number) && cells.len() < columns.len() {
            found.note_damage(format!("line {number}, the last, is cut off; its last entry is left out"));
            cells.pop();
        }
        row(&columns, &cells, number, text, &mut found, lines.is_last(number))?;
    }
    Ok(found)
}

/// Adds the cells of one line.
fn row(
    columns: &[Column],
    cells: &[&str],
    number: usize,
    text: &str,
    found: &mut Found,
    last: bool,
) -> Result<(), SavedError> {
    let at = |wanted: Column| {
        columns
            .iter()
            .position(|c| *c == wanted)
            .and_then(|i| cells.get(i).copied())
            .filter(|c| !c.is_empty())
    };
    let bytes =
        |wanted: Column| at(wanted).and_then(|t| t.parse::<Bytes>().ok()).map(|b| b.0).filter(|&b| b > 0);
    let wide = columns.iter().any(|c| matches!(c, Column::NanosAt(_)));
    let (stride, size) = (bytes(Column::Stride), if wide { Some(1) } else { bytes(Column::Size) });
    let (Some(stride), Some(size)) = (stride, size) else {
        if last {
            return Ok(());
        }
        return Err(bad_line(number, text, "has no array size and stride where the header has them"));
    };
    if cells.len() > columns.len() {
        return Err(bad_line(
            number,
            text,
            format!("has {} entries for {} columns", cells.len(), columns.len()),
        ));
    }
    if let Some(event) = at(Column::Event) {
        found.note_event(event);
    }
    if let Some(source) = at(Column::Source) {
        found.note_source(source);
    }
    if wide {
        for (column, cell) in columns.iter().zip(cells) {
            // an empty cell is one that was not run
            if let Column::NanosAt(size) = *column
                && !cell.is_empty()
            {
                unusable(cell, number, found);
                found.rows.push(Row {
                    cell: Cell { size, stride, misses: None, nanos: amount(cell) },
                    line: number,
                });
            }
        }
        return Ok(());
    }
    for column in [Column::Misses, Column::Nanos, Column::Micros, Column::Elapsed] {
        unusable(at(column).unwrap_or(""), number, found);
    }
    let nanos = at(Column::Nanos).and_then(amount);
    let micros = at(Column::Micros).and_then(amount).map(|t| t * 1e3);
    let accesses = SPARK_ACCESSES_PER_BYTE * size as f64;
    let elapsed = at(Column::Elapsed).and_then(amount).map(|t| t * 1e9 / accesses);
    let misses = at(Column::Misses).and_then(amount);
    let cell = Cell { size, stride, misses, nanos: nanos.or(micros).or(elapsed) };
    found.rows.push(Row { cell, line: number });
    Ok(())
}

/// Notes an entry that is there but is no number.
fn unusable(cell: &str, number: usize, found: &mut Found) {
    if !cell.trim().is_empty() && amount(cell).is_none() {
        found.note_damage(format!("line {number}: '{cell}' is not a usable number; that cell is left open"));
    }
}

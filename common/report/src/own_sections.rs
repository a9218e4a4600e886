//! An assignment's sections with their own programs: their records as a table and as
//! charts.

use std::collections::BTreeSet;

use chart::{Axis, Chart};
use figures::table::four;
use records::record::{Record, Row};
use serde::Serialize;
use serde_json::Value as Json;

use crate::assignment::{Assignment, Drawing, Section};
use crate::cell::Cell;

/// The record of one command line of a section.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnRecord {
    /// The section's id.
    pub section: String,
    /// The name of its files.
    pub name: String,
    /// The record.
    pub record: Record,
}

/// What a section should show although it has records and none has it: a clause. The page would
/// have an empty column, or no chart.
pub fn lacking(section: &Section, all: &[OwnRecord]) -> Option<String> {
    let rows = rows(section, all);
    let has_record = all.iter().any(|own| own.section == section.id);
    let drawn = section.chart.iter().flat_map(|chart| [&chart.x, &chart.y, &chart.curve]);
    let mut asked = section.columns.iter().chain(drawn.filter(|name| !name.is_empty()));
    let has = |name: &str| {
        rows.iter().any(|(record, row)| row.reading(name).is_some() || !text(record, row, name).is_empty())
    };
    let Some(name) = asked.find(|name| has_record && !has(name)) else {
        return section
            .chart
            .iter()
            .filter(|_| has_record)
            .find_map(|drawing| undrawable(section, drawing, &rows));
    };
    if columns(&rows).contains(name) {
        return Some(format!(
            "section '{}' shows '{name}', which has no value in any row of its records",
            section.id
        ));
    }
    Some(format!(
        "section '{}' shows '{}', and no record of its programs has that; they have {}",
        section.id,
        name.escape_debug(),
        columns(&rows).join(", ")
    ))
}

/// Why a chart of a section has no point, if it has none: a clause.
fn undrawable(section: &Section, drawing: &Drawing, rows: &[(&Record, &Row)]) -> Option<String> {
    let Drawing { x, y, log, .. } = drawing;
    let numbers = |name: &str| Vec::from_iter(rows.iter().map(|(record, row)| number(record, row, name)));
    let [across, up] = [x, y].map(|name| numbers(name));
    let why = match [(x, &across), (y, &up)].into_iter().find(|(_, all)| all.iter().all(Option::is_none)) {
        Some((name, _)) => {
            format!("'{name}' has no number in any row; an axis needs numbers, and words can be `curve`")
        }
        None if across.iter().zip(&up).all(|(x, y)| x.is_none() || y.is_none()) => {
            format!("no row has both '{x}' and '{y}'")
        }
        None if *log && up.iter().flatten().all(|y| *y <= 0.0) => {
            format!("no value of '{y}' is above 0, and a logarithmic axis has no others: leave out `log`")
        }
        None => return None,
    };
    Some(format!("section '{}': its chart of '{y}' against '{x}' cannot be drawn: {why}", section.id))
}

/// A section for the page.
#[derive(Debug, Serialize)]
pub(crate) struct SectionView<'a> {
    id: &'a str,
    title: &'a str,
    text: &'a str,
    optional: bool,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    /// As SVG.
    pictures: Vec<String>,
}

/// The header of a column.
#[derive(Debug, PartialEq, Serialize)]
struct Column {
    name: String,
    /// The common source of all its cells; else empty.
    source: String,
    /// The common reason why all its cells are missing; else empty.
    missing: String,
}

impl Column {
    /// The header of column `at`; a source or reason common to all of its cells moves from
    /// the cells to the header.
    fn of(name: &str, at: usize, rows: &mut [Vec<Cell>]) -> Column {
        let first = rows.first().map_or_else(Cell::default, |row| row[at].clone());
        let says = |cell: &Cell| {
            (cell.source.clone(), cell.missing, if cell.missing { cell.note.clone() } else { String::new() })
        };
        let (mut source, is_missing, mut missing) = says(&first);
        if rows.iter().any(|row| says(&row[at]) != says(&first)) {
            (source, missing) = (String::new(), String::new());
        } else if is_missing {
            let dash = Cell { text: "–".to_owned(), ..Cell::default() };
            rows.iter_mut().for_each(|row| row[at] = dash.clone());
        } else {
            rows.iter_mut().for_each(|row| row[at].source.clear());
        }
        Column { name: milliseconds(name).unwrap_or_else(|| name.replace('_', " ")), source, missing }
    }
}

impl<'a> SectionView<'a> {
    /// With the records of `machine`, whose caches the pictures do not show, in the language of
    /// `assignment`.
    pub(crate) fn of(
        section: &'a Section,
        all: &[OwnRecord],
        assignment: &Assignment,
        machine: &str,
    ) -> SectionView<'a> {
        let mut rows = rows(section, all);
        let names = if section.columns.is_empty() { columns(&rows) } else { section.columns.clone() };
        // by the first column: all sizes of a rung are adjacent
        let first: Vec<String> = rows.iter().map(|(record, row)| text(record, row, &names[0])).collect();
        rows.sort_by_key(|(record, row)| {
            let own = text(record, row, &names[0]);
            first.iter().position(|other| *other == own)
        });
        let line =
            |(record, row): &(&Record, &Row)| names.iter().map(|name| cell(record, row, name)).collect();
        let mut rows: Vec<Vec<Cell>> = rows.iter().map(line).collect();
        SectionView {
            id: &section.id,
            title: &section.title,
            text: &section.text,
            optional: section.optional,
            columns: names.iter().enumerate().map(|(at, name)| Column::of(name, at, &mut rows)).collect(),
            rows,
            pictures: pictures(section, all, assignment, machine)
                .into_iter()
                .map(|(_, chart)| chart.svg())
                .collect(),
        }
    }
}

/// The charts of a section with their names; charts without points are omitted.
pub(crate) fn pictures(
    section: &Section,
    all: &[OwnRecord],
    assignment: &Assignment,
    machine: &str,
) -> Vec<(String, Chart)> {
    let name = |at: usize| if at == 0 { section.id.clone() } else { format!("{}-{}", section.id, at + 1) };
    let drawn = section.chart.iter().enumerate();
    drawn
        .filter_map(|(at, drawing)| Some((name(at), picture(section, drawing, all, assignment, machine)?)))
        .collect()
}

fn picture(
    section: &Section,
    drawing: &Drawing,
    all: &[OwnRecord],
    assignment: &Assignment,
    machine: &str,
) -> Option<Chart> {
    let Drawing { x, y, curve, log } = drawing;
    let rows = rows(section, all);
    let said = |name: &str| name.replace('_', " ");
    let axis = if *log { Axis::log } else { Axis::linear };
    let title = format!("{}: {}", section.title, assignment.word(&said(y)));
    let mut chart = Chart::new(title, Axis::linear(said(x)), axis(said(y)));
    let mut names: Vec<String> = Vec::new();
    for name in rows.iter().map(|(record, row)| text(record, row, curve)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names {
        let own = rows.iter().filter(|(record, row)| text(record, row, curve) == name);
        let points: Vec<(f64, f64)> = own
            .filter_map(|(record, row)| Some((number(record, row, x)?, number(record, row, y)?)))
            .collect();
        chart = chart.curve(if name.is_empty() { said(y) } else { name }, points);
    }
    let sources: BTreeSet<String> =
        rows.iter().filter_map(|(_, row)| Some(row.reading(y)?.source()?.to_string())).collect();
    let sources = Vec::from_iter(sources).join(", ");
    let source = assignment.sentence("source: {}", &[&sources]);
    let chart = if sources.is_empty() { chart } else { chart.caption(format!("{machine}; {source}.")) };
    Some(chart.in_language(assignment.words())).filter(|chart| !chart.is_empty())
}

fn rows<'r>(section: &Section, all: &'r [OwnRecord]) -> Vec<(&'r Record, &'r Row)> {
    let own = all.iter().filter(|own| own.section == section.id);
    own.flat_map(|own| own.record.rows.iter().map(|row| (&own.record, row))).collect()
}

/// All keys and figures in the rows, without repetitions.
fn columns(rows: &[(&Record, &Row)]) -> Vec<String> {
    let mut names = vec!["program".to_owned()];
    for (_, row) in rows {
        for name in
            row.given().map(|(name, _)| name).chain(row.figures.iter().map(|figure| figure.name.as_str()))
        {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

/// The value of a key in the row, or else in the record's settings.
fn set<'r>(record: &'r Record, row: &'r Row, name: &str) -> Option<&'r Json> {
    row.value(name).or_else(|| record.settings.get(name))
}

fn text(record: &Record, row: &Row, name: &str) -> String {
    match set(record, row, name) {
        Some(Json::String(text)) => text.clone(),
        Some(Json::Null) | None if name == "program" => record.program.clone(),
        Some(Json::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

fn number(record: &Record, row: &Row, name: &str) -> Option<f64> {
    row.amount(name).or_else(|| set(record, row, name)?.as_f64())
}

/// The header of a column of seconds, which is shown in milliseconds.
fn milliseconds(name: &str) -> Option<String> {
    let what = name.strip_suffix("seconds").or_else(|| name.strip_suffix("_s"))?.trim_end_matches('_');
    Some(format!("{} (ms)", if what.is_empty() { "time".to_owned() } else { what.replace('_', " ") }))
}

fn cell(record: &Record, row: &Row, name: &str) -> Cell {
    let Some(reading) = row.reading(name) else {
        return Cell { text: text(record, row, name), ..Cell::default() };
    };
    let cell = Cell::of(reading, 1.0, 0);
    let factor = if milliseconds(name).is_some() { 1e3 } else { 1.0 };
    Cell { text: reading.amount().map_or(cell.text, |amount| four(factor * amount)), ..cell }
}

#[cfg(test)]
mod tests {
    use super::*;
    use figures::value::{Reading, Source};

    fn further() -> Vec<OwnRecord> {
        let record = |size: u64, mflops: Reading| {
            let mut record = Record::new("ge1", "a machine").set("runs", 3);
            record
                .rows
                .push(Row::at([("variant", "ge1".into()), ("size", size.into())]).with("mflops", mflops));
            record
        };
        let fast = Reading::new(612.345, Source::Timing);
        let records = [record(100, fast), record(200, Reading::missing("no clock"))];
        let own = |record| OwnRecord { section: "ge".into(), name: "ge-1".into(), record };
        records.map(own).into()
    }

    #[test]
    fn a_table_has_what_was_set_and_what_was_found() {
        let section = Section { id: "ge".into(), title: "Elimination".into(), ..Section::default() };
        let shown = SectionView::of(&section, &further(), &Assignment::guide(), "a machine");
        let names: Vec<&str> = shown.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["program", "variant", "size", "mflops"]);
        let texts: Vec<&str> = shown.rows[0].iter().map(|cell| cell.text.as_str()).collect();
        assert_eq!(texts, ["ge1", "ge1", "100", "612.3"]);
        assert!(shown.rows[1][3].missing && shown.rows[1][3].note == "no clock");
        let chosen = Section { columns: vec!["runs".into(), "nothing".into()], ..section };
        let shown = SectionView::of(&chosen, &further(), &Assignment::guide(), "a machine");
        assert_eq!(shown.rows[0].iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>(), ["3", ""]);
    }

    #[test]
    fn rows_of_a_rung_are_adjacent_and_times_are_in_milliseconds() {
        let mut record = Record::new("ge", "a machine");
        for (variant, size, seconds) in
            [("ge2", 10, 6.79e-6), ("ge1", 10, 1e-5), ("ge2", 20, 0.25), ("ge1", 20, 0.5)]
        {
            let row = Row::at([("variant", variant.into()), ("size", size.into())]);
            record.rows.push(row.with("proc_time_seconds", Reading::new(seconds, Source::Timing)));
        }
        let all = [OwnRecord { section: "ge".into(), name: "ge-1".into(), record }];
        let columns = ["variant", "size", "proc_time_seconds"].map(str::to_owned).to_vec();
        let section = Section { id: "ge".into(), columns, ..Section::default() };
        let shown = SectionView::of(&section, &all, &Assignment::guide(), "a machine");
        assert_eq!(shown.columns[2].name, "proc time (ms)");
        let rows: Vec<String> = shown
            .rows
            .iter()
            .map(|row| row.iter().map(|cell| &*cell.text).collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(rows, ["ge2 10 0.006790", "ge2 20 250.0", "ge1 10 0.01000", "ge1 20 500.0"]);
        assert_eq!([milliseconds("seconds"), milliseconds("size")], [Some("time (ms)".to_owned()), None]);
    }

    #[test]
    fn a_picture_has_a_curve_for_each_name_and_none_without_a_point() {
        let drawing = |y: &str| Drawing { x: "size".into(), y: y.into(), curve: "variant".into(), log: true };
        let chart = vec![drawing("nothing"), drawing("mflops")];
        let section = Section { id: "ge".into(), chart, ..Section::default() };
        let drawn = pictures(&section, &further(), &Assignment::guide(), "a machine");
        assert_eq!(drawn.len(), 1);
        let (name, chart) = &drawn[0];
        assert_eq!((name.as_str(), chart.series.len()), ("ge-2", 1));
        assert_eq!(chart.series[0].points[..], [(100.0, 612.345)]);
    }

    #[test]
    fn a_chart_that_cannot_be_drawn_says_why() {
        let mut further = further();
        further
            .iter_mut()
            .for_each(|own| own.record.rows[0].figures[0].reading = Reading::new(-2.0, Source::Timing));
        let says = |x: &str, y: &str, log: bool, all: &[OwnRecord]| {
            let chart = vec![Drawing { x: x.into(), y: y.into(), curve: String::new(), log }];
            lacking(&Section { id: "ge".into(), chart, ..Section::default() }, all).unwrap_or_default()
        };
        assert_eq!(says("size", "mflops", false, &further), "");
        assert!(says("size", "mflops", true, &further).contains("is above 0"));
        assert!(says("size", "variant", false, &further).contains("'variant' has no number"));
        further
            .iter_mut()
            .for_each(|own| own.record.rows[0].figures[0].reading = Reading::missing("no clock"));
        let null = says("size", "mflops", false, &further);
        assert!(null.contains("'mflops' has no number"), "{null}");
    }

    #[test]
    fn what_a_columns_cells_have_in_common_is_said_once() {
        let section = Section { id: "ge".into(), columns: vec!["mflops".into()], ..Section::default() };
        let mut further = further();
        let mixed = SectionView::of(&section, &further, &Assignment::guide(), "a machine");
        assert_eq!((mixed.columns[0].source.as_str(), mixed.rows[0][0].source.as_str()), ("", "timing"));
        further.truncate(1);
        let alike = SectionView::of(&section, &further, &Assignment::guide(), "a machine");
        assert_eq!((alike.columns[0].source.as_str(), alike.rows[0][0].source.as_str()), ("timing", ""));
        further[0].record.rows[0].figures[0].reading = Reading::missing("no clock");
        let missing = SectionView::of(&section, &further, &Assignment::guide(), "a machine");
        assert_eq!(
            (missing.columns[0].missing.as_str(), missing.rows[0][0].text.as_str()),
            ("no clock", "–")
        );
    }
}

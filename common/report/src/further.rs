//! Sections of an assignment that ran programs of their own: their records as a
//! table and as a picture.

use chart::{Axis, Chart};
use figures::table::four;
use records::record::{Record, Row};
use serde::Serialize;
use serde_json::Value as Json;

use crate::assignment::{Drawing, Section};
use crate::figure::{Cell, Figure};

/// The records of a section's programs.
#[derive(Debug, Clone, PartialEq)]
pub struct Further {
    /// The section's id.
    pub section: String,
    /// One for each command line.
    pub records: Vec<Record>,
}

/// A section as the page shows it.
#[derive(Debug, Serialize)]
pub(crate) struct Shown<'a> {
    id: &'a str,
    title: &'a str,
    text: &'a str,
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
    /// As SVG; empty without one.
    picture: String,
}

impl<'a> Shown<'a> {
    pub(crate) fn of(section: &'a Section, all: &[Further]) -> Shown<'a> {
        let rows = rows(section, all);
        let columns = if section.columns.is_empty() { columns(&rows) } else { section.columns.clone() };
        let line =
            |(record, row): &(&Record, &Row)| columns.iter().map(|name| cell(record, row, name)).collect();
        Shown {
            id: &section.id,
            title: &section.title,
            text: &section.text,
            rows: rows.iter().map(line).collect(),
            columns,
            picture: picture(section, all).map_or_else(String::new, |chart| chart.svg()),
        }
    }
}

/// The picture of a section, if it asks for one and there is something to draw.
pub(crate) fn picture(section: &Section, all: &[Further]) -> Option<Chart> {
    let Drawing { x, y, curve } = section.chart.as_ref()?;
    let rows = rows(section, all);
    let mut chart = Chart::new(&section.title, Axis::linear(x), Axis::linear(y));
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
        chart = chart.curve(if name.is_empty() { y.clone() } else { name }, points);
    }
    Some(chart).filter(|chart| !chart.is_empty())
}

fn rows<'r>(section: &Section, all: &'r [Further]) -> Vec<(&'r Record, &'r Row)> {
    let own = all.iter().filter(|further| further.section == section.id).flat_map(|further| &further.records);
    own.flat_map(|record| record.rows.iter().map(move |row| (record, row))).collect()
}

/// Everything that stands in the rows, each name once.
fn columns(rows: &[(&Record, &Row)]) -> Vec<String> {
    let mut names = vec!["program".to_owned()];
    for (_, row) in rows {
        for name in row.keys.keys().chain(row.figures.iter().map(|figure| &figure.name)) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    names
}

/// What was set: in the row, or for the whole record.
fn set<'r>(record: &'r Record, row: &'r Row, name: &str) -> Option<&'r Json> {
    row.keys.get(name).or_else(|| record.settings.get(name))
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

fn cell(record: &Record, row: &Row, name: &str) -> Cell {
    let Some(reading) = row.reading(name) else {
        return Cell {
            text: text(record, row, name),
            source: String::new(),
            note: String::new(),
            missing: false,
        };
    };
    let cell = Figure::of(reading).cell(1.0, 0);
    Cell { text: reading.amount().map_or(cell.text, four), ..cell }
}

#[cfg(test)]
mod tests {
    use super::*;
    use figures::value::{Reading, Source, Value};

    fn further() -> [Further; 1] {
        let record = |size: u64, mflops: Reading| {
            let mut record = Record::new("ge1", "a machine").set("runs", 3);
            record
                .rows
                .push(Row::new([("variant", "ge1".into()), ("size", size.into())]).with("mflops", mflops));
            record
        };
        let fast = Value::new(612.345, Source::Timing).into();
        [Further {
            section: "ge".into(),
            records: vec![record(100, fast), record(200, Reading::missing("no clock"))],
        }]
    }

    #[test]
    fn a_table_has_what_was_set_and_what_was_found() {
        let section = Section { id: "ge".into(), title: "Elimination".into(), ..Section::default() };
        let shown = Shown::of(&section, &further());
        assert_eq!(shown.columns, ["program", "variant", "size", "mflops"]);
        let texts: Vec<&str> = shown.rows[0].iter().map(|cell| cell.text.as_str()).collect();
        assert_eq!(texts, ["ge1", "ge1", "100", "612.3"]);
        assert!(shown.rows[1][3].missing && shown.rows[1][3].note == "no clock");
        let chosen = Section { columns: vec!["runs".into(), "nothing".into()], ..section };
        let shown = Shown::of(&chosen, &further());
        assert_eq!(shown.rows[0].iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>(), ["3", ""]);
    }

    #[test]
    fn a_picture_has_a_curve_for_each_name_and_none_without_a_point() {
        let drawing = |y: &str| Drawing { x: "size".into(), y: y.into(), curve: "variant".into() };
        let section = |y| Section { id: "ge".into(), chart: Some(drawing(y)), ..Section::default() };
        let chart = picture(&section("mflops"), &further()).unwrap();
        assert_eq!((chart.series.len(), &chart.series[0].points[..]), (1, &[(100.0, 612.345)][..]));
        assert_eq!(picture(&section("nothing"), &further()), None);
    }
}

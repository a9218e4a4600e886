//! An assignment's sections with their own programs: their records as a table and as
//! charts.

use std::collections::BTreeSet;

use chart::Chart;
use figures::table::four;
use records::record::{Record, Row};
use serde::Serialize;

use crate::assignment::{Drawing, Section};
use crate::cell::Cell;
use crate::drawing::{self, Columns, Set, columns, has, label, text};
use crate::pictures::views;

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
    let missing = section.columns.iter().find(|name| !rows.iter().any(|row| has(row, name)));
    let missing =
        missing.map(|name| format!("no row has '{}'; they have {}", name, columns(&rows).join(", ")));
    let drawn = || section.chart.iter().find_map(|drawing| picture(section, drawing, all, "").err());
    let why = missing.or_else(drawn).filter(|_| !rows.is_empty())?;
    Some(format!("section '{}': {why}", section.id))
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
    /// As SVG, wide and narrow.
    pictures: Vec<[String; 2]>,
}

/// The header of a column.
#[derive(Debug, PartialEq, Serialize)]
struct Column {
    name: String,
    /// The source of all its figures; empty if there are several, which the cells show.
    source: String,
    /// Why figures are missing.
    missing: String,
}

impl<'a> SectionView<'a> {
    /// With the records of `machine`, whose caches the pictures do not show.
    pub(crate) fn of(section: &'a Section, all: &[OwnRecord], machine: &str) -> SectionView<'a> {
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
        let rows: Vec<Vec<Cell>> = rows.iter().map(line).collect();
        let column = |(at, name): (usize, &String)| {
            let (missing, there): (Vec<&Cell>, Vec<&Cell>) =
                rows.iter().map(|row| &row[at]).partition(|cell| cell.missing);
            let sources = BTreeSet::from_iter(there.iter().map(|cell| &*cell.source));
            let missing = BTreeSet::from_iter(missing.iter().map(|cell| &*cell.note));
            Column {
                name: label(name).0,
                source: sources
                    .first()
                    .filter(|_| sources.len() == 1)
                    .map_or_else(String::new, |one| (*one).to_owned()),
                missing: Vec::from_iter(missing).join("; "),
            }
        };
        SectionView {
            id: &section.id,
            title: &section.title,
            text: &section.text,
            optional: section.optional,
            columns: names.iter().enumerate().map(column).collect(),
            rows,
            pictures: pictures(section, all, machine).into_iter().map(|(_, chart)| views(chart)).collect(),
        }
    }
}

/// The charts of a section with their names; charts without points are omitted.
pub(crate) fn pictures(section: &Section, all: &[OwnRecord], machine: &str) -> Vec<(String, Chart)> {
    let name = |at: usize| if at == 0 { section.id.clone() } else { format!("{}-{}", section.id, at + 1) };
    let drawn = section.chart.iter().enumerate();
    drawn
        .filter_map(|(at, drawing)| Some((name(at), picture(section, drawing, all, machine).ok()?)))
        .collect()
}

/// A chart of a section.
/// Fails if it would have no point; a clause.
fn picture(section: &Section, drawing: &Drawing, all: &[OwnRecord], machine: &str) -> Result<Chart, String> {
    let Drawing { x, y, curve, log } = drawing;
    let rows = rows(section, all);
    let sources = rows.iter().filter_map(|(_, row)| Some(row.reading(y)?.source()?.to_string()));
    let sources = Vec::from_iter(sources.collect::<BTreeSet<String>>()).join(", ");
    let columns = Columns { x: x.clone(), y: vec![y.clone()], by: curve.clone() };
    let mut chart = drawing::chart(&[Set { name: String::new(), rows }], &columns)?;
    chart.title = format!("{}: {}", section.title, chart.y.label);
    chart.y.is_log = *log;
    let source = if sources.is_empty() { String::new() } else { format!("{machine}; source: {sources}.") };
    Ok(chart.caption(source))
}

fn rows<'r>(section: &Section, all: &'r [OwnRecord]) -> Vec<(&'r Record, &'r Row)> {
    let own = all.iter().filter(|own| own.section == section.id);
    own.flat_map(|own| own.record.rows.iter().map(|row| (&own.record, row))).collect()
}

fn cell(record: &Record, row: &Row, name: &str) -> Cell {
    let Some(reading) = row.reading(name) else {
        return Cell { text: text(record, row, name), ..Cell::default() };
    };
    let cell = Cell::of(reading, 1.0, 0);
    Cell { text: reading.amount().map_or(cell.text, |amount| four(label(name).1 * amount)), ..cell }
}

#[cfg(test)]
mod tests {
    use super::*;
    use figures::value::{Reading, Source};

    /// ge2 and ge1 at two sizes, in turns; ge1 has no time at the second.
    fn further() -> Vec<OwnRecord> {
        let mut record = Record::new("ge", "a machine").set("runs", 3);
        for (variant, size, seconds) in
            [("ge2", 10, 6.79e-6), ("ge1", 10, 1e-5), ("ge2", 20, 0.25), ("ge1", 20, 0.0)]
        {
            let time = Reading::new(seconds, Source::Timing);
            let time = if seconds > 0.0 { time } else { Reading::missing("no clock") };
            let row = Row::at([("variant", variant.into()), ("size", size.into())]);
            record.rows.push(row.with("proc_time_seconds", time));
        }
        vec![OwnRecord { section: "ge".into(), name: "ge-1".into(), record }]
    }

    /// What was set and what was found; rows of a rung are adjacent, times in milliseconds; a source of all figures, and
    /// why some are missing, are said once.
    #[test]
    fn a_table_has_what_its_columns_name() {
        let section = Section { id: "ge".into(), title: "Elimination".into(), ..Section::default() };
        let shown = SectionView::of(&section, &further(), "a machine");
        let names = Vec::from_iter(shown.columns.iter().map(|column| column.name.as_str()));
        assert_eq!(names, ["program", "variant", "N", "CPU time (ms)"]);
        let columns = ["variant", "size", "runs", "nothing", "proc_time_seconds"].map(str::to_owned).to_vec();
        let section = Section { columns, ..section };
        let mut further = further();
        let shown = SectionView::of(&section, &further, "a machine");
        let texts = |row: &Vec<Cell>| Vec::from_iter(row.iter().map(|cell| cell.text.clone())).join("|");
        let rows = Vec::from_iter(shown.rows.iter().map(texts));
        assert_eq!(
            rows,
            ["ge2|10|3||0.006790", "ge2|20|3||250.0", "ge1|10|3||0.01000", "ge1|20|3||not counted"]
        );
        assert_eq!((&*shown.columns[4].source, &*shown.columns[4].missing), ("timing", "no clock"));
        further[0].record.rows[3].figures[0].reading = Reading::new(0.5, Source::Model);
        let shown = SectionView::of(&section, &further, "a machine");
        assert_eq!((&*shown.columns[4].source, &*shown.columns[4].missing), ("", ""));
    }

    #[test]
    fn a_chart_that_cannot_be_drawn_says_why() {
        let says = |y: &str| {
            let chart = vec![Drawing { x: "size".into(), y: y.into(), curve: String::new(), log: true }];
            lacking(&Section { id: "ge".into(), chart, ..Section::default() }, &further()).unwrap()
        };
        assert_eq!(says("variant"), "section 'ge': 'variant' has no number in any row");
        assert_eq!(
            says("no"),
            "section 'ge': no row has 'no'; they have program, variant, size, proc_time_seconds"
        );
    }
}

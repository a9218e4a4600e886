//! The charts of records that are no sweeps.

use std::collections::BTreeSet;

use chart::{Axis, Chart};
use common::product::is_event;
use common::record::{Record, Row};
use common::text::shorten;
use common::value::{Reading, Source};
use report::MatrixProgram;

/// Whether `lab plot` draws a record of this program, which is no sweep.
pub(super) fn are_drawn(record: &Record) -> bool {
    !matches!(record.program.as_str(), "cm1" | "spark")
        && (record.program == "trace" || !variants(record).is_empty())
}

/// The chart of records of one program, or of several that measure the same, each with its file's name.
///
/// # Errors
///
/// If they have no such figure; a sentence.
pub(super) fn chart(records: &[(String, Record)], figure: Option<&str>) -> Result<Chart, String> {
    match (records, figure) {
        ([(_, one)], None) if MatrixProgram::ALL.iter().any(|known| known.program() == one.program) => {
            Ok(product(one))
        }
        ([(_, one)], None) if one.program == "causes" => Ok(report::causes::chart(one)),
        ([(_, one)], None) if one.program == "trace" => Ok(over_time(one)),
        _ => compared(records, figure),
    }
}

/// The places of a row that say how large its problem is, and which of several kernels it has.
const SIZES: [&str; 2] = ["size", "n"];
const KERNELS: [&str; 2] = ["variant", "kernel"];
/// What is drawn of records with several figures: the first of these that they have.
const USUAL: [&str; 5] = ["gflops", "mflops", "known_mflops", "cpu_s", "seconds"];

/// The name of each row's kernel, its size, and the row.
pub(super) fn variants(record: &Record) -> Vec<(String, u64, &Row)> {
    let size = |row: &Row| SIZES.iter().find_map(|name| row.whole(name));
    let kernel = |row: &Row| {
        let own = KERNELS.iter().find_map(|name| Some(row.value(name)?.as_str()?.to_owned()));
        own.unwrap_or_else(|| record.program.clone())
    };
    record.rows.iter().filter_map(|row| Some((kernel(row), size(row)?, row))).collect()
}

/// One figure of each kernel: bars at one size, curves over several.
pub(super) fn compared(records: &[(String, Record)], figure: Option<&str>) -> Result<Chart, String> {
    let rows =
        records.iter().flat_map(|(_, record)| variants(record).into_iter().map(move |row| (record, row)));
    let rows = Vec::from_iter(rows);
    let has = |name: &str| rows.iter().any(|(_, (.., row))| row.amount(name).is_some());
    let figures: BTreeSet<&str> = rows
        .iter()
        .flat_map(|(_, (.., row))| &row.figures)
        .map(|figure| figure.name.as_str())
        .filter(|name| has(name))
        .collect();
    let known = || shorten(&Vec::from_iter(figures.iter().copied()).join(", "), 600);
    let wanted = figure.or_else(|| USUAL.into_iter().find(|name| has(name))).or(figures.first().copied());
    let wanted = wanted.filter(|name| has(name)).ok_or_else(|| match figure {
        Some(name) => format!("these records have no figure '{}'; they have {}", shorten(name, 60), known()),
        None => "these records have no figure that can be drawn".to_owned(),
    })?;
    // Two machines can differ in more than the line that describes them.
    let mut machines: Vec<(&Record, &str)> = Vec::new();
    let is_of = |record: &Record, known: &Record| {
        (&record.machine, &record.machine_data) == (&known.machine, &known.machine_data)
    };
    for (file, record) in records {
        if !machines.iter().any(|(known, _)| is_of(record, known)) {
            machines.push((record, file));
        }
    }
    let mut curves: Vec<(String, Vec<(f64, Reading)>)> = Vec::new();
    for (record, (kernel, size, row)) in &rows {
        let Some(reading) = row.reading(wanted) else { continue };
        let own = machines.iter().position(|(known, _)| is_of(record, known)).unwrap_or_default();
        let name =
            if machines.len() > 1 { format!("{}: {kernel}", super::letter(own)) } else { kernel.clone() };
        let point = (*size as f64, reading.clone());
        match curves.iter_mut().find(|(known, _)| *known == name) {
            Some((_, points)) => points.push(point),
            None => curves.push((name, vec![point])),
        }
    }
    let sources = rows.iter().filter_map(|(_, (.., row))| Some(row.reading(wanted)?.source()?.to_string()));
    let sources = Vec::from_iter(sources.collect::<BTreeSet<_>>()).join(", ");
    let named = machines.iter().enumerate().map(|(at, (record, file))| match machines.len() {
        1 => record.machine.clone(),
        _ => format!("{}: {}, file {file}", super::letter(at), record.machine),
    });
    let caption = format!("{}; source: {sources}.", Vec::from_iter(named).join("; "));
    let sizes: BTreeSet<u64> = rows.iter().map(|(_, (_, size, _))| *size).collect();
    Ok(if let (Some(size), 1) = (sizes.first(), sizes.len()) {
        let names = Vec::from_iter(curves.iter().map(|(name, _)| name.clone()));
        let bars = (1..).map(f64::from).zip(&curves).map(|(at, (_, points))| {
            let runs = Vec::from_iter(points.iter().filter_map(|(_, reading)| reading.amount()));
            (
                at,
                points
                    .first()
                    .filter(|_| points.len() == 1)
                    .map_or_else(|| Reading::from_runs(&runs, Source::Timing), |(_, one)| one.clone()),
            )
        });
        Chart::new(format!("{wanted} at size {size}"), Axis::named("", names), Axis::linear(wanted))
            .readings("", &Vec::from_iter(bars))
            .caption(caption)
    } else {
        let chart = Chart::new(format!("{wanted} against size"), Axis::linear("size"), Axis::linear(wanted))
            .caption(caption);
        curves.into_iter().fold(chart, |chart, (name, points)| chart.readings(name, &points))
    })
}

/// Each event per inner iteration, which is one execution of the innermost statement.
fn product(record: &Record) -> Chart {
    let mut names = Vec::new();
    let mut bars = Vec::new();
    for row in &record.rows {
        let iterations = row.whole("size").unwrap_or(1).pow(3) as f64;
        for figure in row.figures.iter().filter(|f| is_event(&f.name)) {
            let Some((amount, source)) = figure.reading.amount().zip(figure.reading.source()) else {
                continue;
            };
            names.push(format!("{} ({source})", figure.name));
            bars.push((names.len() as f64, amount / iterations));
        }
    }
    let x = Axis::named("event (source)", names);
    Chart::new(format!("{}: events per inner iteration", record.program), x, Axis::linear("events"))
        .curve("", bars)
        .caption(&record.machine)
}

/// Misses per access of each level over time.
fn over_time(record: &Record) -> Chart {
    let axes = (Axis::linear("accesses"), Axis::share("misses per access"));
    let chart = Chart::new("Misses over time", axes.0, axes.1).caption(&record.machine);
    (1..=9).fold(chart, |chart, level| {
        let name = format!("l{level}_misses_per_access");
        let point = |row: &Row| Some((row.whole("accesses")? as f64, row.amount(&name)?));
        let points: Vec<(f64, f64)> = record.rows.iter().filter_map(point).collect();
        if points.is_empty() { chart } else { chart.curve(format!("L{level}"), points) }
    })
}

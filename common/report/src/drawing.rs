//! Charts of rows of records: figures against another value, one curve for each name.

use chart::{Axis, Chart};
use figures::units::Bytes;
use figures::value::{Reading, Source};
use records::record::{Record, Row};
use records::saved::counts_misses;
use serde_json::Value as Json;

/// Rows that are runs of one measurement, such as all of one machine.
#[derive(Debug, Default)]
pub struct Set<'r> {
    /// What their curves' names begin with; empty if there is one set.
    pub name: String,
    /// The rows.
    pub rows: Vec<(&'r Record, &'r Row)>,
}

impl<'r> Set<'r> {
    /// All rows of a record.
    pub(crate) fn of(name: &str, record: &'r Record) -> Set<'r> {
        Set { name: name.to_owned(), rows: record.rows.iter().map(|row| (record, row)).collect() }
    }
}

/// What is drawn, by the names of columns: keys and figures.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    /// The horizontal axis: numbers, or names for bars.
    pub x: String,
    /// The vertical axis.
    pub y: Vec<String>,
    /// What distinguishes the curves; empty without.
    pub by: String,
}

/// A curve before its points are merged.
#[derive(Default)]
struct Curve<'r> {
    set: usize,
    name: String,
    bytes: Option<u64>,
    points: Vec<(f64, Reading, &'r Row)>,
    has_source: bool,
}

/// The chart; of rows with the same place the median.
///
/// # Errors
///
/// If it would have no point, or rows of one place are not runs of the same; a sentence.
pub fn chart(sets: &[Set<'_>], Columns { x, y, by }: &Columns) -> Result<Chart, String> {
    let all = Vec::from_iter(sets.iter().flat_map(|set| set.rows.iter().copied()));
    let has_number = |name: &str| all.iter().any(|(record, row)| number(record, row, name).is_some());
    let asked = y.iter().chain([x, by]).filter(|name| !name.is_empty());
    if let Some(missing) = asked.into_iter().find(|name| !all.iter().any(|row| has(row, name))) {
        return Err(format!("no row has '{missing}'; they have {}", columns(&all).join(", ")));
    }
    if let Some(missing) = y.iter().find(|name| !has_number(name)) {
        return Err(format!("'{missing}' has no number in any row"));
    }
    let mut names: Vec<String> = Vec::new();
    if !has_number(x) {
        for name in all.iter().map(|(record, row)| text(record, row, x)).filter(|name| !name.is_empty()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let place = |record: &Record, row: &Row| match names.is_empty() {
        true => number(record, row, x),
        false => Some(names.iter().position(|name| *name == text(record, row, x))? as f64 + 1.0),
    };
    let is_record = all.iter().any(|(record, _)| !record.program.is_empty());
    let label = |name: &str| if is_record { label(name) } else { (name.to_owned(), 1.0) };
    let (mut curves, quantities): (Vec<Curve<'_>>, usize) = (Vec::new(), y.len());
    for (set, Set { name, rows }) in sets.iter().enumerate() {
        for (record, row) in rows {
            let Some(at) = place(record, row) else { continue };
            let own = if by.is_empty() { String::new() } else { text(record, row, by) };
            let bytes = set_value(record, row, by).and_then(Json::as_u64).filter(|_| by.ends_with("_bytes"));
            let own = bytes.map_or(own, |bytes| Bytes(bytes).to_string());
            for y in y {
                let (quantity, factor) = label(y);
                let figure = row.reading(y);
                let value = || Some(Reading::new(number(record, row, y)?, Source::System));
                let Some(reading) = figure.cloned().or_else(value) else { continue };
                let quantity =
                    Some(&quantity).filter(|_| quantities > 1 || own.is_empty() && name.is_empty()).cloned();
                let parts = [Some(name.clone()), Some(own.clone())].into_iter().flatten();
                let parts = parts.filter(|part| !part.is_empty()).chain(quantity);
                let name = Vec::from_iter(parts).join(": ");
                let known = curves.iter().position(|curve| curve.name == name && curve.set == set);
                let known = known.unwrap_or_else(|| {
                    curves.push(Curve { set, name, bytes, ..Curve::default() });
                    curves.len() - 1
                });
                curves[known].has_source |= figure.is_some();
                curves[known].points.push((at, reading.scaled(factor), row));
            }
        }
    }
    if y.len() == 1 {
        curves.sort_by_key(|curve| (curve.set, curve.bytes));
    }
    let axis = |label: &str, is_bytes: bool| if is_bytes { Axis::bytes(label) } else { Axis::linear(label) };
    let (x_label, y_label) = (label(x).0, y_name(&all, y, &label));
    let title = |rest: String| {
        let quantities = Vec::from_iter(y.iter().map(|y| label(y).0)).join(", ");
        let what = if y_label.is_empty() { &quantities } else { &y_label };
        let first = what.chars().next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
        format!("{first}{}{rest}", what.chars().skip(1).collect::<String>())
    };
    let merged = curves.iter().map(|curve| merge(curve, x, by, is_record));
    let merged = merged.collect::<Result<Vec<_>, String>>()?;
    let mut places = Vec::from_iter(merged.iter().flatten().map(|(at, _)| *at));
    places.dedup();
    // Of one place, bars of the curves.
    if let ([at], true, false) = (&places[..], curves.len() > 1 && names.is_empty(), by.ends_with("_bytes")) {
        let title = title(format!(" at {x_label} = {at}"));
        let names = Vec::from_iter(curves.into_iter().map(|curve| curve.name));
        let bars = (1..).map(f64::from).zip(merged.into_iter().flatten().map(|(_, reading)| reading));
        let chart = Chart::new(title, Axis::named("", names), Axis::linear(y_label.clone()));
        return Ok(chart.readings("", &Vec::from_iter(bars)));
    }
    let title = title(format!(" against {x_label}"));
    let x_axis =
        if names.is_empty() { axis(&x_label, x.ends_with("_bytes")) } else { Axis::named(x_label, names) };
    let count = curves.len() as f64;
    let has_bars = !x_axis.names.is_empty();
    let is_share = y.iter().all(|name| name == "avg_misses" || name.contains("misses_per_")) && is_record;
    let y_axis = if is_share { Axis::share(y_label) } else { Axis::linear(y_label) };
    let mut chart = Chart::new(title, x_axis, y_axis);
    chart.ordered = by.ends_with("_bytes");
    for (at, (curve, points)) in curves.into_iter().zip(merged).enumerate() {
        // Bars of several curves are adjacent.
        let aside = if has_bars { (at as f64 - (count - 1.0) / 2.0) * 0.7 / count } else { 0.0 };
        let points = Vec::from_iter(points.into_iter().map(|(x, reading)| (x + aside, reading)));
        chart = chart.readings(curve.name, &points);
        if let Some(series) = chart.series.last_mut() {
            (series.set, series.bytes) = (curve.set, curve.bytes);
            series.source = std::mem::take(&mut series.source).repeat(usize::from(curve.has_source));
        }
    }
    chart.set_sparse();
    if x == "stride_bytes" {
        chart.set_odd();
    }
    Ok(chart)
}

/// What the vertical axis is called.
fn y_name(all: &[(&Record, &Row)], y: &[String], label: &dyn Fn(&str) -> (String, f64)) -> String {
    let event = all.iter().find_map(|(record, row)| set_value(record, row, "event")?.as_str());
    match (y, event) {
        ([one], Some(event)) if one == "avg_misses" && !counts_misses(Some(event)) => {
            format!("{event} per access")
        }
        ([one], _) => label(one).0,
        _ => String::new(),
    }
}

/// The points of a curve in order, with the median of those of one place.
fn merge(curve: &Curve<'_>, x: &str, by: &str, is_record: bool) -> Result<Vec<(f64, Reading)>, String> {
    let mut points = Vec::from_iter(&curve.points);
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut merged = Vec::new();
    for runs in points.chunk_by(|a, b| a.0 == b.0) {
        let (at, first, row) = runs[0];
        for (_, _, other) in runs {
            let differs = |(name, value): &(&String, &Json)| {
                ![x, by].contains(&name.as_str())
                    && (is_record || value.is_string())
                    && row.place.get(*name) != Some(value)
            };
            if let Some((name, _)) = other.place.iter().find(differs) {
                return Err(format!(
                    "several rows with {x} {at} differ in '{name}': draw a curve for each with --by {name}"
                ));
            }
        }
        let amounts =
            Vec::from_iter(runs.iter().map(|run| &run.1).filter(|run| run.amount().is_some()).cloned());
        let reading = if amounts.len() > 1 { Reading::median(&amounts) } else { first.clone() };
        merged.push((*at, amounts.into_iter().next().filter(|_| runs.len() == 1).unwrap_or(reading)));
    }
    Ok(merged)
}

/// The names of keys and figures on an axis, and what their numbers are multiplied by.
const LABELS: [(&str, &str, f64); 21] = [
    ("size_bytes", "array size", 1.0),
    ("stride_bytes", "stride", 1.0),
    ("size", "N", 1.0),
    ("n", "N", 1.0),
    ("avg_misses", "misses per access", 1.0),
    ("ns_per_access", "time per access (ns)", 1.0),
    ("avg_cycles", "cycles per access", 1.0),
    ("cpu_s", "CPU time (ms)", 1e3),
    ("free_cpu_s", "with full optimisation (ms)", 1e3),
    ("wall_s", "wall time (ms)", 1e3),
    ("seconds", "time (ms)", 1e3),
    ("proc_time_seconds", "CPU time (ms)", 1e3),
    ("gflops", "GFLOPS", 1.0),
    ("mflops", "MFLOPS", 1.0),
    ("instructions", "instructions (millions)", 1e-6),
    ("cycles", "cycles (millions)", 1e-6),
    ("PAPI_L1_DCM", "misses of L1 (millions)", 1e-6),
    ("PAPI_L2_DCM", "misses of L2 (millions)", 1e-6),
    ("PAPI_L2_DCA", "accesses of L2 (millions)", 1e-6),
    ("PAPI_LD_INS", "loads (millions)", 1e-6),
    ("PAPI_SR_INS", "stores (millions)", 1e-6),
];

/// What a column of records is called on an axis, and what its numbers are multiplied by.
pub(crate) fn label(name: &str) -> (String, f64) {
    let known = LABELS.iter().find(|(known, ..)| *known == name);
    known.map_or_else(|| (name.replace('_', " "), 1.0), |(_, label, factor)| ((*label).to_owned(), *factor))
}

/// All keys and figures in the rows, without repetitions.
pub fn columns(rows: &[(&Record, &Row)]) -> Vec<String> {
    let mut names = vec!["program".to_owned()];
    for (_, row) in rows {
        let figures = row.figures.iter().map(|figure| figure.name.as_str());
        for name in row.given().map(|(name, _)| name).chain(figures) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

/// The value of a key in the row, or else in the record's settings.
fn set_value<'r>(record: &'r Record, row: &'r Row, name: &str) -> Option<&'r Json> {
    row.value(name).or_else(|| record.settings.get(name))
}

/// The value of a key as a text; empty if it has none.
pub(crate) fn text(record: &Record, row: &Row, name: &str) -> String {
    match set_value(record, row, name) {
        Some(Json::String(text)) => text.clone(),
        Some(Json::Null) | None if name == "program" => record.program.clone(),
        Some(Json::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

/// Whether a row has a figure, which may be missing with its reason, or a key.
pub(crate) fn has((record, row): &(&Record, &Row), name: &str) -> bool {
    row.reading(name).is_some() || !text(record, row, name).is_empty()
}

/// The number of a figure or of a key.
pub fn number(record: &Record, row: &Row, name: &str) -> Option<f64> {
    row.amount(name).or_else(|| set_value(record, row, name)?.as_f64())
}

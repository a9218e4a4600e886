//! Misses of the matrix product: the closed form, the records, and what real processors counted.

use std::collections::BTreeMap;
use std::path::Path;

use chart::{Axis, Chart, Series};
use common::failure::Failure;
use common::input;
use common::record::Record;
use common::text::shorten;
use serde::Deserialize;

use super::records::{compared, variants};
use crate::commands::dgemm::{CLOSED, MISSES};

/// A row of the table. Each group counted on one processor; it has two numbers if it has several series.
#[derive(Debug, Deserialize)]
struct Counted {
    group: String,
    /// The order of the loops, as the rungs are called.
    order: String,
    n: u64,
    low_millions: f64,
    high_millions: f64,
}

/// The chart of `records` of `lab dgemm`, with the closed form as a line and the counts of `table` as
/// hollow points.
///
/// # Errors
///
/// If the table cannot be read or has none of the records' orders, or the records have no such misses.
pub(super) fn chart(records: &[(String, Record)], table: &Path) -> Result<Chart, Failure> {
    let rows = read(table)?;
    let mut chart = compared(records, Some(MISSES)).map_err(Failure::could_not)?;
    chart.title = "L1 misses of the matrix product".to_owned();
    (chart.x, chart.y) = (Axis::linear("n"), Axis::linear("misses per inner iteration"));
    let sources = chart.series.iter_mut().filter(|series| !series.source.is_empty());
    sources.for_each(|series| series.name = format!("{}, {}", series.name, series.source));
    let mut closed: BTreeMap<String, BTreeMap<u64, f64>> = BTreeMap::new();
    for (kernel, n, row) in records.iter().flat_map(|(_, record)| variants(record)) {
        closed.entry(kernel).or_default().extend(row.amount(CLOSED).map(|misses| (n, misses)));
    }
    let name = |order: &str, what: &str| match closed.len() {
        1 => what.to_owned(),
        _ => shorten(&format!("{order}, {what}"), 40),
    };
    for (order, points) in &closed {
        let points = points.iter().map(|(n, misses)| (*n as f64, *misses));
        chart = chart.curve(name(order, "closed form"), points);
        chart.series.iter_mut().last().into_iter().for_each(|series| series.is_line = true);
    }
    let mut groups: BTreeMap<(&str, &str), Vec<(f64, f64)>> = BTreeMap::new();
    for row in rows.iter().filter(|row| closed.contains_key(&row.order)) {
        let n = row.n as f64;
        let mut counts = vec![row.low_millions, row.high_millions];
        counts.dedup();
        let points = counts.into_iter().map(|millions| (n, millions * 1e6 / n.powi(3)));
        groups.entry((&row.order, &row.group)).or_default().extend(points);
    }
    if groups.is_empty() {
        let orders = Vec::from_iter(closed.into_keys()).join(", ");
        return Err(Failure::could_not(format!("{} has no counts of {orders}", input::name(table))));
    }
    for ((order, group), hollow) in groups {
        let (name, source) = (name(order, &shorten(group, 20)), "hardware".to_owned());
        chart.series.push(Series { name, hollow, source, ..Series::default() });
    }
    chart.caption += &format!(" Hollow: counted by the processors of {}.", input::name(table));
    Ok(chart)
}

fn read(table: &Path) -> Result<Vec<Counted>, Failure> {
    let text = input::text(table)?;
    let wrong = |error: csv::Error| {
        let columns = "group, order, n, low_millions and high_millions";
        Failure::could_not(format!("{}: {error}; the columns are {columns}", input::name(table)))
    };
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    let rows = reader.deserialize().collect::<Result<Vec<Counted>, _>>().map_err(wrong)?;
    if let Some(row) = rows.iter().find(|row| {
        row.n == 0
            || !(row.low_millions >= 0.0
                && row.high_millions.is_finite()
                && row.low_millions <= row.high_millions)
    }) {
        return Err(Failure::could_not(format!(
            "{}: group {}, n = {}: n is at least 1, and the counts are numbers from 0, the smaller one first",
            input::name(table),
            shorten(&row.group, 40),
            row.n
        )));
    }
    Ok(rows)
}

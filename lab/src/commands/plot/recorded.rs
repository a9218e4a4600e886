//! Misses of the matrix product: the closed form, the records, and what real processors counted.

use std::collections::BTreeMap;
use std::path::Path;

use chart::{Axis, Chart, Series};
use common::failure::Failure;
use common::input;
use common::record::Record;
use common::text::shorten;

use super::records::{compared, variants};
use crate::commands::dgemm::{CLOSED, MISSES};

/// A row of the table: what a group counted on its processor.
#[derive(Debug)]
struct Counted {
    group: String,
    /// The order of the loops, as the rungs are called.
    order: String,
    n: u64,
    /// The lowest and the highest of its series.
    counts_millions: [f64; 2],
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
    (chart.x, chart.y) = (Axis::linear("n"), Axis::share("misses per inner iteration"));
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
        let mut counts = row.counts_millions.to_vec();
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

/// The columns of the table, which may have others.
const COLUMNS: [&str; 5] = ["group", "order", "n", "low_millions", "high_millions"];

/// The rows of a table of values without commas and quotation marks; lines that begin with # are comments.
fn read(table: &Path) -> Result<Vec<Counted>, Failure> {
    let text = input::text(table)?;
    let wrong = |why: String| Failure::could_not(format!("{}: {why}", input::name(table)));
    let mut lines =
        (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    let cells = |line: &str| line.split(',').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let head = lines.next().map(|(_, line)| cells(line)).unwrap_or_default();
    let places = COLUMNS.map(|name| head.iter().position(|cell| cell == name));
    if places.contains(&None) {
        return Err(wrong(format!("its first line must have the columns {}", COLUMNS.join(", "))));
    }
    let row = |(number, line): (usize, &str)| {
        let cells = Some(cells(line)).filter(|cells| cells.len() == head.len());
        let read = cells.and_then(|cells| {
            let [group, order, n, low, high] = places.map(|at| cells[at.unwrap_or_default()].clone());
            let counts = [low.parse().ok()?, high.parse().ok()?];
            Some(Counted { group, order, n: n.parse().ok()?, counts_millions: counts })
        });
        let is_right = |row: &Counted| {
            let [low, high] = row.counts_millions;
            row.n > 0 && low >= 0.0 && high.is_finite() && low <= high
        };
        read.filter(is_right).ok_or_else(|| {
            wrong(format!(
                "line {number}: it must have {} values, n at least 1, and two counts from 0, the smaller one first",
                head.len()
            ))
        })
    };
    lines.map(row).collect()
}

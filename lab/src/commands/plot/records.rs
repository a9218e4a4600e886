//! The charts of records that are no sweeps.

use chart::{Axis, Chart};
use common::product::is_event;
use common::record::{Record, Row};

/// The chart of a record of one of these programs.
pub(super) fn chart(record: &Record) -> Option<Chart> {
    Some(match record.program.as_str() {
        "mm1" | "mm2" | "mm3" => product(record),
        "causes" => report::causes::chart(record),
        "trace" => over_time(record),
        _ => return None,
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
    let axes = (Axis::linear("accesses"), Axis::linear("misses per access"));
    let chart = Chart::new("Misses over time", axes.0, axes.1).caption(&record.machine);
    (1..=9).fold(chart, |chart, level| {
        let name = format!("l{level}_misses_per_access");
        let point = |row: &Row| Some((row.whole("accesses")? as f64, row.amount(&name)?));
        let points: Vec<(f64, f64)> = record.rows.iter().filter_map(point).collect();
        if points.is_empty() { chart } else { chart.curve(format!("L{level}"), points) }
    })
}

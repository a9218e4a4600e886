//! The report's pictures.

use chart::{self, Axis, Chart, View};
use figures::value::{Reading, Source};
use records::record::Record;
use records::saved::Saved;

use crate::drawing::{self, Columns, Set};
use crate::findings::Findings;
use crate::sweep::{STRIDE, source};

/// The guide's Figure 1, with an accuracy of about 5 ns because it was read off the printed
/// chart.
pub(crate) const FIGURE_1: &str = include_str!("figure1.csv");

/// The accesses of mm1, mm2 and mm3 as SVG: the guide's Figures 2 to 4.
pub const ACCESSES: [&str; 3] =
    [include_str!("accesses/mm1.svg"), include_str!("accesses/mm2.svg"), include_str!("accesses/mm3.svg")];

/// A chart as SVG, for a page and for a phone; the page shows the one that fits.
pub(crate) fn views(chart: Chart) -> [String; 2] {
    let narrow = View { width_cm: Some(PHONE_CM), ..View::default() };
    let narrow = chart.clone().viewed(&narrow).map_or_else(|why| why, |chart| chart.svg());
    [chart.svg(), narrow]
}

/// The strides of the curves over the array size: each cache is a plateau.
const STRIDES: [u64; 4] = [1, 16, STRIDE.0, 4096];

/// The width of a chart on a phone: 330 pixels of 1/96 inch.
const PHONE_CM: f64 = 8.73;

/// All pictures that have a point, with the names of their files.
pub(crate) fn pictures(findings: &Findings) -> Vec<(String, Chart)> {
    // The sizes of the caches are a question, so captions name only the processor.
    let caption =
        |what: &str, source: &str| format!("{what}. {}; source: {source}.", findings.machine.description);
    let drawn = |sets: &[Set<'_>], [x, by]: [&str; 2], y: &[&str], what: &str| {
        let y = Vec::from_iter(y.iter().map(|name| (*name).to_owned()));
        let source = sets[0].rows.first().map_or_else(String::new, |(record, _)| source(record, &y[0]));
        let columns = Columns { x: x.to_owned(), y, by: by.to_owned() };
        // Without a figure there is no chart.
        drawing::chart(sets, &columns).unwrap_or_default().caption(caption(what, &source))
    };
    let swept = |record: &Record, y: &str| {
        let what = format!("{}, one curve for each array size", record.program);
        drawn(&[Set::of("", record)], ["stride_bytes", "size_bytes"], &[y], &what)
    };
    let waits = match (findings.here, &findings.waiting) {
        (false, _) => "each access waits for the last",
        (true, None) => "accesses overlap",
        (true, Some(_)) => "accesses overlap, but dependent ones wait for each other",
    };
    let what = format!("spark, one curve for each stride; {waits}");
    let mut strides = vec![Set::of("", &findings.spark)];
    strides[0]
        .rows
        .retain(|(_, row)| STRIDES.iter().any(|stride| row.whole("stride_bytes") == Some(*stride)));
    strides.extend(findings.waiting.iter().map(|record| Set::of("dependent", record)));
    let mut staircase = drawn(&strides, ["size_bytes", "stride_bytes"], &["ns_per_access"], &what);
    staircase.y.is_log = true;
    let causes = [Set::of("", &findings.causes)];
    let causes = drawn(&causes, ["kernel", ""], &["cpu_s", "free_cpu_s"], "CPU time, medians");
    let charts = [
        ("spark-stride", swept(&findings.spark, "ns_per_access")),
        ("spark-size", staircase),
        ("figure-1", figure_1()),
        ("cm1-l1", swept(&findings.l1, "avg_misses")),
        ("cm1-l2", swept(&findings.l2, "avg_misses")),
        ("causes", causes),
    ];
    let drawn = charts.into_iter().filter(|(_, chart)| !chart.is_empty());
    drawn.map(|(name, chart)| (name.to_owned(), chart)).collect()
}

fn figure_1() -> Chart {
    let cells = Saved::parse(FIGURE_1).map(|saved| saved.cells).unwrap_or_default();
    let rows = cells
        .into_iter()
        .map(|cell| (cell.size, cell.stride, cell.nanos.map(|nanos| Reading::new(nanos, Source::Timing))));
    chart::sweep(
        "Figure 1 of the guide: access time of its machine",
        Axis::linear("time per access (ns)"),
        rows,
    )
    .caption("SPARCstation 1+, 4-byte elements; read from the printed guide, to about 5 ns.")
}

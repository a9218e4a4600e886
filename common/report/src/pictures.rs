//! The report's pictures.

use chart::{self, Axis, Chart, View};
use figures::value::{Reading, Source};
use records::record::Record;
use records::saved::Saved;

use crate::causes;
use crate::findings::Findings;
use crate::sweep::{source, staircase};

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

/// The width of a chart on a phone: 330 pixels of 1/96 inch.
const PHONE_CM: f64 = 8.73;

/// The caption of the staircase.
const STAIRCASE: &str = "spark, one curve for each stride; accesses overlap unless they are dependent: each then waits for the last";

/// All pictures that have a point, with the names of their files.
pub(crate) fn pictures(findings: &Findings) -> Vec<(String, Chart)> {
    // The sizes of the caches are a question, so captions name only the processor.
    let caption =
        |what: &str, source: &str| format!("{what}. {}; source: {source}.", findings.machine.description);
    let swept = |record: &Record, title: &str, what: &str, figure: &str, y: Axis| {
        let cells = record.rows.iter().filter_map(|row| {
            Some((row.whole("size_bytes")?, row.whole("stride_bytes")?, row.reading(figure).cloned()))
        });
        let chart = chart::sweep(title, y, cells);
        chart.caption(caption(what, &source(record, figure)))
    };
    let misses = |record: &Record| {
        let event = record.settings.get("event").and_then(|event| event.as_str());
        let title = format!("{} per access by array size and stride", event.unwrap_or_default());
        swept(
            record,
            &title,
            "cm1, one curve for each array size",
            "avg_misses",
            Axis::share("misses per access"),
        )
    };
    let times = |record: &Record| {
        let (title, what) =
            ("Time of an access by array size and stride", "spark, one curve for each array size");
        swept(record, title, what, "ns_per_access", Axis::linear("time per access (ns)"))
    };
    let what = caption(STAIRCASE, &source(&findings.spark, "ns_per_access"));
    let staircase = staircase(&findings.spark, findings.waiting.as_ref());
    let staircase = staircase.caption(what);
    let causes = causes::chart(&findings.causes);
    let charts = [
        ("spark-stride", times(&findings.spark)),
        ("spark-size", staircase),
        ("figure-1", figure_1()),
        ("cm1-l1", misses(&findings.l1)),
        ("cm1-l2", misses(&findings.l2)),
        ("causes", causes.caption(caption("CPU time, medians", "timing"))),
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

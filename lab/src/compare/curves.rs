//! The curves of two records in one picture.

use std::collections::BTreeMap;

use common::chart::{Axis, Chart};
use common::record::{Record, Row};
use common::units::Bytes;

use super::pair::Pair;

/// Largest number of curves for each record; at most as many panels are drawn.
const CURVES: usize = 24;

/// A curve's name, and its rows by their x value.
type Curves<'r> = BTreeMap<String, BTreeMap<u64, &'r Row>>;

/// How a kind of record is drawn: the key that separates its curves, its x axis, the figure
/// and its name.
struct CurveKind {
    curve: &'static str,
    across: &'static str,
    figure: &'static str,
    axes: fn() -> (Axis, Axis),
}

const KINDS: &[CurveKind] = &[
    CurveKind {
        curve: "size_bytes",
        across: "stride_bytes",
        figure: "avg_misses",
        axes: || (Axis::bytes("stride"), Axis::linear("misses per access")),
    },
    CurveKind {
        curve: "size_bytes",
        across: "stride_bytes",
        figure: "ns_per_access",
        axes: || (Axis::bytes("stride"), Axis::linear("time per access (ns)")),
    },
    CurveKind {
        curve: "variant",
        across: "size",
        figure: "mflops",
        axes: || (Axis::linear("matrix size N"), Axis::linear("MFLOPS")),
    },
    CurveKind {
        curve: "variant",
        across: "n",
        figure: "gflops",
        axes: || (Axis::log2("side n"), Axis::linear("GFLOPS")),
    },
];

/// The curves of both; `None` if the records have none in common.
pub(crate) fn overlaid(pair: &Pair) -> Option<Chart> {
    KINDS.iter().find_map(|kind| {
        let (a, b) = (curves(&pair.a, kind), curves(&pair.b, kind));
        let both: Vec<&String> = a.keys().filter(|name| b.contains_key(*name)).collect();
        let sides = [("A", &a, &pair.a), ("B", &b, &pair.b)];
        let mut caption: Vec<String> =
            sides.iter().map(|(side, _, of)| format!("{side}: {}", of.machine)).collect();
        if both.len() > CURVES {
            caption.push(format!("{CURVES} of {} curves; all of them in differences.csv", both.len()));
        }
        let (x, y) = (kind.axes)();
        let title = format!("{}: A and B", pair.name);
        let chart = Chart::new(title, x, y).caption(caption.join("\n"));
        let chart = chosen(&both).into_iter().fold(chart, |chart, name| {
            sides.iter().fold(chart, |chart, (side, curves, _)| {
                let told = name.parse().map_or_else(|_| name.to_owned(), |bytes| Bytes(bytes).to_string());
                drawn(chart, side, &curves[name], kind).panel(told)
            })
        });
        (!chart.is_empty()).then_some(chart)
    })
}

fn drawn(chart: Chart, name: &str, rows: &BTreeMap<u64, &Row>, kind: &CurveKind) -> Chart {
    let points = rows.iter().map(|(at, row)| (*at as f64, row.amount(kind.figure).unwrap_or(f64::NAN)));
    let spreads = rows.iter().filter_map(|(at, row)| {
        let spread = row.reading(kind.figure)?.spread()?;
        Some((*at as f64, spread.min, spread.max))
    });
    chart.curve(name, points).spread(spreads)
}

/// The rows that have the figure, by curve.
fn curves<'r>(record: &'r Record, kind: &CurveKind) -> Curves<'r> {
    let mut found = Curves::new();
    for row in record.rows.iter().filter(|row| row.amount(kind.figure).is_some()) {
        let Some((curve, at)) = row.keys.get(kind.curve).zip(row.whole(kind.across)) else { continue };
        let name = curve.as_str().map_or_else(|| format!("{:>20}", curve.to_string()), str::to_owned);
        found.entry(name.trim().to_owned()).or_default().insert(at, row);
    }
    found
}

/// As many names as there are panels, evenly chosen; in order of size where the names are
/// numbers.
fn chosen<'n>(names: &[&'n String]) -> Vec<&'n String> {
    let mut names = names.to_vec();
    names.sort_by_key(|name| (name.parse::<u64>().unwrap_or(0), (*name).clone()));
    let count = names.len().min(CURVES);
    (0..count).map(|at| names[at * names.len() / count]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::value::{Reading, Source};

    fn record(machine: &str, sizes: u64) -> Record {
        let mut record = Record::new("cm1", machine);
        for (size, stride) in (1..=sizes).flat_map(|size| [(size << 13, 64u64), (size << 13, 128)]) {
            let row = Row::new([("size_bytes", size.into()), ("stride_bytes", stride.into())]);
            record.rows.push(row.with("avg_misses", Reading::new(0.5, Source::Model)));
        }
        record
    }

    fn curves_of(sizes: u64) -> Chart {
        let pair = Pair { name: "cm1".into(), a: record("one", sizes), b: record("other", sizes) };
        overlaid(&pair).unwrap()
    }

    #[test]
    fn the_same_sizes_of_both_are_drawn_next_to_each_other() {
        let chart = curves_of(2);
        let places: Vec<(&str, &str)> =
            chart.series.iter().map(|series| (series.name.as_str(), series.panel.as_str())).collect();
        assert_eq!(places, [("A", "8 KiB"), ("B", "8 KiB"), ("A", "16 KiB"), ("B", "16 KiB")]);
        assert_eq!(chart.caption, "A: one\nB: other");
        let nothing = Pair { name: "mm1".into(), a: Record::new("mm1", ""), b: Record::new("mm1", "") };
        assert_eq!(overlaid(&nothing), None);
    }

    #[test]
    fn every_size_of_both_has_its_panel() {
        assert_eq!(curves_of(11).series.len(), 22);
        let many = curves_of(30);
        assert_eq!(many.series.len(), 2 * CURVES);
        assert!(many.caption.ends_with("24 of 30 curves; all of them in differences.csv"));
    }
}

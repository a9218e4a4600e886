//! The guide's chart of a sweep.

use std::collections::BTreeMap;

use figures::units::Bytes;

use super::{Axis, Chart};

/// The guide's chart of a sweep: `y` against the stride, one curve per array size. Rows are
/// (array size, stride, value), both in bytes; a missing value is a gap.
pub fn sweep(title: &str, y: Axis, rows: impl IntoIterator<Item = (u64, u64, Option<f64>)>) -> Chart {
    let mut curves: BTreeMap<u64, Vec<(f64, f64)>> = BTreeMap::new();
    for (size, stride, value) in rows {
        curves.entry(size).or_default().push((stride as f64, value.unwrap_or(f64::NAN)));
    }
    let chart = Chart::new(title, Axis::bytes("stride"), y);
    curves.into_iter().fold(chart, |chart, (size, points)| chart.curve(Bytes(size).to_string(), points))
}

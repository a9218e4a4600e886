//! Many curves as small multiples: one panel for each, all with the same axes, the
//! other curves pale behind it.

use super::Chart;
use super::plot::Plot;

/// Fewer curves are told apart in one plot; more panels are no help either, and each
/// draws all curves.
const COUNTS: std::ops::RangeInclusive<usize> = 8..=24;
const COLUMNS: usize = 4;
const HEIGHT: f64 = 104.0;
/// Between panels, and above each for its name.
const GAP: f64 = 12.0;
const NAME: f64 = 24.0;

/// One curve's panel.
#[derive(Debug)]
pub(super) struct Panel {
    /// The curve that is drawn strongly.
    pub(super) series: usize,
    pub(super) plot: Plot,
    pub(super) labels: Labels,
}

/// Which axes of a plot are labelled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Labels {
    pub(super) left: bool,
    pub(super) below: bool,
}

impl Labels {
    pub(super) const BOTH: Labels = Labels { left: true, below: true };
}

/// Whether `chart` is drawn in panels: too many curves for one plot, and nothing
/// that belongs to all of them.
pub(super) fn wanted(chart: &Chart) -> bool {
    let plain = chart.marks.is_empty() && chart.bands.is_empty() && !chart.x.has_bars();
    plain && COUNTS.contains(&chart.series.len())
}

/// The width of a panel where all of them have `room`.
pub(super) fn width(room: f64) -> f64 {
    (room - (COLUMNS - 1) as f64 * GAP) / COLUMNS as f64
}

/// The height of all panels.
pub(super) fn height(chart: &Chart) -> f64 {
    chart.series.len().div_ceil(COLUMNS) as f64 * (HEIGHT + NAME)
}

/// The panels of all curves in the place of `whole`, row by row.
pub(super) fn cut(chart: &Chart, whole: &Plot) -> Vec<Panel> {
    let (count, width) = (chart.series.len(), width(whole.right - whole.left));
    let panel = |series: usize| {
        let (row, column) = (series / COLUMNS, series % COLUMNS);
        let left = whole.left + column as f64 * (width + GAP);
        let top = whole.top + row as f64 * (HEIGHT + NAME) + NAME;
        Panel {
            series,
            plot: Plot { left, right: left + width, top, bottom: top + HEIGHT, ..whole.clone() },
            labels: Labels { left: column == 0, below: series + COLUMNS >= count },
        }
    };
    (0..count).map(panel).collect()
}

#[cfg(test)]
mod tests {
    use crate::{Axis, Chart};

    fn chart(curves: u32) -> Chart {
        let empty = Chart::new("many", Axis::log2("n"), Axis::linear("y"));
        (0..curves).fold(empty, |chart, c| {
            chart.curve(format!("curve {c}"), (0..9).map(|i| (f64::from(1 << i), f64::from(c * i))))
        })
    }

    #[test]
    fn each_of_many_curves_has_a_panel_of_its_own() {
        let arranged = crate::layout::arrange(&chart(11));
        assert_eq!(arranged.panels.len(), 11);
        let below: Vec<usize> =
            arranged.panels.iter().filter(|panel| panel.labels.below).map(|panel| panel.series).collect();
        assert_eq!(below, [7, 8, 9, 10], "each column is labelled at its foot");
        for (i, one) in arranged.panels.iter().enumerate() {
            for other in &arranged.panels[i + 1..] {
                let beside = one.plot.right < other.plot.left || other.plot.right < one.plot.left;
                assert!(beside || one.plot.bottom < other.plot.top, "{i}");
            }
        }
        let svg = chart(11).svg();
        assert!((0..11).all(|c| svg.contains(&format!("curve {c}"))));
        assert!(crate::layout::arrange(&chart(7)).panels.is_empty(), "few curves share a plot");
        assert!(crate::layout::arrange(&chart(25)).panels.is_empty(), "so do far too many");
    }
}

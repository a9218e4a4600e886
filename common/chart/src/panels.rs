//! Many curves as small multiples, all with the same axes: one panel for each curve with
//! the others pale behind it, or one for each group to be compared.

use std::collections::BTreeSet;

use super::Chart;
use super::plot::Plot;

/// Largest number of panels: more do not help, and each draws all curves.
const MOST: usize = 24;
/// Up to so many curves are drawn in one plot.
const FEWEST: usize = 8;
const COLUMNS: usize = 4;
/// Height of a panel in a full row; if there are fewer, each is wider and higher.
const HEIGHT: f64 = 104.0;
const HIGHEST: f64 = 250.0;
/// Space between panels, and above each for its name.
const GAP: f64 = 12.0;
const NAME: f64 = 24.0;

/// One panel.
#[derive(Debug)]
pub(super) struct Panel {
    pub(super) name: String,
    /// The curves that are drawn strongly.
    pub(super) series: Vec<usize>,
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

/// Whether `chart` is drawn in panels: too many curves for one plot, and no marks or bands
/// for all of them.
pub(super) fn wanted(chart: &Chart) -> bool {
    grouped(chart) || plain(chart) && (FEWEST..=MOST).contains(&chart.series.len())
}

fn plain(chart: &Chart) -> bool {
    chart.marks.is_empty() && chart.bands.is_empty() && !chart.x.is_named()
}

/// Whether curves share panels.
pub(super) fn grouped(chart: &Chart) -> bool {
    let names: BTreeSet<&str> = chart.series.iter().map(|series| series.panel.as_str()).collect();
    plain(chart) && names.iter().any(|name| !name.is_empty()) && names.len() <= MOST
}

/// The panels' names and curves.
fn groups(chart: &Chart) -> Vec<(&str, Vec<usize>)> {
    let grouped = grouped(chart);
    let mut groups: Vec<(&str, Vec<usize>)> = Vec::new();
    for (index, series) in chart.series.iter().enumerate() {
        match groups.iter_mut().find(|(name, _)| grouped && *name == series.panel) {
            Some((_, members)) => members.push(index),
            None => groups.push((if grouped { &series.panel } else { &series.name }, vec![index])),
        }
    }
    groups
}

/// How many curves need different styles.
pub(super) fn distinct_looks(chart: &Chart) -> usize {
    if grouped(chart) {
        groups(chart).iter().map(|(_, members)| members.len()).max().unwrap_or(0)
    } else {
        chart.series.len()
    }
}

/// The grid for `count` panels: columns, and the height of each panel.
fn grid(count: usize) -> (usize, f64) {
    let columns = count.clamp(1, COLUMNS);
    (columns, (HEIGHT * COLUMNS as f64 / columns as f64).min(HIGHEST))
}

/// The width of a panel of `chart` if all panels together are `space` wide.
pub(super) fn width(chart: &Chart, space: f64) -> f64 {
    column(grid(groups(chart).len()).0, space)
}

fn column(columns: usize, space: f64) -> f64 {
    (space - (columns - 1) as f64 * GAP) / columns as f64
}

/// The height of all panels.
pub(super) fn height(chart: &Chart) -> f64 {
    let count = groups(chart).len();
    let (columns, height) = grid(count);
    count.div_ceil(columns) as f64 * (height + NAME)
}

/// The panels of all curves in the area `whole`, row by row.
pub(super) fn cut(chart: &Chart, whole: &Plot) -> Vec<Panel> {
    let groups = groups(chart);
    let count = groups.len();
    let (columns, height) = grid(count);
    let width = column(columns, whole.right - whole.left);
    let panel = |(at, (name, series)): (usize, (&str, Vec<usize>))| {
        let (row, column) = (at / columns, at % columns);
        let left = whole.left + column as f64 * (width + GAP);
        let top = whole.top + row as f64 * (height + NAME) + NAME;
        Panel {
            name: name.to_owned(),
            series,
            plot: Plot { left, right: left + width, top, bottom: top + height, ..whole.clone() },
            labels: Labels { left: column == 0, below: at + columns >= count },
        }
    };
    groups.into_iter().enumerate().map(panel).collect()
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
            arranged.panels.iter().filter(|panel| panel.labels.below).map(|panel| panel.series[0]).collect();
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

    #[test]
    fn curves_that_are_compared_share_a_panel_and_one_legend() {
        let empty = Chart::new("A and B", Axis::log2("n"), Axis::linear("y"));
        let chart = (0..4u32).fold(empty, |chart, c| {
            ["A", "B"].into_iter().fold(chart, |chart, side| {
                chart.curve(side, [(1.0, 1.0), (2.0, f64::from(c))]).panel(format!("size {c}"))
            })
        });
        let arranged = crate::layout::arrange(&chart);
        let series: Vec<Vec<usize>> = arranged.panels.iter().map(|panel| panel.series.clone()).collect();
        assert_eq!(series, [[0, 1], [2, 3], [4, 5], [6, 7]]);
        let names: Vec<&str> = arranged.legend.iter().map(|(_, entry)| entry.text.as_str()).collect();
        assert_eq!(names, ["A", "B"]);
        assert!((0..4).all(|c| chart.svg().contains(&format!("size {c}"))));
        // Two panels share the space of four.
        let two = Chart { series: chart.series[..4].to_vec(), ..chart };
        let wide = crate::layout::arrange(&two);
        let size =
            |panel: &super::Panel| (panel.plot.right - panel.plot.left, panel.plot.bottom - panel.plot.top);
        let (few, many) = (size(&wide.panels[0]), size(&arranged.panels[0]));
        assert!(few.0 > 1.9 * many.0 && few.1 > 1.9 * many.1, "{few:?} {many:?}");
    }
}

//! The report's pictures.

use common::chart::{self, Axis, Chart};
use common::saved::Saved;

use super::sweep::{staircase, with_capacities};
use crate::run::Findings;

/// The guide's Figure 1, read off the printed chart to about 5 ns.
pub(super) const FIGURE_1: &str = include_str!("figure1.csv");

/// All pictures.
pub(crate) struct Pictures {
    /// Section 2: time against stride.
    pub(super) spark: Chart,
    /// Section 2: time against array size.
    pub(super) staircase: Chart,
    /// The guide's Figure 1.
    pub(super) figure_1: Chart,
    /// 3.1.1 b.
    pub(super) l1: Chart,
    /// 3.1.2 b.
    pub(super) l2: Chart,
}

impl Pictures {
    /// Draws them; with the `answers`, capacities are marked where sizes are
    /// asked for.
    pub(super) fn of(findings: &Findings, answers: bool) -> Pictures {
        let caption =
            |what: &str, source: &str| format!("{what}. {}; source: {source}.", findings.spark.machine);
        let staircase =
            staircase(&findings.spark, findings.waiting.as_ref().ok(), findings.line).caption(caption(
                "spark, one curve for each stride; accesses overlap unless each waits for the last",
                "timing",
            ));
        Pictures {
            spark: spark::chart(&findings.spark),
            staircase: if answers { with_capacities(staircase, &findings.machine) } else { staircase },
            figure_1: figure_1(),
            l1: cm1::chart(&findings.l1),
            l2: cm1::chart(&findings.l2),
        }
    }

    /// With the names of their files.
    pub(super) fn named(&self) -> [(&'static str, &Chart); 5] {
        [
            ("spark-stride", &self.spark),
            ("spark-size", &self.staircase),
            ("figure-1", &self.figure_1),
            ("cm1-l1", &self.l1),
            ("cm1-l2", &self.l2),
        ]
    }
}

fn figure_1() -> Chart {
    let cells = Saved::parse(FIGURE_1).map(|saved| saved.cells).unwrap_or_default();
    let rows = cells.into_iter().map(|cell| (cell.size, cell.stride, cell.nanos));
    chart::sweep(
        "Figure 1 of the guide: access time of the machine in question",
        Axis::linear("time per access (ns)"),
        rows,
    )
    .caption("SPARCstation 1+, 4-byte elements; read off the guide's print, to about 5 ns.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figure_1_has_its_eleven_curves() {
        let chart = figure_1();
        assert_eq!(chart.series.len(), 11);
        assert!(!chart.is_empty());
    }
}

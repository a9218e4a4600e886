//! The lecture's charts.

use common::chart::{Axis, Chart};
use common::machine::Machine;
use common::value::Reading;

use crate::experiment::Outcome;
use crate::problem::Problem;

/// Rate of every rung, in the order of the ladder.
pub fn rates(outcomes: &[Outcome], p: &Problem, machine: &Machine) -> Chart {
    let [m, n, k] = p.sides();
    let title = format!("Matrix product {m} x {k} x {n}, rung by rung");
    let names = outcomes.iter().map(|outcome| outcome.subject.name().to_owned()).collect();
    let rates = (1..).map(f64::from).zip(outcomes.iter().map(|outcome| outcome.gflops(p)));
    let chart = Chart::new(title, Axis::named("rung of the ladder", names), Axis::log10("GFLOP/s"));
    curve(chart, "", &Vec::from_iter(rates))
        .caption(format!("Known operations over wall time on {}.", machine.description))
}

/// Adds the figures at their x values, with the spread of their runs.
pub fn curve(chart: Chart, name: &str, figures: &[(f64, Reading)]) -> Chart {
    let points = figures.iter().map(|(x, figure)| (*x, figure.amount().unwrap_or(f64::NAN)));
    let spreads = figures.iter().filter_map(|(x, figure)| {
        let spread = figure.spread()?;
        Some((*x, spread.min, spread.max))
    });
    chart.curve(name, points).spread(spreads)
}

/// The sides `n` at which the three matrices, or the lines of one column, fill each cache;
/// none for a sealed machine.
pub fn capacities(machine: &Machine) -> Vec<(f64, String)> {
    let mut marks = Vec::new();
    for cache in machine.visible_levels() {
        let bytes = cache.size.0 as f64;
        marks.push(((bytes / 24.0).sqrt(), format!("a, b, c = L{}", cache.level)));
        if cache.level == 1 {
            marks.push((cache.lines() as f64, "column = L1".to_owned()));
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use common::chart::{Axis, Chart};
    use common::value::{Reading, Source};

    use super::curve;

    #[test]
    fn a_curve_shows_how_the_runs_scattered() {
        let runs = Reading::from_runs(&[2.0, 3.0, 5.0], Source::Timing);
        let figures = [runs, Reading::missing("not run"), Reading::new(7.0, Source::Timing)];
        let figures: Vec<(f64, Reading)> = (1..).map(f64::from).zip(figures).collect();
        let chart = curve(Chart::new("rate", Axis::linear("n"), Axis::linear("GFLOP/s")), "ikj", &figures);
        let series = &chart.series[0];
        assert_eq!(series.spreads, [(1.0, 2.0, 5.0)]);
        assert!(
            series.points[0] == (1.0, 3.0) && series.points[1].1.is_nan() && series.points[2] == (3.0, 7.0)
        );
    }
}

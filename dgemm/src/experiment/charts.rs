//! The lecture's charts.

use common::chart::{Axis, Chart};
use common::machine::Machine;

use crate::experiment::Outcome;
use crate::problem::Problem;

/// Rate of every rung, in the order of the ladder.
pub fn rates(outcomes: &[Outcome], p: &Problem, machine: &Machine) -> Chart {
    let [m, n, k] = p.sides();
    let title = format!("Matrix product {m} x {k} x {n}, rung by rung");
    let names = outcomes.iter().map(|outcome| outcome.subject.name().to_owned()).collect();
    let rates = (1..).map(f64::from).zip(outcomes.iter().map(|outcome| outcome.gflops(p)));
    let chart = Chart::new(title, Axis::named("rung of the ladder", names), Axis::log10("GFLOP/s"));
    chart
        .readings("", &Vec::from_iter(rates))
        .caption(format!("Known operations over wall time on {}.", machine.description))
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

//! The lecture's charts.

use common::chart::{Axis, Chart};
use common::machine::Machine;

use crate::experiment::Outcome;
use crate::problem::Problem;

/// Rate of every rung, in the order of the ladder.
pub fn rates(outcomes: &[Outcome], p: &Problem, machine: &Machine) -> Chart {
    let [m, n, k] = p.sides();
    let title = format!("Matrix product {m} x {k} x {n}, rung by rung");
    let rate = |o: &Outcome| o.gflops(p).amount().unwrap_or(f64::NAN);
    let mut chart = Chart::new(title, Axis::linear("rung of the ladder"), Axis::log10("GFLOP/s"))
        .caption(format!("Known operations over wall time on {}.", machine.description));
    for (i, outcome) in outcomes.iter().enumerate() {
        let name = format!("{} {}", i + 1, outcome.subject.name());
        chart = chart.curve(name, [((i + 1) as f64, rate(outcome))]);
    }
    chart
}

/// Where a side `n` meets the capacity of each cache: the three matrices fill
/// it, and the lines of one column do; of none that is sealed.
pub fn capacities(machine: &Machine) -> Vec<(f64, String)> {
    let mut marks = Vec::new();
    for cache in machine.told() {
        let bytes = cache.size.0 as f64;
        marks.push(((bytes / 24.0).sqrt(), format!("a, b, c = L{}", cache.level)));
        if cache.level == 1 {
            marks.push((cache.lines() as f64, "column = L1".to_owned()));
        }
    }
    marks
}

//! The ladder over the side of its matrices: what `lab dgemm` measures and draws.

use chart::{Axis, Chart};
use common::events::Event;
use common::failure::Failure;
use common::measure::{Session, arena};
use common::record::{Record, Row};
use ladder::{Ladder, Setup};

use super::measure;
use super::report::{self, MISSES};
use crate::problem::Problem;
use crate::variants::{VARIANTS, Variant};

/// The ladder of the matrix product.
#[derive(Debug, Default)]
pub struct Products;

impl Ladder for Products {
    type Rung = Variant;
    const NAME: &'static str = "dgemm";
    const SIZE: &'static str = "n";
    const COLUMNS: &'static [(&'static str, &'static str, f64, usize)] = &[
        ("seconds", "seconds", 1.0, 6),
        ("GFLOP/s", "gflops", 1.0, 6),
        ("L1 misses per inner iteration", MISSES, 1.0, 6),
    ];
    const SOURCES: &'static [&'static str] = &["seconds", MISSES];
    const EVENTS: &'static [Event] = &measure::EVENTS;
    const RUNGS: &'static [Variant] = VARIANTS;

    fn name(rung: &Variant) -> &'static str {
        rung.name
    }

    fn estimate(session: &Session, rungs: &[&'static Variant], n: usize) -> f64 {
        measure::estimate(session, rungs, [n; 3])
    }

    fn measure(&mut self, on: &Setup, rungs: &[&'static Variant], n: usize) -> Result<Vec<Row>, Failure> {
        let blocks = measure::blocks_for(&on.session.machine, on.session.team());
        let arena = arena(Problem::bytes(n, n, n, blocks))?;
        let outcomes = measure::outcomes(on, rungs, &arena, [n; 3], blocks)?;
        let measured = outcomes.iter().filter(|outcome| {
            outcome.seconds.amount().is_some() || outcome.model.is_ok() || !on.session.is_over()
        });
        Ok(measured.map(report::row).collect())
    }

    fn charts(record: &Record, session: &Session) -> Vec<(&'static str, Chart)> {
        let machine = &session.machine.description;
        let timed = format!("Wall time on {machine}, source: timing.");
        let modelled = format!("Cache model of {machine}, source: model.");
        let chart = |title: &str, y: Axis, figure: &str, caption: &str| {
            let axes = [Axis::log("side n of the matrices"), y];
            Self::chart(record, title, axes, figure, 1.0).caption(caption)
        };
        let misses = Axis::linear("misses per inner iteration");
        vec![
            ("dgemm-time.svg", chart("Time of the matrix product", Axis::log("seconds"), "seconds", &timed)),
            ("dgemm-rate.svg", chart("Rate of the matrix product", Axis::log("GFLOP/s"), "gflops", &timed)),
            ("dgemm-misses.svg", chart("L1 misses per inner iteration", misses, MISSES, &modelled)),
        ]
    }
}

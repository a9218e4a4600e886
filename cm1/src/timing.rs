//! The sweep without counters: misses from the time of dependent accesses.

use common::cli::Counters;
use common::events::Event;
use common::failure::Failure;
use common::measure::{Plan, Sample, Session, Timer};
use common::sweep::Cell;
use common::units::Bytes;
use common::value::{Reading, Source};
use latency::Cells;

/// The levels whose misses show in the time of an access.
const LEVELS: [&str; 2] = ["PAPI_L1_DCM", "PAPI_L2_DCM"];

/// Whether this sweep must be timed: if the option says so, or if counters are wanted
/// that this machine does not have.
pub(crate) fn is_wanted(session: &Session, plan: &Plan, event: &Event) -> bool {
    let stands_in = session.measures_host && plan.needs_model() && LEVELS.contains(&event.name());
    session.counters == Counters::Timing || session.counters == Counters::Auto && stands_in
}

/// Finds the latencies of the levels, for arrays up to `largest` bytes: what times cells and derives `event` from it,
/// and notes on how.
pub(crate) fn timer(
    session: &Session,
    event: &Event,
    largest: usize,
) -> Result<(Timer, Vec<String>), Failure> {
    let level = LEVELS.iter().position(|name| *name == event.name()).ok_or_else(|| {
        Failure::could_not(format!(
            "measured latency cannot count {}; it can count {}",
            event.name(),
            LEVELS.join(" and ")
        ))
    })?;
    let mut cells = Cells::new(Bytes(largest as u64), level + 1).map_err(Failure::could_not)?;
    let (notes, runs, event) = (cells.notes(), session.runs, event.clone());
    let median = |runs: &[f64]| Reading::from_runs(runs, Source::Timing);
    let time = move |cell: Cell, accesses: f64| {
        let runs: Result<Vec<_>, String> = (0..runs).map(|_| cells.time(cell.size, cell.stride)).collect();
        let runs = runs.map_err(Failure::could_not)?;
        let misses: Option<Vec<f64>> = runs.iter().map(|run| run.misses[level]).collect();
        let nanos: Vec<f64> = runs.iter().map(|run| run.nanos).collect();
        let unseen = || Reading::missing(cells.unseen());
        let misses = misses.map_or_else(unseen, |misses| median(&misses).scaled(accesses));
        Ok(Sample { counts: vec![(event.clone(), misses)], ..Sample::of_accesses(&median(&nanos), accesses) })
    };
    Ok((Box::new(time), notes))
}

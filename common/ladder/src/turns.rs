//! Rungs in turns, and counted one by one.

use common::events::Event;
use common::failure::Failure;
use common::measure::{Plan, Session};
use common::value::Reading;

/// Why a figure is missing if the measurement had to end before it.
pub const LEFT_OUT: &str = "left out: the measurement took too long, or was interrupted";

/// Calls `once` for each of `rungs` in each of `rounds`, with the rung's number and its results so far, until the
/// session is over, but at least once. Without a result the rung is left out of that round.
/// Fails if `once` does.
pub fn in_turns<T>(
    session: &Session,
    rungs: usize,
    rounds: usize,
    mut once: impl FnMut(usize, &[T]) -> Result<Option<T>, Failure>,
) -> Result<Vec<Vec<T>>, Failure> {
    let mut results = Vec::from_iter((0..rungs).map(|_| Vec::new()));
    for done in 0..rungs * rounds {
        session.progress(done, rungs * rounds);
        if session.is_over() && done > 0 {
            break;
        }
        let rung = done % rungs;
        let result = once(rung, &results[rung])?;
        results[rung].extend(result);
    }
    session.progress(rungs * rounds, rungs * rounds);
    Ok(results)
}

/// What hardware counts of `events`, those of `plan`, while `run` runs; a reason for each if the session is over.
/// Fails if `run` does, or a counter fails.
pub fn count(
    session: &Session,
    plan: &Plan,
    events: &[Event],
    prepare: &mut dyn FnMut(),
    run: &mut dyn FnMut() -> Result<(), Failure>,
) -> Result<Vec<(Event, Reading)>, Failure> {
    if session.is_over() {
        return Ok(events.iter().cloned().map(|event| (event, Reading::missing(LEFT_OUT))).collect());
    }
    let mut ran = Ok(());
    let counted = session.count(plan, prepare, &mut || {
        if ran.is_ok() {
            ran = run();
        }
    });
    ran.and(counted)
}

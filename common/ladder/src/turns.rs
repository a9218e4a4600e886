//! Rungs in turns, and counted one by one.

use common::events::Event;
use common::failure::Failure;
use common::measure::{Plan, Session};
use common::value::Reading;

/// Why a figure is missing if the measurement had to end before it.
pub const LEFT_OUT: &str = "left out: the measurement took too long, or was interrupted";

/// The runs of a rung and the check of its first result, or why it does not run.
pub type Runs<T, C> = Result<(Vec<T>, C), String>;

/// Calls `once` with the number of each of `rungs` in each of `rounds`, until the session is over; the first rung at
/// least once. `check` sees each rung's first result.
/// Fails if `check` does, or if `once` does after a rung's first run, or there are no other rungs.
pub fn in_turns<T, C>(
    session: &Session,
    rungs: usize,
    rounds: usize,
    mut once: impl FnMut(usize) -> Result<T, Failure>,
    mut check: impl FnMut(usize) -> Result<C, Failure>,
) -> Result<Vec<Runs<T, C>>, Failure> {
    let mut all: Vec<Option<Runs<T, C>>> = Vec::from_iter((0..rungs).map(|_| None));
    for done in 0..rungs * rounds {
        session.progress(done, rungs * rounds);
        if session.is_over() && done > 0 {
            break;
        }
        let at = done % rungs;
        match &mut all[at] {
            None => {
                all[at] = Some(match once(at) {
                    Ok(run) => Ok((vec![run], check(at)?)),
                    Err(why) if rungs > 1 => Err(why.to_string()),
                    Err(why) => return Err(why),
                });
            }
            Some(Ok((runs, _))) => runs.push(once(at)?),
            Some(Err(_)) => {}
        }
    }
    session.progress(rungs * rounds, rungs * rounds);
    Ok(all.into_iter().map(|runs| runs.unwrap_or_else(|| Err(LEFT_OUT.to_owned()))).collect())
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

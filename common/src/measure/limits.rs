//! Time and memory that a measurement needs, checked before it begins.

use super::Session;
use crate::failure::Failure;
use figures::units::Bytes;
use memory::Arena;
use records::record::Record;
use system::{host, signals};

/// Memory in addition to the arrays: the program itself, its stack, and its output.
const PROGRAM_BYTES: u64 = 8 << 20;
/// Longest accepted run in seconds: a week.
const LONGEST_S: f64 = 7.0 * 86_400.0;
/// An estimate above this is reported.
const REPORTED_ESTIMATE_S: f64 = 60.0;

/// Checks that there is memory for `bytes` of arrays.
/// Fails if this process may not use as much: a system that overcommits memory would kill the
/// program later.
pub fn arena(bytes: usize) -> Result<Arena, Failure> {
    check_memory(bytes)?;
    Arena::with_capacity(bytes).map_err(Failure::could_not)
}

/// Whether there is memory for `bytes` of arrays, which need not be one arena.
/// Fails as [`arena`] does.
pub fn check_memory(bytes: usize) -> Result<(), Failure> {
    within(bytes, host::free_memory())
}

fn within(bytes: usize, free: Option<Bytes>) -> Result<(), Failure> {
    match free {
        Some(free) if (bytes as u64).saturating_add(PROGRAM_BYTES) > free.0 => {
            Err(Failure::could_not(format!(
                "the arrays need {} and the program {}, but this process can have {free} of memory (the smallest of free memory, its control groups' limits, `ulimit -v` and `ulimit -d`): choose a smaller size",
                Bytes(bytes as u64),
                Bytes(PROGRAM_BYTES)
            )))
        }
        _ => Ok(()),
    }
}

/// A duration in a suitable unit.
fn duration(seconds: f64) -> String {
    let units = [(86_400.0, "days"), (3600.0, "hours"), (60.0, "minutes")];
    let (unit, name) = units.into_iter().find(|(unit, _)| seconds >= 2.0 * unit).unwrap_or((1.0, "seconds"));
    format!("{:.0} {name}", seconds / unit)
}

impl Session {
    /// Announces the estimated run time, `seconds`, of `what`.
    /// Fails if it is longer than a week.
    pub fn announce(&self, what: &str, seconds: f64) -> Result<(), Failure> {
        if seconds.is_nan() || seconds > LONGEST_S {
            return Err(Failure::could_not(format!(
                "{what} would take longer than a week: choose smaller sizes or fewer repetitions"
            )));
        }
        if seconds > REPORTED_ESTIMATE_S {
            self.say(format!("note: {what} takes about {}", duration(seconds)));
        }
        Ok(())
    }

    /// Whether the measurement must end with the results so far: the user
    /// [interrupted it](Session::finish_cell_on_signal).
    pub fn is_over(&self) -> bool {
        signals::requested()
    }

    /// From now on Ctrl-C, or another termination signal, takes effect after the current
    /// cell; then the results so far are saved and printed. A second one ends the program
    /// at once. (Nothing changes if the session [ends at a signal](Session::ends_at_signal).)
    pub fn finish_cell_on_signal(&self) {
        if !self.ends_at_signal {
            signals::defer();
        }
    }

    /// Whether a sweep of `all` cells [is over](Session::is_over) before they are all
    /// measured: the record then says so.
    pub fn gives_up(&self, record: &mut Record, all: usize) -> bool {
        // At least one cell, so that there is a result.
        let over = self.is_over() && !record.rows.is_empty();
        if over {
            let done = record.rows.len();
            self.note(
                record,
                format!("asked to end: {done} of {all} cells are measured; the others are left out"),
            );
        }
        over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_before_it_is_touched() {
        let refusal = within(100 << 20, Some(Bytes::mib(100))).unwrap_err().to_string();
        assert!(
            refusal.contains("need 100 MiB and the program 8 MiB, but") && refusal.contains("smaller"),
            "{refusal}"
        );
        assert!(within(80 << 20, Some(Bytes::mib(100))).is_ok() && within(1 << 40, None).is_ok());
        assert!(within(usize::MAX, Some(Bytes(u64::MAX - 1))).is_err());
    }
}

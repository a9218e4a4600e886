//! What measuring a region gave.

use super::plan::reading_of;
use cache::Counts;
use events::Event;
use figures::units::{Hertz, Seconds};
use figures::value::{Reading, Source};
use system::clock::{self, Elapsed};
use system::core_clock;

/// The measurements of one region.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Wall-clock seconds.
    pub wall: Reading,
    /// Seconds of processor time.
    pub cpu: Reading,
    /// Cycles of the core's clock: counted (PAPI_TOT_CYC) if hardware counts them, else
    /// processor time multiplied by the clock frequency measured before and after; on a
    /// described machine its time multiplied by its frequency.
    pub cycles: Reading,
    /// The requested events, in that order.
    pub counts: Vec<(Event, Reading)>,
    /// The model's counts, if it ran.
    pub model: Option<Counts>,
}

impl Default for Sample {
    fn default() -> Sample {
        let unknown = || Reading::missing("not measured");
        Sample { wall: unknown(), cpu: unknown(), cycles: unknown(), counts: Vec::new(), model: None }
    }
}

impl Sample {
    /// The sample of `accesses` accesses, each of which takes `nanos`.
    pub fn of_accesses(nanos: &Reading, accesses: f64) -> Sample {
        let time = nanos.scaled(1e-9 * accesses);
        let cycles = time.scaled(core_clock::measure().0);
        Sample { wall: time.clone(), cpu: time, cycles, ..Sample::default() }
    }

    /// The reading of a requested event.
    pub fn count(&self, event: &Event) -> Reading {
        reading_of(&self.counts, event)
    }
}

/// Fewest steps of the clock in a time that is printed.
const LEAST_STEPS: f64 = 5.0;

/// A time of each run in seconds, and their median; none if the clock is too coarse for a run.
pub fn seconds(runs: &[Elapsed], pick: impl Fn(&Elapsed) -> Seconds) -> Reading {
    let is_short = |run: &&Elapsed| pick(run).0 < LEAST_STEPS * run.step.0;
    if let Some(Elapsed { step, .. }) = runs.iter().find(is_short) {
        return Reading::missing(format!(
            "below {:.1e} s, and the system's clock has steps of {:.2} ms; choose a larger size",
            LEAST_STEPS * step.0,
            clock::step().nanos() * 1e-6
        ));
    }
    Reading::from_runs(&runs.iter().map(|run| pick(run).0).collect::<Vec<_>>(), Source::Timing)
}

/// The times of one region.
#[derive(Debug, Clone)]
pub struct Timed {
    /// Of each run.
    pub runs: Vec<Elapsed>,
    /// The core's clock frequency during the runs.
    pub clock: Hertz,
}

impl Timed {
    /// Wall-clock seconds.
    pub fn wall(&self) -> Reading {
        seconds(&self.runs, |run| run.wall)
    }

    /// Seconds of processor time, of all threads together.
    pub fn cpu(&self) -> Reading {
        seconds(&self.runs, |run| run.cpu)
    }

    /// Cycles, from the time and the core's clock.
    pub fn cycles(&self) -> Reading {
        self.cpu().scaled(self.clock.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_missing_where_its_own_clock_is_too_coarse_for_it() {
        let runs = [Elapsed { wall: Seconds(1.0), cpu: Seconds(1e-3), step: Seconds(15.6e-3) }];
        assert_eq!(seconds(&runs, |run| run.wall).amount(), Some(1.0));
        assert!(seconds(&runs, |run| run.cpu).reason().is_some_and(|why| why.starts_with("below 7.8e-2 s")));
    }
}

//! Measures one region of code: decides what counts its events, repeats it, and reports
//! disturbances.

mod average;
mod cells;
mod environment;
mod limits;
mod plan;
mod sample;
mod session;

pub use average::average_load;
pub use cells::{Timer, Walks};
pub use environment::modelled_record;
pub use limits::{arena, check_memory};
pub use plan::{Plan, reading_of};
pub use sample::{Sample, Timed, seconds};
pub use session::Session;

use std::convert::Infallible;

use crate::failure::Failure;
use cache::Modelled;
use events::Event;
use figures::units::Hertz;
use figures::value::Reading;
use memory::Arena;
use system::clock;
use system::core_clock;

impl Session {
    /// Times `region` with all repetitions, calls `prepare` before each run, and counts the
    /// events of `plan`.
    /// Fails if a counter fails while it counts, or the machine cannot be modelled.
    pub fn measure(
        &self,
        arena: &Arena,
        plan: &Plan,
        prepare: &mut dyn FnMut(),
        region: Measured<'_>,
    ) -> Result<Sample, Failure> {
        let mut sample = Sample::default();
        if self.measures_host {
            let timed = self.time(self.runs, prepare, region.native);
            sample.counts = self.count_events(plan, prepare, region.native)?;
            let counted = sample.count(&Event::TOT_CYC);
            sample.cycles = if counted.amount().is_some() { counted } else { timed.cycles() };
            (sample.wall, sample.cpu) = (timed.wall(), timed.cpu());
        }
        self.model(arena, plan, prepare, region, &mut sample)?;
        Ok(sample)
    }

    /// The same as [`measure`](Session::measure) for a region that is timed elsewhere: it
    /// runs only if a source counts events in it.
    /// Fails as [`measure`](Session::measure) does.
    pub fn count_alone(
        &self,
        arena: &Arena,
        plan: &Plan,
        prepare: &mut dyn FnMut(),
        region: Measured<'_>,
    ) -> Result<Sample, Failure> {
        let mut sample = Sample::default();
        if self.measures_host {
            sample.counts = self.count_requested(plan, prepare, region.native)?;
        }
        self.model(arena, plan, prepare, region, &mut sample)?;
        Ok(sample)
    }

    /// Runs `body` `runs` times, with `prepare` before each, but at least once, and not
    /// again after the session [is over](Session::is_over). A run that is too short for the system's
    /// clock is repeated.
    pub fn time(&self, runs: usize, prepare: &mut dyn FnMut(), body: &mut dyn FnMut()) -> Timed {
        let once = |_| {
            let Ok(elapsed) = clock::time(&mut *prepare, || {
                body();
                Ok::<_, Infallible>(())
            });
            elapsed
        };
        let before = self.clock.get().is_none().then(core_clock::measure);
        let runs = (0..runs).take_while(|run| *run == 0 || !self.is_over()).map(once).collect();
        let clock = self.clock.get_or_init(|| {
            let after = core_clock::measure();
            Hertz(before.map_or(after.0, |before| (before.0 + after.0) / 2.0))
        });
        Timed { runs, clock: *clock }
    }

    /// Counts the events of `plan` in hardware while `body` runs, with all repetitions.
    /// Events that hardware does not count get the reason. If it counts none of them,
    /// `body` does not run.
    /// Fails if a counter fails while it counts.
    pub fn count(
        &self,
        plan: &Plan,
        prepare: &mut dyn FnMut(),
        body: &mut dyn FnMut(),
    ) -> Result<Vec<(Event, Reading)>, Failure> {
        Ok(plan.complete(self.count_requested(plan, prepare, body)?, None))
    }

    /// Runs `region` on the model if `plan` needs it, and completes the sample's counts.
    fn model(
        &self,
        arena: &Arena,
        plan: &Plan,
        prepare: &mut dyn FnMut(),
        region: Measured<'_>,
        sample: &mut Sample,
    ) -> Result<(), Failure> {
        if plan.needs_model() || !self.measures_host {
            let mut model = if region.computes {
                prepare();
                Modelled::new(&self.machine, arena)
            } else {
                Modelled::of_arrays_alone(&self.machine, arena, region.idle).map(Modelled::without_numbers)
            }
            .map_err(Failure::could_not)?;
            if let Some(line) = self.line_of_progress() {
                model = model.reporting(line);
            }
            (region.modelled)(&mut model);
            let counts = model.counts();
            if !self.measures_host {
                self.modelled_time(&counts, sample);
            }
            sample.model = Some(counts);
        }
        sample.counts = plan.complete(std::mem::take(&mut sample.counts), sample.model.as_ref());
        Ok(())
    }

    /// The same as [`count_events`](Session::count_events), but only if hardware counts a
    /// requested event.
    fn count_requested(
        &self,
        plan: &Plan,
        prepare: &mut dyn FnMut(),
        body: &mut dyn FnMut(),
    ) -> Result<Vec<(Event, Reading)>, Failure> {
        if plan.counts() { self.count_events(plan, prepare, body) } else { Ok(Vec::new()) }
    }

    /// Counts the events of `plan` and cycles in hardware, with all repetitions for which
    /// there is time.
    fn count_events(
        &self,
        plan: &Plan,
        prepare: &mut dyn FnMut(),
        body: &mut dyn FnMut(),
    ) -> Result<Vec<(Event, Reading)>, Failure> {
        let Some(mut counting) = plan.counting() else { return Ok(Vec::new()) };
        let runs: Result<Vec<Vec<Reading>>, _> = (0..self.runs)
            .take_while(|run| *run == 0 || !self.is_over())
            .map(|_| counting.count(prepare, body))
            .collect();
        let runs = runs.map_err(Failure::could_not)?;
        let median = |at: usize| {
            let readings: Vec<Reading> = runs.iter().map(|run| run[at].clone()).collect();
            Reading::median(&readings)
        };
        Ok(counting.events().iter().cloned().enumerate().map(|(at, event)| (event, median(at))).collect())
    }
}

/// The measured region, on this machine and on the model. Written with [`region!`](crate::region).
pub struct Measured<'r> {
    /// The region on the machine's own memory.
    pub native: &'r mut dyn FnMut(),
    /// The region on the modelled memory.
    pub modelled: &'r mut dyn FnMut(&mut Modelled),
    /// Whether the model must compute the numbers too.
    pub computes: bool,
    /// Arrays of the arena that the region does not access, so the model ignores them.
    pub idle: &'r [&'r str],
}

impl<'r> Measured<'r> {
    /// The same, but the model only counts. For kernels that access only the arena's
    /// arrays, and make the same accesses whatever the numbers in them. The results of the
    /// native run stay in the arrays.
    #[must_use]
    pub fn without_numbers(self) -> Self {
        Measured { computes: false, ..self }
    }

    /// The same, and the region does not access these arrays.
    #[must_use]
    pub fn without_arrays(self, idle: &'r [&'r str]) -> Self {
        Measured { idle, ..self }
    }
}

/// `region!(native::kernel(a, b, c); |mem| kernel(mem, a, b, c))`: exactly the code between the two readings of the
/// counters, and the same kernel for the model.
#[macro_export]
macro_rules! region {
    ($native:expr; |$mem:ident| $modelled:expr) => {
        $crate::measure::Measured {
            native: &mut || $native,
            modelled: &mut |$mem: &mut $crate::cache::Modelled| $modelled,
            computes: true,
            idle: &[],
        }
    };
}

//! Event sets, PAPI's low-level interface.

use counters::{Code, CounterError, Counting, Sampler};
use events::Event;
use figures::value::{Reading, Source};

/// What is done at an overflow, with the address of the program shortly after it.
type Handler = Box<dyn FnMut(u64)>;

/// Events that are counted together, for the calling thread. Where cores differ, the thread
/// stays on those that the events are of while they count.
pub struct EventSet {
    counting: Counting,
    overflow: Option<(Event, u64, Handler)>,
    sampler: Option<Sampler>,
    is_running: bool,
}

fn error<T>(code: Code, sentence: impl Into<String>) -> Result<T, CounterError> {
    Err(CounterError::new(code, sentence))
}

impl EventSet {
    /// An empty set, stopped.
    pub fn create() -> EventSet {
        EventSet { counting: Counting::of_thread(&[]), overflow: None, sampler: None, is_running: false }
    }

    /// Adds events.
    ///
    /// # Errors
    /// `EISRUN` while running, `ENOEVNT`, `ENOCNTR` or `EPERM` if one cannot be counted,
    /// `ECNFLCT` if they do not fit on the counters together. The set then stays as it was.
    pub fn add(&mut self, events: &[Event]) -> Result<(), CounterError> {
        self.must_run(false)?;
        let counting = Counting::of_thread(&[self.list_events(), events].concat());
        if let Some(refusal) = counting.definitions().iter().find_map(|found| found.as_ref().err()) {
            return Err(refusal.clone());
        }
        if counting.passes() > 1 {
            let why = "these events do not fit on the counters together; use a set for each group";
            return error(Code::Ecnflct, why);
        }
        self.counting = counting;
        Ok(())
    }

    /// Its events, in the order of the readings.
    pub fn list_events(&self) -> &[Event] {
        self.counting.events()
    }

    /// Calls `handler` for each time that `event` has happened another `threshold` times. The
    /// kernel stores where that was; the handler is called for all of them by
    /// [`stop`](EventSet::stop).
    ///
    /// # Errors
    /// `EISRUN` while running.
    pub fn overflow(
        &mut self,
        event: &Event,
        threshold: u64,
        handler: impl FnMut(u64) + 'static,
    ) -> Result<(), CounterError> {
        self.must_run(false)?;
        self.overflow = Some((event.clone(), threshold, Box::new(handler)));
        Ok(())
    }

    /// Counts from zero.
    ///
    /// # Errors
    /// `EISRUN` while running, `EINVAL` for an empty set, or an event that cannot be sampled;
    /// `ESYS`.
    pub fn start(&mut self) -> Result<(), CounterError> {
        self.must_run(false)?;
        if self.list_events().is_empty() {
            return error(Code::Einval, "the event set is empty; add an event first");
        }
        let sampler = self.overflow.as_ref().map(|(event, threshold, _)| Sampler::new(event, *threshold));
        self.sampler = sampler.transpose()?;
        self.sampler.as_mut().map_or(Ok(()), Sampler::resume)?;
        self.counting.start()?;
        self.is_running = true;
        Ok(())
    }

    /// Readings since the start or the last reset; counting goes on.
    ///
    /// # Errors
    /// `ENOTRUN` or `ESYS`.
    pub fn read(&mut self) -> Result<Vec<Reading>, CounterError> {
        self.must_run(true)?;
        self.counting.read()
    }

    /// Adds the readings to `totals`, which begin as [`zeros`](EventSet::zeros), and counts
    /// from zero again.
    ///
    /// # Errors
    /// As [`read`](EventSet::read); `EINVAL` if there are not as many totals as events.
    pub fn accum(&mut self, totals: &mut [Reading]) -> Result<(), CounterError> {
        let (given, wanted) = (totals.len(), self.list_events().len());
        if given != wanted {
            return error(Code::Einval, format!("{given} totals for {wanted} events; give one each"));
        }
        for (total, reading) in totals.iter_mut().zip(self.reset()?) {
            *total = plus(total, reading);
        }
        Ok(())
    }

    /// Totals to accumulate into.
    pub fn zeros(&self) -> Vec<Reading> {
        vec![Reading::new(0.0, Source::Hardware); self.list_events().len()]
    }

    /// The same as [`read`](EventSet::read), and counts from zero again.
    ///
    /// # Errors
    /// As [`read`](EventSet::read).
    pub fn reset(&mut self) -> Result<Vec<Reading>, CounterError> {
        self.must_run(true)?;
        self.counting.reset()
    }

    /// Readings since the start or the last reset; counting ends, and the handler of
    /// overflows is called for each.
    ///
    /// # Errors
    /// `ENOTRUN` or `ESYS`; `ECLOST` if overflows came faster than the kernel could store
    /// them.
    pub fn stop(&mut self) -> Result<Vec<Reading>, CounterError> {
        self.must_run(true)?;
        self.is_running = false;
        let readings = self.counting.stop()?;
        let samples = self.sampler.take().map(Sampler::finish).transpose()?;
        if let (Some(samples), Some((.., handler))) = (samples, &mut self.overflow) {
            samples.addresses.iter().copied().for_each(handler);
            let (lost, paused) = (samples.lost, samples.throttled);
            if lost + paused > 0 {
                let why = format!(
                    "overflows came too fast: {lost} were lost, and the kernel paused them {paused} times; raise the threshold"
                );
                return error(Code::Eclost, why);
            }
        }
        Ok(readings)
    }

    fn must_run(&self, running: bool) -> Result<(), CounterError> {
        match (self.is_running, running) {
            (true, false) => error(Code::Eisrun, "stop the event set before changing it"),
            (false, true) => error(Code::Enotrun, "start the event set first"),
            _ => Ok(()),
        }
    }
}

/// A total and another reading; what is missing stays missing.
fn plus(total: &Reading, reading: Reading) -> Reading {
    match (total.amount(), reading.amount()) {
        (Some(a), Some(b)) => {
            Reading::new(a + b, Source::Hardware).estimated(total.multiplexed().or(reading.multiplexed()))
        }
        (Some(_), None) => reading,
        _ => total.clone(),
    }
}

/// The figures of readings.
///
/// # Errors
/// `ECNFLCT` if one is missing.
pub(crate) fn amounts(readings: &[Reading]) -> Result<Vec<f64>, CounterError> {
    let missing = |reading: &Reading| CounterError::new(Code::Ecnflct, reading.to_string());
    readings.iter().map(|reading| reading.amount().ok_or_else(|| missing(reading))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_counts_from_start_to_stop_and_only_then() {
        let Ok(clock) = Event::parse("task-clock") else { panic!("a kernel event") };
        let mut set = EventSet::create();
        assert_eq!(set.start().unwrap_err().code, Code::Einval);
        if let Err(why) = set.add(std::slice::from_ref(&clock)) {
            return skip::skip(&why.to_string()); // perf events are forbidden altogether
        }
        assert_eq!(set.read().unwrap_err().code, Code::Enotrun);
        let calls = std::rc::Rc::new(std::cell::Cell::new(0_u64));
        let counted = std::rc::Rc::clone(&calls);
        set.overflow(&clock, 100_000, move |_| counted.set(counted.get() + 1)).unwrap();
        let mut totals = set.zeros();
        set.start().unwrap();
        assert_eq!(set.start().unwrap_err().code, Code::Eisrun);
        std::hint::black_box((0..20_000_000_u64).fold(0, |a, b| a ^ std::hint::black_box(b)));
        set.accum(&mut totals).unwrap();
        set.accum(&mut totals).unwrap();
        let rest = set.stop().unwrap()[0].amount().unwrap();
        let total = totals[0].amount().unwrap();
        assert!(total > rest && rest > 0.0, "{total} {rest}");
        // The kernel's timer ticks more rarely than that: never too many calls.
        assert!(calls.get() as f64 * 100_000.0 <= total + rest + 200_000.0, "{} calls", calls.get());
    }
}

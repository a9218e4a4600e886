//! How an event set counts: in turns, in new threads too, with a handler.

use std::sync::Arc;

use super::event_set::{EventSet, State};
use super::opened::Threshold;
use crate::error::{Code, CounterError};
use crate::papi::overflow::Overflow;
use crate::platform::Platform;
use crate::sampling::{Histogram, sampled_part};
use crate::trials::Trials;
use events::Event;

impl EventSet {
    /// Lets the events take turns on the counters if they do not fit: readings
    /// are then estimates, and say so.
    ///
    /// # Errors
    /// `EISRUN` while running; `EINVAL` with an overflow handler, whose event
    /// must not give up its counter.
    pub fn multiplex(&mut self) -> Result<(), CounterError> {
        self.must_be(State::Stopped)?;
        if self.overflow.is_some() {
            return Err(CounterError::new(
                Code::Einval,
                "overflows are reported only for an event that always has a counter; use another set for the rest",
            ));
        }
        self.multiplexed = true;
        self.open = None;
        Ok(())
    }

    /// Never waits for counters: if another user takes them, reading fails
    /// instead of giving a part of the count.
    ///
    /// # Errors
    /// `EISRUN` while running.
    pub fn pin(&mut self) -> Result<(), CounterError> {
        self.must_be(State::Stopped)?;
        self.pinned = true;
        self.open = None;
        Ok(())
    }

    /// Counts the threads that the calling thread will start, too.
    ///
    /// # Errors
    /// `EISRUN` while running; `EINVAL` with an overflow handler, which can
    /// watch one thread only.
    pub fn inherit(&mut self) -> Result<(), CounterError> {
        self.must_be(State::Stopped)?;
        if self.overflow.is_some() {
            return Err(CounterError::new(
                Code::Einval,
                "overflows are reported in one thread only; use a set in each",
            ));
        }
        self.inherited = true;
        self.open = None;
        Ok(())
    }

    /// Calls `handler` each time `event` has happened another `threshold` times.
    ///
    /// # Errors
    /// `EISRUN` while running; `EINVAL` if the event is not in the set, is
    /// derived from several, the threshold is 0, or threads are inherited.
    pub fn overflow(
        &mut self,
        event: &Event,
        threshold: u64,
        handler: impl FnMut(Overflow) + Send + 'static,
    ) -> Result<(), CounterError> {
        self.must_be(State::Stopped)?;
        self.position(event)?;
        if threshold == 0 || self.inherited || self.multiplexed {
            let why =
                "a threshold of 1 or more is needed, and a set that neither multiplexes nor inherits threads";
            return Err(CounterError::new(Code::Einval, why));
        }
        let part = sampled_part(&mut Trials::new(Platform::host()), event)?;
        self.overflow =
            Some(Threshold { part, period: threshold, handler: Some(Box::new(handler)), lost_before: 0 });
        self.open = None;
        Ok(())
    }

    /// Counts into `histogram` where the program is at each `period` of `event`.
    ///
    /// # Errors
    /// As [`EventSet::overflow`].
    pub fn profil(
        &mut self,
        event: &Event,
        period: u64,
        histogram: Arc<Histogram>,
    ) -> Result<(), CounterError> {
        self.overflow(event, period, move |overflow| histogram.add(overflow.address))
    }
}

//! `PAPI_flops`, `PAPI_flips` and `PAPI_ipc`: the first call starts counting and gives
//! zeros, each later one reports.

use std::cell::RefCell;

use counters::CounterError;
use events::Event;
use system::clock;

use crate::EventSet;

thread_local! {
    static STARTED: RefCell<Option<Started>> = const { RefCell::new(None) };
}

/// The running set, the clocks when it was started, and the last call.
struct Started {
    set: EventSet,
    wall: f64,
    cpu: f64,
    last: Rate,
}

/// What the calls report of the calling thread.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rate {
    /// Wall-clock seconds since the first call.
    pub real_time: f64,
    /// Seconds of the thread on the processor since the first call.
    pub proc_time: f64,
    /// Operations or instructions since the first call.
    pub count: f64,
    /// Cycles since the first call, if they are counted.
    pub cycles: f64,
    /// Since the last call: millions of operations per second of processor time, or
    /// instructions per cycle.
    pub rate: f64,
}

/// Floating-point operations and MFLOPS.
///
/// # Errors
/// If this processor cannot count PAPI_FP_OPS, or counting fails.
pub fn flops() -> Result<Rate, CounterError> {
    rate(&[Event::FP_OPS])
}

/// Floating-point instructions and their millions per second.
///
/// # Errors
/// If this processor cannot count PAPI_FP_INS, or counting fails.
pub fn flips() -> Result<Rate, CounterError> {
    rate(&[Event::FP_INS])
}

/// Instructions, and instructions per cycle.
///
/// # Errors
/// If this processor cannot count PAPI_TOT_INS and PAPI_TOT_CYC, or counting fails.
pub fn ipc() -> Result<Rate, CounterError> {
    rate(&[Event::TOT_INS, Event::TOT_CYC])
}

fn rate(events: &[Event]) -> Result<Rate, CounterError> {
    STARTED.with_borrow_mut(|started| {
        if let Some(started) = started.as_mut().filter(|started| started.set.list_events() == events) {
            return started.rate();
        }
        // Another rate was asked for before: its counters are given back.
        *started = None;
        let mut set = EventSet::create();
        set.add(events)?;
        set.start()?;
        let (wall, cpu) = (clock::wall().0, clock::thread_cpu().0);
        *started = Some(Started { set, wall, cpu, last: Rate::default() });
        Ok(Rate::default())
    })
}

impl Started {
    fn rate(&mut self) -> Result<Rate, CounterError> {
        let (real_time, proc_time) = (clock::wall().0 - self.wall, clock::thread_cpu().0 - self.cpu);
        let amounts: Vec<f64> = crate::set::amounts(&self.set.read()?)?;
        let cycles = amounts.get(1).copied().unwrap_or(0.0);
        let mut now = Rate { real_time, proc_time, count: amounts[0], cycles, rate: 0.0 };
        let by = match amounts.len() {
            1 => (now.proc_time - self.last.proc_time) * 1e6,
            _ => now.cycles - self.last.cycles,
        };
        if by > 0.0 {
            now.rate = (now.count - self.last.count) / by;
        }
        self.last = now;
        Ok(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_per_second_of_the_thread_that_is_counted() {
        let Ok(own) = Event::parse("task-clock") else { panic!("a kernel event") };
        if let Err(why) = rate(std::slice::from_ref(&own)) {
            return skip::skip(&why.to_string()); // perf events are forbidden altogether
        }
        let other = std::thread::spawn(|| {
            let from = clock::thread_cpu().0;
            while clock::thread_cpu().0 - from < 0.03 {}
        });
        other.join().unwrap();
        let now = rate(&[own]).unwrap();
        // The event counts this thread's nanoseconds, and so must the clock.
        assert!(now.proc_time < 0.02 && now.count < 0.02e9, "{now:?}");
    }
}

//! PAPI's high-level interface: a few calls around the code of interest, without
//! an event set. Each thread has its own counters.

use std::cell::RefCell;
use std::time::Instant;

use super::set::EventSet;
use crate::encoding::Part;
use crate::error::{Code, CounterError};
use crate::platform::Platform;
use crate::trials::{Trials, form};
use events::{Event, kernel};
use figures::value::Reading;
use system::clock;

thread_local! {
    static STARTED: RefCell<Option<EventSet>> = const { RefCell::new(None) };
    static RATED: RefCell<Option<Rated>> = const { RefCell::new(None) };
}

/// How many events this processor can count at once; 0 if it counts nothing.
/// Found by trying: as many copies of instructions as get counters, and cycles,
/// which often have a counter of their own.
pub fn num_counters() -> usize {
    let platform = Platform::host();
    let trials = Trials::new(platform);
    let mut parts: Vec<Part> = Vec::new();
    const CYCLES: &str = "cycles";
    for name in std::iter::once(CYCLES).chain(std::iter::repeat_n("instructions", 63)) {
        let Some((kind, config)) = kernel::lookup(name) else { break };
        let Ok(encoding) = form(platform.kernel(kind, config)) else { continue };
        parts.push(Part { name: name.into(), encoding });
        if !trials.fits(&parts) {
            parts.pop();
            if name != CYCLES {
                break; // another copy of the same fits no better
            }
        }
    }
    parts.len()
}

fn started<T>(then: impl FnOnce(&mut EventSet) -> Result<T, CounterError>) -> Result<T, CounterError> {
    STARTED.with_borrow_mut(|set| match set {
        Some(set) => then(set),
        None => Err(CounterError::new(Code::Enotrun, "no counters are started; call start_counters first")),
    })
}

/// Counts `events` from zero.
///
/// # Errors
/// `EISRUN` if counters are started; else as [`EventSet::add`] and [`EventSet::start`].
pub fn start_counters(events: &[Event]) -> Result<(), CounterError> {
    STARTED.with_borrow_mut(|started| {
        if started.is_some() {
            return Err(CounterError::new(
                Code::Eisrun,
                "counters are started already; call stop_counters first",
            ));
        }
        let mut set = EventSet::create();
        set.add_all(events)?;
        set.start()?;
        *started = Some(set);
        Ok(())
    })
}

/// The counts since the start or the last read, in the order of the events;
/// counting goes on from zero.
///
/// # Errors
/// `ENOTRUN` if none are started, or as [`EventSet::read`].
pub fn read_counters() -> Result<Vec<Reading>, CounterError> {
    started(|set| {
        let mut counts = set.zeros();
        set.accum(&mut counts)?;
        Ok(counts)
    })
}

/// Adds the counts to `totals`; counting goes on from zero.
///
/// # Errors
/// `ENOTRUN` if none are started, or as [`EventSet::accum`].
pub fn accum_counters(totals: &mut [Reading]) -> Result<(), CounterError> {
    started(|set| set.accum(totals))
}

/// The counts since the start or the last read; counting ends.
///
/// # Errors
/// `ENOTRUN` if none are started, or as [`EventSet::stop`].
pub fn stop_counters() -> Result<Vec<Reading>, CounterError> {
    let counts = started(EventSet::stop);
    STARTED.with_borrow_mut(|set| *set = None);
    counts
}

/// What [`flops`], [`flips`] and [`ipc`] count, and since when.
struct Rated {
    what: What,
    set: EventSet,
    wall: Instant,
    cpu: f64,
    last: Moment,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Operations,
    Instructions,
    PerCycle,
}

/// Counts and processor seconds of this thread at a call.
#[derive(Clone, Copy, Default)]
struct Moment {
    counts: [f64; 2],
    cpu: f64,
}

/// What [`flops`] and [`flips`] show.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Flops {
    /// Wall-clock seconds since the first call.
    pub real_time: f64,
    /// Seconds of this thread on the processor since the first call.
    pub proc_time: f64,
    /// Floating-point operations (or instructions) since the first call.
    pub operations: f64,
    /// Millions of them per second of processor time since the last call.
    pub mflops: f64,
}

/// What [`ipc`] shows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ipc {
    /// Wall-clock seconds since the first call.
    pub real_time: f64,
    /// Seconds of this thread on the processor since the first call.
    pub proc_time: f64,
    /// Instructions since the first call.
    pub instructions: f64,
    /// Instructions per cycle since the last call.
    pub ipc: f64,
}

/// Floating-point operations and their rate: the first call starts counting
/// and gives zeros, each later one reports.
///
/// # Errors
/// If this processor cannot count PAPI_FP_OPS, or counting fails.
pub fn flops() -> Result<Flops, CounterError> {
    rate(What::Operations, &[Event::FP_OPS]).map(flops_of)
}

/// As [`flops`], of floating-point instructions.
///
/// # Errors
/// If this processor cannot count PAPI_FP_INS, or counting fails.
pub fn flips() -> Result<Flops, CounterError> {
    rate(What::Instructions, &[Event::FP_INS]).map(flops_of)
}

/// Instructions per cycle: the first call starts counting and gives zeros,
/// each later one reports.
///
/// # Errors
/// If this processor cannot count PAPI_TOT_INS and PAPI_TOT_CYC, or counting fails.
pub fn ipc() -> Result<Ipc, CounterError> {
    let (real_time, now, before) = rate(What::PerCycle, &[Event::TOT_INS, Event::TOT_CYC])?;
    let ipc = ratio(now.counts[0] - before.counts[0], now.counts[1] - before.counts[1]);
    Ok(Ipc { real_time, proc_time: now.cpu, instructions: now.counts[0], ipc })
}

fn flops_of((real_time, now, before): (f64, Moment, Moment)) -> Flops {
    let mflops = ratio(now.counts[0] - before.counts[0], (now.cpu - before.cpu) * 1e6);
    Flops { real_time, proc_time: now.cpu, operations: now.counts[0], mflops }
}

fn ratio(of: f64, by: f64) -> f64 {
    if by > 0.0 { of / by } else { 0.0 }
}

/// Seconds since the first call, then this call and the one before it.
fn rate(what: What, events: &[Event]) -> Result<(f64, Moment, Moment), CounterError> {
    RATED.with_borrow_mut(|rated| {
        if let Some(rated) = rated.as_mut().filter(|r| r.what == what) {
            return rated.rate();
        }
        // Another rate was asked for before: its counters are given back.
        *rated = None;
        let mut set = EventSet::create();
        set.add_all(events)?;
        set.start()?;
        let cpu = clock::thread_cpu().0;
        *rated = Some(Rated { what, set, wall: Instant::now(), cpu, last: Moment::default() });
        Ok((0.0, Moment::default(), Moment::default()))
    })
}

impl Rated {
    fn rate(&mut self) -> Result<(f64, Moment, Moment), CounterError> {
        let mut now = Moment { cpu: clock::thread_cpu().0 - self.cpu, ..Moment::default() };
        for (count, reading) in now.counts.iter_mut().zip(self.set.read()?) {
            *count = reading.amount().ok_or_else(|| CounterError::new(Code::Ecnflct, reading.to_string()))?;
        }
        let before = std::mem::replace(&mut self.last, now);
        Ok((self.wall.elapsed().as_secs_f64(), now, before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_per_second_of_the_thread_that_is_counted() {
        let Ok(own) = Event::parse("task-clock") else { panic!("a kernel event") };
        if let Err(why) = rate(What::Operations, &[own]) {
            return skip::skip(&why.to_string()); // perf events are forbidden altogether
        }
        let other = std::thread::spawn(|| {
            let from = clock::thread_cpu().0;
            while clock::thread_cpu().0 - from < 0.03 {}
        });
        other.join().unwrap();
        let (_, now, _) = rate(What::Operations, &[]).unwrap();
        // The event counts this thread's nanoseconds, and so must the clock.
        assert!(now.cpu < 0.02 && now.counts[0] < 0.02e9, "{} s, {} ns", now.cpu, now.counts[0]);
    }
}

//! PAPI's high-level interface: `PAPI_flops`, `PAPI_flips` and `PAPI_ipc`, whose first call starts
//! counting and gives zeros and each later one reports; and named regions, `PAPI_hl_region_begin` and
//! `PAPI_hl_region_end`.

use std::cell::RefCell;
use std::collections::BTreeMap;

use counters::{Code, CounterError};
use events::Event;
use system::clock;

use crate::EventSet;

thread_local! {
    static STARTED: RefCell<Option<Started>> = const { RefCell::new(None) };
    static REGIONS: RefCell<Regions> = RefCell::new(Regions::default());
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

#[derive(Default)]
struct Regions {
    set: Option<EventSet>,
    entered: Vec<(String, Vec<f64>)>,
    done: BTreeMap<String, Region>,
}

/// What was counted in a region, all its passes together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Region {
    /// How often it was passed.
    pub passes: u64,
    /// The counts, in the order of the events.
    pub counts: Vec<f64>,
}

/// Says what regions count in this thread from now on, as PAPI_EVENTS does; without it they
/// count instructions and cycles. Earlier results are dropped.
///
/// # Errors
/// `EISRUN` inside of a region; else as [`EventSet::add`].
pub fn region_events(events: &[Event]) -> Result<(), CounterError> {
    REGIONS.with_borrow_mut(|regions| {
        if !regions.entered.is_empty() {
            return Err(CounterError::new(Code::Eisrun, "end the regions before changing their events"));
        }
        let mut set = EventSet::create();
        set.add(events)?;
        set.start()?;
        *regions = Regions { set: Some(set), ..Regions::default() };
        Ok(())
    })
}

/// Enters a region; regions may lie in one another.
///
/// # Errors
/// If the events cannot be counted.
pub fn region_begin(name: &str) -> Result<(), CounterError> {
    if REGIONS.with_borrow(|regions| regions.set.is_none()) {
        region_events(&[Event::TOT_INS, Event::TOT_CYC])?;
    }
    REGIONS.with_borrow_mut(|regions| {
        let counts = regions.read()?;
        regions.entered.push((name.to_owned(), counts));
        Ok(())
    })
}

/// Leaves the region that was entered last.
///
/// # Errors
/// `EINVAL` if that has another name, or none is entered.
pub fn region_end(name: &str) -> Result<(), CounterError> {
    REGIONS.with_borrow_mut(|regions| {
        let now = regions.read()?;
        let Some((name, before)) = regions.entered.pop_if(|(entered, _)| entered == name) else {
            let why = match regions.entered.last() {
                Some((open, _)) => format!("region '{name}' ends while '{open}' is open; end that first"),
                None => format!("region '{name}' ends and was not begun"),
            };
            return Err(CounterError::new(Code::Einval, why));
        };
        let region = regions.done.entry(name).or_default();
        region.passes += 1;
        region.counts.resize(now.len(), 0.0);
        region.counts.iter_mut().zip(now.iter().zip(&before)).for_each(|(sum, (now, old))| *sum += now - old);
        Ok(())
    })
}

/// What this thread's regions have counted so far, by name.
pub fn regions() -> BTreeMap<String, Region> {
    REGIONS.with_borrow(|regions| regions.done.clone())
}

impl Regions {
    fn read(&mut self) -> Result<Vec<f64>, CounterError> {
        self.set.as_mut().map_or(Ok(Vec::new()), |set| crate::set::amounts(&set.read()?))
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

    #[test]
    fn regions_count_their_passes_and_lie_in_one_another() {
        let Ok(clock) = Event::parse("task-clock") else { panic!("a kernel event") };
        if let Err(why) = region_events(&[clock]) {
            return skip::skip(&why.to_string()); // perf events are forbidden altogether
        }
        for _ in 0..3 {
            region_begin("outer").unwrap();
            region_begin("inner").unwrap();
            assert_eq!(region_end("outer").unwrap_err().code, Code::Einval);
            region_end("inner").unwrap();
            region_end("outer").unwrap();
        }
        let found = regions();
        assert_eq!((found["inner"].passes, found["outer"].passes), (3, 3));
        assert!(found["outer"].counts[0] >= found["inner"].counts[0]);
        assert_eq!(region_end("inner").unwrap_err().code, Code::Einval);
    }
}

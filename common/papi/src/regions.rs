//! Named regions: `PAPI_hl_region_begin` and `PAPI_hl_region_end`.

use std::cell::RefCell;
use std::collections::BTreeMap;

use counters::{Code, CounterError};
use events::Event;

use crate::EventSet;

thread_local! {
    static REGIONS: RefCell<Regions> = RefCell::new(Regions::default());
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

//! Named regions: PAPI's `hl_region_begin` and `hl_region_end`.

use std::cell::RefCell;

use super::set::EventSet;
use crate::error::{Code, CounterError};
use events::Event;
use figures::value::Reading;

thread_local! {
    static REGIONS: RefCell<Regions> = RefCell::new(Regions::default());
}

#[derive(Default)]
struct Regions {
    set: Option<EventSet>,
    entered: Vec<(String, Vec<f64>)>,
    done: Vec<HighLevelRegion>,
}

/// What was counted in a region, all its passes together.
#[derive(Debug, Clone, PartialEq)]
pub struct HighLevelRegion {
    /// As given to [`region_begin`].
    pub name: String,
    /// How often it was passed.
    pub passes: u64,
    /// The events and their counts.
    pub counts: Vec<(Event, f64)>,
}

/// Says what regions count in this thread, from now on; without it they count
/// instructions and cycles. Earlier results are dropped.
///
/// # Errors
/// `EISRUN` inside of a region; else as [`EventSet::add`].
pub fn region_events(events: &[Event]) -> Result<(), CounterError> {
    REGIONS.with_borrow_mut(|regions| {
        if !regions.entered.is_empty() {
            return Err(CounterError::new(Code::Eisrun, "end the regions before changing their events"));
        }
        let mut set = EventSet::create();
        set.add_all(events)?;
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
    if REGIONS.with_borrow(|r| r.set.is_none()) {
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
/// `EINVAL` if that has another name; `ENOTRUN` outside of any region.
pub fn region_end(name: &str) -> Result<(), CounterError> {
    REGIONS.with_borrow_mut(|regions| {
        let Some((entered, _)) = regions.entered.last() else {
            return Err(CounterError::new(Code::Enotrun, format!("region '{name}' was not begun")));
        };
        if entered != name {
            let told = format!("region '{name}' ends while '{entered}' is open; end that first");
            return Err(CounterError::new(Code::Einval, told));
        }
        let now = regions.read()?;
        if let Some((name, before)) = regions.entered.pop() {
            regions.add(name, now.iter().zip(&before).map(|(now, before)| now - before));
        }
        Ok(())
    })
}

/// What this thread's regions have counted so far, in the order of their first end.
pub fn regions() -> Vec<HighLevelRegion> {
    REGIONS.with_borrow(|regions| regions.done.clone())
}

impl Regions {
    fn read(&mut self) -> Result<Vec<f64>, CounterError> {
        let readings = self.set.as_mut().map_or(Ok(Vec::new()), EventSet::read)?;
        let amount = |r: &Reading| r.amount().ok_or_else(|| CounterError::new(Code::Ecnflct, r.to_string()));
        readings.iter().map(amount).collect()
    }

    fn add(&mut self, name: String, counts: impl Iterator<Item = f64>) {
        let at = self.done.iter().position(|r| r.name == name).unwrap_or_else(|| {
            let events = self.set.as_ref().map_or(&[][..], EventSet::list_events);
            let counts = events.iter().map(|e| (e.clone(), 0.0)).collect();
            self.done.push(HighLevelRegion { name, passes: 0, counts });
            self.done.len() - 1
        });
        let region = &mut self.done[at];
        region.passes += 1;
        for ((_, total), count) in region.counts.iter_mut().zip(counts) {
            *total += count;
        }
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
        assert_eq!((found[0].name.as_str(), found[0].passes), ("inner", 3));
        assert_eq!((found[1].name.as_str(), found[1].passes), ("outer", 3));
        assert!(found[1].counts[0].1 >= found[0].counts[0].1);
        assert_eq!(region_end("inner").unwrap_err().code, Code::Enotrun);
    }
}

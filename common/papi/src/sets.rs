//! Event sets, on the model or on hardware counters.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_int;
use std::sync::Mutex;

use counters::Counting;
use events::{Event, Preset};
use figures::value::Reading;

use crate::code::*;
use crate::locked;
use crate::regions::{self, Figures, Place};
use crate::session::{self, is_set};
use crate::thread::{self, Walker};

/// Events that are counted together by the thread that starts them.
#[derive(Default)]
pub(crate) struct Set {
    /// Codes of the events, and the events; none is one that is accepted and not counted.
    pub(crate) events: Vec<(c_int, Option<Event>)>,
    pub(crate) is_running: bool,
    pub(crate) is_multiplexed: bool,
    /// The figures of the last stop.
    last: Vec<i64>,
    /// The counts at the start, or at the last reset.
    base: Vec<i64>,
    /// Under the model: where it was started, by which thread, and what was counted then.
    started: Option<(usize, usize, Figures)>,
    /// Without a model.
    counting: Option<Counting>,
}

/// All sets by their numbers.
pub(crate) static SETS: Mutex<BTreeMap<c_int, Set>> = Mutex::new(BTreeMap::new());
/// Codes of events whose refusal was printed.
static REFUSED: Mutex<BTreeSet<c_int>> = Mutex::new(BTreeSet::new());

/// What the report must say of events.
static NOTES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

const PRESETS: u32 = 0x8000_0000;
/// The value of an event that is accepted and not counted.
pub(crate) const SKIPPED: i64 = -1;

/// The event with one of PAPI's codes. Native events would be libpfm's: there are none.
pub(crate) fn event(code: c_int) -> Coded<Event> {
    let bits = code.cast_unsigned();
    let preset = Preset::all().find(|preset| preset.code() == bits).map(Event::Preset);
    preset.ok_or(if bits & PRESETS == 0 { ENOEVNT } else { ENOTPRESET })
}

/// The code of the event called `name`.
pub(crate) fn code(name: &str) -> Coded<c_int> {
    let code = Preset::named(name).map(|preset| preset.code().cast_signed());
    code.ok_or(if name.starts_with("PAPI_") { ENOTPRESET } else { ENOEVNT })
}

/// The event that the model counts for `event`: it fetches no instructions, so that accesses of both are
/// those of data.
fn modelled(event: &Event) -> Event {
    let name = event.name().replace("_TC", "_DC").replace("_TLB_TL", "_TLB_DM");
    Preset::named(&name).map_or_else(|| event.clone(), Event::Preset)
}

/// What a reader must know of the events.
pub(crate) fn notes() -> Vec<String> {
    locked(&NOTES).iter().cloned().collect()
}

/// Whether `event` can be counted by the calling thread; if not, PAPI's code and the reason.
pub(crate) fn check(event: &Event) -> Result<(), (c_int, String)> {
    if session::model().is_none() {
        return counters::definition(event)
            .map(drop)
            .map_err(|error| (error.code.number(), error.to_string()));
    }
    match thread::with_own(|walker| amount(walker, event)) {
        Some(Ok(_)) => Ok(()),
        Some(Err(reason)) => Err((ENOEVNT, reason)),
        None => Err((ESYS, "accesses of a forked process are not counted".to_owned())),
    }
}

/// Whether a refused event is accepted with the value -1.
fn is_skipped(code: c_int) -> bool {
    code == ENOEVNT && session::model().is_some() && !is_set("LAB_MISSING", "refuse")
}

/// Whether a program may add `event`.
pub(crate) fn may_add(event: &Event) -> Coded<()> {
    match check(event) {
        Err((code, _)) if !is_skipped(code) => Err(code),
        _ => Ok(()),
    }
}

/// The model's count of `event`, or why there is none.
fn amount(walker: &Walker, event: &Event) -> Result<u64, String> {
    let counts = walker.events();
    let executed = match event.name() {
        "PAPI_TOT_INS" => Some(counts[0]),
        "PAPI_BR_INS" => Some(counts[1]),
        "PAPI_BR_CN" => Some(counts[2]),
        "PAPI_BR_UCN" => Some(counts[1] - counts[2]),
        "PAPI_FP_INS" => Some(counts[3]),
        "PAPI_FP_OPS" => Some(counts[4] + counts[5]),
        "PAPI_SP_OPS" => Some(counts[4]),
        "PAPI_DP_OPS" => Some(counts[5]),
        "PAPI_VEC_INS" => Some(counts[6]),
        "PAPI_VEC_SP" => Some(counts[7]),
        "PAPI_VEC_DP" => Some(counts[8]),
        "PAPI_TOT_CYC" | "PAPI_REF_CYC" => {
            let cycles = session::model().map(|session| walker.cycles(session));
            Some(cycles.unwrap_or_else(|| Err("there is no model".to_owned()))? as u64)
        }
        _ => None,
    };
    if let Some(count) = executed {
        return Ok(count);
    }
    let reading = walker.counts().reading(&modelled(event));
    reading.amount().map(|amount| amount as u64).ok_or_else(|| {
        let shared = session::model().is_some_and(session::Session::leaves_levels_out);
        let is_cache = matches!(event, Event::Preset(preset) if preset.cache_event().is_some());
        let reason = reading.reason().unwrap_or_default();
        if is_cache && walker.number > 0 && shared {
            format!("{reason}; a level that cores share is modelled for the first thread alone")
        } else {
            reason.to_owned()
        }
    })
}

/// The calling thread's counts of `events` under the model.
fn counted(events: &[(c_int, Option<Event>)]) -> Coded<Vec<i64>> {
    let one = |walker: &Walker, event: &Event| amount(walker, event).ok().map(|amount| amount as i64);
    let all = events.iter().map(|(_, event)| event.as_ref());
    thread::with_own(|walker| {
        all.map(|event| event.and_then(|event| one(walker, event)).unwrap_or(SKIPPED)).collect()
    })
    .ok_or(ESYS)
}

/// Whole numbers of readings; a figure that got lost is a conflict.
fn whole(readings: &[Reading]) -> Coded<Vec<i64>> {
    let amount = |reading: &Reading| match reading.amount() {
        Some(amount) => Ok(amount as i64),
        None => {
            eprintln!("lab: {reading}");
            Err(ECNFLCT)
        }
    };
    readings.iter().map(amount).collect()
}

/// Does something with the set of that number.
pub(crate) fn with<T>(set: c_int, action: impl FnOnce(&mut Set) -> Coded<T>) -> Coded<T> {
    action(locked(&SETS).get_mut(&set).ok_or(ENOEVST)?)
}

impl Set {
    pub(crate) fn must_run(&self, running: bool) -> Coded<()> {
        match (self.is_running, running) {
            (true, false) => Err(EISRUN),
            (false, true) => Err(ENOTRUN),
            _ => Ok(()),
        }
    }

    /// Adds an event, or says on stderr why not.
    pub(crate) fn add(&mut self, code: c_int) -> Coded<()> {
        self.must_run(false)?;
        let event = event(code)?;
        if self.events.iter().any(|(known, _)| *known == code) {
            return Err(ECNFLCT);
        }
        let counted = match check(&event) {
            Ok(()) => {
                if session::model().is_some() && modelled(&event) != event {
                    let note = "instruction fetches are not modelled: events of instructions and data count data alone";
                    locked(&NOTES).insert(note.to_owned());
                }
                Some(event)
            }
            Err((refusal, reason)) => {
                if !is_skipped(refusal) {
                    if locked(&REFUSED).insert(code) {
                        eprintln!("lab: {event}: {reason}");
                    }
                    return Err(refusal);
                }
                locked(&NOTES).insert(format!("{event} was not counted, its value is -1: {reason}"));
                None
            }
        };
        self.events.push((code, counted));
        let changed = self.changed();
        if changed.is_err() {
            self.events.pop();
            self.changed()?;
        }
        changed
    }

    /// Removes an event.
    pub(crate) fn remove(&mut self, code: c_int) -> Coded<()> {
        self.must_run(false)?;
        let at = self.events.iter().position(|(known, _)| *known == code).ok_or(EINVAL)?;
        self.events.remove(at);
        self.changed()
    }

    /// Prepares the counters for the events.
    fn changed(&mut self) -> Coded<()> {
        self.last = self.events.iter().map(|(_, event)| if event.is_some() { 0 } else { SKIPPED }).collect();
        self.counting = None;
        let events: Vec<Event> = self.events.iter().filter_map(|(_, event)| event.clone()).collect();
        if session::model().is_none() && !events.is_empty() {
            let counting = Counting::of_thread(&events);
            if counting.passes() > 1 && !self.is_multiplexed {
                return Err(ECNFLCT);
            }
            self.counting = Some(counting);
        }
        Ok(())
    }

    /// Counts from zero; `caller` is where the region begins that is reported, or 0.
    pub(crate) fn start(&mut self, caller: usize) -> Coded<()> {
        self.must_run(false)?;
        if self.events.is_empty() {
            return Err(EINVAL);
        }
        if let Some(counting) = &mut self.counting {
            counting.start().map_err(|error| error.code.number())?;
        } else if let Some(session) = session::model().filter(|_| caller > 0) {
            self.started = thread::with_own(|walker| (caller, walker.number, walker.figures(session)));
        }
        self.base = self.now()?;
        self.is_running = true;
        Ok(())
    }

    /// The counts until now.
    fn now(&self) -> Coded<Vec<i64>> {
        match &self.counting {
            Some(counting) => whole(&counting.read().map_err(|error| error.code.number())?),
            None => counted(&self.events),
        }
    }

    /// The figures of all events since the start or the last reset; of a stopped set those of
    /// its last stop.
    pub(crate) fn read(&self) -> Coded<Vec<i64>> {
        if !self.is_running {
            return Ok(self.last.clone());
        }
        let since = |(now, base): (i64, &i64)| if now == SKIPPED { SKIPPED } else { now - base };
        Ok(self.now()?.into_iter().zip(&self.base).map(since).collect())
    }

    /// Counts from zero again.
    pub(crate) fn reset(&mut self) -> Coded<()> {
        if self.is_running {
            self.base = self.now()?;
        } else {
            self.last.iter_mut().filter(|value| **value != SKIPPED).for_each(|value| *value = 0);
        }
        Ok(())
    }

    /// Ends counting.
    pub(crate) fn stop(&mut self, caller: usize) -> Coded<Vec<i64>> {
        self.must_run(true)?;
        let figures = self.read();
        self.end_region(Some(caller));
        self.is_running = false;
        if let Some(counting) = &mut self.counting {
            counting.stop().map_err(|error| error.code.number())?;
        }
        self.last = figures?;
        Ok(self.last.clone())
    }

    /// Adds what was counted since the start to the region from there to `stop`.
    pub(crate) fn end_region(&mut self, stop: Option<usize>) {
        let (Some(session), Some((caller, number, before))) = (session::model(), self.started.take()) else {
            return;
        };
        let now = thread::with_own(|walker| (walker.number == number).then(|| walker.figures(session)));
        let Some(now) = now.flatten() else { return };
        regions::add(number, Place::Lines(caller, stop), &now, &before);
    }
}

/// Ends the regions of the calling thread in which the program has ended.
pub(crate) fn end_open_regions() {
    if let Ok(mut sets) = SETS.try_lock() {
        sets.values_mut().filter(|set| set.is_running).for_each(|set| set.end_region(None));
    }
}

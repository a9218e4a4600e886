//! Event sets, on the model or on hardware counters.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once};

use counters::{Counting, Sampler};
use events::{Event, Preset};
use figures::value::Reading;

use crate::code::*;
use crate::regions::{Figures, Place};
use crate::session::{self, is_set, locked};
use crate::thread::{self, Walker};

/// A result with one of PAPI's codes as error.
pub(crate) type Coded<T> = Result<T, c_int>;
/// A program's function for overflows.
pub(crate) type Handler = extern "C" fn(c_int, *mut c_void, i64, *mut c_void);

/// A call of a program's function for an overflow at the address, of the event whose bit is set.
pub(crate) struct Call {
    handler: Handler,
    address: u64,
    event: i64,
}

/// Makes the calls for overflows of that set.
pub(crate) fn make(calls: Vec<Call>, set: c_int) {
    for call in calls {
        (call.handler)(set, call.address as *mut c_void, call.event, std::ptr::null_mut());
    }
}

/// Events that are counted together by the thread that starts them.
#[derive(Default)]
pub(crate) struct Set {
    /// Codes of the events, and the events; none is one that is accepted and not counted.
    pub(crate) events: Vec<(c_int, Option<Event>)>,
    pub(crate) is_running: bool,
    pub(crate) is_multiplexed: bool,
    /// The figures of the last stop.
    last: Vec<i64>,
    /// Under the model: the counts at the start, or at the last reset.
    base: Vec<i64>,
    /// Where it was started, by which thread, and what was counted then.
    started: Option<(usize, usize, Figures)>,
    counting: Option<Counting>,
    /// Codes of events, after how many of each its handler is called, and the handlers.
    overflows: Vec<(c_int, i64, Handler)>,
    /// Of the events with handlers.
    samplers: Vec<Sampler>,
    /// Calls of handlers that wait until the set is free: they may call PAPI.
    calls: Vec<Call>,
}

// SAFETY: the counters' files and buffers may be used by any thread, one at a time.
unsafe impl Send for Set {}

/// All sets by their numbers.
pub(crate) static SETS: Mutex<BTreeMap<c_int, Set>> = Mutex::new(BTreeMap::new());
/// Native events that programs have named, by the lower bits of their codes.
static NATIVES: Mutex<Vec<Event>> = Mutex::new(Vec::new());
/// Events whose refusal was printed.
static REFUSED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

static LACKS_FETCHES: AtomicBool = AtomicBool::new(false);

const PRESETS: u32 = 0x8000_0000;
const NATIVE: u32 = 0x4000_0000;
/// The value of an event that is accepted and not counted.
pub(crate) const SKIPPED: i64 = -1;

/// The event with one of PAPI's codes.
pub(crate) fn event(code: c_int) -> Coded<Event> {
    let bits = code.cast_unsigned();
    if bits & PRESETS != 0 {
        let preset = Preset::all().find(|preset| preset.code() == bits);
        return preset.map(Event::Preset).ok_or(ENOTPRESET);
    }
    let at = if bits & NATIVE != 0 { (bits & !NATIVE) as usize } else { usize::MAX };
    locked(&NATIVES).get(at).cloned().ok_or(ENOEVNT)
}

/// The code of the event called `name`.
pub(crate) fn code(name: &str) -> Coded<c_int> {
    let unknown = if name.starts_with("PAPI_") { ENOTPRESET } else { ENOEVNT };
    match counters::event(name) {
        Ok(Event::Preset(preset)) => Ok(preset.code().cast_signed()),
        Err(_) => Err(unknown),
        Ok(_) if session::model().is_some() => Err(ENOEVNT),
        Ok(event) => Ok(native(event)),
    }
}

/// The code of a native event.
fn native(event: Event) -> c_int {
    let mut natives = locked(&NATIVES);
    let at = natives.iter().position(|known| *known == event).unwrap_or_else(|| {
        natives.push(event);
        natives.len() - 1
    });
    (NATIVE | at as u32).cast_signed()
}

/// The code of the native event after that one, or of the first: those that can be counted, and
/// those that the program has named.
pub(crate) fn native_after(code: Option<c_int>) -> Coded<c_int> {
    static LISTED: Once = Once::new();
    if session::model().is_some() {
        return Err(ENOEVNT);
    }
    LISTED.call_once(|| {
        let pmus = counters::Platform::host().pmus.iter().filter(|pmu| !pmu.uncore);
        let listed =
            pmus.flat_map(|pmu| pmu.events().into_iter().map(|name| format!("{}/{name}/", pmu.name)));
        let named = events::kernel::names().chain(listed).filter_map(|name| counters::event(&name).ok());
        named.filter(|event| check(event).is_ok()).for_each(|event| {
            native(event);
        });
    });
    let at = code.map_or(0, |code| (code.cast_unsigned() & !NATIVE) as usize + 1);
    if at < locked(&NATIVES).len() { Ok((NATIVE | at as u32).cast_signed()) } else { Err(ENOEVNT) }
}

/// The event that the model counts for `event`. It fetches no instructions, so that the misses of
/// instructions and data together are those of data.
fn modelled(event: &Event) -> Event {
    let name = event.name().replace("_TC", "_DC").replace("TLB_TL", "TLB_DM");
    Event::parse(&name).unwrap_or_else(|_| event.clone())
}

/// Whether an event that was added includes instruction fetches, which the model leaves out.
pub(crate) fn counted_without_fetches() -> bool {
    LACKS_FETCHES.load(Ordering::Relaxed)
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

/// Whether a program may add `event`: one that the model does not count has the value -1, unless
/// LAB_MISSING refuses it.
pub(crate) fn may_add(event: &Event) -> Coded<()> {
    match check(event) {
        Err((ENOEVNT, _)) if session::model().is_some() && !is_set("LAB_MISSING", "refuse") => Ok(()),
        other => other.map_err(|(code, _)| code),
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

/// Prints once why `event` is refused.
pub(crate) fn refuse(event: &Event, (code, reason): (c_int, String)) -> c_int {
    if locked(&REFUSED).insert(event.name().to_owned()) {
        eprintln!("lab: {event}: {reason}");
    }
    code
}

/// The calling thread's counts of `events` under the model.
fn counted(events: &[(c_int, Option<Event>)]) -> Coded<Vec<i64>> {
    let one = |walker: &Walker, event: &Event| amount(walker, event).map_or(SKIPPED, |amount| amount as i64);
    let all = |walker: &Walker| {
        events.iter().map(|(_, event)| event.as_ref().map_or(SKIPPED, |event| one(walker, event))).collect()
    };
    thread::with_own(all).ok_or(ESYS)
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

/// A new empty set.
pub(crate) fn create() -> c_int {
    let mut sets = locked(&SETS);
    let number = (1..).find(|number| !sets.contains_key(number)).unwrap_or(1);
    sets.insert(number, Set::default());
    number
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
        let checked = check(&event);
        let counted = match checked {
            Ok(()) => {
                if session::model().is_some() && modelled(&event) != event {
                    LACKS_FETCHES.store(true, Ordering::Relaxed);
                }
                Some(event)
            }
            Err(refusal) => {
                let session = session::model().filter(|_| may_add(&event).is_ok());
                let Some(session) = session else { return Err(refuse(&event, refusal)) };
                locked(&session.skipped).insert((event.name().to_owned(), refusal.1));
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
        self.overflows.retain(|(overflowing, ..)| *overflowing != code);
        self.changed()
    }

    /// From the next start on, calls `handler` after each `threshold` of the events, if that is not 0.
    pub(crate) fn overflow(&mut self, code: c_int, threshold: i64, handler: Option<Handler>) -> Coded<()> {
        self.must_run(false)?;
        if !self.events.iter().any(|(known, _)| *known == code) {
            return Err(ENOEVNT);
        }
        if session::model().is_some() {
            return Err(ENOSUPP);
        }
        let added = if threshold == 0 { None } else { Some((code, threshold, handler.ok_or(EINVAL)?)) };
        self.overflows.retain(|(overflowing, ..)| *overflowing != code);
        self.overflows.extend(added);
        Ok(())
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

    /// Counts from zero; `caller` is the line that says so.
    pub(crate) fn start(&mut self, caller: usize) -> Coded<()> {
        self.must_run(false)?;
        if self.events.is_empty() {
            return Err(EINVAL);
        }
        let session = session::model();
        let now = session
            .and_then(|session| thread::with_own(|walker| (caller, walker.number, walker.figures(session))));
        if now.is_some() {
            self.started = now;
            self.base = counted(&self.events)?;
        } else if let Some(counting) = &mut self.counting {
            self.samplers.clear();
            for (code, threshold, _) in &self.overflows {
                let sampler = event(*code).and_then(|event| {
                    Sampler::new(&event, threshold.unsigned_abs()).map_err(|error| error.code.number())
                });
                self.samplers.push(sampler?);
            }
            for sampler in &mut self.samplers {
                sampler.resume().map_err(|error| error.code.number())?;
            }
            counting.start().map_err(|error| error.code.number())?;
        }
        self.is_running = true;
        Ok(())
    }

    /// Counts from zero; its region is not reported, as named ones are.
    pub(crate) fn start_unlisted(&mut self) -> Coded<()> {
        self.start(0)?;
        self.started = None;
        Ok(())
    }

    /// The figures of all events since the start or the last reset; of a stopped set those of
    /// its last stop.
    pub(crate) fn read(&self) -> Coded<Vec<i64>> {
        if !self.is_running {
            return Ok(self.last.clone());
        }
        if session::model().is_some() {
            let since = |(now, base): (i64, &i64)| if now == SKIPPED { SKIPPED } else { now - base };
            return Ok(counted(&self.events)?.into_iter().zip(&self.base).map(since).collect());
        }
        let Some(counting) = &self.counting else { return Ok(self.last.clone()) };
        self.spread(&whole(&counting.read().map_err(|error| error.code.number())?)?)
    }

    /// The figures of the counted events, with those that are not counted between them.
    fn spread(&self, counted: &[i64]) -> Coded<Vec<i64>> {
        let mut counted = counted.iter();
        Ok(self
            .events
            .iter()
            .map(|(_, event)| event.as_ref().and(counted.next()).copied().unwrap_or(SKIPPED))
            .collect())
    }

    /// Counts from zero again.
    pub(crate) fn reset(&mut self) -> Coded<()> {
        if !self.is_running {
            self.last.iter_mut().filter(|value| **value != SKIPPED).for_each(|value| *value = 0);
        } else if session::model().is_some() {
            self.base = counted(&self.events)?;
        } else if let Some(counting) = &mut self.counting {
            counting.reset().map_err(|error| error.code.number())?;
        }
        Ok(())
    }

    /// Ends counting.
    pub(crate) fn stop(&mut self, caller: usize) -> Coded<Vec<i64>> {
        self.must_run(true)?;
        if session::model().is_some() {
            self.last = self.read()?;
            self.end_region(Some(caller));
        } else if let Some(counting) = &mut self.counting {
            let readings = counting.stop().map_err(|error| error.code.number())?;
            self.is_running = false;
            self.last = self.spread(&whole(&readings)?)?;
            for (sampler, (code, _, handler)) in self.samplers.drain(..).zip(&self.overflows) {
                let samples = sampler.finish().map_err(|error| error.code.number())?;
                let at = self.events.iter().position(|(known, _)| known == code);
                let event = at.map_or(0, |at| 1 << (at & 63));
                let call = |address| Call { handler: *handler, address, event };
                self.calls.extend(samples.addresses.into_iter().map(call));
            }
        }
        self.is_running = false;
        Ok(self.last.clone())
    }

    /// The calls that the last stop left to make.
    pub(crate) fn take_calls(&mut self) -> Vec<Call> {
        std::mem::take(&mut self.calls)
    }

    /// Adds what was counted since the start to the region from there to `stop`.
    pub(crate) fn end_region(&mut self, stop: Option<usize>) {
        let (Some(session), Some((caller, number, before))) = (session::model(), self.started.take()) else {
            return;
        };
        let now = thread::with_own(|walker| (walker.number == number).then(|| walker.figures(session)));
        let Some(now) = now.flatten() else { return };
        session.add_region(number, Place::Lines(caller, stop), &now, &before);
    }
}

/// Ends the regions of the calling thread in which the program has ended.
pub(crate) fn end_open_regions() {
    if let Ok(mut sets) = SETS.try_lock() {
        sets.values_mut().filter(|set| set.is_running).for_each(|set| set.end_region(None));
    }
}

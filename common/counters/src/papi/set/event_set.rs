//! An event set: what is in it, and its counting.

use std::io;

use super::opened::{Open, Threshold, plus};

use crate::count::combine;
use crate::definition::Definition;
use crate::encoding::Part;
use crate::error::{Code, CounterError};
use crate::group::{Group, NotOpened};
use crate::kernel::{Count, Opening, UserCounter};
use crate::papi::overflow::{Watched, Watcher};
use crate::platform::Platform;
use crate::refusal::Refusal;
use crate::sampling::Tally;
use crate::trials::{Trials, settles};
use events::Event;
use figures::value::{Reading, Source};
use system::cpu::AffinityGuard;

/// Whether an event set counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It does not.
    Stopped,
    /// It does.
    Running,
}

/// Events that are counted together, for the calling thread. Where cores
/// differ, the thread stays on those that the events are of while they count.
///
/// ```no_run
/// use counters::papi::EventSet;
/// use events::Event;
///
/// let mut set = EventSet::create();
/// set.add(&Event::TOT_INS)?;
/// set.add(&Event::TOT_CYC)?;
/// set.start()?;
/// // the region
/// for (event, reading) in set.list_events().to_vec().iter().zip(set.stop()?) {
///     println!("{event}\t{reading:.0}");
/// }
/// # Ok::<(), counters::CounterError>(())
/// ```
#[derive(Debug, Default)]
pub struct EventSet {
    events: Vec<Event>,
    pub(super) definitions: Vec<Definition>,
    pub(super) multiplexed: bool,
    pub(super) inherited: bool,
    pub(super) pinned: bool,
    pub(super) overflow: Option<Threshold>,
    pub(super) open: Option<Open>,
    watcher: Option<Watcher>,
    affinity: Option<AffinityGuard>,
    base: Vec<Count>,
    running: bool,
}

/// Whether this machine can count an event, by itself.
///
/// # Errors
/// The reason if not.
pub fn query_event(event: &Event) -> Result<(), Refusal> {
    Trials::new(Platform::host()).choose(event).map(|_| ())
}

impl EventSet {
    /// An empty set, stopped.
    pub fn create() -> EventSet {
        EventSet::default()
    }

    /// Adds an event.
    ///
    /// # Errors
    /// `EISRUN` while running, `EINVAL` if it is in the set, `ENOEVNT`,
    /// `ENOCNTR` or `EPERM` if it cannot be counted, `ECNFLCT` if the set does
    /// not fit on the counters with it and is not multiplexed.
    pub fn add(&mut self, event: &Event) -> Result<(), CounterError> {
        self.must_be(State::Stopped)?;
        if self.events.contains(event) {
            return Err(CounterError::new(
                Code::Einval,
                format!("{event} is in the set already; add it once"),
            ));
        }
        let mut trials = Trials::new(Platform::host());
        let definition = trials.choose(event)?;
        self.definitions.push(definition);
        self.events.push(event.clone());
        let fit = if self.multiplexed { Ok(true) } else { trials.fit(&self.parts()) };
        if fit != Ok(true) {
            self.definitions.pop();
            self.events.pop();
            fit?;
            return Err(CounterError::new(
                Code::Ecnflct,
                format!(
                    "{event} does not fit on the counters together with the {} events of the set; remove one, count it in a \
                     set of its own, or multiplex the set",
                    self.events.len()
                ),
            ));
        }
        self.open = None;
        Ok(())
    }

    /// Adds several events, in order, up to the first that fails.
    ///
    /// # Errors
    /// As [`EventSet::add`].
    pub fn add_all(&mut self, events: &[Event]) -> Result<(), CounterError> {
        events.iter().try_for_each(|event| self.add(event))
    }

    /// Removes an event.
    ///
    /// # Errors
    /// `EISRUN` while running, `EINVAL` if it is not in the set.
    pub fn remove(&mut self, event: &Event) -> Result<(), CounterError> {
        self.must_be(State::Stopped)?;
        let at = self.position(event)?;
        self.events.remove(at);
        let gone = self.definitions.remove(at);
        self.overflow = self.overflow.take().filter(|o| !gone.parts.contains(&o.part));
        self.open = None;
        Ok(())
    }

    /// Its events, in the order of the readings.
    pub fn list_events(&self) -> &[Event] {
        &self.events
    }

    /// Whether it counts.
    pub fn state(&self) -> State {
        if self.running { State::Running } else { State::Stopped }
    }

    /// Whether it is running on counters that are read without the kernel.
    pub fn reads_itself(&self) -> bool {
        self.running && self.open.as_ref().is_some_and(Open::reads_itself)
    }

    /// Counts from zero.
    ///
    /// # Errors
    /// `EISRUN` while running, `EINVAL` for an empty set, `ECNFLCT` if somebody
    /// took the counters meanwhile, `ESYS`.
    pub fn start(&mut self) -> Result<(), CounterError> {
        self.must_be(State::Stopped)?;
        if self.events.is_empty() {
            return Err(CounterError::new(Code::Einval, "the event set is empty; add an event first"));
        }
        let open = match self.open.take() {
            Some(open) => open,
            None => self.open_groups()?,
        };
        self.base = open.counts(false)?;
        self.begin(open, Platform::host().pin_to_core_type())
    }

    /// Starts what is open; `affinity` holds the thread on its processors, and is released
    /// if that fails.
    fn begin(&mut self, open: Open, affinity: Option<AffinityGuard>) -> Result<(), CounterError> {
        self.watcher = self.watch(&open)?;
        self.affinity = affinity;
        self.running = true;
        // Enabling comes last: what follows it is counted.
        if let Err(error) = self.open.insert(open).enable() {
            self.running = false;
            self.affinity = None;
            self.unwatch(&[])?;
            return Err(CounterError::system("starting the counters", &error));
        }
        Ok(())
    }

    /// Readings since the start or the last reset; counting goes on.
    ///
    /// # Errors
    /// `ENOTRUN`, `ECNFLCT` or `ESYS`.
    pub fn read(&mut self) -> Result<Vec<Reading>, CounterError> {
        let now = self.counts_now()?;
        Ok(self.readings(&now))
    }

    /// Adds the readings to `totals` and counts from zero again.
    ///
    /// # Errors
    /// As [`EventSet::read`]; `EINVAL` if there are not as many totals as events.
    pub fn accum(&mut self, totals: &mut [Reading]) -> Result<(), CounterError> {
        if totals.len() != self.events.len() {
            let given = format!("{} totals for {} events; give one each", totals.len(), self.events.len());
            return Err(CounterError::new(Code::Einval, given));
        }
        let now = self.counts_now()?;
        for (total, reading) in totals.iter_mut().zip(self.readings(&now)) {
            *total = plus(total, reading);
        }
        self.base = now;
        Ok(())
    }

    /// Totals to accumulate into: zero for each event.
    pub fn zeros(&self) -> Vec<Reading> {
        vec![Reading::new(0.0, Source::Hardware); self.events.len()]
    }

    /// Counts from zero again.
    ///
    /// # Errors
    /// `ENOTRUN`, `ECNFLCT` or `ESYS`.
    pub fn reset(&mut self) -> Result<(), CounterError> {
        self.base = self.counts_now()?;
        Ok(())
    }

    /// Readings since the start or the last reset; counting ends. When a
    /// handler was given, it has been called for every overflow.
    ///
    /// # Errors
    /// `ENOTRUN`, `ECNFLCT` or `ESYS`; `EMISC` if the handler panicked, `ECLOST`
    /// if overflows came faster than the kernel could write them down.
    pub fn stop(&mut self) -> Result<Vec<Reading>, CounterError> {
        // Disabling comes first: what precedes it is counted.
        let stopped = self.open.as_ref().map_or(Ok(()), Open::disable);
        self.must_be(State::Running)?;
        self.running = false;
        self.affinity = None;
        stopped.map_err(|e| CounterError::system("stopping the counters", &e))?;
        let Some(open) = &self.open else { return Ok(Vec::new()) };
        let now = open.counts(false)?;
        let readings = self.readings(&now);
        self.unwatch(&now)?;
        Ok(readings)
    }

    /// Ends the set.
    ///
    /// # Errors
    /// `EISRUN` while running.
    pub fn destroy(self) -> Result<(), CounterError> {
        self.must_be(State::Stopped)
    }

    pub(super) fn must_be(&self, state: State) -> Result<(), CounterError> {
        match (self.state(), state) {
            (State::Running, State::Stopped) => {
                Err(CounterError::new(Code::Eisrun, "stop the event set before changing it"))
            }
            (State::Stopped, State::Running) => {
                Err(CounterError::new(Code::Enotrun, "start the event set first"))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn position(&self, event: &Event) -> Result<usize, CounterError> {
        let at = self.events.iter().position(|e| e == event);
        at.ok_or_else(|| CounterError::new(Code::Einval, format!("{event} is not in the set; add it first")))
    }

    fn counts_now(&self) -> Result<Vec<Count>, CounterError> {
        self.must_be(State::Running)?;
        self.open.as_ref().map_or(Ok(Vec::new()), |open| open.counts(true))
    }

    fn readings(&self, now: &[Count]) -> Vec<Reading> {
        let Some(open) = &self.open else { return Vec::new() };
        let since: Vec<Count> = now.iter().zip(&self.base).map(|(now, base)| *now - *base).collect();
        let counts = |slots: &[usize]| -> Vec<Count> { slots.iter().map(|s| since[*s]).collect() };
        self.definitions.iter().zip(&open.slots).map(|(d, slots)| combine(d, &counts(slots))).collect()
    }
}

/// How it is registered with the kernel: its groups, its buffers, the thread that handles
/// overflows.
impl EventSet {
    /// All native events, each once.
    pub(super) fn parts(&self) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for part in self.definitions.iter().flat_map(|d| &d.parts) {
            if !parts.iter().any(|p| p.encoding == part.encoding) {
                parts.push(part.clone());
            }
        }
        parts
    }

    /// One group of all; or, multiplexed, one for each event.
    fn grouped(&self) -> Vec<Vec<Part>> {
        if !self.multiplexed {
            return vec![self.parts()];
        }
        let mut rest = self.parts();
        let mut own = |d: &Definition| {
            let (mine, others) =
                rest.drain(..).partition(|p| d.parts.iter().any(|q| q.encoding == p.encoding));
            rest = others;
            mine
        };
        self.definitions.iter().map(&mut own).filter(|g: &Vec<Part>| !g.is_empty()).collect()
    }

    fn open_groups(&self) -> Result<Open, CounterError> {
        let trials = Trials::new(Platform::host());
        let (mut groups, mut order) = (Vec::new(), Vec::new());
        for parts in self.grouped() {
            let sampled =
                self.overflow.as_ref().and_then(|o| parts.iter().position(|p| p.encoding == o.part.encoding));
            let opening = Opening {
                inherit: self.inherited,
                pinned: self.pinned,
                group_read: !self.inherited,
                sample_period: self.overflow.as_ref().map_or(0, |o| o.period),
                user_read: self.readable(),
                ..Opening::default()
            };
            if sampled.is_some_and(|sampled| !settles(&parts, opening, sampled)) {
                let why = "the set does not fit on the counters while it samples; remove an event";
                return Err(CounterError::new(Code::Ecnflct, why));
            }
            let refused = |e: NotOpened| match sampled {
                Some(sampled) if sampled == e.member => trials.explain_sampling(&parts[sampled], &e.error),
                _ => trials.explain(&parts[e.member], &e.error),
            };
            let group = Group::open(&parts, opening, sampled).map_err(refused)?;
            groups.push(group);
            order.extend(parts);
        }
        let slot = |part: &Part| order.iter().position(|p| p.encoding == part.encoding);
        let slots = self.definitions.iter().map(|d| d.parts.iter().filter_map(slot).collect()).collect();
        let user =
            self.readable().then(|| groups.iter().flat_map(Group::handles).map(UserCounter::map).collect());
        Ok(Open { groups, slots, user: user.flatten() })
    }

    /// Whether the program may read the counters itself: they must be its own
    /// alone, and always the same.
    fn readable(&self) -> bool {
        !self.inherited && !self.multiplexed && self.overflow.is_none()
    }

    fn watch(&mut self, open: &Open) -> Result<Option<Watcher>, CounterError> {
        let Some(threshold) = &mut self.overflow else { return Ok(None) };
        let failed = |e: io::Error| CounterError::system("watching for overflows", &e);
        let Some((group, event)) = open.groups.iter().find_map(|g| Some((g, g.sampled()?))) else {
            return Ok(None);
        };
        let ring = group.ring().map_err(failed)?;
        threshold.lost_before = group.lost().map_err(failed)?.unwrap_or(0);
        let Some(handler) = threshold.handler.take() else {
            return Err(CounterError::new(Code::Emisc, "the overflow handler panicked; set another one"));
        };
        let watched = Watched { ring, handler, tally: Tally::default() };
        Watcher::start(event, watched).map(Some).map_err(failed)
    }

    /// Ends the watching for overflows; `now` is what was counted of each member.
    fn unwatch(&mut self, now: &[Count]) -> Result<(), CounterError> {
        let Some(watcher) = self.watcher.take() else { return Ok(()) };
        let failed = |e| CounterError::system("ending the overflow handler", &e);
        let Some(watched) = watcher.stop().map_err(failed)? else {
            return Err(CounterError::new(Code::Emisc, "the overflow handler panicked; set another one"));
        };
        let Some(threshold) = &mut self.overflow else { return Ok(()) };
        threshold.handler = Some(watched.handler);
        let lost = self.missed(&watched.tally, now).map_err(failed)?;
        let throttled = watched.tally.throttled;
        if lost + throttled == 0 {
            return Ok(());
        }
        Err(CounterError::new(
            Code::Eclost,
            format!(
                "overflows came too fast: {lost} were lost, and the kernel paused them {throttled} times; raise the threshold"
            ),
        ))
    }

    /// Overflows that nobody was called for.
    fn missed(&self, tally: &Tally, now: &[Count]) -> io::Result<u64> {
        let (Some(open), Some(threshold)) = (&self.open, &self.overflow) else { return Ok(0) };
        let mut slots =
            self.definitions.iter().zip(&open.slots).flat_map(|(d, slots)| d.parts.iter().zip(slots));
        let slot = slots.find(|(part, _)| **part == threshold.part).map(|(_, slot)| *slot);
        let since = |slot: usize| Some((*now.get(slot)? - *self.base.get(slot)?).value);
        let reported = open.groups.iter().find_map(|group| group.lost().transpose()).transpose()?;
        let reported = reported.map(|lost| lost.saturating_sub(threshold.lost_before));
        Ok(tally.missing(reported, slot.and_then(since).unwrap_or(0), threshold.period))
    }
}

//! How an event set is registered with the kernel: its groups, its buffers, the
//! thread that handles overflows.

use std::io;

use super::EventSet;
use crate::definition::Definition;
use crate::encoding::Part;
use crate::error::{Code, CounterError};
use crate::group::{Group, NotOpened};
use crate::kernel::{Count, Opening, UserCounter};
use crate::papi::overflow::{Handler, Watched, Watcher};
use crate::platform::Platform;
use crate::sampling::Tally;
use crate::trials::{Trials, settles};
use figures::value::{Multiplexed, Reading, Source, Value};

/// An overflow that was asked for.
pub(super) struct Threshold {
    pub(super) part: Part,
    pub(super) period: u64,
    pub(super) handler: Option<Handler>,
    /// What the kernel had lost when counting began.
    pub(super) lost_before: u64,
}

/// The events as the kernel has them.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) groups: Vec<Group>,
    /// For each event, where its parts are among all members in order.
    pub(super) slots: Vec<Vec<usize>>,
    /// One per member, if all of them can be read without the kernel.
    pub(super) user: Option<Vec<UserCounter>>,
}

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
    pub(super) fn grouped(&self) -> Vec<Vec<Part>> {
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

    pub(super) fn open_groups(&self) -> Result<Open, CounterError> {
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
    pub(super) fn readable(&self) -> bool {
        !self.inherited && !self.multiplexed && self.overflow.is_none()
    }

    pub(super) fn watch(&mut self, open: &Open) -> Result<Option<Watcher>, CounterError> {
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
    pub(super) fn unwatch(&mut self, now: &[Count]) -> Result<(), CounterError> {
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
        let told = open.groups.iter().find_map(|group| group.lost().transpose()).transpose()?;
        let told = told.map(|lost| lost.saturating_sub(threshold.lost_before));
        Ok(tally.missing(told, slot.and_then(since).unwrap_or(0), threshold.period))
    }
}

impl Open {
    /// Starts counting: nearly always there is one group.
    #[inline]
    pub(super) fn enable(&self) -> io::Result<()> {
        self.groups.iter().try_for_each(Group::enable)
    }

    /// Stops counting.
    #[inline]
    pub(super) fn disable(&self) -> io::Result<()> {
        self.groups.iter().try_for_each(Group::disable)
    }

    /// Whether every member can be read without the kernel now.
    pub(super) fn reads_itself(&self) -> bool {
        self.user.as_ref().is_some_and(|user| user.iter().all(|u| u.read().is_some()))
    }

    /// The counts of all members; `live` if they are on counters that the
    /// program may read itself.
    pub(super) fn counts(&self, live: bool) -> Result<Vec<Count>, CounterError> {
        if let Some(user) = self.user.as_ref().filter(|_| live)
            && let Some(counts) = user.iter().map(UserCounter::read).collect()
        {
            return Ok(counts);
        }
        let mut counts = Vec::new();
        for group in &self.groups {
            counts.extend(group.read().map_err(|e| CounterError::system("reading the counters", &e))?);
        }
        Ok(counts)
    }
}

/// A total and another reading; what is missing stays missing.
pub(super) fn plus(total: &Reading, reading: Reading) -> Reading {
    let (Reading::Counted(a), Reading::Counted(b)) = (total, &reading) else {
        return if total.value().is_some() { reading } else { total.clone() };
    };
    let multiplexed = match (a.multiplexed, b.multiplexed) {
        (Some(a), Some(b)) => {
            Some(Multiplexed { enabled: a.enabled + b.enabled, running: a.running + b.running })
        }
        (a, b) => a.or(b),
    };
    Reading::from(Value { multiplexed, ..Value::new(a.amount + b.amount, Source::Hardware) })
}

impl std::fmt::Debug for Threshold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Threshold")
            .field("part", &self.part)
            .field("period", &self.period)
            .finish_non_exhaustive()
    }
}

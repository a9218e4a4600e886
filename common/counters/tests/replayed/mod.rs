//! A kernel played in tests, behind the calls of the real one: what is opened on
//! a thread that plays a machine is opened there, all else by Linux.
//!
//! Its PMUs are those of three drivers, in `described.rs`; what its events count comes from
//! the vendors' event tables. The rules are Linux's: `kernel/events/core.c` for opening, scheduling, reading and the
//! buffer of samples, and the PMU drivers for what they refuse.

mod described;
mod event;
mod pmu;
mod settings;
mod state;

use std::cell::RefCell;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use tempfile::TempDir;

use super::linux::{self, Attr};
use super::{Count, Mapping, Opening};
use crate::definition::Encoding;
use crate::platform::Platform;

pub(crate) use described::{Described, PROCESSORS};
use pmu::Pmu;
pub(crate) use settings::{Behaviour, Refused, Settings};
use state::State;

thread_local! {
    static PLAYED: RefCell<Option<Machine>> = const { RefCell::new(None) };
}

/// A machine whose kernel is played.
#[derive(Clone)]
pub(crate) struct Machine {
    state: Arc<Mutex<State>>,
    platform: &'static Platform,
    /// What sysfs would report of the PMUs: formats are read when an event is.
    _tree: Arc<TempDir>,
}

/// An open event, of Linux or of a played kernel.
#[derive(Debug)]
pub(crate) enum Handle {
    Linux(linux::Handle),
    Played(Event),
}

/// An event that a played kernel has open.
pub(crate) struct Event {
    state: Arc<Mutex<State>>,
    number: u64,
}

/// The machine that the calling thread plays, if any, does the known loop.
pub(crate) fn known_loop() {
    if let Some(machine) = Machine::current() {
        locked(&machine.state).known_loop();
    }
}

impl Machine {
    /// A machine of a processor with these PMUs. What each event counts in a turn
    /// of the program is given by `rate`, from its numbers: config and config1.
    pub(crate) fn new(
        platform: Platform,
        tree: TempDir,
        pmus: Vec<Pmu>,
        settings: Settings,
        rate: impl Fn(u64, u64) -> u64 + Send + 'static,
    ) -> Machine {
        let state = State::new(pmus, settings, Box::new(rate));
        Machine {
            state: Arc::new(Mutex::new(state)),
            platform: Box::leak(Box::new(platform)),
            _tree: Arc::new(tree),
        }
    }

    /// What `then` gives with all its events opened on this machine.
    pub(crate) fn play<T>(&self, then: impl FnOnce() -> T) -> T {
        PLAYED.with_borrow_mut(|played| *played = Some(self.clone()));
        let result = then();
        PLAYED.with_borrow_mut(|played| *played = None);
        result
    }

    fn current() -> Option<Machine> {
        PLAYED.with_borrow(Clone::clone)
    }

    /// The platform that the calling thread plays.
    pub(crate) fn platform() -> Option<&'static Platform> {
        Machine::current().map(|machine| machine.platform)
    }

    /// The program runs for so many turns of a microsecond each.
    pub(crate) fn work(&self, turns: u64) {
        locked(&self.state).run(turns);
    }

    /// What the kernel was asked to open, in order.
    pub(crate) fn asked(&self) -> Vec<Attr> {
        locked(&self.state).asked.clone()
    }

    /// How many events are open.
    pub(crate) fn open(&self) -> usize {
        locked(&self.state).events.len()
    }
}

/// A test that failed while it had the lock is reported by its own message.
fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Handle {
    pub(crate) fn open(encoding: Encoding, opening: Opening, leader: Option<&Handle>) -> io::Result<Handle> {
        let Some(machine) = Machine::current() else {
            let leader = match leader {
                Some(Handle::Linux(leader)) => Some(leader),
                _ => None,
            };
            return linux::Handle::open(encoding, opening, leader).map(Handle::Linux);
        };
        let leader = match leader {
            Some(Handle::Played(leader)) => Some(leader.number),
            _ => None,
        };
        let number = locked(&machine.state).open(linux::attr(encoding, opening, leader.is_some()), leader);
        let number = number.map_err(io::Error::from_raw_os_error)?;
        Ok(Handle::Played(Event { state: machine.state, number }))
    }

    pub(crate) fn enable(&mut self) -> io::Result<()> {
        match self {
            Handle::Linux(event) => event.enable(),
            Handle::Played(event) => event.with(|state, number| state.enable(number)),
        }
    }

    pub(crate) fn disable(&mut self) -> io::Result<()> {
        match self {
            Handle::Linux(event) => event.disable(),
            Handle::Played(event) => event.with(|state, number| state.disable(number)),
        }
    }

    pub(crate) fn read(&self) -> io::Result<Count> {
        match self {
            Handle::Linux(event) => event.read(),
            Handle::Played(event) => event.with(|state, number| Ok(state.events[&number].read())),
        }
    }

    pub(super) fn map(&self, bytes: usize) -> io::Result<Arc<Mapping>> {
        match self {
            Handle::Linux(event) => event.map(bytes),
            Handle::Played(event) => event.with(|state, number| state.map(number, bytes)),
        }
    }
}

impl Event {
    fn with<T>(&self, call: impl FnOnce(&mut State, u64) -> Result<T, i32>) -> io::Result<T> {
        call(&mut locked(&self.state), self.number).map_err(io::Error::from_raw_os_error)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        locked(&self.state).close(self.number);
    }
}

impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Event").field("number", &self.number).finish_non_exhaustive()
    }
}

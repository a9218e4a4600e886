//! A kernel played in tests, behind the calls of the real one: what is opened on a thread that plays a machine is opened
//! there, all else by Linux. The rules are Linux's: `kernel/events/core.c` for opening, scheduling, reading and the
//! buffer of samples (`ring_buffer.c`), and the PMU drivers, in `processors.rs`, for what they refuse.

mod processors;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard};

use perf_event::hooks::sys::bindings;
use tempfile::TempDir;

use super::ring::{HEAD, Ring, TAIL};
use super::{Count, Opening, linux};
use crate::definition::{Encoding, Scope};
use crate::platform::Platform;
use crate::trials::ITERATIONS;
use events::kernel;
use system::cpu;
use system::pages::Mapping;

use processors::Pmu;
pub(crate) use processors::{Described, PROCESSORS};

thread_local! {
    static PLAYED: RefCell<Option<Machine>> = const { RefCell::new(None) };
}

/// How a machine is set up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    /// Every opening of these is refused with this number.
    pub(crate) refuses: Option<(Refused, i32)>,
    pub(crate) paranoid: i32,
    pub(crate) privileged: bool,
    /// The container it runs in, whose filter is active.
    pub(crate) container: Option<&'static str>,
    pub(crate) virtual_machine: Option<&'static str>,
    /// Generic events may name the PMU.
    pub(crate) extended_types: bool,
    /// The kernel's watchdog has a counter for cycles.
    pub(crate) watchdog: bool,
    /// Pages of samples that the program may map.
    pub(crate) locked_pages: usize,
    pub(crate) behaviour: Behaviour,
    /// Where cores differ: the place of the kind that the program is limited to.
    pub(crate) kept_to: Option<usize>,
}

/// What counters count: what happens, nothing, or more than can happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behaviour {
    Sound,
    Silent,
    Jumps,
}

/// Which openings are refused: all, those of PMUs, or the kernel's generic instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    Everything,
    Hardware,
    Instructions,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            refuses: None,
            paranoid: 1,
            privileged: false,
            container: None,
            virtual_machine: None,
            extended_types: true,
            watchdog: false,
            locked_pages: 128,
            behaviour: Behaviour::Sound,
            kept_to: None,
        }
    }
}

impl Refused {
    fn means(self, event: Encoding) -> bool {
        match self {
            Refused::Everything => true,
            Refused::Hardware => !event.is_software(),
            Refused::Instructions => event.kind == kernel::HARDWARE && event.config & 0xffff_ffff == 1,
        }
    }
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

/// The machine that the calling thread plays, if any, does the known loop: some of everything in each iteration.
pub(crate) fn known_loop() {
    if let Some(machine) = PLAYED.with_borrow(Clone::clone) {
        locked(&machine.state).pass(|_, _| 4 * ITERATIONS, ITERATIONS);
    }
}

impl Machine {
    /// What `then` gives with all its events opened on this machine.
    pub(crate) fn play<T>(&self, then: impl FnOnce() -> T) -> T {
        PLAYED.with_borrow_mut(|played| *played = Some(self.clone()));
        let result = then();
        PLAYED.with_borrow_mut(|played| *played = None);
        result
    }

    /// The platform that the calling thread plays.
    pub(crate) fn platform() -> Option<&'static Platform> {
        PLAYED.with_borrow(|machine| machine.as_ref().map(|machine| machine.platform))
    }

    /// The program runs for so many turns of a microsecond each.
    pub(crate) fn work(&self, turns: u64) {
        let mut state = locked(&self.state);
        let rate = std::mem::replace(&mut state.rate, Box::new(|_, _| 0));
        for from in (0..turns).step_by(TICK as usize) {
            let some = (turns - from).min(TICK);
            state.pass(|code, with| rate(code, with) * some, some * TURN);
        }
        state.rate = rate;
    }

    /// What the kernel was asked to open, in order.
    pub(crate) fn asked(&self) -> Vec<Encoding> {
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
        let (linux, played) = match leader {
            Some(Handle::Linux(leader)) => (Some(leader), None),
            Some(Handle::Played(leader)) => (None, Some(leader.number)),
            None => (None, None),
        };
        let Some(Machine { state, .. }) = PLAYED.with_borrow(Clone::clone) else {
            return linux::Handle::open(encoding, opening, linux).map(Handle::Linux);
        };
        let number = locked(&state).open(encoding, opening, played);
        number.map(|number| Handle::Played(Event { state, number })).map_err(io::Error::from_raw_os_error)
    }

    pub(crate) fn enable(&mut self) -> io::Result<()> {
        match self {
            Handle::Linux(event) => event.enable(),
            Handle::Played(event) => {
                locked(&event.state).members(event.number).for_each(|member| member.enabled = true);
                Ok(())
            }
        }
    }

    pub(crate) fn disable(&mut self) -> io::Result<()> {
        match self {
            Handle::Linux(event) => event.disable(),
            Handle::Played(event) => {
                let mut state = locked(&event.state);
                // The call itself takes a moment, in which the program does nothing.
                state.pass(|_, _| 0, 100);
                state.members(event.number).for_each(|member| member.enabled = false);
                Ok(())
            }
        }
    }

    pub(crate) fn read(&self) -> io::Result<Count> {
        match self {
            Handle::Linux(event) => event.read(),
            Handle::Played(event) => Ok(locked(&event.state).events[&event.number].count),
        }
    }

    pub(super) fn map(&self, bytes: usize) -> io::Result<Arc<Mapping>> {
        match self {
            Handle::Linux(event) => event.map(bytes),
            Handle::Played(event) => locked(&event.state).map(event.number, bytes),
        }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        locked(&self.state).events.remove(&self.number);
    }
}

impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Event({})", self.number)
    }
}

/// How many of an event happen in a turn, by its config and config1.
type Rate = Box<dyn Fn(u64, u64) -> u64 + Send>;

struct State {
    described: Described,
    pmus: Vec<Pmu>,
    settings: Settings,
    rate: Rate,
    events: BTreeMap<u64, Opened>,
    asked: Vec<Encoding>,
    /// Which group gets counters first; moves on at each tick that left one out.
    turn: usize,
}

/// Nanoseconds that a turn of the program takes, and turns to a tick.
const TURN: u64 = 1000;
const TICK: u64 = 1000;

struct Opened {
    leader: u64,
    counts: Counts,
    period: u64,
    enabled: bool,
    count: Count,
    ring: Option<Ring>,
}

/// What an event counts, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counts {
    /// The kernel itself does: nanoseconds, or nothing in particular.
    Software { nanoseconds: bool },
    /// The PMU of that place does, by its code and what goes with it.
    Hardware { pmu: usize, code: u64, with: u64 },
}

impl Opened {
    /// It was on its counter for a part of a tick in which that many happened at `address`.
    fn count(&mut self, many: u64, nanoseconds: u64, address: u64) {
        let due = (self.count.value + many).checked_div(self.period).unwrap_or(0)
            - self.count.value.checked_div(self.period).unwrap_or(0);
        for ring in (0..due).filter_map(|_| self.ring.as_ref()) {
            let used =
                ring.position(HEAD).load(Ordering::Relaxed) - ring.position(TAIL).load(Ordering::Acquire);
            // One byte always stays free (`CIRC_SPACE`).
            if ring.capacity() - used > 16 {
                ring.write(bindings::PERF_RECORD_SAMPLE, &[address]);
            }
        }
        self.count.running += nanoseconds;
        self.count.value += many;
    }
}

impl State {
    fn open(&mut self, event: Encoding, opening: Opening, leader: Option<u64>) -> Result<u64, i32> {
        self.asked.push(event);
        let Settings { refuses, paranoid, privileged, .. } = self.settings;
        if let Some((_, errno)) = refuses.filter(|(what, _)| what.means(event)) {
            return Err(errno);
        }
        // From 3 on forbidden altogether, where the distribution's kernel knows that level.
        if !privileged && (paranoid > 2 || paranoid > 1 && event.scope != Scope::Program) {
            return Err(libc::EACCES);
        }
        let counts = self.counted(event)?;
        if !event.is_software() && !self.described.driver.is_complete {
            match (opening.sample_period > 0, event.scope) {
                (true, _) => return Err(libc::EOPNOTSUPP),
                (_, Scope::Everything) => {}
                _ => return Err(libc::EINVAL),
            }
        }
        let number = self.asked.len() as u64;
        let leader = leader.unwrap_or(number);
        let period = if leader == number { opening.sample_period } else { 0 };
        let opened = Opened { leader, counts, period, enabled: false, count: Count::default(), ring: None };
        self.events.insert(number, opened);
        if self.could_count(leader) {
            return Ok(number);
        }
        self.events.remove(&number);
        Err(libc::EINVAL)
    }

    /// What the event counts: the first PMU that has it.
    fn counted(&self, event: Encoding) -> Result<Counts, i32> {
        if event.is_software() {
            return Ok(Counts::Software { nanoseconds: event.config < 2 });
        }
        let generic = [kernel::HARDWARE, kernel::HW_CACHE].contains(&event.kind);
        let kind = if generic { (event.config >> 32) as u32 } else { event.kind };
        if generic && kind != 0 && !self.settings.extended_types {
            return Err(libc::ENOENT);
        }
        let any = kind == 0 || kind == kernel::RAW && self.pmus.iter().all(|pmu| pmu.kind != kind);
        let pmu = self.pmus.iter().position(|pmu| any || pmu.kind == kind).ok_or(libc::ENOENT)?;
        let code = if generic {
            self.described.driver.code(event.kind, event.config & 0xffff_ffff).ok_or(libc::ENOENT)?
        } else {
            event.config
        };
        Ok(Counts::Hardware { pmu, code, with: event.config1 })
    }

    fn members(&mut self, leader: u64) -> impl Iterator<Item = &mut Opened> {
        self.events.values_mut().filter(move |event| event.leader == leader)
    }

    fn group(&self, leader: u64) -> Vec<Counts> {
        self.events.values().filter(|event| event.leader == leader).map(|event| event.counts).collect()
    }

    /// Whether a group could get its counters on an idle PMU, as far as its driver looks before. A group of events of
    /// two PMUs is refused.
    fn could_count(&self, leader: u64) -> bool {
        let members = self.group(leader);
        let used = (0..self.pmus.len()).filter(|pmu| is_used(&members, *pmu)).count();
        used < 2 && (!self.described.driver.is_complete || self.fits(&members, false))
    }

    /// The buffer of samples.
    fn map(&mut self, number: u64, bytes: usize) -> io::Result<Arc<Mapping>> {
        let page = system::pages::base().get();
        if bytes / page - 1 > self.settings.locked_pages {
            return Err(io::Error::from_raw_os_error(libc::EPERM));
        }
        let memory = Arc::new(Mapping::new(bytes)?);
        self.members(number).for_each(|event| event.ring = Some(Ring { memory: Arc::clone(&memory), page }));
        Ok(memory)
    }

    /// Time passes, no more than a tick, in which each event happens so often.
    fn pass(&mut self, happens: impl Fn(u64, u64) -> u64, nanoseconds: u64) {
        let on = self.scheduled();
        let behaviour = self.settings.behaviour;
        for (number, event) in self.events.iter_mut().filter(|(_, event)| event.enabled) {
            event.count.enabled += nanoseconds;
            if on.contains(&event.leader) {
                let many = match (event.counts, behaviour) {
                    (Counts::Software { nanoseconds: true }, _) => nanoseconds,
                    (Counts::Software { .. }, _) | (_, Behaviour::Silent) => 0,
                    (Counts::Hardware { code, with, .. }, Behaviour::Sound) => happens(code, with),
                    (Counts::Hardware { .. }, Behaviour::Jumps) => 1 << 46,
                };
                event.count(many, nanoseconds, *number);
            }
        }
    }

    /// The leaders of the groups that get their counters: in turns, up to the first that does not fit.
    fn scheduled(&mut self) -> Vec<u64> {
        let leaders = self.events.iter().filter(|(number, event)| event.enabled && event.leader == **number);
        let mut leaders: Vec<u64> = leaders.map(|(number, _)| *number).collect();
        let many = leaders.len().max(1);
        leaders.rotate_left(self.turn % many);
        let mut busy: Vec<Counts> = Vec::new();
        let taken = leaders.iter().take_while(|leader| {
            busy.extend(self.group(**leader));
            self.fits(&busy, self.settings.watchdog) && self.is_on_cpu(&busy)
        });
        let taken = taken.count();
        self.turn += usize::from(taken < leaders.len());
        leaders.truncate(taken);
        leaders
    }

    /// Whether the thread is limited to processors of the events' PMUs. One that is not is taken to be elsewhere.
    fn is_on_cpu(&self, members: &[Counts]) -> bool {
        let is_here =
            |pmu: &Pmu| pmu.cpus.as_ref().is_none_or(|cpus| cpu::allowed().iter().all(|c| cpus.contains(c)));
        self.pmus.iter().enumerate().all(|(place, pmu)| !is_used(members, place) || is_here(pmu))
    }

    /// Whether events get counters at the same time.
    fn fits(&self, members: &[Counts], watchdog: bool) -> bool {
        (0..self.pmus.len()).all(|place| {
            let codes = members.iter().filter_map(|counts| match counts {
                Counts::Hardware { pmu, code, .. } if *pmu == place => Some(*code),
                _ => None,
            });
            self.described.fits(codes, watchdog)
        })
    }
}

fn is_used(members: &[Counts], place: usize) -> bool {
    members.iter().any(|counts| matches!(counts, Counts::Hardware { pmu, .. } if *pmu == place))
}

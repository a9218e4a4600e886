//! What a played kernel does when it is called, and while the program runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::event::{Buffer, Counts, Opened};
use super::pmu::{OFFCORE, Pmu};
use super::settings::{Behaviour, Settings};
use crate::kernel::Mapping;
use crate::kernel::linux::Attr;
use crate::trials::ITERATIONS;
use events::kernel;
use system::cpu;

/// How many of an event happen in a turn, by its config and config1.
pub(super) type Rate = Box<dyn Fn(u64, u64) -> u64 + Send>;

pub(crate) struct State {
    pmus: Vec<Pmu>,
    settings: Settings,
    rate: Rate,
    pub(super) events: BTreeMap<u64, Opened>,
    pub(super) asked: Vec<Attr>,
    opened: u64,
    /// Which group gets counters first; moves on at each tick that left one out.
    turn: usize,
}

/// Nanoseconds that a turn of the program takes, and turns to a tick.
const TURN: u64 = 1000;
const TICK: u64 = 1000;

impl State {
    pub(super) fn new(pmus: Vec<Pmu>, settings: Settings, rate: Rate) -> State {
        State { pmus, settings, rate, events: BTreeMap::new(), asked: Vec::new(), opened: 0, turn: 0 }
    }

    /// Opens an event, in a group or by itself; gives its number.
    pub(super) fn open(&mut self, attr: Attr, leader: Option<u64>) -> Result<u64, i32> {
        self.asked.push(attr);
        self.permitted(&attr, leader)?;
        let counts = self.counted(&attr)?;
        if let Counts::Hardware { pmu, .. } = counts {
            self.pmus[pmu].takes(&attr)?;
        }
        self.opened += 1;
        let number = self.opened;
        let event = Opened {
            number,
            leader: leader.unwrap_or(number),
            attr,
            counts,
            enabled: attr.disabled() == 0,
            value: 0,
            time_enabled: 0,
            time_running: 0,
            buffer: None,
        };
        self.events.insert(number, event);
        if !self.could_count(leader.unwrap_or(number)) {
            self.events.remove(&number);
            return Err(libc::EINVAL);
        }
        Ok(number)
    }

    /// What the kernel asks before any PMU: `perf_event_open` and `perf_copy_attr`.
    fn permitted(&self, attr: &Attr, leader: Option<u64>) -> Result<(), i32> {
        let Settings { refuses, paranoid, privileged, files, .. } = self.settings;
        if let Some((what, errno)) = refuses
            && what.means(attr)
        {
            return Err(errno);
        }
        let leader = leader.and_then(|leader| self.events.get(&leader));
        if leader.is_some_and(|leader| leader.attr.inherit() != attr.inherit()) {
            return Err(libc::EINVAL);
        }
        // From 3 on forbidden altogether, where the distribution's kernel knows that level.
        if !privileged && (paranoid > 2 || paranoid > 1 && attr.exclude_kernel() == 0) {
            return Err(libc::EACCES);
        }
        if self.events.len() >= files { Err(libc::EMFILE) } else { Ok(()) }
    }

    /// What the event counts: the first PMU that has it.
    fn counted(&self, attr: &Attr) -> Result<Counts, i32> {
        if attr.type_ == kernel::SOFTWARE {
            return Ok(Counts::Software { nanoseconds: attr.config < 2 });
        }
        let generic = [kernel::HARDWARE, kernel::HW_CACHE].contains(&attr.type_);
        let kind = if generic { (attr.config >> 32) as u32 } else { attr.type_ };
        if generic && kind != 0 && !self.settings.extended_types {
            return Err(libc::ENOENT);
        }
        let any = kind == 0 || kind == kernel::RAW && self.pmus.iter().all(|pmu| pmu.kind != kind);
        let pmu = self.pmus.iter().position(|pmu| any || pmu.kind == kind).ok_or(libc::ENOENT)?;
        let code = if generic { self.pmus[pmu].generic(attr)? } else { attr.config };
        // SAFETY: the kit fills this union as config1, and all its parts are plain numbers.
        let config1 = unsafe { attr.__bindgen_anon_3.config1 };
        let with = if OFFCORE.contains(&(code & 0xff)) { config1 } else { 0 };
        Ok(Counts::Hardware { pmu, code, with })
    }

    /// Whether a group could get its counters on an idle PMU, as far as its driver
    /// looks before.
    fn could_count(&self, leader: u64) -> bool {
        let members: Vec<Counts> = self.group(leader).map(|event| event.counts).collect();
        let pmus: Vec<usize> = (0..self.pmus.len()).filter(|pmu| used(&members, *pmu) > 0).collect();
        // A group of events of two PMUs is refused.
        pmus.len() < 2
            && pmus.iter().all(|pmu| !self.pmus[*pmu].driver.validates || self.fits(&members, false))
    }

    pub(super) fn group(&self, leader: u64) -> impl Iterator<Item = &Opened> {
        self.events.values().filter(move |event| event.leader == leader)
    }

    pub(super) fn close(&mut self, number: u64) {
        self.events.remove(&number);
        // The kernel lets the members of a closed group go on singly.
        self.events.values_mut().filter(|e| e.leader == number).for_each(|e| e.leader = e.number);
    }

    pub(super) fn enable(&mut self, number: u64) -> Result<(), i32> {
        let leader = self.events[&number].leader;
        for event in self.events.values_mut().filter(|e| e.leader == leader) {
            event.enabled = true;
        }
        Ok(())
    }

    pub(super) fn disable(&mut self, number: u64) -> Result<(), i32> {
        // The call itself takes a moment, in which the program does nothing.
        self.pass(|_, _| 0, 100);
        let leader = self.events[&number].leader;
        self.events.values_mut().filter(|e| e.leader == leader).for_each(|e| e.enabled = false);
        Ok(())
    }

    /// The buffer of samples; nothing else is shared, so that counts are read by
    /// calls alone.
    pub(super) fn map(&mut self, number: u64, bytes: usize) -> Result<Arc<Mapping>, i32> {
        let page = system::pages::base().get();
        let event = self.events.get_mut(&number).ok_or(libc::EBADF)?;
        if event.period() == 0 || event.attr.inherit() != 0 {
            return Err(libc::EINVAL);
        }
        if bytes / page - 1 > self.settings.locked_pages {
            return Err(libc::EPERM);
        }
        let memory = Arc::new(Mapping::anonymous(bytes).map_err(|_| libc::ENOMEM)?);
        event.buffer = Some(Buffer::of(Arc::clone(&memory), page));
        Ok(memory)
    }

    /// The program works for so many turns.
    pub(super) fn run(&mut self, turns: u64) {
        let mut left = turns;
        while left > 0 {
            let some = left.min(TICK);
            let rate = std::mem::replace(&mut self.rate, Box::new(|_, _| 0));
            self.pass(|code, with| rate(code, with) * some, some * TURN);
            self.rate = rate;
            left -= some;
        }
    }

    /// The program does the loop that is known: some of everything in each iteration.
    pub(super) fn known_loop(&mut self) {
        self.pass(|_, _| 4 * ITERATIONS, ITERATIONS);
    }

    /// Time passes, no more than a tick, in which each event happens so often.
    fn pass(&mut self, happens: impl Fn(u64, u64) -> u64, nanoseconds: u64) {
        let on = self.scheduled();
        let behaviour = self.settings.behaviour;
        for event in self.events.values_mut().filter(|e| e.enabled) {
            event.time_enabled += nanoseconds;
            if on.contains(&event.number) {
                let many = match (event.counts, behaviour) {
                    (Counts::Software { .. }, _) | (_, Behaviour::Silent) => 0,
                    (Counts::Hardware { code, with, .. }, Behaviour::Sound) => happens(code, with),
                    (Counts::Hardware { .. }, Behaviour::Jumps) => 1 << 46,
                };
                event.count(many, nanoseconds, event.number);
            }
        }
    }

    /// The events that get their counters: groups in turns, up to the first that does not
    /// fit.
    fn scheduled(&mut self) -> Vec<u64> {
        let mut leaders: Vec<u64> =
            self.events.values().filter(|e| e.enabled && e.leader == e.number).map(|e| e.number).collect();
        let many = leaders.len().max(1);
        leaders.rotate_left(self.turn % many);
        let (mut on, mut busy): (Vec<u64>, Vec<Counts>) = (Vec::new(), Vec::new());
        for leader in leaders {
            let group: Vec<(u64, Counts)> = self.group(leader).map(|e| (e.number, e.counts)).collect();
            let wanted = [busy.clone(), group.iter().map(|(_, counts)| *counts).collect()].concat();
            if !self.fits(&wanted, self.settings.watchdog) || !self.is_on_cpu(&wanted) {
                self.turn += 1;
                break;
            }
            on.extend(group.iter().map(|(number, _)| *number));
            busy = wanted;
        }
        on
    }

    /// Whether the thread is limited to processors of the events' PMUs. One that is
    /// not is taken to be elsewhere.
    fn is_on_cpu(&self, members: &[Counts]) -> bool {
        let counts_here =
            |pmu: &Pmu| pmu.cpus.as_ref().is_none_or(|cpus| cpu::allowed().iter().all(|c| cpus.contains(c)));
        self.pmus.iter().enumerate().all(|(i, pmu)| used(members, i) == 0 || counts_here(pmu))
    }

    /// Whether events get counters at the same time.
    fn fits(&self, members: &[Counts], watchdog: bool) -> bool {
        self.pmus.iter().enumerate().all(|(i, pmu)| {
            let codes = members.iter().filter_map(|counts| match counts {
                Counts::Hardware { pmu, code, with } if *pmu == i => Some((*code, *with)),
                _ => None,
            });
            pmu.fits(codes, watchdog)
        })
    }
}

fn used(members: &[Counts], place: usize) -> usize {
    members.iter().filter(|m| matches!(m, Counts::Hardware { pmu, .. } if *pmu == place)).count()
}

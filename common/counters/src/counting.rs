//! Counting a region: open groups of events, their runs, and the figures.

use super::definition::{Definition, Part};
use super::error::CounterError;
use super::group::Group;
use super::kernel::{Count, Opening};
use super::platform::Platform;
use super::refusal::{never_ran, plausible};
use super::schedule;
use super::trials::{PROGRAM, THREAD, Trials};
use events::Event;
use figures::value::{Multiplexed, Reading, Source};
use system::cpu::AffinityGuard;

/// What would be counted for one event on this machine.
/// Fails if it cannot be counted.
pub fn definition(event: &Event) -> Result<Definition, CounterError> {
    Trials::new(Platform::host(), PROGRAM).choose(event)
}

/// Events that are chosen, scheduled and open: counting them only enables, runs and reads.
/// Events that do not fit on the counters together are in several groups.
///
/// ```no_run
/// use counters::Counting;
/// use events::Event;
///
/// let mut counting = Counting::open(&[Event::TOT_INS, Event::TOT_CYC]);
/// let readings = counting.count(&mut || (), &mut || println!("the region"))?;
/// println!("{} instructions, {} cycles", readings[0], readings[1]);
/// # Ok::<(), counters::CounterError>(())
/// ```
#[derive(Debug)]
pub struct Counting {
    platform: &'static Platform,
    events: Vec<Event>,
    definitions: Vec<Result<Definition, CounterError>>,
    groups: Vec<Opened>,
    /// Between [`start`](Counting::start) and [`stop`](Counting::stop), where cores differ.
    affinity: Option<AffinityGuard>,
}

/// A group of open events.
#[derive(Debug)]
struct Opened {
    parts: Vec<Part>,
    group: Group,
    /// The counts when it was started.
    base: Vec<Count>,
}

impl Counting {
    /// Opens `events` for the calling thread and the threads that it starts later.
    pub fn open(events: &[Event]) -> Counting {
        Counting::open_with(events, PROGRAM)
    }

    /// Opens `events` for the calling thread alone.
    pub fn of_thread(events: &[Event]) -> Counting {
        Counting::open_with(events, THREAD)
    }

    fn open_with(events: &[Event], opening: Opening) -> Counting {
        let platform = Platform::host();
        let mut trials = Trials::new(platform, opening);
        let definitions: Vec<_> = events.iter().map(|event| trials.choose(event)).collect();
        let wanted: Vec<&[Part]> = definitions.iter().flatten().map(|d| d.parts.as_slice()).collect();
        let scheduled = schedule::groups(&wanted, |parts| trials.fits(parts));
        // A group that was just tried opens again; should it not, its events say so.
        let open = |parts: Vec<Part>| {
            Some(Opened { group: Group::open(&parts, opening).ok()?, parts, base: Vec::new() })
        };
        let groups = scheduled.into_iter().filter_map(open).collect();
        Counting { platform, events: events.to_vec(), definitions, groups, affinity: None }
    }

    /// The events, in the order of their readings.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What is counted for each event, or why it is not.
    pub fn definitions(&self) -> &[Result<Definition, CounterError>] {
        &self.definitions
    }

    /// How many runs it takes to count all events without sharing counters; 0 if none can be
    /// counted.
    pub fn passes(&self) -> usize {
        self.groups.len()
    }

    /// Counts while `body` runs, once for each group, each after a `prepare`. Nothing is
    /// multiplexed unless another program takes counters meanwhile; the readings then say
    /// so. Without a countable event, nothing runs.
    /// Fails if the kernel fails on events that it had opened.
    pub fn count(
        &mut self,
        prepare: &mut dyn FnMut(),
        body: &mut dyn FnMut(),
    ) -> Result<Vec<Reading>, CounterError> {
        let _kept = self.platform.pin_to_core_type();
        let mut runs = Vec::with_capacity(self.groups.len());
        for opened in &mut self.groups {
            prepare();
            opened.base = opened.now()?;
            opened.start()?;
            body();
            opened.stop()?;
            runs.push(opened.since()?);
        }
        Ok(self.readings(&runs))
    }

    /// Starts all groups from zero. If they are several, they take turns on the counters,
    /// and the readings say so.
    /// Fails if the kernel fails.
    pub fn start(&mut self) -> Result<(), CounterError> {
        let affinity = self.platform.pin_to_core_type();
        for opened in &mut self.groups {
            opened.base = opened.now()?;
        }
        self.groups.iter_mut().try_for_each(Opened::start)?;
        self.affinity = affinity;
        Ok(())
    }

    /// The readings since [`start`](Counting::start) or [`reset`](Counting::reset), in the
    /// order of the events; counting goes on.
    /// Fails if the kernel fails.
    pub fn read(&self) -> Result<Vec<Reading>, CounterError> {
        let runs: Vec<Vec<Count>> = self.groups.iter().map(Opened::since).collect::<Result<_, _>>()?;
        Ok(self.readings(&runs))
    }

    /// The same, and counts from zero again.
    /// Fails if the kernel fails.
    pub fn reset(&mut self) -> Result<Vec<Reading>, CounterError> {
        let mut runs = Vec::with_capacity(self.groups.len());
        for opened in &mut self.groups {
            let now = opened.now()?;
            runs.push(difference(&now, &opened.base));
            opened.base = now;
        }
        Ok(self.readings(&runs))
    }

    /// Stops all groups, and gives the readings.
    /// Fails if the kernel fails.
    pub fn stop(&mut self) -> Result<Vec<Reading>, CounterError> {
        let stopped = self.groups.iter_mut().try_for_each(Opened::stop);
        self.affinity = None;
        stopped?;
        self.read()
    }

    /// A figure for each event from the counts of each group.
    fn readings(&self, runs: &[Vec<Count>]) -> Vec<Reading> {
        let reading = |(event, found): (&Event, &Result<Definition, CounterError>)| match found {
            Ok(definition) => self.reading(event, definition, runs),
            Err(refusal) => Reading::missing(refusal),
        };
        self.events.iter().zip(&self.definitions).map(reading).collect()
    }

    /// An event's figure; its parts come from one group if any has all.
    fn reading(&self, event: &Event, definition: &Definition, runs: &[Vec<Count>]) -> Reading {
        let in_group = |part: &Part, at: usize| -> Option<Count> {
            let place = self.groups[at].parts.iter().position(|p| p.encoding == part.encoding)?;
            runs[at].get(place).copied()
        };
        let together = |at: usize| -> Option<Vec<Count>> {
            definition.parts.iter().map(|part| in_group(part, at)).collect()
        };
        let anywhere = || -> Option<Vec<Count>> {
            let find = |part: &Part| (0..runs.len()).find_map(|at| in_group(part, at));
            definition.parts.iter().map(find).collect()
        };
        match (0..runs.len()).find_map(together).or_else(anywhere) {
            Some(counts) => self.combine(event, definition, &counts),
            None => self.never_ran(&definition.names()),
        }
    }

    /// A figure from the counts of its parts: scaled and labelled where a part was
    /// not counted all the time, missing where one was not counted at all.
    fn combine(&self, event: &Event, definition: &Definition, counts: &[Count]) -> Reading {
        let mut least: Option<Multiplexed> = None;
        let mut amounts = Vec::with_capacity(counts.len());
        for (count, part) in counts.iter().zip(&definition.parts) {
            if count.running == 0 {
                return self.never_ran(&part.name);
            }
            amounts.push(count.estimate());
            if let Some(shared) = count.multiplexed() {
                least = Some(least.filter(|l| l.share() <= shared.share()).unwrap_or(shared));
            }
        }
        let of_software = definition.parts.iter().all(|part| part.encoding.is_software());
        let source = if of_software { Source::System } else { Source::Hardware };
        let amount = definition.formula.evaluate(&amounts);
        if amount < 0.0 {
            return Reading::missing(format!(
                "the difference {} came out as {amount:.0}: its parts do not count the same things on this processor",
                definition.spelt()
            ));
        }
        let checked = plausible(event, &definition.parts, counts, amount, &self.platform.environment);
        Reading::of(checked.map(|()| amount), source).estimated(least)
    }

    fn never_ran(&self, event: &str) -> Reading {
        Reading::missing(never_ran(event, &self.platform.environment))
    }
}

impl Opened {
    fn start(&mut self) -> Result<(), CounterError> {
        self.group.enable().map_err(|e| CounterError::system("starting the counters", &e))
    }

    fn stop(&mut self) -> Result<(), CounterError> {
        self.group.disable().map_err(|e| CounterError::system("stopping the counters", &e))
    }

    fn now(&self) -> Result<Vec<Count>, CounterError> {
        self.group.read().map_err(|e| CounterError::system("reading the counters", &e))
    }

    fn since(&self) -> Result<Vec<Count>, CounterError> {
        Ok(difference(&self.now()?, &self.base))
    }
}

fn difference(now: &[Count], base: &[Count]) -> Vec<Count> {
    now.iter().zip(base).map(|(now, base)| *now - *base).collect()
}

/// How many events this processor can count at once; 0 if it counts nothing.
/// Found by trying: as many copies of instructions as get counters, and cycles,
/// which often have a counter of their own.
pub fn num_counters() -> usize {
    Trials::new(Platform::host(), PROGRAM).counters()
}

impl Count {
    /// The share of the time it counted; `None` if that was all of it. The
    /// kernel's two clocks may differ by their reading alone: a thousandth.
    pub fn multiplexed(self) -> Option<Multiplexed> {
        let all = u128::from(self.running) * 1000 >= u128::from(self.enabled) * 999;
        (!all).then_some(Multiplexed { enabled: self.enabled, running: self.running })
    }

    /// The count, scaled up if it was on a counter only part of the time.
    pub fn estimate(self) -> f64 {
        self.value as f64 / self.multiplexed().map_or(1.0, Multiplexed::share)
    }
}

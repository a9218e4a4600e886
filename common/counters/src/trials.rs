//! Trying events out: in which form the kernel opens them, which of them count at
//! the same time, whether they count what a known loop does, and why one does not.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::hint::black_box;
use std::io;

use super::definition::{Definition, Encoding, Part, Scope};
use super::error::CounterError;
use super::group::Group;
use super::kernel::{self, Count, Errno, Opening};
use super::platform::Platform;
use super::refusal::{self, Basics, plausible};
use events::{Event, kernel as names};
use system::cpu::AffinityGuard;

/// Threads that the program starts count too.
pub(crate) const PROGRAM: Opening = Opening { inherit: true, sample_period: 0 };

/// The calling thread alone.
pub(crate) const THREAD: Opening = Opening { inherit: false, sample_period: 0 };

/// Tries events out, each once.
pub(crate) struct Trials<'a> {
    platform: &'a Platform,
    opening: Opening,
    /// The form in which each counts, and its count of the known loop; or why it does not.
    tried: HashMap<Encoding, Result<(Encoding, Count), CounterError>>,
    /// On a hybrid processor the events run on one core type only.
    kept: Option<AffinityGuard>,
    basics: OnceCell<Basics>,
}

/// Note on events of a PMU without filters.
const EVERYTHING: &str =
    "everything that ran on the core, the kernel too: this processor's counters cannot exclude anything";

impl Platform {
    /// Why none of its counters can be right, if cycles or instructions of a known loop are
    /// none or too many. Tried once.
    pub(crate) fn miscounts(&self) -> Option<&CounterError> {
        self.miscounts.get_or_init(|| Trials::new(self, THREAD).miscounted()).as_ref()
    }
}

impl<'a> Trials<'a> {
    pub(crate) fn new(platform: &'a Platform, opening: Opening) -> Trials<'a> {
        let kept = platform.pin_to_core_type();
        Trials { platform, opening, tried: HashMap::new(), kept, basics: OnceCell::new() }
    }

    /// The first definition of `event` all of whose parts count; otherwise why the best one
    /// cannot. No event of a PMU that miscounts a known loop is chosen.
    pub(crate) fn choose(&mut self, event: &Event) -> Result<Definition, CounterError> {
        let (definition, counts) = self.first_that_counts(event)?;
        let hardware = definition.parts.iter().any(|part| !part.encoding.is_software());
        match self.platform.miscounts().filter(|_| hardware) {
            Some(refusal) => Err(refusal.clone()),
            None => self.check(event, &definition, &counts).map(|()| definition),
        }
    }

    /// The definition, and what its parts count of the known loop.
    fn first_that_counts(&mut self, event: &Event) -> Result<(Definition, Vec<Count>), CounterError> {
        let mut refused = None;
        for mut definition in self.platform.definitions(event)? {
            let counts: Result<Vec<Count>, _> =
                definition.parts.iter_mut().map(|part| self.choose_form(part)).collect();
            match counts {
                Ok(counts) => {
                    definition.notes.extend(definition.counts_everything().then_some(EVERYTHING));
                    return Ok((definition, counts));
                }
                Err(refusal) => refused = refused.or(Some(refusal)),
            }
        }
        Err(refused.unwrap_or_else(|| refusal::not_on_this_processor(event.name())))
    }

    /// Gives a part the form in which it counts.
    fn choose_form(&mut self, part: &mut Part) -> Result<Count, CounterError> {
        let (form, count) = self.works(part)?;
        part.encoding = form;
        Ok(count)
    }

    fn check(&self, event: &Event, definition: &Definition, counts: &[Count]) -> Result<(), CounterError> {
        let amounts: Vec<f64> = counts.iter().map(|count| count.estimate()).collect();
        let amount = definition.formula.evaluate(&amounts);
        plausible(event, &definition.parts, counts, amount, &self.platform.environment)
    }

    /// Why this machine's counters cannot be right: cycles or instructions of the known
    /// loop are none, or too many.
    fn miscounted(&mut self) -> Option<CounterError> {
        [Event::TOT_CYC, Event::TOT_INS].iter().find_map(|event| {
            let (definition, counts) = self.first_that_counts(event).ok()?;
            self.check(event, &definition, &counts).err()
        })
    }

    /// The thread's being limited to its cores, for whoever outlives the trials.
    pub(crate) fn take_affinity(&mut self) -> Option<AffinityGuard> {
        self.kept.take()
    }

    fn works(&mut self, part: &Part) -> Result<(Encoding, Count), CounterError> {
        if let Some(known) = self.tried.get(&part.encoding) {
            return known.clone();
        }
        let result = self.probe(part);
        self.tried.insert(part.encoding, result.clone());
        result
    }

    fn probe(&mut self, part: &Part) -> Result<(Encoding, Count), CounterError> {
        let (form, mut group) =
            form(part.encoding, self.opening).map_err(|error| self.explain(part, &error))?;
        let count = counted(&mut group).and_then(|counts| counts.first().copied());
        count
            .map(|count| (form, count))
            .ok_or_else(|| refusal::never_ran(&part.name, &self.platform.environment))
    }

    /// Whether the events get counters at the same time.
    pub(crate) fn fits(&self, parts: &[Part]) -> bool {
        Group::open(parts, self.opening).is_ok_and(|mut group| counted(&mut group).is_some())
    }

    /// How many events get counters at the same time.
    pub(crate) fn counters(&mut self) -> usize {
        let mut parts: Vec<Part> = Vec::new();
        const CYCLES: &str = "cycles";
        for name in std::iter::once(CYCLES).chain(std::iter::repeat_n("instructions", 63)) {
            let Some((kind, config)) = names::lookup(name) else { break };
            let wanted = Part { name: name.into(), encoding: self.platform.kernel(kind, config) };
            let Ok((encoding, _)) = self.works(&wanted) else { continue };
            parts.push(Part { encoding, ..wanted });
            if !self.fits(&parts) {
                parts.pop();
                if name != CYCLES {
                    break; // another copy of the same fits no better
                }
            }
        }
        parts.len()
    }

    /// The reason behind the kernel's error number.
    fn explain(&self, part: &Part, error: &io::Error) -> CounterError {
        refusal::diagnose(error, part, &self.platform.environment, || self.basics())
    }

    /// Why an event that counts is not to be sampled.
    pub(crate) fn explain_sampling(&self, part: &Part, error: &io::Error) -> CounterError {
        match Errno::of(error) {
            Errno::Unsupported => refusal::no_interrupt(&part.name),
            _ => self.explain(part, error),
        }
    }

    /// What the machine opens of its basic events, asked once.
    fn basics(&self) -> Basics {
        *self.basics.get_or_init(|| {
            let refusal = |encoding| form(encoding, self.opening).err().map(|e| Errno::of(&e));
            let there = |refused| !matches!(refused, Some(Errno::Missing | Errno::Unsupported));
            let cycles = self.platform.kernel(names::HARDWARE, 0);
            let refused = refusal(cycles);
            let everything = || refusal(Encoding { scope: Scope::Everything, ..cycles });
            Basics {
                cycles: there(refused),
                instructions: there(refusal(self.platform.kernel(names::HARDWARE, 1))),
                kernel_included: refused == Some(Errno::Invalid) && everything() == Some(Errno::Forbidden),
            }
        })
    }
}

/// An event by itself, not counting yet.
fn open(encoding: Encoding, opening: Opening) -> io::Result<Group> {
    let part = Part { name: String::new(), encoding };
    Group::open(std::slice::from_ref(&part), opening)
}

/// The form in which the kernel opens an event: its own, or what an older kernel
/// or a simpler PMU takes instead; and the open event.
/// Fails with what it says to the event's own form.
fn form(wanted: Encoding, opening: Opening) -> io::Result<(Encoding, Group)> {
    let (mut form, mut first) = (wanted, None);
    loop {
        let error = match open(form, opening) {
            Ok(group) => return Ok((form, group)),
            Err(error) => error,
        };
        let simpler = simpler(form, Errno::of(&error));
        let first = first.get_or_insert(error);
        match simpler {
            Some(simpler) => form = simpler,
            None => return Err(std::mem::replace(first, io::ErrorKind::Other.into())),
        }
    }
}

/// What to ask for after a refusal, if anything.
fn simpler(form: Encoding, refused: Errno) -> Option<Encoding> {
    let generic = [names::HARDWARE, names::HW_CACHE].contains(&form.kind);
    match (refused, form.scope) {
        // Which PMU is meant is taken since Linux 5.13 on x86 and 6.6 on Arm;
        // without it the kernel takes any of them, which then counts or never runs.
        (Errno::Missing | Errno::Invalid, _) if generic && form.config >> 32 != 0 => {
            Some(Encoding { config: form.config & 0xffff_ffff, ..form })
        }
        (Errno::Invalid, Scope::Program) => Some(Encoding { scope: Scope::Everything, ..form }),
        _ => None,
    }
}

/// Samples the known loop at a short period, which clears what an earlier trial of the same event
/// left in the counter: an emulated PMU loses the first samples without that.
pub(crate) fn warm_up(parts: &[Part], opening: Opening) {
    let opening = Opening { sample_period: opening.sample_period.min(5000), ..opening };
    if let Ok(mut group) = Group::open(parts, opening) {
        (0..20).for_each(|_| drop(counted(&mut group)));
    }
}

/// Iterations of the known loop.
pub(crate) const ITERATIONS: u64 = 2000;

/// A loop with at least one load, one store, one addition and a branch in each iteration.
fn known_loop() {
    let mut sum = 0.0;
    for _ in 0..ITERATIONS {
        sum = black_box(sum + 1.0);
    }
    kernel::known_loop();
}

/// What the group counts of the known loop; `None` if it does not get its counters.
fn counted(group: &mut Group) -> Option<Vec<Count>> {
    let mut counts = || -> io::Result<Vec<Count>> {
        let before = group.read()?;
        group.enable()?;
        known_loop();
        group.disable()?;
        Ok(group.read()?.iter().zip(before).map(|(now, before)| *now - before).collect())
    };
    counts().ok().filter(|counts| counts.iter().all(|count| count.running > 0))
}

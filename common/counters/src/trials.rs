//! Trying events out: in which form the kernel opens them, which of them count at
//! the same time, and why one does not.

use std::collections::HashMap;
use std::hint::black_box;

use super::definition::Definition;
use super::encoding::{Encoding, Part, Scope};
use super::error::CounterError;
use super::group::Group;
use super::kernel::{Count, Errno, Handle, Opening};
use super::platform::Platform;
use super::refusal::{Attempt, Basics, Refusal};
use events::{Event, kernel};
use system::cpu::AffinityGuard;

/// Threads that the kernel starts count too; they forbid reading as a group.
const COUNTING: Opening = Opening {
    inherit: true,
    group_read: false,
    pinned: false,
    sibling: false,
    sample_period: 0,
    user_read: false,
    lost: false,
};

/// Tries events out, each once.
pub(crate) struct Trials<'a> {
    platform: &'a Platform,
    /// The form in which each counts, or why it does not.
    tried: HashMap<Encoding, Result<Encoding, Refusal>>,
    /// On a hybrid processor the events run on one core type only.
    kept: Option<AffinityGuard>,
}

/// Note on events of a PMU without filters.
const EVERYTHING: &str =
    "everything that ran on the core, the kernel too: this processor's counters cannot exclude anything";

impl<'a> Trials<'a> {
    pub(crate) fn new(platform: &'a Platform) -> Trials<'a> {
        Trials { platform, tried: HashMap::new(), kept: platform.pin_to_core_type() }
    }

    /// The first definition of `event` all of whose parts can be counted; otherwise why the
    /// preferred one cannot.
    pub(crate) fn choose(&mut self, event: &Event) -> Result<Definition, Refusal> {
        let mut refused = None;
        for mut definition in self.platform.definitions(event)? {
            let mut settle = |part: &mut Part| -> Result<(), Refusal> {
                part.encoding = self.works(part)?;
                Ok(())
            };
            match definition.parts.iter_mut().try_for_each(&mut settle) {
                Ok(()) => {
                    definition.notes.extend(definition.counts_everything().then_some(EVERYTHING));
                    return Ok(definition);
                }
                Err(refusal) => refused = refused.or(Some(refusal)),
            }
        }
        Err(refused.unwrap_or_else(|| Refusal::NotOnThisCpu { event: event.name().to_owned() }))
    }

    /// The thread's being limited to its cores, for whoever outlives the trials.
    pub(crate) fn take_affinity(&mut self) -> Option<AffinityGuard> {
        self.kept.take()
    }

    fn works(&mut self, part: &Part) -> Result<Encoding, Refusal> {
        if let Some(known) = self.tried.get(&part.encoding) {
            return known.clone();
        }
        let result = self.probe(part);
        self.tried.insert(part.encoding, result.clone());
        result
    }

    fn probe(&self, part: &Part) -> Result<Encoding, Refusal> {
        let encoding = form(part.encoding).map_err(|error| self.explain(part, &error))?;
        let parts = [Part { encoding, ..part.clone() }];
        let group = Group::open(&parts, COUNTING, None).map_err(|e| self.explain(part, &e.error))?;
        if runs(&group) { Ok(encoding) } else { Err(Refusal::NeverRan { event: part.name.clone() }) }
    }

    /// Whether the events get counters at the same time.
    pub(crate) fn fits(&self, parts: &[Part]) -> bool {
        self.fit(parts).is_ok_and(|fit| fit)
    }

    /// The same.
    ///
    /// # Errors
    /// If it is not for want of counters that they cannot be opened together.
    pub(crate) fn fit(&self, parts: &[Part]) -> Result<bool, Refusal> {
        match Group::open(parts, COUNTING, None) {
            Ok(group) => Ok(runs(&group)),
            Err(e) if matches!(Errno::of(&e.error), Errno::Invalid | Errno::Busy) => Ok(false),
            Err(e) => Err(self.explain(&parts[e.member], &e.error)),
        }
    }

    /// Counts `body`.
    pub(crate) fn run(&self, parts: &[Part], body: &mut dyn FnMut()) -> Result<Vec<Count>, CounterError> {
        let group =
            Group::open(parts, COUNTING, None).map_err(|e| self.explain(&parts[e.member], &e.error))?;
        group.enable().map_err(|e| CounterError::system("starting the counters", &e))?;
        body();
        group.disable().map_err(|e| CounterError::system("stopping the counters", &e))?;
        group.read().map_err(|e| CounterError::system("reading the counters", &e))
    }

    /// The reason behind the kernel's error number.
    pub(crate) fn explain(&self, part: &Part, error: &std::io::Error) -> Refusal {
        let attempt = Attempt {
            event: &part.name,
            software: part.encoding.is_software(),
            kernel: part.encoding.scope == Scope::ProgramAndKernel,
            instructions: part.encoding.kind == kernel::HARDWARE && part.encoding.config & 0xffff_ffff == 1,
        };
        Refusal::diagnose(error, attempt, &self.platform.environment, || self.basics())
    }

    /// The same of an event that counts, but is not to be sampled.
    pub(crate) fn explain_sampling(&self, part: &Part, error: &std::io::Error) -> Refusal {
        match Errno::of(error) {
            Errno::Unsupported => Refusal::NoInterrupt { event: part.name.clone() },
            _ => self.explain(part, error),
        }
    }

    fn basics(&self) -> Basics {
        let refused =
            |config| form(self.platform.kernel(kernel::HARDWARE, config)).err().map(|e| Errno::of(&e));
        let there = |errno: Option<Errno>| !matches!(errno, Some(Errno::Missing | Errno::Unsupported));
        let cycles = refused(0);
        Basics {
            cycles: there(cycles),
            instructions: there(refused(1)),
            leaves_out: cycles != Some(Errno::Invalid),
        }
    }
}

/// The form in which the kernel opens an event: its own, or what an older kernel
/// or a simpler PMU takes instead.
///
/// # Errors
/// What it says to the event's own form.
pub(crate) fn form(wanted: Encoding) -> std::io::Result<Encoding> {
    let (mut form, mut first) = (wanted, None);
    loop {
        let Err(error) = Handle::open(form, Opening::default(), None) else { return Ok(form) };
        let simpler = simpler(form, Errno::of(&error));
        let first = first.get_or_insert(error);
        match simpler {
            Some(simpler) => form = simpler,
            None => return Err(std::mem::replace(first, std::io::ErrorKind::Other.into())),
        }
    }
}

/// What to ask for after a refusal, if anything.
fn simpler(form: Encoding, refused: Errno) -> Option<Encoding> {
    let generic = [kernel::HARDWARE, kernel::HW_CACHE].contains(&form.kind);
    match (refused, form.scope) {
        // Which PMU is meant is taken since Linux 5.13 on x86 and 6.6 on Arm;
        // without it the kernel takes any of them, which then counts or never runs.
        (Errno::Missing | Errno::Invalid, _) if generic && form.config >> 32 != 0 => {
            Some(Encoding { config: form.config & 0xffff_ffff, ..form })
        }
        (Errno::Unsupported, Scope::Program) => Some(Encoding { scope: Scope::ProgramWithoutGuests, ..form }),
        (Errno::Invalid, Scope::Program) => Some(Encoding { scope: Scope::Everything, ..form }),
        _ => None,
    }
}

/// Samples a moment of nothing at a short period, to see whether the group gets
/// its counters that way; it also clears what an earlier trial of the same event
/// left in the counter, which costs an emulated PMU the first samples.
pub(crate) fn settles(parts: &[Part], opening: Opening, sampled: usize) -> bool {
    let opening = Opening { sample_period: opening.sample_period.min(5000), ..opening };
    Group::open(parts, opening, Some(sampled)).is_ok_and(|group| (0..20).all(|_| runs(&group)))
}

/// Counts a moment of nothing, to see whether the group gets its counters.
fn runs(group: &Group) -> bool {
    let counted = || -> std::io::Result<Vec<Count>> {
        group.enable()?;
        for i in 0..2000 {
            black_box(i);
        }
        group.disable()?;
        group.read()
    };
    counted().is_ok_and(|counts| counts.iter().all(|c| c.running > 0))
}

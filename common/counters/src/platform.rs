//! What this machine calls things: from an event to the numbers the kernel is
//! given.

use std::path::Path;
use std::sync::{LazyLock, OnceLock};

use figures::text::listed;

use super::definition::{Definition, Encoding, Origin, Part, Scope};
use super::environment::Environment;
use super::error::{Code, CounterError};
use super::pmu::{self, Pmu};
use super::refusal;
use events::{Event, Family, Formula, Native, Preset, Spec, kernel, map};
use system::cpu::{self, AffinityGuard};
use system::facts::Facts;

/// A processor and its PMUs.
#[derive(Debug, Clone)]
pub struct Platform {
    /// Its family, if it is known.
    pub family: Option<&'static Family>,
    /// All PMUs, by name.
    pub pmus: Vec<Pmu>,
    /// What is between programs and counters.
    pub environment: Environment,
    /// Where cores differ: which of the PMUs presets are counted on.
    cores: Option<usize>,
    /// What its counters make of a known loop, once that was tried.
    pub(crate) miscounts: OnceLock<Option<CounterError>>,
}

static PMUS: LazyLock<Vec<Pmu>> = LazyLock::new(|| pmu::all(Path::new("/sys")));

impl Platform {
    /// The machine this runs on, seen once.
    pub fn host() -> &'static Platform {
        #[cfg(test)]
        #[cfg(target_os = "linux")]
        if let Some(played) = crate::kernel::played::Machine::platform() {
            return played;
        }
        static HOST: LazyLock<Platform> = LazyLock::new(|| {
            let facts = Facts::of_host();
            let cores = pmu::chosen(&PMUS, &cpu::allowed(), facts.cpu);
            let environment = Environment::host(&facts, pmu::of_cores(Path::new("/sys")));
            Platform::new(family(&facts, cores.map(|place| &PMUS[place])), PMUS.clone(), environment, cores)
        });
        &HOST
    }

    pub(crate) fn new(
        family: Option<&'static Family>,
        pmus: Vec<Pmu>,
        environment: Environment,
        cores: Option<usize>,
    ) -> Platform {
        Platform { family, pmus, environment, cores, miscounts: OnceLock::new() }
    }

    /// Whether a PMU has an event file of that name. On which kind of core it is counted need not be
    /// known for that.
    pub(crate) fn lists(name: &str) -> bool {
        PMUS.iter().any(|pmu| pmu.event(name).is_some())
    }

    /// The PMUs of the cores; more than one where cores differ.
    pub fn core_pmus(&self) -> impl Iterator<Item = &Pmu> {
        self.pmus.iter().filter(|p| p.is_core())
    }

    /// The PMU of the cores that presets are counted on, where cores differ.
    pub fn core_type(&self) -> Option<&Pmu> {
        self.cores.map(|place| &self.pmus[place])
    }

    /// The core type in words: its name, its processors, and what takes another.
    pub fn core_type_description(&self) -> Option<String> {
        let core = self.core_type()?;
        let cpus = core.cpus.as_deref().unwrap_or("all");
        Some(format!("{} (CPUs {cpus}); --cpu N or `taskset -c N` takes the kind of CPU N", core.name))
    }

    /// The processors that presets are counted on, where cores differ.
    pub fn counted_on(&self) -> Option<Vec<usize>> {
        Some(listed(self.core_type()?.cpus.as_deref()?))
    }

    /// Limits the calling thread, and those it starts, to the cores that presets
    /// are counted on until the value is dropped; nothing where all are the same.
    pub(crate) fn pin_to_core_type(&self) -> Option<AffinityGuard> {
        let (mut cpus, allowed) = (self.counted_on()?, cpu::allowed());
        cpus.retain(|cpu| allowed.contains(cpu));
        AffinityGuard::to(&cpus)
    }

    /// The ways to count an event on this machine, the best one first.
    pub fn definitions(&self, event: &Event) -> Result<Vec<Definition>, CounterError> {
        match event {
            Event::Preset(preset) => self.preset(*preset),
            Event::Native(native) => Ok(vec![self.native(native)?]),
        }
    }

    fn preset(&self, preset: Preset) -> Result<Vec<Definition>, CounterError> {
        let why = match self.family.map(|family| (family, map::lookup(family, preset))) {
            // A processor in the map has the better source: its own events.
            Some((_, Ok(entry))) => return Ok(vec![self.mapped(entry)]),
            Some((family, Err(why))) if family.generic.is_empty() => format!("{}: {why}", family.title),
            Some((family, Err(_))) => format!("{}: {}", family.title, family.generic),
            None => "this processor: there is no table of its events".to_owned(),
        };
        let generic = self.family.is_none_or(|family| !family.generic.is_empty());
        let found: Vec<Definition> =
            map::generic(preset).filter(|_| generic).map(|way| self.mapped(way)).collect();
        if found.is_empty() {
            let none = if generic { ", and none of the kernel's counts that" } else { "" };
            let name = preset.name();
            let sentence = format!("{name} is not available on {why}{none}; `avail -a` lists what is");
            return Err(CounterError::new(Code::Enoevnt, sentence));
        }
        Ok(found)
    }

    fn mapped(&self, entry: &'static map::Entry) -> Definition {
        let part = |code: &map::Code| {
            let encoding = match code.config {
                map::Config::Raw(config) => self.raw(config),
                map::Config::Response(config, config1) => Encoding { config1, ..self.raw(config) },
                map::Config::Kernel(kind, config) => self.kernel(kind, config),
            };
            Part { name: code.name.into(), encoding }
        };
        let (origin, notes) = match (entry.origin, self.family) {
            (map::Origin::Papi, Some(family)) => (Origin::Table(family), entry.notes(family)),
            (map::Origin::Kit, Some(family)) => (Origin::Kit(family), entry.notes(family)),
            _ => (Origin::Generic, Vec::new()),
        };
        let mut notes: Vec<&str> = notes.into_iter().map(|note| note.text).collect();
        notes.extend((!entry.includes.is_empty()).then_some(entry.includes));
        let parts = entry.natives.iter().map(part).collect();
        Definition { origin, parts, formula: entry.formula.clone(), notes }
    }

    /// An event of the core's own PMU.
    pub(crate) fn raw(&self, config: u64) -> Encoding {
        let kind = self.core_type().map_or(kernel::RAW, |core| core.kind);
        Encoding { kind, config, ..Encoding::default() }
    }

    /// An event by the kernel's own number; where cores differ the upper half of
    /// the config says for which of them.
    pub(crate) fn kernel(&self, kind: u32, config: u64) -> Encoding {
        let hybrid = self.core_type().filter(|_| kind != kernel::SOFTWARE);
        let config = config | hybrid.map_or(0, |core| u64::from(core.kind) << 32);
        Encoding { kind, config, ..Encoding::default() }
    }

    fn native(&self, native: &Native) -> Result<Definition, CounterError> {
        let mut encoding = match native.spec() {
            Spec::Raw(config) => self.raw(*config),
            Spec::Kernel(kind, config) => self.kernel(*kind, *config),
            Spec::Pmu(name, terms) => self.pmu(name, native)?.encode(terms)?,
            Spec::Sysfs(name) => self.listing(name)?.encode(&[(name.clone(), None)])?,
        };
        let bare = native.text().trim_end_matches(":u");
        if kernel::INSIDE_THE_KERNEL.contains(&bare) {
            encoding.scope = Scope::ProgramAndKernel;
        }
        Ok(Definition {
            origin: Origin::Native,
            parts: vec![Part { name: native.text().to_owned(), encoding }],
            formula: Formula::direct(),
            notes: Vec::new(),
        })
    }

    fn pmu(&self, name: &str, native: &Native) -> Result<&Pmu, CounterError> {
        let found = self.pmus.iter().find(|p| p.name == name);
        // `cpu` is what everybody writes, whatever the core's PMU is called.
        let found =
            found.or_else(|| self.core_type().or_else(|| self.core_pmus().next()).filter(|_| name == "cpu"));
        match found {
            Some(pmu) => usable(pmu, native.text()),
            None if name == "cpu" && self.environment.pmu == Some(false) => {
                Err(refusal::without_pmu(&self.environment))
            }
            None => {
                let names: Vec<String> = self.pmus.iter().map(|p| p.name.clone()).collect();
                let sentence = format!("this machine has no PMU '{name}'; it has {}", pmu::some(&names));
                Err(CounterError::new(Code::Enoevnt, sentence))
            }
        }
    }

    fn listing(&self, event: &str) -> Result<&Pmu, CounterError> {
        let has = |p: &&Pmu| p.event(event).is_some();
        let core = self.core_type().filter(has).or_else(|| self.core_pmus().find(has));
        match core.or_else(|| self.pmus.iter().find(has)) {
            Some(pmu) => usable(pmu, event),
            None => Err(refusal::not_on_this_processor(event)),
        }
    }
}

/// The PMU, if it counts for single programs.
fn usable<'p>(pmu: &'p Pmu, event: &str) -> Result<&'p Pmu, CounterError> {
    if !pmu.uncore {
        return Ok(pmu);
    }
    let sentence = format!(
        "{event} is counted outside of the cores ({}), for the whole chip and every program on it; it cannot be counted for one program",
        pmu.name
    );
    Err(CounterError::new(Code::Einval, sentence))
}

/// The family of the cores that presets are counted on. Where Arm's cores differ,
/// each has an identity of its own; Intel's have one, and kinds by name.
fn family(facts: &Facts, cores: Option<&Pmu>) -> Option<&'static Family> {
    let first = cores.and_then(|pmu| listed(pmu.cpus.as_deref()?).first().copied());
    let own = first.and_then(|cpu| Facts::below(Path::new("/"), cpu).identity);
    let family = own.or(facts.identity).and_then(Family::of)?;
    match cores.map(|pmu| pmu.name.as_str()) {
        Some("cpu_atom") => family.efficient(),
        Some("cpu_lowpower") => None,
        _ => Some(family),
    }
}

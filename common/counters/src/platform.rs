//! What this machine calls things: from an event to the numbers the kernel is
//! given.

use std::path::Path;
use std::sync::LazyLock;

use figures::numbers::listed;

use super::definition::{Definition, Origin};
use super::encoding::{Encoding, Part, Scope};
use super::environment::Environment;
use super::generic;
use super::pmu::{self, Pmu};
use super::refusal::Refusal;
use events::{Event, Family, Formula, Native, Preset, Spec, kernel, map};
use system::cpu;
use system::facts::Facts;

/// A processor and its PMUs.
#[derive(Debug, Clone)]
pub struct Platform {
    /// Its family, if it is known.
    pub family: Option<&'static Family>,
    /// All PMUs, by name.
    pub pmus: Vec<Pmu>,
    /// What stands between programs and counters.
    pub environment: Environment,
    /// The processor the program was on when it asked; decides the core type
    /// where there are several.
    cpu: usize,
}

impl Platform {
    /// The machine this runs on, seen once.
    pub fn host() -> &'static Platform {
        #[cfg(test)]
        #[cfg(target_os = "linux")]
        if let Some(played) = crate::kernel::replayed::Machine::platform() {
            return played;
        }
        static HOST: LazyLock<Platform> = LazyLock::new(|| {
            let facts = Facts::here();
            Platform {
                family: facts.identity.and_then(Family::of),
                pmus: pmu::all(Path::new(pmu::DEVICES)),
                environment: Environment::host(&facts),
                cpu: facts.cpu,
            }
        });
        &HOST
    }

    /// A machine of another family, to see how its events would be opened.
    pub fn of_family(family: &'static Family) -> Platform {
        Platform { family: Some(family), pmus: Vec::new(), environment: Environment::default(), cpu: 0 }
    }

    /// A machine that a test plays.
    #[cfg(test)]
    pub(crate) fn played(
        family: &'static Family,
        pmus: Vec<Pmu>,
        environment: Environment,
        cpu: usize,
    ) -> Platform {
        Platform { family: Some(family), pmus, environment, cpu }
    }

    /// The PMUs of the cores; more than one where cores differ.
    pub fn core_pmus(&self) -> impl Iterator<Item = &Pmu> {
        self.pmus.iter().filter(|p| p.is_core())
    }

    /// The PMU of the cores that presets are counted on, where it matters:
    /// performance cores on a hybrid x86, else the kind the program is on.
    pub fn core_type(&self) -> Option<&Pmu> {
        let mut cores = self.core_pmus();
        let (first, second) = (cores.next()?, cores.next());
        second?;
        let here = |p: &&Pmu| p.cpus.as_deref().is_some_and(|list| listed(list).contains(&self.cpu));
        let named = self.pmus.iter().find(|p| p.name == "cpu_core");
        named.or_else(|| self.core_pmus().find(here)).or(Some(first))
    }

    /// The processors that presets are counted on, where cores differ.
    pub fn counted_on(&self) -> Option<Vec<usize>> {
        Some(listed(self.core_type()?.cpus.as_deref()?))
    }

    /// Keeps the calling thread, and those it starts, to the cores that presets
    /// are counted on until the value is dropped; nothing where all are alike.
    pub(crate) fn keep_to_core_type(&self) -> Option<Kept> {
        Kept::to(&self.counted_on()?)
    }

    /// What is behind an event here, the best way first.
    pub fn definitions(&self, event: &Event) -> Result<Vec<Definition>, Refusal> {
        match event {
            Event::Preset(preset) => self.preset(*preset),
            Event::Native(native) => Ok(vec![self.native(native)?]),
        }
    }

    fn preset(&self, preset: Preset) -> Result<Vec<Definition>, Refusal> {
        let why = match self.family.map(|family| (family, map::lookup(family, preset))) {
            Some((family, Ok(entry))) => return Ok(vec![self.mapped(family, entry)]),
            // A processor in the map has the better source: its own events.
            Some((family, Err(why))) if family.generic.is_empty() => format!("{}: {why}", family.title),
            Some((family, Err(_))) => format!("{}: {}", family.title, family.generic),
            None => "this processor: there is no table of its events".to_owned(),
        };
        let generic = self.family.is_none_or(|family| !family.generic.is_empty());
        let found = if generic {
            generic::definitions(preset, &|kind, config| self.kernel(kind, config))
        } else {
            Vec::new()
        };
        if found.is_empty() {
            let beside = if generic { ", and none of the kernel's counts that" } else { "" };
            return Err(Refusal::NotMapped { preset: preset.name().to_owned(), why: why + beside });
        }
        Ok(found)
    }

    fn mapped(&self, family: &'static Family, entry: &'static map::Entry) -> Definition {
        let part = |code: &map::Code| {
            let encoding = match code.config {
                map::Config::Raw(config) => self.raw(config),
                map::Config::Response(config, config1) => Encoding { config1, ..self.raw(config) },
                map::Config::Cache(config) => self.kernel(kernel::HW_CACHE, config),
            };
            Part { name: code.name.into(), encoding }
        };
        let mut notes: Vec<&str> = entry.notes(family).into_iter().map(|note| note.text).collect();
        notes.extend((!entry.includes.is_empty()).then_some(entry.includes));
        let parts = entry.natives.iter().map(part).collect();
        let origin = match entry.origin {
            map::Origin::Papi => Origin::Table(family),
            map::Origin::Kit => Origin::Kit(family),
        };
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

    fn native(&self, native: &Native) -> Result<Definition, Refusal> {
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

    fn pmu(&self, name: &str, native: &Native) -> Result<&Pmu, Refusal> {
        let found = self.pmus.iter().find(|p| p.name == name);
        // `cpu` is what everybody writes, whatever the core's PMU is called.
        let found =
            found.or_else(|| self.core_type().or_else(|| self.core_pmus().next()).filter(|_| name == "cpu"));
        match found {
            Some(pmu) if pmu.uncore => {
                Err(Refusal::Uncore { event: native.text().to_owned(), pmu: pmu.name.clone() })
            }
            Some(pmu) => Ok(pmu),
            None => {
                let names: Vec<String> = self.pmus.iter().map(|p| p.name.clone()).collect();
                Err(Refusal::NoSuchPmu { pmu: name.to_owned(), has: pmu::some(&names) })
            }
        }
    }

    fn listing(&self, event: &str) -> Result<&Pmu, Refusal> {
        let has = |p: &&Pmu| p.event(event).is_some();
        let core = self.core_type().filter(has).or_else(|| self.core_pmus().find(has));
        match core.or_else(|| self.pmus.iter().find(has)) {
            Some(pmu) if pmu.uncore => {
                Err(Refusal::Uncore { event: event.to_owned(), pmu: pmu.name.clone() })
            }
            Some(pmu) => Ok(pmu),
            None => Err(Refusal::NotOnThisCpu { event: event.to_owned() }),
        }
    }
}

/// A thread kept to some processors; dropped, it may go where it could before.
#[derive(Debug)]
pub(crate) struct Kept {
    before: Vec<usize>,
}

impl Kept {
    /// `None` if that is not possible, as when none of them is allowed.
    pub(crate) fn to(wanted: &[usize]) -> Option<Kept> {
        let before = cpu::allowed();
        let both: Vec<usize> = before.iter().copied().filter(|cpu| wanted.contains(cpu)).collect();
        (!both.is_empty() && cpu::pin(&both)).then_some(Kept { before })
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        cpu::pin(&self.before);
    }
}

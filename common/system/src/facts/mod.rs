//! The facts of the machine, each read in one place, for one chosen processor:
//! where cores differ, so do their names, caches and clocks.

pub mod cpuid;
mod linux;

use std::collections::BTreeSet;

use events::Identity;
use figures::numbers::listed;
use figures::units::{Bytes, Hertz};

/// What the system and the processor say of one processor and its machine;
/// `None` and empty where they say nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts {
    /// The processor this is about, as the system numbers it.
    pub cpu: usize,
    /// What it is sold as.
    pub name: Option<String>,
    /// Who made it.
    pub vendor: Option<String>,
    /// Which design it is.
    pub identity: Option<Identity>,
    /// Its caches, as the system tells them.
    pub caches: Vec<Cache>,
    /// Its caches, as it describes them itself (CPUID).
    pub described: Vec<Cache>,
    /// The range of its clock.
    pub clock: (Option<Hertz>, Option<Hertz>),
    /// What decides on its clock: `performance`, `powersave` ...
    pub governor: Option<String>,
    /// Socket and core of each logical processor of the machine.
    pub topology: Vec<(u64, u64)>,
    /// The virtual machine this runs in, as in "KVM"; "virtual machine" if it
    /// does not tell of which make.
    pub virtual_machine: Option<String>,
    /// The container this runs in, as in "docker".
    pub container: Option<String>,
    /// The operating system and its release.
    pub system: Option<String>,
    /// What the machine is called.
    pub host_name: Option<String>,
}

/// What a cache holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheKind {
    /// Data alone.
    Data,
    /// Instructions alone.
    Instruction,
    /// Both.
    Unified,
}

/// Who described a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Teller {
    /// Linux, in `/sys`.
    Sysfs,
    /// macOS.
    Sysctl,
    /// The processor.
    Cpuid,
}

impl Teller {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Teller::Sysfs => "sysfs",
            Teller::Sysctl => "sysctl",
            Teller::Cpuid => "cpuid",
        }
    }
}

/// One cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    /// 1 is nearest to the core.
    pub level: u8,
    /// What it holds.
    pub kind: CacheKind,
    /// All of it.
    pub size: Bytes,
    /// A line of it; 0 if that is not told.
    pub line: Bytes,
    /// Lines of a set.
    pub ways: Option<u64>,
    /// Sets.
    pub sets: Option<u64>,
    /// The logical processors that share it.
    pub shared_by: Option<Sharers>,
    /// Who says so.
    pub teller: Teller,
}

/// The logical processors that share a cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sharers {
    /// These, as the kernel lists them: `0-3,8`.
    Listed(String),
    /// At most so many: CPUID tells how many numbers are set aside for them,
    /// among which this process may use fewer.
    AtMost(usize),
}

impl Cache {
    /// Whether data go through it.
    pub fn holds_data(&self) -> bool {
        self.kind != CacheKind::Instruction
    }

    /// How many logical processors share it; 1 if that is not told.
    pub fn sharers(&self) -> usize {
        match &self.shared_by {
            Some(Sharers::Listed(list)) => listed(list).len().max(1),
            Some(Sharers::AtMost(most)) => *most,
            None => 1,
        }
    }
}

impl Facts {
    /// Adds what the processor says of itself; where both tell, the system's
    /// word stays, except for the design. This process may use `cpus` processors.
    pub(crate) fn complete(&mut self, own: cpuid::Own, cpus: usize) {
        let Facts { name, vendor, identity, virtual_machine, described, .. } = self;
        *identity = own.identity.or(*identity);
        *described = own.caches;
        for cache in described {
            if let Some(Sharers::AtMost(most)) = &mut cache.shared_by {
                *most = (*most).min(cpus);
            }
        }
        *name = name.take().or(own.name);
        *vendor = vendor.take().or(Some(own.vendor));
        *virtual_machine = match (virtual_machine.take(), own.hypervisor) {
            (Some(known), None) => Some(known),
            (Some(known), Some(_)) if known != VIRTUAL_MACHINE => Some(known),
            (_, own) => own,
        };
    }

    /// Its data caches, nearest first, one a level: from the system, or where
    /// that does not tell all of them, from the processor itself.
    pub fn data_caches(&self) -> Vec<&Cache> {
        let told = data_caches(&self.caches);
        if told.is_empty() { data_caches(&self.described) } else { told }
    }

    /// Logical processors, cores and sockets of the machine; one each where it
    /// does not say.
    pub fn counts(&self) -> (usize, usize, usize) {
        let cores: BTreeSet<_> = self.topology.iter().collect();
        let sockets: BTreeSet<_> = self.topology.iter().map(|(socket, _)| socket).collect();
        (self.topology.len().max(1), cores.len().max(1), sockets.len().max(1))
    }
}

/// A virtual machine that does not tell of which make it is.
const VIRTUAL_MACHINE: &str = "virtual machine";

/// Of several descriptions of a level the first; none if a level is missing.
fn data_caches(all: &[Cache]) -> Vec<&Cache> {
    let mut levels: Vec<&Cache> =
        all.iter().filter(|c| c.holds_data() && c.ways.is_some() && c.line.0 > 0).collect();
    levels.sort_by_key(|cache| cache.level);
    levels.dedup_by_key(|cache| cache.level);
    let complete = levels.iter().zip(1..).all(|(cache, level)| cache.level == level);
    if complete { levels } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(level: u8, teller: Teller) -> Cache {
        let (size, line) = (Bytes::kib(32), Bytes(64));
        Cache {
            level,
            kind: CacheKind::Data,
            size,
            line,
            ways: Some(8),
            sets: Some(64),
            shared_by: None,
            teller,
        }
    }

    #[test]
    fn the_processor_is_asked_where_the_system_does_not_tell_all_levels() {
        let described = vec![cache(1, Teller::Cpuid), cache(2, Teller::Cpuid)];
        for told in
            [vec![], vec![cache(2, Teller::Sysfs)], vec![Cache { ways: None, ..cache(1, Teller::Sysfs) }]]
        {
            let facts = Facts { caches: told, described: described.clone(), ..Facts::default() };
            assert_eq!(facts.data_caches(), described.iter().collect::<Vec<_>>());
        }
        let caches = vec![cache(1, Teller::Sysfs)];
        let facts = Facts { caches, described, ..Facts::default() };
        assert_eq!(facts.data_caches(), [&cache(1, Teller::Sysfs)]);
    }

    #[test]
    fn what_the_processor_adds_does_not_replace_what_the_system_told() {
        let own = |hypervisor: Option<&str>| cpuid::Own {
            vendor: "AuthenticAMD".to_owned(),
            name: Some("AMD".to_owned()),
            hypervisor: hypervisor.map(str::to_owned),
            ..cpuid::Own::default()
        };
        let told = |machine: Option<&str>, hypervisor| {
            let mut facts = Facts { virtual_machine: machine.map(str::to_owned), ..Facts::default() };
            facts.complete(own(hypervisor), 2);
            facts
        };
        assert_eq!(told(Some("QEMU"), Some("KVM")).virtual_machine.as_deref(), Some("QEMU"));
        assert_eq!(told(Some(VIRTUAL_MACHINE), Some("KVM")).virtual_machine.as_deref(), Some("KVM"));
        assert_eq!(told(Some(VIRTUAL_MACHINE), None).virtual_machine.as_deref(), Some(VIRTUAL_MACHINE));
        assert_eq!(told(None, Some("KVM")).virtual_machine.as_deref(), Some("KVM"));
        assert_eq!((told(None, None).name.as_deref(), told(None, None).virtual_machine), (Some("AMD"), None));
    }

    #[test]
    fn this_machine_has_facts() {
        let facts = Facts::here();
        assert!(facts.counts().1 >= facts.counts().2, "{facts:?}");
        assert!(facts.data_caches().iter().all(|c| c.size.0 >= c.line.0), "{facts:?}");
    }
}

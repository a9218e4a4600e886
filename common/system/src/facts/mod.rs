//! The facts of the machine, each read in one place, for one chosen processor: if cores
//! differ, so do their names, caches and clocks.

pub mod cpuid;
mod linux;

use std::collections::BTreeSet;

use events::Identity;
use figures::text::listed;
use figures::units::{Bytes, Hertz};

/// What the system and the processor report about one processor and its machine; `None` and
/// empty if they report nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts {
    /// The number of the processor.
    pub cpu: usize,
    /// Its product name.
    pub name: Option<String>,
    /// Its vendor.
    pub vendor: Option<String>,
    /// Its design (family, model, stepping).
    pub identity: Option<Identity>,
    /// Its caches, reported by the system.
    pub caches: Vec<Cache>,
    /// Its caches, reported by the processor itself (CPUID).
    pub described: Vec<Cache>,
    /// Its TLBs, reported by the processor itself.
    pub tlbs: Vec<cpuid::Tlb>,
    /// The range of its clock frequency.
    pub clock: (Option<Hertz>, Option<Hertz>),
    /// What controls its clock frequency: `performance`, `powersave` ...
    pub governor: Option<String>,
    /// Whether the system gives transparent huge pages: `always`, `madvise` or `never`.
    pub huge_pages: Option<String>,
    /// Socket and core of each logical processor of the machine.
    pub topology: Vec<(u64, u64)>,
    /// The hypervisor, for example "KVM"; "virtual machine" if it does not report its name.
    pub virtual_machine: Option<String>,
    /// The container, for example "docker".
    pub container: Option<String>,
    /// The operating system and its release.
    pub system: Option<String>,
    /// The name of the machine.
    pub host_name: Option<String>,
}

impl Facts {
    /// Adds what the processor reports about itself. If both report a fact, the system's
    /// value stays, except for the design. This process may use `cpus` processors.
    pub(crate) fn complete(&mut self, own: cpuid::Own, cpus: usize) {
        let Facts { name, vendor, identity, virtual_machine, described, tlbs, .. } = self;
        *identity = own.identity.or(*identity);
        *described = own.caches;
        *tlbs = own.tlbs;
        for cache in described {
            if let Some(Sharers::AtMost(most)) = &mut cache.shared_by {
                *most = (*most).min(cpus);
            }
        }
        *name = name.take().or(own.name);
        *vendor = vendor.take().or(Some(own.vendor));
        *virtual_machine = virtual_machine.take().or(own.hypervisor);
    }

    /// Its data caches, nearest first, one per level: from the system, or from the
    /// processor if the system reports nothing, or something impossible, about a level.
    pub fn data_caches(&self) -> Vec<&Cache> {
        let good = |level| self.of_level(level).find(|cache| cache.is_possible());
        (1..=self.depth()).filter_map(good).collect()
    }

    /// What is wrong with the descriptions of its data caches; a clause for each.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for level in 1..=self.depth() {
            let good = self.of_level(level).find(|cache| cache.is_possible());
            let then = good.map_or_else(
                || "that level is left out".to_owned(),
                |good| format!("{}'s {} is taken", good.teller.name(), good.size),
            );
            for Cache { size, line, ways, sets, teller, .. } in
                self.of_level(level).filter(|cache| !cache.is_possible())
            {
                let is_whole = size.0 > 0 && line.0 > 0 && ways.is_some();
                let [ways, sets] =
                    [ways, sets].map(|number| number.map_or_else(|| "?".to_owned(), |n| n.to_string()));
                let [size, line] =
                    [size, line].map(|bytes| if bytes.0 == 0 { "?".to_owned() } else { bytes.to_string() });
                let (teller, what) =
                    (teller.name(), if is_whole { "which no cache has" } else { "so numbers are missing" });
                faults.push(format!(
                    "L{level}: {teller} says {size} in {sets} sets of {ways} ways with lines of {line}, {what}; {then}"
                ));
            }
            // A core with two data caches of one level, or a hypervisor that mixes two kinds of cores.
            let others = good.into_iter().flat_map(|good| {
                self.of_level(level)
                    .filter(move |cache| cache.teller == good.teller && cache.is_possible() && *cache != good)
            });
            let cpu = self.cpu;
            faults.extend(others.map(|cache| {
                format!(
                    "L{level}: {} lists another one of {} for processor {cpu}; {then}",
                    cache.teller.name(),
                    cache.size
                )
            }));
            if self.of_level(level).next().is_none() {
                faults.push(format!("L{level}: nothing describes it; {then}"));
            }
        }
        faults
    }

    /// The descriptions of the data cache of a level, the system's first.
    fn of_level(&self, level: u8) -> impl Iterator<Item = &Cache> {
        let all = self.caches.iter().chain(&self.described);
        all.filter(move |cache| cache.holds_data() && cache.level == level)
    }

    /// The number of levels of data caches.
    fn depth(&self) -> u8 {
        let all = self.caches.iter().chain(&self.described).filter(|cache| cache.holds_data());
        all.map(|cache| cache.level).max().unwrap_or(0)
    }

    /// Logical processors, cores and sockets of the machine; one each if they are not
    /// reported.
    pub fn counts(&self) -> (usize, usize, usize) {
        let cores: BTreeSet<_> = self.topology.iter().collect();
        let sockets: BTreeSet<_> = self.topology.iter().map(|(socket, _)| socket).collect();
        (self.topology.len().max(1), cores.len().max(1), sockets.len().max(1))
    }
}

/// What a cache contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheKind {
    /// Data only.
    Data,
    /// Instructions only.
    Instruction,
    /// Both.
    Unified,
}

/// The source of a cache's description.
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
    /// The name of the source in one word.
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
    /// What it contains.
    pub kind: CacheKind,
    /// Its size; 0 if that is not reported.
    pub size: Bytes,
    /// Its line size; 0 if that is not reported.
    pub line: Bytes,
    /// Lines per set.
    pub ways: Option<u64>,
    /// Number of sets.
    pub sets: Option<u64>,
    /// The logical processors that share it.
    pub shared_by: Option<Sharers>,
    /// The source.
    pub teller: Teller,
}

/// The logical processors that share a cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sharers {
    /// These, as the kernel lists them: `0-3,8`.
    Listed(String),
    /// At most this many: CPUID reports how many numbers are reserved for them, of which
    /// this process may use fewer.
    AtMost(usize),
}

impl Cache {
    /// Whether it contains data.
    pub fn holds_data(&self) -> bool {
        self.kind != CacheKind::Instruction
    }

    /// Whether its numbers are all reported and fit together.
    pub fn is_possible(&self) -> bool {
        let (size, line, ways) = (self.size.0, self.line.0, self.ways.unwrap_or(0));
        let lines = size.checked_div(line).unwrap_or(0);
        // (CPUID may report several partitions of so many sets)
        let sets = self.sets.filter(|_| self.teller != Teller::Cpuid);
        line.is_power_of_two()
            && size.is_multiple_of(line)
            && lines > 0
            && ways > 0
            && lines.is_multiple_of(ways)
            && sets.is_none_or(|sets| sets.saturating_mul(ways).saturating_mul(line) == size)
    }

    /// How many logical processors share it; 1 if that is not reported.
    pub fn sharers(&self) -> usize {
        match &self.shared_by {
            Some(Sharers::Listed(list)) => listed(list).len().max(1),
            Some(Sharers::AtMost(most)) => *most,
            None => 1,
        }
    }
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
    fn one_odd_level_costs_that_level_alone() {
        use Teller::{Cpuid, Sysfs};
        let (l1, l2) = (cache(1, Sysfs), cache(2, Sysfs));
        let odd = |change: fn(&mut Cache)| {
            let mut cache = cache(3, Sysfs);
            change(&mut cache);
            cache
        };
        for l3 in [
            odd(|c| c.ways = Some(9)),
            odd(|c| c.size = Bytes(0)),
            odd(|c| c.ways = None),
            odd(|c| c.sets = Some(1 << 40)),
            odd(|c| c.line = Bytes(0)),
            odd(|c| c.line = Bytes(48)),
            odd(|c| c.ways = Some(0)),
            odd(|c| c.ways = Some(u64::MAX)),
        ] {
            let caches = vec![l1.clone(), l2.clone(), l3.clone()];
            let silent = Facts { caches, ..Facts::default() };
            assert_eq!(silent.data_caches(), [&l1, &l2]);
            let faults = silent.faults();
            assert!(faults.len() == 1 && faults[0].starts_with("L3: sysfs says "), "{faults:?}");
            assert!(faults[0].ends_with("left out"), "{faults:?}");
            let asked = Facts { described: vec![cache(1, Cpuid), cache(3, Cpuid)], ..silent };
            assert_eq!(asked.data_caches(), [&l1, &l2, &cache(3, Cpuid)]);
            assert!(asked.faults()[0].ends_with("cpuid's 32 KiB is taken"), "{:?}", asked.faults());
        }
        let two = Facts {
            caches: vec![Cache { size: Bytes::kib(64), sets: Some(128), ..l1.clone() }, l1.clone()],
            ..Facts::default()
        };
        assert_eq!(
            two.faults(),
            ["L1: sysfs lists another one of 32 KiB for processor 0; sysfs's 64 KiB is taken"]
        );
        let gap = Facts { caches: vec![l1.clone(), cache(3, Sysfs)], ..Facts::default() };
        assert_eq!(gap.data_caches(), [&l1, &cache(3, Sysfs)]);
        assert_eq!(gap.faults(), ["L2: nothing describes it; that level is left out"]);
    }
}

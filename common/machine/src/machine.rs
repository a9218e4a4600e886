//! A machine, as far as the memory hierarchy sees it.

use figures::units::{Bytes, Hertz, Seconds};
use serde::{Deserialize, Serialize};

use crate::level::CacheLevel;

/// How virtual pages are mapped to physical memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mapping {
    /// One after the other.
    Identity,
    /// To random places, from a seeded generator: the same in every run.
    Random {
        /// Seed of the generator.
        seed: u64,
    },
}

/// Which set of a TLB a page belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TlbIndex {
    /// The page number modulo the number of sets.
    Modulo,
    /// The lower bits of the page number, exclusive or the next as many (2^b sets: bits 0 to
    /// b - 1 and bits b to 2b - 1).
    Xor,
}

/// The page walks of a machine: a page that no TLB holds is looked up in the page table, whose
/// entries are read through the caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Walk {
    /// The level of cache that the walks read first: 1 or 2.
    pub cache: u8,
    /// Tables whose entries are read through the caches, the last one included; entries of the
    /// tables above are in the paging-structure caches.
    pub levels: u8,
}

impl Walk {
    /// Bytes of an entry.
    pub const ENTRY: u64 = 8;
    /// Entries of a table: an entry of one table covers so many of the table below.
    pub const ENTRIES: u64 = 512;

    /// The most levels that a walk has for pages of `page` bytes: 4 tables translate 48 bits
    /// with pages of 4 KiB; 2 MiB pages need one less, 1 GiB pages two.
    pub fn most_levels(page: Bytes) -> u8 {
        (48 - page.0.ilog2().min(39)).div_ceil(Walk::ENTRIES.ilog2()).min(4) as u8
    }
}

/// One level of data TLB.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tlb {
    /// 1 for the level next to the core.
    pub level: u8,
    /// Number of translations.
    pub entries: usize,
    /// Translations per set.
    pub ways: usize,
    /// Which set a page belongs to.
    pub index: TlbIndex,
    /// Time that a miss of this TLB adds to an access, besides the reads of a page walk.
    pub penalty: Option<Seconds>,
}

/// What a loop's time depends on in addition to its misses.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Core {
    /// Loads that can be in flight at the same time.
    pub in_flight: f64,
    /// Cost of a store.
    pub store: Seconds,
    /// Cost of the other instructions of one iteration, counted per store.
    pub step: Seconds,
    /// Cost of starting a loop over.
    pub pass: Seconds,
}

/// A machine, as far as the memory hierarchy sees it.
#[derive(Clone, PartialEq, Serialize)]
pub struct Machine {
    /// Its name on a command line.
    pub name: String,
    /// One line about it.
    pub description: String,
    /// Core clock.
    pub clock: Option<Hertz>,
    /// Bytes per page.
    pub page_size: Bytes,
    /// How pages are mapped to physical memory.
    pub mapping: Mapping,
    /// Caches, level 1 first.
    pub levels: Vec<CacheLevel>,
    /// Data TLBs, level 1 first; none if the description names none.
    pub tlbs: Vec<Tlb>,
    /// What a miss of the last TLB reads; nothing if the description names no walk.
    pub walk: Option<Walk>,
    /// Time from a load to its data when no cache has it.
    pub memory_latency: Option<Seconds>,
    /// The other costs of a loop.
    pub core: Core,
    /// What could not be determined, and what is assumed instead.
    pub unknown: Vec<String>,
    /// The tag of its seal, if its geometry is secret.
    pub seal: Option<String>,
}

impl Machine {
    /// A machine of which only the `processor` is known: it can be measured, not
    /// modelled. `unknown` says why.
    pub fn undescribed(processor: Option<String>, page_size: Bytes, unknown: Vec<String>) -> Machine {
        Machine {
            name: "host".to_string(),
            description: processor.unwrap_or_else(|| "this machine".to_string()),
            clock: None,
            page_size,
            mapping: Mapping::Identity,
            levels: Vec::new(),
            tlbs: Vec::new(),
            walk: None,
            memory_latency: None,
            core: Core { in_flight: 1.0, store: Seconds(0.0), step: Seconds(0.0), pass: Seconds(0.0) },
            unknown,
            seal: None,
        }
    }

    /// Whether page walks are modelled: described, and there is a TLB that can miss.
    pub fn walks(&self) -> bool {
        self.walk.is_some() && !self.tlbs.is_empty()
    }

    /// Whether its geometry is secret: students must find it.
    pub fn sealed(&self) -> bool {
        self.seal.is_some()
    }

    /// The machine without its caches, for charts and records: `host (AMD EPYC)`. The caches are
    /// questions.
    pub fn label(&self) -> String {
        format!("{} ({})", self.name, self.description)
    }

    /// The same with its caches:
    /// `host (AMD EPYC): L1 32 KiB 8-way 64 B lines, L2 512 KiB 8-way 64 B lines`.
    pub fn summary(&self) -> String {
        let level =
            |l: &CacheLevel| format!("L{} {} {} {} lines", l.level, l.size, l.associativity(), l.line);
        let levels: Vec<String> = self.levels.iter().map(level).collect();
        let levels = if self.sealed() {
            "sealed".to_owned()
        } else if levels.is_empty() {
            "caches unknown".to_owned()
        } else {
            levels.join(", ")
        };
        format!("{}: {levels}", self.label())
    }

    /// Its caches, as far as they may be shown: none for a sealed machine.
    pub fn visible_levels(&self) -> &[CacheLevel] {
        if self.sealed() { &[] } else { &self.levels }
    }

    /// The cache at `level`, if it has one.
    pub fn level(&self, level: u8) -> Option<&CacheLevel> {
        self.levels.iter().find(|cache| cache.level == level)
    }
}

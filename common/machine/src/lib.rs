//! A machine is data: cache geometry, policies, latencies, page size, TLB and
//! clock, read from a TOML description, from the catalogue, or from the system
//! this program runs on.
//!
//! A description needs a name and at least one cache; everything else has the
//! default in this list.
//!
//! ```toml
//! name = "example"
//! description = "one line for a list"    # default: empty
//! clock = "3.4 GHz"                      # needed where a latency is in cycles
//! noise = 0.02                           # sweeps' figures scatter by up to 2 %; default 0
//!
//! [memory]
//! latency = "70 ns"                      # from the core's request to its data
//!
//! [pages]
//! size = "4K"                            # default 4K
//! mapping = "random"                     # identity (default) or random
//! seed = 1                               # for random; default 1
//!
//! [core]
//! in_flight = 10                         # accesses on their way at a time; default 1
//! store = "1 cycle"                      # what a store costs; default nothing
//! step = "2 cycles"                      # the other instructions, once per store; default nothing
//! pass = "5 cycles"                      # starting the loop over; default nothing
//!
//! [[cache]]
//! level = 1
//! size = "32K"
//! line = 64
//! ways = 8                               # a number, or "full"
//! replacement = "lru"                    # lru (default), plru, fifo, random
//! seed = 1                               # for random; default 1
//! write = "back"                         # back (default) or through
//! allocate = true                        # whether a store that misses fetches the line; default true
//! inclusion = "neither"                  # of the levels above: inclusive, exclusive, neither (default)
//! index = "virtual"                      # default: virtual at level 1, physical below
//! prefetch = "none"                      # none (default), next-line, stride, stream
//! shared_by = 1                          # cores that share it; default 1, for information
//! latency = "4 cycles"                   # of a load that hits this level
//!
//! [[tlb]]
//! level = 1
//! entries = 64
//! ways = 4                               # a number, or "full"
//! penalty = "7 cycles"                   # what a miss adds; default nothing
//! ```

mod catalogue;
mod describe;
mod draw;
mod error;
mod print;
mod quantity;
mod sealed;

use std::fmt;

use serde::{Deserialize, Serialize};

use figures::random::Random;
use figures::units::{Bytes, Hertz, Seconds};

pub use catalogue::{Entry, catalogue};
pub use describe::LONGEST;
pub use draw::{Draw, Drawn, Geometry};
pub use error::MachineError;
pub use sealed::{SealedFile, seal};

/// Which line of a full set is evicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Replacement {
    /// The least recently used one.
    Lru,
    /// The one a tree of direction bits points at; needs 2, 4, 8 ... ways.
    Plru,
    /// The one that came first.
    Fifo,
    /// Any, drawn from a seeded generator: the same in every run.
    Random {
        /// Start of the generator.
        seed: u64,
    },
}

/// What a store that hits does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Write {
    /// Marks the line; it is written to the next level when it is replaced.
    Back,
    /// Is passed on to the next level at once.
    Through,
}

/// How a level's content relates to that of the level above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Inclusion {
    /// Holds every line of the levels above: what is evicted here is evicted there.
    Inclusive,
    /// Holds only what the level above replaced.
    Exclusive,
    /// Neither is enforced.
    Neither,
}

/// Which address picks the set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Index {
    /// The program's own.
    Virtual,
    /// The one the page mapping gives.
    Physical,
}

/// What a level fetches without being asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prefetch {
    /// Nothing.
    None,
    /// The line behind one that missed, or that was used for the first time
    /// after having been prefetched.
    NextLine,
    /// The next line at the distance that the last misses in one array kept.
    Stride,
    /// The next lines in the direction in which a page is walked.
    Stream,
}

/// How virtual pages lie in physical memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mapping {
    /// One behind the other.
    Identity,
    /// Anywhere, drawn from a seeded generator: the same in every run.
    Random {
        /// Start of the generator.
        seed: u64,
    },
}

/// One level of data (or unified) cache.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CacheLevel {
    /// 1 for the level next to the core.
    pub level: u8,
    /// Capacity.
    pub size: Bytes,
    /// Bytes per line.
    pub line: Bytes,
    /// Lines per set.
    pub ways: usize,
    /// Number of logical processors that share it.
    pub shared_by: usize,
    /// Who is evicted.
    pub replacement: Replacement,
    /// What a store that hits does.
    pub write: Write,
    /// Whether a store that misses brings the line in.
    pub allocate: bool,
    /// Relation to the levels above.
    pub inclusion: Inclusion,
    /// Address that picks the set.
    pub index: Index,
    /// What is fetched unasked.
    pub prefetch: Prefetch,
    /// Time from a load to its data when it hits this level.
    pub latency: Option<Seconds>,
}

impl CacheLevel {
    /// Number of sets.
    pub fn sets(&self) -> usize {
        self.lines() / self.ways
    }

    /// Number of lines.
    pub fn lines(&self) -> usize {
        (self.size.0 / self.line.0) as usize
    }

    /// `8-way`, `direct-mapped` or `fully associative`.
    pub fn associativity(&self) -> String {
        match self.ways {
            1 => "direct-mapped".to_owned(),
            ways if ways == self.lines() => "fully associative".to_owned(),
            ways => format!("{ways}-way"),
        }
    }
}

/// One level of data TLB.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tlb {
    /// 1 for the level next to the core.
    pub level: u8,
    /// Translations it holds.
    pub entries: usize,
    /// Translations per set.
    pub ways: usize,
    /// What a miss of this TLB adds to an access.
    pub penalty: Option<Seconds>,
}

/// What the time of a loop depends on besides its misses.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Core {
    /// Loads that can be on their way at the same time.
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
    /// How it is called on a command line.
    pub name: String,
    /// One line about it.
    pub description: String,
    /// Core clock.
    pub clock: Option<Hertz>,
    /// Bytes per page.
    pub page_size: Bytes,
    /// How pages lie in physical memory.
    pub mapping: Mapping,
    /// Caches, level 1 first.
    pub levels: Vec<CacheLevel>,
    /// Data TLBs, level 1 first; none if the description names none.
    pub tlbs: Vec<Tlb>,
    /// Time from a load to its data when no cache has it.
    pub memory_latency: Option<Seconds>,
    /// The rest of the time.
    pub core: Core,
    /// By how much modelled figures of sweeps scatter, as a share of them: 0.02
    /// for up to 2 % more or less; 0 for none.
    pub noise: f64,
    /// What could not be found out about it, and what is assumed instead.
    pub unknown: Vec<String>,
    /// The tag of its seal, if its geometry is to be found, not to be shown.
    pub seal: Option<String>,
}

/// What may be known of it: a sealed machine's fields are in no message.
impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_toml())
    }
}

impl Machine {
    /// The machine of the [`catalogue`] called `name`.
    ///
    /// # Errors
    ///
    /// If there is no such machine.
    pub fn named(name: &str) -> Result<Machine, MachineError> {
        match catalogue().iter().find(|entry| entry.name.eq_ignore_ascii_case(name)) {
            Some(entry) => Machine::from_toml(entry.text, entry.name),
            None => Err(MachineError::no_such(name)),
        }
    }

    /// The factor by which the figure that `words` name is off on this machine: the
    /// same in every run, so that who checks it finds it too; 1 without
    /// [noise](Machine::noise).
    pub fn scatter(&self, words: &[&str]) -> f64 {
        let own = [&*self.name, self.seal.as_deref().unwrap_or_default()];
        1.0 + self.noise * (2.0 * Random::of_words(&[&own, words].concat()).unit() - 1.0)
    }

    /// The machine described by `text`, sealed or not; errors call it `origin`.
    ///
    /// # Errors
    ///
    /// If it describes no machine that can be modelled.
    pub fn parse(text: &str, origin: &str) -> Result<Machine, MachineError> {
        if !sealed::is_sealed(text) {
            return Machine::from_toml(text, origin);
        }
        sealed::opened(text).ok_or_else(|| MachineError::damaged_seal(origin))
    }

    /// The machine described by `text`; errors call it `origin`.
    ///
    /// # Errors
    ///
    /// If it describes no machine that can be modelled.
    pub fn from_toml(text: &str, origin: &str) -> Result<Machine, MachineError> {
        describe::machine(text, origin)
    }

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
            memory_latency: None,
            noise: 0.0,
            core: Core { in_flight: 1.0, store: Seconds(0.0), step: Seconds(0.0), pass: Seconds(0.0) },
            unknown,
            seal: None,
        }
    }

    /// Whether its geometry is to be found, not to be shown.
    pub fn sealed(&self) -> bool {
        self.seal.is_some()
    }

    /// One line for captions and records:
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
        format!("{} ({}): {levels}", self.name, self.description)
    }

    /// Its caches, as far as they may be shown: none of a sealed one.
    pub fn visible_levels(&self) -> &[CacheLevel] {
        if self.sealed() { &[] } else { &self.levels }
    }

    /// The cache at `level`, if it has one.
    pub fn level(&self, level: u8) -> Option<&CacheLevel> {
        self.levels.iter().find(|cache| cache.level == level)
    }
}

#[cfg(test)]
mod tests;

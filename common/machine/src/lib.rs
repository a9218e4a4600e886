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
//!
//! [memory]
//! latency = "70 ns"                      # from the core's request to its data
//!
//! [pages]
//! size = "4K"                            # default 4K
//! mapping = "random"                     # identity (default) or random
//! seed = 1                               # for random; default 1
//! walk = "L1"                            # the cache in which a miss of the last TLB reads the page
//!                                        # table: L1, L2; none (default): the table is not modelled
//! walk_levels = 1                        # tables read in a walk, from the last; default 1: the
//!                                        # entries above are in the paging-structure caches
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
//! index = "modulo"                       # a page's set: modulo (default), or xor: the lower bits of
//!                                        # the page's number, exclusive or the next as many
//! penalty = "7 cycles"                   # what a miss adds, besides a walk's reads; default nothing
//! ```

mod describe;
mod error;
mod level;
mod machine;
mod print;
mod sealed;

pub use describe::LONGEST;
pub use error::MachineError;
pub use level::{CacheLevel, Inclusion, Index, Prefetch, Replacement, Write};
pub use machine::{Core, Machine, Mapping, Tlb, TlbIndex, Walk};
pub use print::quoted;
pub use sealed::{SealedFile, seal};

/// A machine that comes with the kit.
#[derive(Debug, Clone, Copy)]
pub struct CatalogueEntry {
    /// Its name on a command line.
    pub name: &'static str,
    /// Its description, with the source of each figure.
    pub text: &'static str,
}

macro_rules! entries {
    ($($name:literal)*) => {
        [$(CatalogueEntry { name: $name, text: include_str!(concat!("../machines/", $name, ".toml")) }),*]
    };
}

/// The machines that come with the kit, oldest first.
pub fn catalogue() -> &'static [CatalogueEntry] {
    static CATALOGUE: [CatalogueEntry; 10] = entries! {
        "sparcstation-1+"
        "lecture"
        "i5-7500"
        "i5-8500"
        "ryzen5-3600x"
        "zen3"
        "golden-cove"
        "zen4"
        "zen5"
        "apple-m1"
    };
    &CATALOGUE
}

impl Machine {
    /// The machine of the [`catalogue`] called `name`.
    /// Fails if there is no such machine.
    pub fn named(name: &str) -> Result<Machine, MachineError> {
        match catalogue().iter().find(|entry| entry.name.eq_ignore_ascii_case(name)) {
            Some(entry) => Machine::from_toml(entry.text, entry.name),
            None => Err(MachineError::no_such(name)),
        }
    }

    /// The machine described by `text`, sealed or not; errors call it `origin`.
    /// Fails if it describes no machine that can be modelled.
    pub fn parse(text: &str, origin: &str) -> Result<Machine, MachineError> {
        if !sealed::is_sealed(text) {
            return Machine::from_toml(text, origin);
        }
        sealed::opened(text).ok_or_else(|| sealed::damaged(origin))
    }
}

#[cfg(test)]
mod tests;

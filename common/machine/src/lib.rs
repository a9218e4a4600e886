//! A machine is data: cache geometry, policies, latencies, page size, TLB and
//! clock, read from a TOML description, from the catalogue, or from the system
//! this program runs on.
//!
//! `lab/README.md` lists the keys of a description, with their defaults.

mod describe;
mod error;
mod level;
mod machine;
mod print;
mod sealed;

pub use describe::LONGEST;
pub use error::MachineError;
pub use level::{CacheLevel, Inclusion, Index, Replacement, Write};
pub use machine::{Core, Machine, Mapping, Tlb, TlbIndex, Walk};
pub use print::quoted;
pub use sealed::seal;

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

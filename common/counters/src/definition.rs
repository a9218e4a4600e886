//! What an event is on this machine, and what the kernel is asked to open for it.

use std::fmt;

use events::{Family, Formula, kernel};

/// Where the meaning of an event was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// In PAPI's map of the processor's family.
    Table(&'static Family),
    /// The kit's own, where that map has a gap or says something else than the
    /// vendor.
    Kit(&'static Family),
    /// The kernel's generic events, whatever the processor.
    Generic,
    /// The event is given by its own numbers.
    Native,
}

/// What has to be counted for an event.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Where this was found.
    pub origin: Origin,
    /// The native events.
    pub parts: Vec<Part>,
    /// How the event follows from them.
    pub formula: Formula,
    /// What it includes without saying so, or why it is only nearly that.
    pub notes: Vec<&'static str>,
}

impl Definition {
    /// The native events, joined for a message.
    pub fn names(&self) -> String {
        self.parts.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Whether all that runs meanwhile counts, the kernel's work too: the PMU can
    /// leave nothing out.
    pub fn counts_everything(&self) -> bool {
        self.parts.iter().any(|part| part.encoding.scope == Scope::Everything)
    }

    /// The formula with the native events' names.
    pub fn spelt(&self) -> String {
        self.formula.infix(&self.parts.iter().map(|p| p.name.as_str()).collect::<Vec<_>>())
    }
}

/// The numbers behind a native event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Encoding {
    /// Type of the PMU: `PERF_TYPE_RAW`, or a number from sysfs.
    pub kind: u32,
    /// Event and unit mask, and whatever else the PMU's format says.
    pub config: u64,
    /// For what does not fit in `config`.
    pub config1: u64,
    /// For what does not fit in `config1`.
    pub config2: u64,
    /// Whose work it counts.
    pub scope: Scope,
}

/// Whose work an event counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Scope {
    /// The program's own code.
    #[default]
    Program,
    /// The program, and the kernel on its behalf: the event happens there.
    ProgramAndKernel,
    /// Whatever runs while the program does: the PMU can leave nothing out.
    Everything,
}

/// A native event with its name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Part {
    /// As the manual, the kernel or the user calls it.
    pub name: String,
    /// Its numbers.
    pub encoding: Encoding,
}

impl Encoding {
    /// A software event: always there, unless perf events are forbidden.
    pub fn is_software(self) -> bool {
        self.kind == kernel::SOFTWARE
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "type={} config={:#x}", self.kind, self.config)?;
        if self.config1 != 0 {
            write!(f, " config1={:#x}", self.config1)?;
        }
        if self.config2 != 0 {
            write!(f, " config2={:#x}", self.config2)?;
        }
        Ok(())
    }
}

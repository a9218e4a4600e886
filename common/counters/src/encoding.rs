//! From an event's numbers to what the kernel is asked to open.

use events::kernel;

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
    /// The same, for a PMU that must be asked to leave virtual machines out too.
    ProgramWithoutGuests,
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

impl std::fmt::Display for Encoding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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

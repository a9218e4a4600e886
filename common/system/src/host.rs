//! The present facts of this machine.

use figures::units::Bytes;

use crate::cpu;
use crate::facts::{Facts, cpuid};
use crate::os;

impl Facts {
    /// The facts of the calling thread's processor.
    pub fn of_host() -> Facts {
        let cpu = cpu::current().unwrap_or(0);
        let mut facts = Facts { cpu, ..os::facts(cpu) };
        if let Some(own) = cpuid::read() {
            facts.complete(own, cpu::allowed().len().max(1));
        }
        facts
    }
}

/// Processes that wanted to run, on average over the last minute.
pub fn load() -> Option<f64> {
    os::load()
}

/// Memory that is available without swapping, within the limits of this process.
pub fn free_memory() -> Option<Bytes> {
    os::free_memory()
}

/// How many processors' time the control groups of this process grant it, 0.5 for example, if
/// they set a limit.
pub fn cpu_quota() -> Option<f64> {
    os::cpu_quota()
}

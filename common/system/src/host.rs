//! The present facts of this machine.

use figures::units::Bytes;

use crate::cpu;
use crate::facts::{Facts, cpuid};
use crate::os::{CurrentOs, Os};

impl Facts {
    /// The facts of the processor with this number.
    pub fn of(cpu: usize) -> Facts {
        let mut facts = Facts { cpu, ..CurrentOs::facts(cpu) };
        if let Some(own) = cpu::on(cpu, cpuid::read).unwrap_or_else(cpuid::read) {
            facts.complete(own, cpu::allowed().len().max(1));
        }
        facts
    }

    /// The facts of the calling thread's processor.
    pub fn of_host() -> Facts {
        Facts::of(cpu::current().unwrap_or(0))
    }
}

/// Processes that wanted to run, on average over the last minute.
pub fn load() -> Option<f64> {
    CurrentOs::load()
}

/// Memory that is available without swapping, within the limits of this process.
pub fn free_memory() -> Option<Bytes> {
    CurrentOs::free_memory()
}

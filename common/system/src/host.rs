//! The facts of the machine this runs on, asked now.

use figures::units::Bytes;

use crate::cpu;
use crate::facts::{Facts, cpuid};
use crate::os::{Here, Os};

impl Facts {
    /// Of the processor with this number.
    pub fn of(cpu: usize) -> Facts {
        let mut facts = Facts { cpu, ..Here::facts(cpu) };
        if let Some(own) = cpu::on(cpu, cpuid::read).unwrap_or_else(cpuid::read) {
            facts.complete(own, cpu::allowed().len().max(1));
        }
        facts
    }

    /// Of the processor that the calling thread is on.
    pub fn of_host() -> Facts {
        Facts::of(cpu::current().unwrap_or(0))
    }
}

/// Processes that wanted to run, on average over the last minute.
pub fn load() -> Option<f64> {
    Here::load()
}

/// Memory that can be had now without swapping, within the limits of this process.
pub fn free_memory() -> Option<Bytes> {
    Here::free_memory()
}

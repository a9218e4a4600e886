//! Measuring the rungs on this machine, and printing what was found.

pub mod cformat;
pub mod instructions;
pub mod measure;
pub mod memory_limit;
pub mod peak;
pub mod program;
pub mod sweep;

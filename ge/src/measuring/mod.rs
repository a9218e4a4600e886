//! Measures the rungs on this machine, and prints the results.

pub mod instructions;
pub mod measure;
pub mod peak;
pub mod program;
mod sweep;

pub use sweep::Eliminations;

//! The facts of the machine, each read in one place, for one chosen processor: if cores
//! differ, so do their names, caches and clocks.

mod cache;
pub mod cpuid;
mod linux;
mod processor;

pub use cache::{Cache, CacheKind, Sharers, Teller};
pub use processor::Facts;

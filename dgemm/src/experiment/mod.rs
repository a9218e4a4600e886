//! Measures one rung: its time, its counts from all sources, and its closed form.

mod measurement;
mod outcome;
pub mod program;
pub mod report;
mod sweep;

pub use measurement::{DEFAULT_RUNS, EVENTS, blocks_for, sources};
pub use outcome::{Level, Outcome};
pub use sweep::Products;

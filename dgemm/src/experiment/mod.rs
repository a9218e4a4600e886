//! Measures one rung: its time, its counts from all sources, and its closed form.

mod measure;
pub mod program;
mod report;
mod sweep;

pub use measure::{blocks_for, sources};
pub use sweep::Products;

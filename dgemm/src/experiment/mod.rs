//! Measures one rung: its time, its counts from all sources, and its closed form.

pub mod charts;
mod measurement;
mod outcome;
pub mod program;
pub mod report;
mod subject;

use measurement::LEFT_OUT;
pub use measurement::{EVENTS, blocks_for, counted, modelling_seconds, plan, runs, sources, times};
pub use outcome::{Outcome, PerIteration};
pub use subject::Subject;

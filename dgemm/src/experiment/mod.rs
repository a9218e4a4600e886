//! Measures one rung: its time, its counts from all sources, and its closed form.

pub mod charts;
mod measurement;
mod outcome;
pub mod program;
pub mod report;
mod subject;
pub mod yardstick;

use measurement::LEFT_OUT;
pub use measurement::{EVENTS, blocks_for, counted, plan, runs, sources, times};
pub use outcome::{Outcome, PerIteration};
pub use subject::Subject;

//! One rung measured: its time, its counts by whoever can count, its closed
//! form next to them.

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

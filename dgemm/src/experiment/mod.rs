//! Measures one rung: its time, its counts from all sources, and its closed form.

mod measurement;
mod outcome;
pub mod program;
pub mod report;
mod subject;

use measurement::LEFT_OUT;
pub use measurement::{
    DEFAULT_RUNS, EVENTS, blocks_for, modelling_seconds, outcomes, plan, session, sources,
};
pub use outcome::{Outcome, PerIteration};
pub use subject::Subject;

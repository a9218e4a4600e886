//! Everything in the lab kit that is not the lesson.
pub mod cache;
pub mod chart;
pub mod cli;
pub mod clock;
pub mod counters;
pub mod events;
pub mod infer;
pub mod machine;
pub mod memory;
pub mod record;
pub mod saved;
pub mod stats;
pub mod sweep;
pub mod units;
pub mod value;
